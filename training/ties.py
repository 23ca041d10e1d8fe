"""Learn the prices of the default's ties: how often people tear each kind of arc, and what readers mind.

    python -m training.ties --data ../shared/data --cache .cache/annotations.sqlite

Three steps, all deterministic. (1) In treebanks, how often each verb, noun and adjective has which kind of dependent
after it: who next to always has an object asks for one. (2) In pairs that only delete, for each way to tear an arc, a
logistic regression of whether the reference tears it, on the `features` of `learnt_ties`. (3) In blind readings of
outputs, what readers mind more, or less, than those who wrote the references do: an offset for each relation.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.stats import rankdata
from training.cards import MODELS, data_checksums, finish, licences, needs
from training.written import WRITTEN, read_written

from laconic.annotate import load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.registry import checksum, open_pairs
from laconic.errors import LaconicError
from laconic.formats.conllu import read_conllu, to_sentence
from laconic.sentence import Sentence
from laconic.systems.default.bonds import NO_TEAR, Bond, Tear, bonds
from laconic.systems.default.learnt_ties import KIND, STEP, LearntTies, features, like, voice_of
from laconic.systems.default.source_tree import SourceTree
from laconic.text.tokenise import tokenise
from laconic.trees.alignment.deletion import align_deletion

TREEBANKS = ("gum.train.conllu.gz", "ewt.train.conllu.gz", "amalgum-news.silver.conllu.gz")
PAIRS = {"google.train": 1.0, "spoken.train": 0.5, "written.train": 1.0, "msr.train": 2.0}
"""Corpora and the weight of a reference: broadcasts have three a sentence, general prose few pairs."""
GENERAL = 3.0
"""The weight of a compression that was written for laconic, of which each sentence has three."""

FEWEST_USES = 4
FEWEST = 6
RIDGE = 0.5
OFFSET_RIDGE = 6.0
FEWEST_READ = 6
MOST_PRICE = 6.0
_NOT_ASKED_FOR = frozenset(["punct", "conj", "cc", "parataxis"])

Annotate = Callable[[Iterable[Sentence]], Iterable[Sentence]]


class Example(NamedTuple):
    """An arc in a sentence of which a reference keeps what is given."""

    features: Sequence[str]
    torn: bool
    weight: float


def shares(data: Path) -> dict[str, int]:
    """How often, in tenths, a word has a kind of dependent after it, by the name that `features` asks it by."""
    uses, having = Counter[tuple[str, str]](), Counter[tuple[str, str, str, str]]()
    for name in TREEBANKS:
        for record in read_conllu(data / "treebank" / name, on_error=lambda _: None):  # some have two roots
            tree = SourceTree(to_sentence(record))
            for head in range(len(tree)):
                if tree.tags[head][:1] not in ("V", "N", "J", "R"):
                    continue
                word = voice_of(tree, head), tree.words[head]
                uses[word] += 1
                kinds = set()
                for child in tree.children[head]:
                    relation = like(tree.relations[child])
                    if child > head and relation not in _NOT_ASKED_FOR:
                        links = [link for link in tree.related(child, "case", "mark") if link < child]
                        kinds.add((relation, ""))
                        kinds.update((relation, f" {tree.words[link]}") for link in links[:1])
                having.update((relation, *word, link) for relation, link in kinds)
    found = {}
    for (relation, voice, word, link), count in having.items():
        tenths = int(10 * (count + 0.3) / (uses[voice, word] + 1))
        if uses[voice, word] >= FEWEST_USES and tenths:
            found[f"{relation} asks {voice} {word}{link}"] = min(9, tenths)
    return found


def pairs(data: Path, annotate: Annotate) -> Iterator[tuple[float, Sentence, Sequence[frozenset[int]]]]:
    """The annotated sentences whose references only delete, with what these keep."""
    for name, weight in PAIRS.items():
        raw = None if name in ("spoken.train", "written.train") else tokenise
        read = [
            (pair.source, _kept(pair)) for pair in open_pairs(name, data, tokenise=raw, only_aligned=True)
        ]
        deletions = [(source, kept) for source, kept in read if kept]
        sentences = annotate(source for source, _ in deletions)
        for (_, kept), sentence in zip(deletions, sentences, strict=True):
            yield weight, sentence, kept
    written = read_written(data)
    for each, sentence in zip(written, annotate(each.sentence for each in written), strict=True):
        yield GENERAL, sentence, [frozenset(kept) for kept in each.kept.values()]


def _kept(pair: Pair) -> list[frozenset[int]]:
    """What each reference keeps that only deletes, capitals apart."""
    found = []
    for reference, kept in zip(pair.references, pair.kept, strict=True):
        if kept is None:
            try:
                source, words = (
                    [word.casefold() for word in side] for side in (pair.source.words, reference)
                )
                kept = align_deletion(source, words)
            except LaconicError:
                continue
        if kept:
            found.append(frozenset(kept))
    return found


def examples(data: Path, annotate: Annotate) -> dict[Tear, list[Example]]:
    """For each way to tear an arc, the arcs of which a reference keeps what is given."""
    found: dict[Tear, list[Example]] = defaultdict(list)
    for weight, sentence, references in pairs(data, annotate):
        tree = SourceTree(sentence)
        named = {word: features(tree, word) for word, head in enumerate(tree.heads) if head >= 0}
        candidates = list(bonds(tree))
        anchors = _anchors(candidates)
        for kept in references:
            for bond in candidates:
                anchored = not kept.isdisjoint(anchors[bond.dependent, bond.tear])
                if kept.issuperset(bond.given) and not anchored:
                    torn = kept.isdisjoint(bond.needed)
                    found[Tear(bond.tear)].append(Example(named[bond.dependent], torn, weight))
    return found


def _anchors(candidates: Sequence[Bond]) -> dict[tuple[int, int], frozenset[int]]:
    """The words without which a tear of an arc is the weaker one, by the arc's dependent and the weaker tear."""
    found: dict[tuple[int, int], frozenset[int]] = defaultdict(frozenset)
    for bond in candidates:
        if bond.beside != NO_TEAR:
            found[bond.dependent, bond.beside] |= {bond.given[1]}
    return found


def fit(data: Sequence[Example], asked: dict[str, int]) -> dict[str, float]:
    """The weights of features for the log-odds that an arc is not torn."""
    renamed = [[_by_share(name, asked) for name in example.features] for example in data]
    counts = Counter(name for names in renamed for name in names)
    columns = {
        name: place for place, name in enumerate(sorted(n for n, c in counts.items() if n and c >= FEWEST))
    }
    rows, places = [], []
    for row, names in enumerate(renamed):
        for name in dict.fromkeys(names):
            if name in columns:
                rows.append(row)
                places.append(columns[name])
    matrix = csr_matrix((np.ones(len(rows)), (rows, places)), shape=(len(data), len(columns)))
    kept = np.array([not example.torn for example in data], np.float64)
    weights = np.array([example.weight for example in data])
    # The bare relation is in every arc's features, so that no bias is needed beside it.
    found = logistic(matrix, kept, weights, np.full(len(columns), RIDGE))
    return {name: float(found[place]) for name, place in columns.items()}


def _by_share(name: str, asked: dict[str, int]) -> str:
    relation, _, feature = name.partition(" ")
    if not feature.startswith("asks "):
        return name
    share = asked.get(name)
    if share is None:
        return ""
    linked = "linked " if feature.count(" ") == 3 else ""
    return f"{relation} share {linked}{feature.split(' ')[1]} {share}"


def logistic(
    matrix: csr_matrix | NDArray[np.float64],
    outcome: NDArray[np.float64],
    weights: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> NDArray[np.float64]:
    """argmin over v of Σ weight · (log(1 + exp z) − outcome · z) + ½ Σ ridge · v², z = matrix · v."""

    def loss(v: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = matrix @ v
        value = (weights * (np.logaddexp(0, z) - outcome * z)).sum() + 0.5 * (ridge * v * v).sum()
        rest = weights * (1 / (1 + np.exp(-z)) - outcome)
        return float(value), matrix.T @ rest + ridge * v

    start = np.zeros(matrix.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x)


def expanded(by_tear: dict[Tear, dict[str, float]], asked: dict[str, int]) -> dict[str, NDArray[np.int16]]:
    """The weights by the names that `features` gives, whole."""
    found: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(Tear)))
    for tear, weights in by_tear.items():
        for name, weight in weights.items():
            if " share " not in name:
                found[name][tear] += weight
        for name in asked:
            found[name][tear] += weights.get(_by_share(name, asked), 0.0)
    whole = {name: np.rint(row / STEP).astype(np.int16) for name, row in found.items()}
    return {name: row for name, row in whole.items() if np.abs(row).max() >= 0.02 / STEP}


def offsets(learnt: LearntTies, data: Path, annotate: Annotate) -> dict[str, NDArray[np.float64]]:
    """What readers mind more than the prices say, in log-odds, for each relation and way to tear it.

    A logistic regression of "grammar at most 3", and one of "meaning at most 3", on the sum of the prices of what an
    output tears, on how much of the sentence it keeps, and on how often it tears each relation in each way; the mean of
    both, on the scale of the prices. Only what is minded more is taken.
    """
    path = data / "readings" / "dev.jsonl"
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    counts: list[Counter[tuple[str, Tear]]] = []
    sums, kept_shares = [], []
    for row, sentence in zip(read, annotate(tokenise(row["source"]) for row in read), strict=True):
        tree, kept = SourceTree(sentence), frozenset(row["kept"])
        prices = learnt.prices(tree)
        torn: Counter[tuple[str, Tear]] = Counter()
        total = 0.0
        candidates = list(bonds(tree))
        anchors = _anchors(candidates)
        for bond in candidates:
            anchored = not kept.isdisjoint(anchors[bond.dependent, bond.tear])
            if kept.issuperset(bond.given) and kept.isdisjoint(bond.needed) and not anchored:
                total += min(MOST_PRICE, max(0.0, float(prices[bond.dependent, bond.tear])))
                torn[like(tree.relations[bond.dependent]), Tear(bond.tear)] += 1
        counts.append(torn)
        sums.append(total)
        kept_shares.append(len(kept) / len(tree))
    seen = Counter(key for torn in counts for key in torn)
    keys = sorted(key for key, count in seen.items() if count >= FEWEST_READ)
    matrix = np.column_stack(
        [np.ones(len(read)), sums, kept_shares, *([min(3, torn[key]) for torn in counts] for key in keys)]
    )
    for question in ("grammar", "meaning"):
        bad = np.array([row[question] <= 3 for row in read])
        print(f"area under the curve for {question} at most 3: {area_under_curve(np.array(sums), bad):.3f}")
    ridge = np.array([0.0, 0.0, 0.0, *[OFFSET_RIDGE] * len(keys)])
    found: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(Tear)))
    for question in ("grammar", "meaning"):
        minded = np.array([row[question] <= 3 for row in read], np.float64)
        weights = logistic(matrix, minded, np.ones(len(read)), ridge)
        for (relation, tear), weight in zip(keys, weights[3:], strict=True):
            found[f"{relation} "][tear] += max(0.0, weight / weights[1]) / 2
    return found


def area_under_curve(scores: NDArray[np.float64], bad: NDArray[np.bool_]) -> float:
    """How often the score of a bad one is above that of a good one, ties counted half."""
    ranks = rankdata(scores)
    return float((ranks[bad].sum() - bad.sum() * (bad.sum() + 1) / 2) / (bad.sum() * (~bad).sum()))


def main(data: Path, output: Path, annotate: Annotate) -> None:
    """Learn and write the weights."""
    asked = shares(data)
    by_tear = {tear: fit(found, asked) for tear, found in sorted(examples(data, annotate).items())}
    weights = expanded(by_tear, asked)
    minded = offsets(LearntTies(weights), data, annotate)
    for name, row in sorted(minded.items()):
        if row.any():
            print(name, {Tear(place).name: round(value, 2) for place, value in enumerate(row) if value})
            weights[name] = weights[name] + np.rint(row / STEP).astype(np.int16)
    LearntTies(weights).save(output / KIND)
    finish(
        output / KIND,
        {
            "name": KIND,
            "what": "How closely words belong together: prices of the default's ties",
            "command": "python -m training.ties --data ../shared/data",
            "options": {
                "ridge": RIDGE,
                "fewest": FEWEST,
                "weights of references": PAIRS | {WRITTEN.name: GENERAL},
            },
            "seed": None,
            "needs": needs("annotator"),
            "training": {
                "sha256": data_checksums(tuple(PAIRS), data)
                | {name: checksum(data / "treebank" / name) for name in TREEBANKS}
                | {
                    "readings/dev": checksum(data / "readings" / "dev.jsonl"),
                    WRITTEN.name: checksum(WRITTEN),
                },
            },
            "weights": len(weights),
            "licences": licences(tuple(PAIRS)),
            "readers": "language models, not people; so are the writers of compressions.jsonl",
        },
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    parser.add_argument("--output", type=Path, default=MODELS)
    arguments = parser.parse_args()
    arguments.cache.parent.mkdir(parents=True, exist_ok=True)
    main(arguments.data, arguments.output, partial(load_annotator().annotate, cache=arguments.cache))
