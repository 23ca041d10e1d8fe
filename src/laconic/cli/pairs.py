"""Reading the pairs that a command learns from or is measured on."""

from __future__ import annotations

from pathlib import Path

from laconic.corpora.pair import Pair
from laconic.corpora.pairs import read_pairs
from laconic.text.tokenise import tokenise


def load_pairs(path: Path, *, raw: bool) -> list[Pair]:
    """The pairs of a file; raw text is cut into words, other text is already cut at its spaces."""
    return list(read_pairs(path, tokenise=tokenise if raw else None))
