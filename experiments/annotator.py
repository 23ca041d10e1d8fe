"""Dev scores of the embedded annotator, end to end from our tokens, beside those of a full-precision graph.

    python -m experiments annotator/dev
    python -m experiments.annotator --data ../shared/data [--graph full.onnx] [--output scores.json] [--card card.json]

Gold annotation is moved onto our words as in training. Trees are those the product builds: by CKY and by
Eisner's algorithm, scored against gold heads that were not made projective. The second compares with another graph;
with `--card`, the scores replace those in a model's card.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Row, Table
from training.prepare import (
    WSJ_DEV,
    Parsed,
    dependency_sentences,
    gum_sentences,
    masked_pairs,
    penn_sentences,
    tree_spans,
)

from laconic.annotate.annotator import Analysis, Annotator
from laconic.annotate.graph_file import write_graph
from laconic.annotate.network import Network
from laconic.decode.contract import Limit
from laconic.decode.path import PathDecoder
from laconic.files import write_whole
from laconic.sentence import Sentence
from laconic.storage import read_card, write_card
from laconic.trees.constituency import Span

Scores = dict[str, float]
References = list[tuple[Sentence, list[tuple[int, ...]]]]

SHIPPED = Path("src/laconic/models/annotator")
# What evalb deletes by default, and the two labels that it takes for one.
PUNCTUATION = frozenset({",", ":", "``", "''", "."})
SAME_LABEL = {"PRT": "ADVP"}
TARGETS = {
    "GUM constituency F1": 91.0, "WSJ constituency F1": 92.0, "GUM UAS": 92.5, "GUM LAS": 90.5,
    "GUM tags": 97.0, "Google keep F1": 85.0,
}  # fmt: skip


@dataclass(frozen=True)
class Development:
    """The gold of all dev sets, on our words."""

    trees: dict[str, list[Parsed]]
    dependencies: dict[str, list[Sentence]]
    compressions: dict[str, tuple[str, References]]  # name -> (register, pairs)


def read_development(data: Path) -> Development:
    wsj = penn_sentences(data / "treebank/wsj-sample.mrg.gz")
    return Development(
        trees={"GUM": gum_sentences(data, "dev"), "WSJ": wsj[round(len(wsj) * (1 - WSJ_DEV)) :]},
        dependencies={
            name: list(dependency_sentences(data / f"treebank/{file}.conllu.gz", projective=False))
            for name, file in (("GUM", "gum.dev"), ("EWT", "ewt.dev"))
        },
        compressions={
            name: (register, list(masked_pairs(data / f"compression/{register_file}.dev.jsonl", raw=raw)))
            for name, register, register_file, raw in (
                ("Google", "news", "google", True),
                ("spoken", "spoken", "spoken", False),
                ("written", "written", "written", False),
            )
        },
    )


# -- trees -----------------------------------------------------------------------------------------


def without_punctuation(spans: Iterable[Span], tags: Sequence[str]) -> Counter[Span]:
    """The brackets over what is no punctuation by the gold tags, as evalb counts them."""
    before = [0]  # before[i]: how many of the words 0, …, i - 1 count
    for tag in tags:
        before.append(before[-1] + (tag not in PUNCTUATION))
    return Counter(
        (SAME_LABEL.get(label, label), before[start], before[end])
        for label, start, end in spans
        if before[start] < before[end]
    )


def f1(matched: int, found: int, gold: int) -> float:
    return 200 * matched / (found + gold)


def constituency_scores(annotator: Annotator, gold: Sequence[Parsed]) -> Scores:
    """Labelled bracket F1 without the root and preterminals, micro-averaged, with and without punctuation."""
    counts = {"constituency F1": Counter[str](), "constituency F1 without punctuation": Counter[str]()}
    right = words = exact = 0
    parsed = annotator.annotate(Sentence.from_words(sentence.words) for sentence in gold)
    for want, sentence in zip(gold, parsed, strict=True):
        assert sentence.tree is not None and sentence.tags is not None
        found = tree_spans(sentence.tree)
        brackets = {
            "constituency F1": (Counter(found), Counter(want.spans)),
            "constituency F1 without punctuation": (
                without_punctuation(found, want.tags),
                without_punctuation(want.spans, want.tags),
            ),
        }
        for name, (ours, theirs) in brackets.items():
            counts[name].update(matched=(ours & theirs).total(), found=ours.total(), gold=theirs.total())
        exact += Counter(found) == Counter(want.spans)
        right += sum(map(str.__eq__, sentence.tags, want.tags))
        words += len(want.tags)
    return {name: f1(**count) for name, count in counts.items()} | {
        "constituency exact": 100 * exact / len(gold),
        "tags in trees": 100 * right / words,
    }


def dependency_scores(annotator: Annotator, gold: Sequence[Sentence]) -> Scores:
    """Attachment of all words, punctuation included; relations with their subtypes, and without."""
    hits: Counter[str] = Counter()
    bare = annotator.annotate(Sentence.from_words(sentence.words) for sentence in gold)
    for want, sentence in zip(gold, bare, strict=True):
        columns = (want.tags, sentence.tags, want.heads, sentence.heads, want.relations, sentence.relations)
        for tag, our_tag, head, our_head, relation, our_relation in zip(*columns, strict=True):  # type: ignore[arg-type]
            attached = head == our_head
            hits["words"] += 1
            hits["tags"] += tag == our_tag
            hits["UAS"] += attached
            hits["LAS"] += attached and relation == our_relation
            hits["LAS without subtypes"] += (
                attached and relation.partition(":")[0] == our_relation.partition(":")[0]
            )
    total = hits.pop("words")
    return {name: 100 * count / total for name, count in hits.items()}


# -- compressions ----------------------------------------------------------------------------------


def compression_scores(annotator: Annotator, pairs: References, register: str) -> Scores:
    """Positional F1 and exact match, averaged over all references: by threshold, and by the best path."""
    sums: Counter[str] = Counter()
    count = 0
    analyses = annotator.analyse((source for source, _ in pairs), register=register)
    for analysis, (_, references) in zip(analyses, pairs, strict=True):
        decoder = PathDecoder(analysis.scores.follow)
        free = {
            "keep": tuple(int(i) for i in (analysis.scores.keep > 0).nonzero()[0]),
            "path": decoder.best().kept,
        }
        for reference in references:
            count += 1
            size = len(reference)
            held = {
                "keep at gold length": highest(analysis, size),
                "path at gold length": decoder.best(limit=Limit(size, size)).kept,
            }
            for name, kept in (free | held).items():
                common = len(set(kept) & set(reference))
                sums[f"{name} F1"] += f1(common, len(kept), size)  # type: ignore[assignment]
                sums[f"{name} exact"] += 100 * (kept == reference)
    return {name: total / count for name, total in sums.items()}


def highest(analysis: Analysis, size: int) -> tuple[int, ...]:
    """The words with the highest log-odds of being kept."""
    return tuple(sorted((-analysis.scores.keep).argsort(kind="stable")[:size].tolist()))


# -- all -------------------------------------------------------------------------------------------


def all_scores(annotator: Annotator, development: Development) -> Iterator[tuple[str, float]]:
    for name, parsed in development.trees.items():
        for measure, score in constituency_scores(annotator, parsed).items():
            yield f"{name} {measure}", score
    for name, sentences in development.dependencies.items():
        for measure, score in dependency_scores(annotator, sentences).items():
            yield f"{name} {measure}", score
    for name, (register, pairs) in development.compressions.items():
        for measure, score in compression_scores(annotator, pairs, register).items():
            yield f"{name} {measure}", score


def with_graph(graph: Path) -> Network:
    """The shipped network with another graph of the same inputs and outputs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "inventory.json").write_bytes((SHIPPED / "inventory.json").read_bytes())
        write_card(folder, read_card(SHIPPED) | write_graph(folder, graph.read_bytes()))
        return Network(folder)


def measure(at: Workplace) -> Found:
    """All scores of the shipped network."""
    network = Annotator(Network.shipped(), threads=1)
    return {name: round(score, 2) for name, score in all_scores(network, read_development(at.data))}


def dev_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [("dev score", "percent")]
    rows += [(name, f"{score:.2f}") for name, score in found["shipped"].items()]
    note = (
        "The embedded parser and its compression scores, from our tokens: the last tenth of the WSJ sample, GUM, "
        "EWT and "
        "the pairs. Compressions are of the network alone, by threshold and by the best path, without ties."
    )
    yield Page("dev", "The embedded annotator on dev", note, [Table(rows)], plotted="percent")


EXPERIMENTS = (
    Experiment(
        "annotator/dev",
        "the embedded parser on treebanks and pairs",
        6,
        (
            Job(
                "shipped",
                measure,
                reads=(
                    *("gum.dev.penn", "gum.dev.dependencies", "ewt.dev", "wsj-sample"),
                    *("google.dev", "spoken.dev", "written.dev"),
                ),
                uses=("annotator",),
            ),
        ),
        dev_pages,
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--graph", type=Path, help="a full-precision graph to compare with")
    parser.add_argument("--threads", type=int, help="default: all cores")
    parser.add_argument("--output", type=Path, help="write the scores here, as JSON")
    parser.add_argument("--card", type=Path, help="put the scores into this card")
    given = parser.parse_args()
    networks = {"shipped": Network.shipped()} | (
        {"full precision": with_graph(given.graph)} if given.graph else {}
    )
    development = read_development(given.data)
    table: dict[str, dict[str, float]] = {}
    for column, network in networks.items():
        for measure, score in all_scores(Annotator(network, threads=given.threads), development):
            table.setdefault(measure, {})[column] = round(score, 2)
            print(f"{column:14s} {measure:45s} {score:6.2f}", flush=True)
    print(f"\n{'dev score':45s}" + "".join(f"{column:>16s}" for column in networks) + f"{'loss':>8s}  target")
    for measure, row in table.items():
        numbers = "".join(f"{row[column]:16.2f}" for column in networks)
        loss = f"{row['full precision'] - row['shipped']:8.2f}" if given.graph else " " * 8
        print(f"{measure:45s}{numbers}{loss}  {TARGETS.get(measure, '')}")
    if given.output:
        with write_whole(given.output) as stream:
            stream.write(json.dumps(table, indent=2).encode() + b"\n")
    if given.card:
        folder = given.card.parent
        write_card(folder, read_card(folder) | {"dev scores": table})


if __name__ == "__main__":
    main()
