"""Whether texts are raw, as people write them, or already cut into words with spaces between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
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
    if tokeniser_for(_sources(path)) is not tokenise:
        return list(read_pairs(path))
    return [_first_word_as_in_source(pair) for pair in read_pairs(path, tokenise=tokenise)]


def _first_word_as_in_source(pair: Pair) -> Pair:
    """The pair with references that are deletions but for the capital letter of the new first word."""
    if None not in pair.kept:
        return pair
    references = [
        (reference[0][:1].lower() + reference[0][1:], *reference[1:])
        if kept is None and reference
        else reference
        for reference, kept in zip(pair.references, pair.kept, strict=True)
    ]
    mended = Pair.aligned(pair.id, pair.source, references, doc=pair.doc)
    # What is no deletion either way stays as it was written.
    kept = [now if was is None else was for was, now in zip(pair.kept, mended.kept, strict=True)]
    words = [
        was if now is None else mine
        for was, mine, now in zip(pair.references, mended.references, mended.kept, strict=True)
    ]
    return replace(pair, references=tuple(map(tuple, words)), kept=tuple(kept))


def _sources(path: Path) -> Iterator[str]:
    # What is wrong with a line is said by whoever reads all of it.
    records: Iterable[dict[str, Any]] = read_json_lines(path, on_error=lambda _: None)
    for record in records:
        if "tokens" not in record and isinstance(record.get("source"), str):
            yield record["source"]
