"""What was chosen by readers at upper limits: variants of the default on training sentences, read blind.

    python -m training.choices

`choices.jsonl` holds what language models, not people, made of the answers that a sheet's variants gave to sentences
which nothing had learnt from, where they differ: the sentence by its key (`training.written`), the words that stay, how
good grammar and meaning are, and whose answer it was. Each variant is held against the default as it was then; the
sheets "limits 1" to "limits 8" follow each other, those of registers ask for one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

CHOICES = Path(__file__).parent / "choices.jsonl"
THEN = ("before", "shorter read", "as it is now")
"""The variants that the others of a sheet are held against: the first that is there."""
GOOD = 4
"""The least rating of a good answer, in grammar and in meaning."""
POOR = 2
"""The highest rating of a meaning that is lost."""


class Read(NamedTuple):
    """How good a reader found an answer."""

    grammar: int
    meaning: int

    @property
    def is_good(self) -> bool:
        return min(self) >= GOOD


Contest = tuple[Read, Read]
"""The answers of the default as it was and of a variant to one request."""


def contests(path: Path = CHOICES) -> dict[tuple[str, str], list[Contest]]:
    """By sheet and variant, what readers made of its answers and of the default's, where they differ."""
    found: dict[tuple[str, str], list[Contest]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        sheet = record["sheet"]
        read = {
            name: (number, Read(grammar, meaning))
            for number, (_, grammar, meaning, names) in enumerate(record["read"])
            for name in names
        }
        number, reference = next(read[name] for name in THEN if name in read)
        for name, (other, rating) in read.items():
            if other != number:
                found[sheet, name].append((reference, rating))
    return found


def rows(found: dict[tuple[str, str], list[Contest]]) -> Iterator[Sequence[str]]:
    """A table of them."""
    yield (
        "sheet",
        "variant",
        "differ",
        "better",
        "worse",
        "good before",
        "good",
        "meaning lost before",
        "lost",
    )
    for (sheet, name), pairs in sorted(found.items()):
        steps = [sum(after) - sum(before) for before, after in pairs]
        counts = (
            len(pairs),
            sum(step > 0 for step in steps),
            sum(step < 0 for step in steps),
            *(sum(read.is_good for read in side) for side in zip(*pairs, strict=True)),
            *(sum(read.meaning <= POOR for read in side) for side in zip(*pairs, strict=True)),
        )
        yield sheet, name, *map(str, counts)


if __name__ == "__main__":
    for row in rows(contests()):
        print("\t".join(row))
