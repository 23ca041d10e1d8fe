"""Compressing in one call."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.sentence import Sentence
from laconic.systems.phrases import find_phrases
from laconic.systems.registry import DEFAULT, open_system
from laconic.text.tokenise import tokenise

_opened = lru_cache(maxsize=4)(open_system)


def compress(
    sentence: str | Sentence,
    budget: Budget | None = None,
    *,
    system: str = DEFAULT,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
) -> Compression:
    """Shorten one sentence with a named system, which stays in memory for the next call.

    `keep` and `drop` are words or phrases of the sentence, in any case.

    >>> compress("It fell again on Monday.", Budget.at_most(3), system="truncate", drop=["again"]).text
    'It fell on'
    """
    parsed = tokenise(sentence) if isinstance(sentence, str) else sentence
    return _opened(system).compress(
        parsed, budget, keep=find_phrases(parsed, keep), drop=find_phrases(parsed, drop)
    )
