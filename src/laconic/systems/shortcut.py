"""Compressing in one call."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from laconic.budget import Budget, TextCost
from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.phrases import find_phrases
from laconic.systems.registry import DEFAULT, open_system
from laconic.systems.system import System
from laconic.text.tokenise import tokenise

if TYPE_CHECKING:
    from laconic.systems.default.compressor import Style
    from laconic.systems.document import DocumentCompression


def compress(
    sentence: str | Sentence,
    budget: Budget | None = None,
    *,
    words: int | None = None,
    characters: int | None = None,
    tokens: int | None = None,
    ratio: float | None = None,
    tokenizer: TextCost | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    register: str | None = None,
    style: Style | None = None,
    system: str = DEFAULT,
) -> Compression:
    """Shorten one sentence with a named system, which stays in memory for the next call.

    `words`, `characters`, `tokens` (of a `tokenizer`) and `ratio` are upper limits; a `budget` can also be
    exact or a lower limit. `keep` and `drop` are words or phrases of the sentence, in any case.

    >>> compress("It fell again on Monday.", words=3, system="truncate", drop=["again"]).text
    'It fell on'
    """
    limit = _budget(budget, words, characters, tokens, ratio, tokenizer)
    parsed = tokenise(sentence) if isinstance(sentence, str) else sentence
    return open_cached(system, register=register, style=style).compress(
        parsed, limit, keep=find_phrases(parsed, keep), drop=find_phrases(parsed, drop)
    )


def compress_text(
    text: str,
    budget: Budget | None = None,
    *,
    words: int | None = None,
    characters: int | None = None,
    tokens: int | None = None,
    ratio: float | None = None,
    tokenizer: TextCost | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    drop_sentences: bool = False,
    register: str | None = None,
    style: Style | None = None,
) -> DocumentCompression:
    """Shorten a text of several sentences to one budget, each sentence as much as costs the least meaning."""
    from laconic.systems.default.compressor import Compressor
    from laconic.systems.document import compress_document

    limit = _budget(budget, words, characters, tokens, ratio, tokenizer)
    system = open_cached(DEFAULT, register=register, style=style)
    assert isinstance(system, Compressor)
    return compress_document(system, text, limit, keep=keep, drop=drop, drop_sentences=drop_sentences)


@lru_cache(maxsize=8)
def open_cached(name: str, *, register: str | None = None, style: Style | None = None) -> System:
    """A system by name, opened once; the default one with a register and a style."""
    if register is None and style is None:
        return open_system(name)
    if name != DEFAULT:
        raise LaconicError(f"registers and styles are the default system's, not those of {name!r}")
    from laconic.systems.default.compressor import Compressor

    plain = open_cached(DEFAULT)
    assert isinstance(plain, Compressor)
    return plain.with_manner(register=register, style=style)


def _budget(
    budget: Budget | None,
    words: int | None,
    characters: int | None,
    tokens: int | None,
    ratio: float | None,
    tokenizer: TextCost | None,
) -> Budget | None:
    given = {"budget": budget, "words": words, "characters": characters, "tokens": tokens, "ratio": ratio}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise LaconicError(f"give one of {' and '.join(names)}, not both")
    if (tokens is None) != (tokenizer is None):
        raise LaconicError("a limit in tokens needs `tokens` and a `tokenizer`")
    if words is not None or ratio is not None:
        return Budget.at_most(words, ratio=ratio)
    if characters is not None:
        return Budget.at_most(characters, unit="characters")
    if tokens is not None and tokenizer is not None:
        return Budget.at_most(tokens, unit=tokenizer)
    return budget
