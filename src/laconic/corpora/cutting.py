"""Whether texts are raw, as people write them, or already cut into words with spaces between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from laconic.corpora.pair import Pair
from laconic.corpora.pairs import Tokeniser, read_pairs, split_at_spaces
from laconic.formats.jsonl import read_json_lines
from laconic.text.tokenise import tokenise

_SHOWN = 500  # texts that are enough to tell
_APART = frozenset([".", ",", "!", "?", ";", ":", "'s", "n't", "''", "``", "-LRB-", "-RRB-"])


def tokeniser_for(texts: Iterable[str]) -> Tokeniser:
    """What cuts texts like these into words: laconic's tokeniser where they are raw, else white space.

    >>> tokeniser_for(["It fell again.", "We left ."]) is tokenise, tokeniser_for(["It fell again ."]) is tokenise
    (True, False)
    """
    raw = tokenised = 0
    for text in islice(texts, _SHOWN):
        pieces = text.split()
        if not _APART.isdisjoint(pieces):
            tokenised += 1
        elif tuple(pieces) != tokenise(text).words:
            raw += 1
    # What says neither is cut alike by both; at a draw raw text is likelier, as people write it.
    return tokenise if raw >= tokenised and raw else split_at_spaces


def load_pairs(path: Path) -> list[Pair]:
    """The pairs of a file; raw texts are cut into words, others are cut already, and which they are is found out."""
    cut = tokeniser_for(_sources(path))
    return list(read_pairs(path, tokenise=cut if cut is tokenise else None))


def _sources(path: Path) -> Iterator[str]:
    # What is wrong with a line is said by whoever reads all of it.
    records: Iterable[dict[str, Any]] = read_json_lines(path, on_error=lambda _: None)
    for record in records:
        if "tokens" not in record and isinstance(record.get("source"), str):
            yield record["source"]
