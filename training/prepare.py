"""Turn the corpora into the flat arrays that training reads.

    python -m training.prepare --data ../shared/data --output .cache/training

Writes `bundle.npz` (all sentences), `start.npz` and `teacher.npz` (MiniLM and MPNet with their vocabulary
pruned) and `inventory.json` (vocabulary, tags, labels, relations: shipped with the model).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from training.recut import common_units, members, merged_heads, merged_spans, merged_tags
from training.vocabulary import (
    MPNET_SIZES,
    mpnet_archive,
    mpnet_weights,
    pruned_vocabulary,
    rounded,
    start_weights,
    weights_folder,
)

from laconic.annotate.pieces import Pieces, case_of
from laconic.corpora.pairs import read_pairs
from laconic.corpora.text import read_articles
from laconic.corpora.treebanks import read_dependencies
from laconic.errors import FormatError
from laconic.formats.penn import read_trees
from laconic.sentence import Sentence
from laconic.text.split import split_sentences
from laconic.text.tokenise import tokenise
from laconic.trees.constituency import Tree
from laconic.trees.dependency import projectivise
from laconic.trees.transform import without_root

GOOGLE, SPOKEN, WRITTEN = range(3)
NUMBER, UNKNOWN = "##", "<unk>"
VOCABULARY = 23_000
WSJ_DEV = 0.1  # the last tenth of the sample is held out
UNLABELLED_LENGTHS = range(8, 61)  # words of sentences that only teachers label
NUMERIC = re.compile(r"\d[\d,.]*")


class Index:
    """Names numbered in order of first use, or frozen after counting."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.numbers = {name: number for number, name in enumerate(names)}

    def add(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def names(self) -> list[str]:
        return list(self.numbers)


@dataclass
class Rows:
    """One set of sentences, column by column."""

    columns: dict[str, list[int]] = field(default_factory=dict)
    offsets: list[int] = field(default_factory=lambda: [0])
    span_offsets: list[int] = field(default_factory=lambda: [0])
    spans: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, words: Sequence[int], cases: Sequence[int], **columns: Sequence[int] | int | float) -> None:
        self.columns.setdefault("words", []).extend(words)
        self.columns.setdefault("cases", []).extend(cases)
        for name, values in columns.items():
            column = self.columns.setdefault(name, [])
            column.append(values) if isinstance(values, (int, float)) else column.extend(values)  # type: ignore[func-returns-value, arg-type]
        self.offsets.append(self.offsets[-1] + len(words))

    def add_spans(self, spans: Iterable[tuple[int, int, int]]) -> None:
        self.spans.extend(spans)
        self.span_offsets.append(len(self.spans))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        kinds = {"words": np.int32, "heads": np.int16, "weight": np.float32}
        out = {f"{name}/{key}": np.array(values, dtype=kinds.get(key, np.int8 if max(values) < 128 else np.int16))
               for key, values in self.columns.items()}  # fmt: skip
        out[f"{name}/offsets"] = np.array(self.offsets)
        if self.spans:
            out[f"{name}/spans"] = np.array(self.spans, dtype=np.int16)
            out[f"{name}/span_offsets"] = np.array(self.span_offsets)
        return out


# -- trees -----------------------------------------------------------------------------------------


def bare_trees(path: Path) -> Iterator[Tree]:
    faults: list[FormatError] = []
    yield from read_trees(path, traces=False, functions=False, on_error=faults.append)
    print(f"{path.name}: {len(faults)} broken trees skipped")


def chains(spans: Iterable[tuple[str, int, int]]) -> dict[tuple[int, int], str]:
    """One label for each span: unary chains are joined from the top down."""
    joined: dict[tuple[int, int], str] = {}
    for label, start, end in spans:
        above = joined.get((start, end))
        joined[start, end] = label if above is None else f"{above}+{label}"
    return joined


def tree_spans(tree: Tree) -> list[tuple[str, int, int]]:
    """The labelled phrases of a tree, without ROOT or an unnamed top."""
    inner = without_root(tree)
    return [
        (inner.labels[node], inner.starts[node], inner.ends[node])
        for node in range(len(inner.labels))
        if not inner.is_preterminal(node) and inner.labels[node] not in ("", "ROOT", "TOP")
    ]


@dataclass(frozen=True)
class Parsed:
    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[tuple[str, int, int], ...]


def penn_sentences(path: Path) -> list[Parsed]:
    return [Parsed(t.words, t.tags, tuple(tree_spans(t))) for t in bare_trees(path)]


def gum_sentences(data: Path, split: str) -> list[Parsed]:
    """GUM's trees, cut as we cut; the spacing is in the CoNLL-U file of the same sentences."""
    trees = bare_trees(data / f"treebank/gum.{split}.ptb.gz")
    spaced = list(read_dependencies(data / f"treebank/gum.{split}.conllu.gz"))
    out, kept = [], 0
    position = 0
    for tree in trees:
        at = next(
            (k for k in range(position, min(position + 8, len(spaced))) if len(spaced[k]) == len(tree.words)),
            None,
        )
        if at is None:
            out.append(Parsed(tree.words, tree.tags, tuple(tree_spans(tree))))
            continue
        position, kept = at + 1, kept + 1
        units = common_units(spaced[at])
        words = tuple("".join(spaced[at].words[k] for k in group) for group in members(units))
        out.append(
            Parsed(words, tuple(merged_tags(tree.tags, units)), tuple(merged_spans(tree_spans(tree), units)))
        )
    print(f"gum.{split}: {kept} of {len(out)} trees found in the CoNLL-U file")
    return out


def dependency_sentences(path: Path, *, projective: bool = True) -> Iterator[Sentence]:
    """The sentences of a treebank, cut as we cut; heads are made projective unless told otherwise."""
    dropped = 0
    faults: list[FormatError] = []
    for sentence in read_dependencies(path, on_error=faults.append):
        units = common_units(sentence)
        assert sentence.heads is not None and sentence.relations is not None and sentence.tags is not None
        merged = merged_heads(sentence.heads, sentence.relations, units)
        if merged is None:
            dropped += 1
            continue
        words = ["".join(sentence.words[k] for k in group) for group in members(units)]
        heads = projectivise(merged[0]) if projective else merged[0]
        tags = merged_tags(sentence.tags, units)
        yield Sentence.from_words(words).annotated(tags=tags, heads=heads, relations=merged[1])
    print(f"{path.name}: {dropped} sentences dropped in merging, {len(faults)} broken ones skipped")


# -- compressions ----------------------------------------------------------------------------------


def masked_pairs(path: Path, *, raw: bool) -> Iterator[tuple[Sentence, list[tuple[int, ...]]]]:
    cut = tokenise if raw else None
    faults: list[FormatError] = []
    for pair in read_pairs(path, tokenise=cut, only_aligned=True, on_error=faults.append):
        kept = [positions for positions in pair.kept if positions]
        if kept and len(pair.source):
            yield pair.source, kept
    print(f"{path.name}: {len(faults)} broken lines skipped {faults[:2]}")


def unlabelled(data: Path, parsed: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Different sentences without a compression: of the treebanks, and news wire."""
    paragraphs = (p for article in read_articles(data / "text/reuters21578.txt.gz") for p in article)
    wire = (sentence.words for paragraph in paragraphs for sentence in split_sentences(paragraph))
    found = dict.fromkeys(tuple(words) for group in (parsed, wire) for words in group)
    return [words for words in found if len(words) in UNLABELLED_LENGTHS]


def guessed_cases(words: Sequence[str], tags: Sequence[str]) -> list[int]:
    """The case that lower-cased words had: proper names and the first word with a capital."""
    return [int(word[0].isalpha() and (index == 0 or tag.startswith("NNP") or word in ("i", "i'm")))
            for index, (word, tag) in enumerate(zip(words, tags, strict=True))]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path(".cache/training"))
    given = parser.parse_args()
    data = given.data
    given.output.mkdir(parents=True, exist_ok=True)

    trees = {
        "gum": gum_sentences(data, "train"),
        "masc": penn_sentences(data / "treebank/masc.mrg.gz"),
        "questions": penn_sentences(data / "treebank/questionbank.ptb.gz"),
        "wsj": penn_sentences(data / "treebank/wsj-sample.mrg.gz"),
        "dev-gum": gum_sentences(data, "dev"),
    }
    cut = round(len(trees["wsj"]) * (1 - WSJ_DEV))
    trees["wsj"], trees["dev-wsj"] = trees["wsj"][:cut], trees["wsj"][cut:]
    dependencies = {
        name: list(dependency_sentences(data / f"treebank/{file}.conllu.gz"))
        for name, file in {"gum": "gum.train", "ewt": "ewt.train", "amalgum": "amalgum-news.silver",
                           "dev-gum": "gum.dev", "dev-ewt": "ewt.dev"}.items()
    }  # fmt: skip
    pairs = {
        name: list(masked_pairs(data / f"compression/{file}", raw=raw))
        for name, file, raw in (
            ("200k", "google200k.train.jsonl.gz", False), ("google", "google.train.jsonl.gz", True),
            ("spoken", "spoken.train.jsonl", False), ("written", "written.train.jsonl", False),
            ("dev-google", "google.dev.jsonl", True), ("dev-spoken", "spoken.dev.jsonl", False),
            ("dev-written", "written.dev.jsonl", False),
        )
    }  # fmt: skip

    # Inventories: what is in training often enough to be learnt.
    tags, relations, google_relations = Index(), Index(), Index()
    training_trees = [s for name, sentences in trees.items() if not name.startswith("dev") for s in sentences]
    tag_counts = Counter(tag for s in training_trees for tag in s.tags)
    for tag, count in tag_counts.most_common():
        if count >= 10:
            tags.add(tag)
    label_counts = Counter(label for s in training_trees for label in chains(s.spans).values())
    labels = Index(["", *(label for label, count in label_counts.most_common() if count >= 8)])
    relation_counts = Counter(
        r for name in ("gum", "ewt", "amalgum") for s in dependencies[name] for r in s.relations or ()
    )
    for relation, count in relation_counts.most_common():
        if count >= 10:
            relations.add(relation)

    def label_of(chain: str) -> int:
        while chain not in labels.numbers and "+" in chain:
            chain = chain.rpartition("+")[0]  # a rare chain is learnt as its upper part
        return labels.numbers.get(chain, 0)

    # Vocabulary.
    folder = weights_folder()
    old = (folder / "vocab.txt").read_text().splitlines()
    full = Pieces({piece: index for index, piece in enumerate(old)})
    counts: Counter[str] = Counter()
    word_counts: Counter[str] = Counter()
    for sentences in (training_trees, *(dependencies[n] for n in ("gum", "ewt", "amalgum"))):
        word_counts.update(word for s in sentences for word in s.words)
    for name in ("200k", "google", "spoken", "written"):
        word_counts.update(word for source, _ in pairs[name] for word in source.words)
    for article in read_articles(data / "text/reuters21578.txt.gz"):
        word_counts.update(word for paragraph in article for word in paragraph.split())
    for word, count in word_counts.items():
        if word not in (NUMBER, UNKNOWN):
            for piece in full.of_word(word):
                counts[old[piece]] += count
    vocabulary = pruned_vocabulary(old, counts, VOCABULARY)
    pieces = Pieces(vocabulary)
    print(
        f"{len(vocabulary)} of {len(old)} pieces kept, "
        f"{sum(counts[p] for p in vocabulary) / sum(counts.values()):.5f} of their uses"
    )

    types = Index([NUMBER, UNKNOWN])
    sets: dict[str, Rows] = {}

    def rows(name: str) -> Rows:
        return sets.setdefault(name, Rows())

    def tag_ids(found: Sequence[str]) -> list[int]:
        return [tags.numbers.get(tag, -100) for tag in found]

    for source_number, (name, sentences) in enumerate(trees.items()):
        target = rows(name if name.startswith("dev") else "tree")
        for s in sentences:
            target.add(
                [types.add(w.lower()) for w in s.words], [case_of(w) for w in s.words], tags=tag_ids(s.tags),
                source=source_number,
            )  # fmt: skip
            target.add_spans((i, j, label_of(chain)) for (i, j), chain in chains(s.spans).items())
    for source_number, (name, parsed) in enumerate(dependencies.items()):
        target = rows(name + "-dependency" if name.startswith("dev") else "dependency")
        for s in parsed:
            assert s.heads is not None and s.relations is not None and s.tags is not None
            target.add(
                [types.add(w.lower()) for w in s.words], [case_of(w) for w in s.words], tags=tag_ids(s.tags),
                heads=[head + 1 for head in s.heads], relations=[relations.numbers.get(r, -100) for r in s.relations],
                weight=0.5 if name == "amalgum" else 1.0, source=source_number,
            )  # fmt: skip
    domains = {"200k": GOOGLE, "google": GOOGLE, "spoken": SPOKEN, "written": WRITTEN}
    for source_number, name in enumerate(("200k", "google", "spoken", "written")):
        for source, kept_sets in pairs[name]:
            if name == "200k":
                cases = guessed_cases(source.words, source.tags or ())
                extra = {
                    "google_tags": tag_ids(source.tags or ()),
                    "google_relations": [google_relations.add(r) for r in source.relations or ()],
                }
            else:
                cases = [case_of(w) for w in source.words]
                extra = {"google_tags": [-100] * len(source), "google_relations": [-100] * len(source)}
            for kept in kept_sets:
                mask = [0] * len(source)
                for position in kept:
                    mask[position] = 1
                rows("compression").add([types.add(w.lower()) for w in source.words], cases, keep=mask,
                                        domain=domains[name], source=source_number, **extra)  # fmt: skip
    learnt = [s.words for s in training_trees] + [
        s.words for n in ("gum", "ewt", "amalgum") for s in dependencies[n]
    ]
    for words in unlabelled(data, learnt):
        blank = [-100] * len(words)
        rows("compression").add([types.add(w.lower()) for w in words], [case_of(w) for w in words], keep=blank,
                                domain=GOOGLE, source=4, google_tags=blank, google_relations=blank)  # fmt: skip
    for name in ("dev-google", "dev-spoken", "dev-written"):
        for source, kept_sets in pairs[name]:
            for kept in kept_sets:
                mask = [0] * len(source)
                for position in kept:
                    mask[position] = 1
                words, cases = (
                    [types.add(w.lower()) for w in source.words],
                    [case_of(w) for w in source.words],
                )
                rows(name).add(words, cases, keep=mask, domain=domains[name.removeprefix("dev-")])

    # What stands for `##` and `<unk>`: numbers, and rare words of the same tag.
    numbers = [
        types.add(w.lower())
        for w, count in word_counts.items()
        for _ in range(min(count, 5))
        if NUMERIC.fullmatch(w)
    ]
    rare: list[list[int]] = [[] for _ in tags.numbers]
    for name in ("gum", "ewt", "amalgum"):
        for s in dependencies[name]:
            for word, tag in zip(s.words, s.tags or (), strict=True):
                if word_counts[word] <= 3 and word.isalpha() and tag in tags.numbers:
                    rare[tags.numbers[tag]].append(types.add(word.lower()))
    unknown = pieces.unknown
    type_pieces: list[int] = []
    type_offsets = [0]
    for word in types.names():
        type_pieces.extend((unknown,) if word in (NUMBER, UNKNOWN) else pieces.of_word(word))
        type_offsets.append(len(type_pieces))
    bundle: dict[str, np.ndarray] = {
        "sizes": np.array([len(vocabulary), *(len(x.numbers) for x in (tags, labels, relations, google_relations))]),
        "special": np.array([pieces.start, pieces.end, unknown]),
        "type_pieces": np.array(type_pieces, dtype=np.int32), "type_offsets": np.array(type_offsets),
        "number_mark": np.array([types.numbers[NUMBER]]), "unknown_mark": np.array([types.numbers[UNKNOWN]]),
        "number_types": np.array(numbers), "rare_types": np.array([t for group in rare for t in group]),
        "rare_offsets": np.cumsum([0, *map(len, rare)]),
    }  # fmt: skip
    for name, target in sets.items():
        bundle.update(target.arrays(name))
        print(f"{name}: {len(target.offsets) - 1} sentences, {target.offsets[-1]} words")
    np.savez_compressed(given.output / "bundle.npz", **bundle)
    start = start_weights(folder, old, vocabulary)
    np.savez_compressed(
        given.output / "start.npz", **{name: value.astype(np.float16) for name, value in start.items()}
    )
    teacher = rounded(mpnet_weights(mpnet_archive(), vocabulary))
    np.savez_compressed(given.output / "teacher.npz", sizes=np.array(json.dumps(MPNET_SIZES)), **teacher)
    inventory = {
        "vocabulary": list(vocabulary),
        "tags": tags.names(),
        "labels": labels.names(),
        "relations": relations.names(),
    }
    (given.output / "inventory.json").write_text(json.dumps(inventory))
    print({name: len(values) for name, values in inventory.items()})


if __name__ == "__main__":
    main()
