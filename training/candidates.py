"""Lists of compressions to choose from: what the default finds for one request, what was written, what was read.

    python -m training.candidates --data ../shared/data --folder .cache/general

For each sentence of which compressions were written and each kind of limit it is what the default answers, the next best
that differ, what weights that lean on words or on paths answer, what was written, and what readers have read
(`readings.jsonl`). Of each candidate it is kept what its score has beyond what the branch of the network says of words
and neighbours: the prices of what it tears apart; and which weights of learnt ties these prices are made of.
`training.reader` says how good each is, and `training.general` moves the branch and the ties so that the better ones score
higher.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from training.written import Written, key_of, read_written, unpacked

if TYPE_CHECKING:
    from laconic.annotate.annotator import Analysis
    from laconic.systems.default.learnt_ties import Bond
    from laconic.systems.default.tie import Tie

Array = NDArray[Any]

CANDIDATES, JUDGED = "candidates.npz", "judged.npy"
READINGS = Path(__file__).parent / "readings.jsonl"
LIMITS = ("at most 60% of the words", "exactly half of the words", "at most 80% of the words", "at most 75 characters")
WRITTEN_AT = ("sixty", "half", "eighty", None)
"""Which kind of written compression each limit has."""
HELD = 5
"""Of so many written sentences one is held out, as by `training.general`."""
FOUND = 12
"""So many next best are looked at, and so many of them taken as differ from one another in more than a word."""
TAKEN = 5
MOST = 45
"""The words of a sentence at most."""
LEANING = (0.25, 2.5)
"""Weights of the words' own odds that find other candidates."""


@dataclass(frozen=True)
class Candidates:
    """Lists of compressions, the first of each being the default's answer."""

    rows: Array  # [lists]: the sentence
    limits: Array  # [lists]: which of LIMITS
    held: Array  # [lists]: whether nothing is learnt from it
    list_of: Array  # [candidates]
    beyond: Array  # [candidates]: of the score, what neither words nor neighbours say
    grammar: Array  # [candidates]: what readers said, 1 to 5, or 0 where none has read it
    meaning: Array
    written: Array  # [candidates]: whether it was written with care
    starts: Array  # [candidates + 1]
    words: Array  # kept, candidate after candidate
    torn_starts: Array  # [candidates + 1]
    torn: Array  # weights of ties, feature × ways to tear + way, candidate after candidate
    torn_prices: Array  # what one step of each adds to what the candidate pays

    def __len__(self) -> int:
        return len(self.list_of)

    def kept(self, candidate: int) -> Array:
        """The words that a candidate keeps."""
        return self.words[self.starts[candidate] : self.starts[candidate + 1]]

    def paid(self, candidate: int) -> tuple[Array, Array]:
        """The weights of ties that a candidate pays for, and how much of each."""
        here = slice(self.torn_starts[candidate], self.torn_starts[candidate + 1])
        return self.torn[here], self.torn_prices[here]

    def members(self) -> list[Array]:
        """The candidates of each list."""
        return np.split(np.arange(len(self)), np.flatnonzero(np.diff(self.list_of)) + 1)

    @classmethod
    def read(cls, path: Path) -> Candidates:
        """What `write` wrote."""
        return cls(**dict(np.load(path)))

    def write(self, path: Path) -> None:
        """All arrays in one file."""
        np.savez_compressed(path, **vars(self))


Read = Mapping[tuple[int, ...], tuple[int, int]]
"""What readers said of the grammar and the meaning of what keeps some words."""


def readings(path: Path = READINGS) -> dict[tuple[str, str], Read]:
    """What was read of each sentence, by its key, and limit."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        found[record["text"], record["limit"]] = {
            unpacked(runs): (grammar, meaning) for runs, grammar, meaning in record["read"]
        }
    return found


@dataclass(frozen=True)
class Work:
    """One list to be made."""

    row: int
    written: Written
    limit: int
    read: Read


class Made(NamedTuple):
    """One list: what its candidates keep, the default's answer first, what their scores have beyond the branch's, and
    the weights of ties that they pay for."""

    kept: list[tuple[int, ...]]
    beyond: list[float]
    paid: list[dict[int, float]]


def list_of(work: Work) -> Made | None:
    """The candidates of one list; None if the limit cannot be met."""
    from laconic.errors import LaconicError

    compressor, leaning = _compressors()
    sentence, budget = work.written.sentence, _budgets()[work.limit]
    found: dict[tuple[int, ...], None] = {}
    try:
        best = [one.kept or () for one in compressor.k_best(sentence, FOUND, budget)]
        found |= {best[0]: None}
        for other in leaning:
            found |= {other.compress(sentence, budget).kept or (): None}
    except LaconicError:
        return None
    taken = 0
    for kept in best[1:]:
        if taken < TAKEN and min(len(set(kept) ^ set(one)) for one in found) > 1:
            found |= {kept: None}
            taken += 1
    kind = WRITTEN_AT[work.limit]
    if kind is not None and kind in work.written.kept:
        found |= {work.written.kept[kind]: None}
    found |= dict.fromkeys(work.read)
    return scored(work, list(found))


def scored(work: Work, candidates: list[tuple[int, ...]]) -> Made:
    """Candidates with what their scores are made of."""
    from laconic.budgets import Request

    compressor, _ = _compressors()
    sentence, budget = work.written.sentence, _budgets()[work.limit]
    space = compressor.meeting(Request.of(sentence, budget, (), ())).space
    [analysis] = _annotator().analyse([sentence], register="general")
    scores, weight = analysis.scores, _given_keep()
    paying = payments(analysis, work.limit)
    beyond, paid = [], []
    for kept in candidates:
        solution = space.only(kept)
        assert solution is not None
        path = (0, *(word + 1 for word in kept), len(sentence) + 1)
        steps = sum(float(scores.follow[left, right]) for left, right in pairwise(path))
        beyond.append(solution.score - steps - weight * sum(float(scores.keep[word]) for word in kept))
        owed: dict[int, float] = {}
        for tie, parts in paying:
            if tie.broken_by(frozenset(kept)):
                for part, price in parts.items():
                    owed[part] = owed.get(part, 0.0) + price
        paid.append(owed)
    return Made(candidates, beyond, paid)


def payments(analysis: Analysis, limit: int) -> list[tuple[Tie, dict[int, float]]]:
    """The learnt ties of a sentence, and what one step of each weight adds to the price of tearing them."""
    from laconic.systems.default import learnt_ties
    from laconic.systems.default.prices import EXACT, WITHIN_LIMITS
    from laconic.systems.default.source_tree import SourceTree

    tree, learnt = SourceTree(analysis.sentence), learnt_ties.LearntTies.shipped()
    prices = EXACT if LIMITS[limit].startswith("exactly") else WITHIN_LIMITS
    odds = learnt.prices(tree)
    dearest: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[float, learnt_ties.Bond]] = {}
    for bond in learnt_ties.bonds(tree):
        price = learnt_ties._price(bond, odds[bond.dependent].tolist())
        if (bond.given, bond.needed) not in dearest or price > dearest[bond.given, bond.needed][0]:
            dearest[bond.given, bond.needed] = price, bond
    found = []
    for tie, price in prices.of(tree, learnt).items():
        own, bond = dearest.get((tie.given, tie.needed), (0.0, None))
        # Where a declared tie is dearer, the learnt one does not count.
        if bond is None or not 0 <= prices.log_odds * own - price <= prices.log_odds * prices.free + 1e-9:
            continue
        rows = [learnt._rows.get(name, 0) for name in learnt_ties.features(tree, bond.dependent)]
        parts: dict[int, float] = {}
        for tear, sign in _parts(bond, odds[bond.dependent].tolist()):
            for row in rows:
                if row:
                    place = row * len(learnt_ties.Tear) + tear
                    parts[place] = parts.get(place, 0.0) + sign * prices.log_odds * learnt_ties.STEP
        found.append((tie, parts))
    return found


def _parts(bond: Bond, odds: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Which ways to tear the price of a bond is made of."""
    if bond.at_most is not None and odds[bond.at_most] < odds[bond.tear]:
        yield bond.at_most, 1.0
        return
    yield bond.tear, 1.0
    if bond.beside is not None and odds[bond.beside] > 0:
        yield bond.beside, -1.0


@cache
def _compressors():  # type: ignore[no-untyped-def]
    from laconic.systems.default.compressor import GENERAL, Compressor
    from laconic.systems.default.scoring import REGISTERS

    compressor = Compressor(threads=1, annotator=_annotator())
    return compressor, [
        Compressor(
            register=GENERAL,
            weights=replace(REGISTERS[GENERAL], given_keep=weight),
            threads=1,
            annotator=_annotator(),
        )
        for weight in LEANING
    ]


def _given_keep() -> float:
    from laconic.systems.default.compressor import GENERAL
    from laconic.systems.default.scoring import REGISTERS

    return REGISTERS[GENERAL].given_keep


@cache
def _annotator():  # type: ignore[no-untyped-def]
    from laconic.annotate import load_annotator

    return load_annotator(threads=1)


@cache
def _budgets():  # type: ignore[no-untyped-def]
    from laconic.budget import Budget

    return (
        Budget.at_most(ratio=0.6),
        Budget.exactly(ratio=0.5),
        Budget.at_most(ratio=0.8),
        Budget.at_most(75, unit="characters"),
    )


def work_of(data: Path) -> Iterator[Work]:
    """What was read, and one limit for each other sentence."""
    read = readings()
    for row, written in enumerate(read_written(data)):
        sentence, key = written.sentence, key_of(written.sentence.text)
        if not 10 <= len(sentence) <= MOST or any(map(str.isalnum, sentence.words[-1])):
            continue
        known = [limit for limit, name in enumerate(LIMITS) if (key, name) in read]
        for limit in known or [row % 3]:
            yield Work(row, written, limit, read.get((key, LIMITS[limit]), {}))


def made(works: Sequence[Work], workers: int) -> Iterator[tuple[Work, Made]]:
    """The lists of at least two candidates."""
    with ProcessPoolExecutor(workers) as pool:
        for number, (work, found) in enumerate(
            zip(works, pool.map(list_of, works, chunksize=20), strict=True)
        ):
            if number % 500 == 0:
                print(f"{number} of {len(works)} lists", flush=True)
            if found is not None and len(found.kept) > 1:
                yield work, found


def gathered(lists: Iterable[tuple[Work, Made]]) -> Candidates:
    """All lists side by side."""
    rows, limits, held, owner = [], [], [], []
    ratings, by_hand, kept, beyond, paid = [], [], [], [], []
    for number, (work, found) in enumerate(lists):
        owner += [number] * len(found.kept)
        rows.append(work.row)
        limits.append(work.limit)
        held.append(work.row % HELD == 0)
        ratings += [work.read.get(one, (0, 0)) for one in found.kept]
        written = work.written.kept.get(WRITTEN_AT[work.limit] or "")
        by_hand += [one == written for one in found.kept]
        kept += found.kept
        beyond += found.beyond
        paid += found.paid
    return Candidates(
        np.array(rows),
        np.array(limits),
        np.array(held),
        np.array(owner),
        np.array(beyond, np.float32),
        *np.array(ratings, np.int8).T,
        np.array(by_hand),
        _starts(kept),
        np.array([word for one in kept for word in one], np.int16),
        _starts(paid),
        np.array([place for one in paid for place in one], np.int32),
        np.array([price for one in paid for price in one.values()], np.float32),
    )


def _starts(parts: Sequence[Sized]) -> Array:
    return np.cumsum([0, *map(len, parts)])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/general"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    found = gathered(made(list(work_of(given.data)), given.workers))
    found.write(given.folder / CANDIDATES)
    print(f"{len(found)} candidates in {len(found.rows)} lists, {(found.grammar > 0).sum()} read")


if __name__ == "__main__":
    main()
