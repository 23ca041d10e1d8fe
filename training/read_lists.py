"""Whole lists of what the default can choose from at upper limits, read blind, by language models, not people.

`read_lists.jsonl` knows each sentence by its key (`training.written`). Of each candidate it says which words stay, how
good grammar and meaning are, from 1 to 5, and its rank: 0 is the best by its score, the others follow it; what only a
reader would have looked for has one of 7 or more. The sentences are of the corpora of `training.written`, and Google's.

`doubted_lists.jsonl` has lists whose first the reader was not sure of: they can teach, and measure nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from training.choices import CHOICES, GOOD
from training.readings import Kept, readings
from training.written import key_of, source_texts, unpacked

from laconic.corpora.registry import find_corpus
from laconic.formats.jsonl import read_json_lines

READ_LISTS = Path(__file__).parent / "read_lists.jsonl"
DOUBTED_LISTS = Path(__file__).parent / "doubted_lists.jsonl"


class Candidate(NamedTuple):
    """A compression that was read."""

    kept: Kept
    grammar: int
    meaning: int
    rank: int

    @property
    def is_good(self) -> bool:
        return min(self.grammar, self.meaning) >= GOOD


class ReadList(NamedTuple):
    """What was read of one request."""

    text: str
    limit: str
    candidates: tuple[Candidate, ...]


def sentence_texts(data: Path) -> dict[str, str]:
    """The texts that readers saw, by their keys."""
    google = (row["source"] for row in read_json_lines(data / find_corpus("google.train").path))
    return {key_of(text): text for texts in (source_texts(data), google) for text in texts}


def read_lists(texts: dict[str, str], path: Path = READ_LISTS) -> Iterator[ReadList]:
    """The lists whose sentences are there, in the order of the file."""
    for record in read_json_lines(path):
        if record["text"] in texts:
            found = tuple(
                Candidate(unpacked(runs), grammar, meaning, rank)
                for runs, grammar, meaning, rank in record["read"]
            )
            yield ReadList(texts[record["text"]], record["limit"], found)


def earlier_lists(texts: dict[str, str]) -> Iterator[ReadList]:
    """What was read before of other sentences, some of what there was to choose from: `readings`, `choices`."""
    found: dict[tuple[str, str], dict[Kept, tuple[int, int]]] = {
        place: dict(read) for place, read in readings().items()
    }
    for line in CHOICES.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "," not in record["limit"]:  # behind it a register
            read = found.setdefault((record["text"], record["limit"]), {})
            read.update({unpacked(runs): (grammar, meaning) for runs, grammar, meaning, _ in record["read"]})
    for (key, limit), read in found.items():
        if key in texts and (
            candidates := [Candidate(kept, *said, 0) for kept, said in read.items() if kept]
        ):
            yield ReadList(texts[key], limit, tuple(candidates))
