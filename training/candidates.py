"""Lists of compressions to choose from: what the default finds for one request, what was written, what was read.

    python -m training.candidates --data ../shared/data --folder .cache/general --more 8000

The folder is that of `training.general prepare`. For each sentence of which compressions were written, under the limits
at which it was read (`readings.jsonl`) or one other, a list holds the best by its score, the next best that differ,
what weights that lean on words or on paths find, what was written, and what was read; for further sentences the ten
best alone. Of each candidate it is also known what `laconic.systems.default.reader` sees beside its words.
`training.large_readers` says how good each is, and `training.reader` learns from that.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator, Sequence, Sized
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from training.general_sentences import SENTENCES, Inputs, read_sentences
from training.readings import LIMITS, Kept, Read, readings
from training.written import key_of, read_written, source_texts

from laconic.annotate import load_annotator
from laconic.annotate.annotator import Annotator
from laconic.annotate.network import Network, Scores
from laconic.budget import Budget
from laconic.budgets import Request
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.default.compressor import GENERAL, Compressor
from laconic.systems.default.scoring import REGISTERS
from laconic.text.tokenise import tokenise

Array = NDArray[Any]

CANDIDATES, JUDGED = "candidates.npz", "judged.npy"
EXACT, CHARACTERS = 1, 3
"""Which of LIMITS is exact, and which counts characters."""
WRITTEN_AT = ("sixty", "half", "eighty", None)
"""Which kind of written compression each limit has."""
DRAWN = (35, 25, 25, 15)
"""How often each limit is drawn for a further sentence, of 100."""
ROOM = 90
"""The characters of a sentence that 75 shorten."""
HELD, FURTHER_HELD = 5, 10
"""Of so many written sentences one is held out, as by `training.general`; of so many further ones."""
LENGTHS = range(11, 46)
"""Of sentences, in words."""
FOUND, TAKEN = 12, 5
"""So many of the best are looked at, and so many next best taken that differ from all others in more than a word."""
BEST = 10
"""So many are taken where nothing else is known."""
LEANING = (0.25, 2.5)
"""Weights of the words' own odds that find other candidates."""
TRAITS = 8
BEYOND, SHARE = 0, 1
"""The traits that the large readers see, too."""


@dataclass(frozen=True)
class Candidates:
    """Lists of compressions, the first of each being the best by its score."""

    rows: Array  # [lists]: the sentence
    limits: Array  # [lists]: which of LIMITS
    held: Array  # [lists]: whether nothing is learnt from it
    head_starts: Array  # [lists + 1]
    heads: Array  # of words, -1 being the root, list after list
    list_of: Array  # [candidates]
    traits: Array  # [candidates, traits]
    grammar: Array  # [candidates]: what readers said, 1 to 5, or 0 where none has read it
    meaning: Array
    written: Array  # [candidates]: whether it was written with care
    starts: Array  # [candidates + 1]
    words: Array  # kept, candidate after candidate

    def __len__(self) -> int:
        return len(self.list_of)

    @property
    def rated(self) -> Array:
        """Which candidates were read."""
        return self.grammar > 0

    def kept(self, candidate: int) -> Array:
        """The words that a candidate keeps."""
        return self.words[self.starts[candidate] : self.starts[candidate + 1]]

    def heads_of(self, number: int) -> Array:
        """The head of each word of a list's sentence."""
        return self.heads[self.head_starts[number] : self.head_starts[number + 1]]

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


@dataclass(frozen=True)
class Work:
    """One list to be made; of a further one nothing was written or read."""

    row: int
    sentence: Sentence
    limit: int
    held: bool
    further: bool = False
    written: Kept | None = None
    read: Read = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        """The limit."""
        return tuple(LIMITS.values())[self.limit]


class Made(NamedTuple):
    """One list: what its candidates keep, the best first, their traits, and the heads of the sentence's words."""

    kept: Sequence[Kept]
    traits: Sequence[Sequence[float]]
    heads: Sequence[int]


def made_of(work: Work) -> Made | None:
    """The candidates of one list; None if the limit cannot be met."""
    try:
        found = best_of(work) if work.further else varied(work)
    except LaconicError:
        return None
    return scored(work, found)


def best_of(work: Work) -> list[Kept]:
    """The best few by their scores."""
    compressor = _compressor(exact=work.limit == EXACT)
    return [one.kept or () for one in compressor.k_best(work.sentence, BEST, work.budget)]


def varied(work: Work) -> list[Kept]:
    """The best by its score, others that differ from it, what was written and what was read."""
    compressor = _compressor(exact=work.limit == EXACT)
    best = [one.kept or () for one in compressor.k_best(work.sentence, FOUND, work.budget)]
    leant = [other.compress(work.sentence, work.budget).kept or () for other in _leaning()]
    found = dict.fromkeys([best[0], *leant])
    taken = 0
    for kept in best[1:]:
        if taken < TAKEN and min(len(set(kept) ^ set(one)) for one in found) > 1:
            found[kept] = None
            taken += 1
    known = work.read if work.written is None else (work.written, *work.read)
    return list(dict.fromkeys([*found, *known]))


def scored(work: Work, candidates: Sequence[Kept]) -> Made:
    """Candidates with what the shipped reader sees of them."""
    compressor = _compressor(exact=work.limit == EXACT)
    space = compressor.meeting(Request.of(work.sentence, work.budget, (), ())).space
    [analysis] = _annotator().analyse([work.sentence], register=GENERAL)
    found = []
    for kept in candidates:
        solution = space.only(kept)
        assert solution is not None
        found.append(traits(kept, solution.score, analysis.scores))
    heads = analysis.sentence.heads
    assert heads is not None
    return Made(candidates, found, heads)


def traits(kept: Kept, score: float, scores: Scores) -> list[float]:
    """What the shipped reader sees of a compression beside its words, in the order of its own."""
    words, count = list(kept), len(scores.keep)
    path = np.array([0, *(word + 1 for word in kept), count + 1])
    steps = scores.follow[path[:-1], path[1:]].astype(np.float64)
    dropped = np.delete(scores.keep, words).astype(np.float64)
    odds = REGISTERS[GENERAL].given_keep * float(scores.keep[words].sum())
    return [
        (score - float(steps.sum()) - odds) / 10,
        len(kept) / count,
        float(steps.sum()) / max(1, len(kept)) / 2,
        max(dropped, default=0.0) / 5,
        float(np.maximum(dropped, 0).sum()) / 10,
        len(kept) / 20,
        count / 20,
        float(steps.min()) / 10,
    ]


@cache
def _annotator() -> Annotator:
    return load_annotator(threads=1)


@cache
def _compressor(*, exact: bool) -> Compressor:
    # Who asks for a register gets the best by its score under upper limits: no reader has chosen it.
    return Compressor(register=None if exact else GENERAL, threads=1, annotator=_annotator())


@cache
def _leaning() -> Sequence[Compressor]:
    weights = (replace(REGISTERS[GENERAL], given_keep=weight) for weight in LEANING)
    return [Compressor(register=GENERAL, weights=each, threads=1, annotator=_annotator()) for each in weights]


def known_work(data: Path) -> Iterator[Work]:
    """What was read, and one limit for each other sentence of which compressions were written."""
    read = readings()
    for row, written in enumerate(read_written(data)):
        key = key_of(written.sentence.text)
        seen = [limit for limit, name in enumerate(LIMITS) if (key, name) in read]
        if seen or _suits(written.sentence):
            for limit in seen or [row % CHARACTERS]:
                kept = written.kept.get(WRITTEN_AT[limit] or "")
                said = read.get((key, tuple(LIMITS)[limit]), {})
                yield Work(row, written.sentence, limit, row % HELD == 0, written=kept, read=said)


def further_work(data: Path, inputs: Inputs, count: int, known: Iterable[Work]) -> Iterator[Work]:
    """So many sentences more, each at a limit that is drawn."""
    pieces, drawing = Network.shipped().pieces, random.Random(3)
    rows = {_key(ids, cases): row for row, (ids, cases, *_) in reversed(list(enumerate(inputs)))}
    done = {(work.row, work.limit) for work in known}
    written = {row for row, _ in done}
    texts = list(source_texts(data))
    drawing.shuffle(texts)
    seen: set[int] = set()
    for text in texts:
        sentence = tokenise(text)
        if not _suits(sentence):
            continue
        encoded = pieces.encode(sentence.words)
        row = rows.get(_key(encoded.ids, encoded.cases))
        if row is None or row in seen:
            continue
        if len(seen) == count:
            return
        seen.add(row)
        [limit] = drawing.choices(range(len(LIMITS)), DRAWN)
        if limit == CHARACTERS and len(text) < ROOM:
            limit = 0
        if (row, limit) in done:
            limit = (limit + 1) % CHARACTERS
        held = row % (HELD if row in written else FURTHER_HELD) == 0
        yield Work(row, sentence, limit, held, further=True)


def _suits(sentence: Sentence) -> bool:
    """Whether it is of a usual length and ends in a mark."""
    return len(sentence) in LENGTHS and not any(map(str.isalnum, sentence.words[-1]))


def _key(ids: Array, cases: Array) -> bytes:
    return np.stack([ids, cases]).astype(np.int32).tobytes()


def made(works: Sequence[Work], workers: int) -> Iterator[tuple[Work, Made]]:
    """The lists of at least two candidates."""
    with ProcessPoolExecutor(workers) as pool:
        for number, (work, found) in enumerate(
            zip(works, pool.map(made_of, works, chunksize=20), strict=True)
        ):
            if number % 500 == 0:
                print(f"{number} of {len(works)} lists", flush=True)
            if found is not None and len(found.kept) > 1:
                yield work, found


def gathered(lists: Iterable[tuple[Work, Made]]) -> Candidates:
    """All lists side by side."""
    works, all_made = zip(*lists, strict=True)
    kept = [one for found in all_made for one in found.kept]
    of_work = [(work, one) for work, found in zip(works, all_made, strict=True) for one in found.kept]
    ratings = np.array([work.read.get(one, (0, 0)) for work, one in of_work], np.int8)
    return Candidates(
        rows=np.array([work.row for work in works]),
        limits=np.array([work.limit for work in works]),
        held=np.array([work.held for work in works]),
        head_starts=_starts([found.heads for found in all_made]),
        heads=np.array([head for found in all_made for head in found.heads], np.int16),
        list_of=np.repeat(np.arange(len(works)), [len(found.kept) for found in all_made]),
        traits=np.array([row for found in all_made for row in found.traits], np.float32),
        grammar=ratings[:, 0],
        meaning=ratings[:, 1],
        written=np.array([one == work.written for work, one in of_work]),
        starts=_starts(kept),
        words=np.array([word for one in kept for word in one], np.int16),
    )


def _starts(parts: Sequence[Sized]) -> Array:
    return np.cumsum([0, *map(len, parts)])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/general"))
    parser.add_argument("--more", type=int, default=8000, help="so many further sentences")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    _, inputs = read_sentences(given.folder / SENTENCES)
    works = list(known_work(given.data))
    works += further_work(given.data, inputs, given.more, works)
    found = gathered(made(works, given.workers))
    found.write(given.folder / CANDIDATES)
    print(f"{len(found)} candidates in {len(found.rows)} lists, {found.rated.sum()} read")


if __name__ == "__main__":
    main()
