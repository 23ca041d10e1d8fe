"""Blind readings of compressions of general prose, by language models, not people.

The sentences are those of `training.written`, and `readings.jsonl` knows each in the same way, by the first digits of
the SHA-256 of its text. Of each candidate it says which words stay, and how good grammar and meaning are, from 1 to 5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from training.written import unpacked

from laconic.budget import Budget

READINGS = Path(__file__).parent / "readings.jsonl"
LIMITS: Mapping[str, Budget] = {
    "at most 60% of the words": Budget.at_most(ratio=0.6),
    "exactly half of the words": Budget.exactly(ratio=0.5),
    "at most 80% of the words": Budget.at_most(ratio=0.8),
    "at most 75 characters": Budget.at_most(75, unit="characters"),
}
"""What was asked for."""

Kept = tuple[int, ...]
Read = Mapping[Kept, tuple[int, int]]
"""What readers said of the grammar and the meaning of what keeps some words."""


def readings(path: Path = READINGS) -> dict[tuple[str, str], Read]:
    """What was read of each sentence, by its key, and limit."""
    found: dict[tuple[str, str], Read] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        found[record["text"], record["limit"]] = {
            unpacked(runs): (grammar, meaning) for runs, grammar, meaning in record["read"]
        }
    return found
