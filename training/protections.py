"""What readers make of answers that tear a protection: evidence for the rows of `protections.toml`.

    python -m training.protections --data ../shared/data

Whole lists of answers were read (`training.read_lists`), by language models, not people. For each row of the table: how
many of the answers tear it, which share of them is good, which share the reader that ships foretells, which share of
the others of their lists is good, and of how many the meaning is lost. What is good less often than foretold is worth
a row: the reader of whole answers does not see it. What is as good as the rest of its list is not.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from training.choices import POOR
from training.read_lists import DOUBTED_LISTS, READ_LISTS, ReadList, read_lists, sentence_texts
from training.readings import LIMITS

from laconic.systems.default.compressor import GENERAL, Compressor
from laconic.systems.default.protections import protecting_ties, protections
from laconic.systems.default.reader import Opinion, Reader
from laconic.systems.default.scoring import REGISTERS
from laconic.systems.default.source_tree import SourceTree
from laconic.text.tokenise import tokenise


class Torn(NamedTuple):
    """An answer that tears a row: whether it is good, how likely that seemed, which share of the others of its list is
    good, and whether its meaning is lost."""

    good: bool
    foretold: float
    others: float
    lost: bool


def torn_answers(read: ReadList, compressor: Compressor) -> Iterator[tuple[str, Torn]]:
    """The rows that answers of a list tear."""
    found = compressor._read_for(tokenise(read.text), LIMITS[read.limit])
    rows = [(tie, row.name) for tie, row in protecting_ties(SourceTree(found.sentence))]
    if not rows:
        return
    assert found.sentence.heads is not None
    opinion = Opinion(Reader.shipped(), found._scores, found.sentence.heads, REGISTERS[GENERAL].given_keep)
    torn: dict[str, set[int]] = defaultdict(set)
    for number, candidate in enumerate(read.candidates):
        for tie, name in rows:
            if tie.broken_by(frozenset(candidate.kept)):
                torn[name].add(number)
    for name, numbers in torn.items():
        others = [one.is_good for number, one in enumerate(read.candidates) if number not in numbers]
        for number in numbers:
            candidate = read.candidates[number]
            solution = found.space.only(candidate.kept)
            assert solution is not None
            odds = opinion.log_odds(candidate.kept, solution.score)
            foretold = 1 / (1 + np.exp(-odds))
            rest = float(np.mean(others)) if others else float("nan")
            yield name, Torn(candidate.is_good, foretold, rest, candidate.meaning <= POOR)


def rows(found: dict[str, list[Torn]]) -> Iterator[Sequence[str]]:
    """A table of them, in the order of the protections."""
    yield ("row", "price", "answers", "good", "foretold", "others of their lists", "meaning lost")
    for row in protections():
        torn = np.array(found.get(row.name, []), np.float64).reshape(-1, len(Torn._fields))
        price = "" if row.price is None else f"{row.price:g}"
        shares = [f"{share:.0%}" for share in np.nanmean(torn, 0)] if len(torn) else [""] * torn.shape[1]
        yield row.name, price, str(len(torn)), *shares


def evidence(lists: Iterable[ReadList]) -> dict[str, list[Torn]]:
    """All answers that tear a row, by the row."""
    compressor, found = Compressor(threads=1), defaultdict(list)
    for read in lists:
        for name, torn in torn_answers(read, compressor):
            found[name].append(torn)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    texts = sentence_texts(parser.parse_args().data)
    lists = (read for path in (READ_LISTS, DOUBTED_LISTS) for read in read_lists(texts, path))
    for row in rows(evidence(lists)):
        print("\t".join(row))


if __name__ == "__main__":
    main()
