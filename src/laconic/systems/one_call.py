"""Compressing in one call."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from laconic.budget import Budget, TextCost, Unit
from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.phrases import find_phrases, phrases_of
from laconic.systems.registry import DEFAULT, open_system
from laconic.systems.system import System, as_sentence

if TYPE_CHECKING:
    from laconic.budgets.documents import DocumentCompression
    from laconic.systems.default.compressor import Style


def compress(
    sentence: str | Sentence,
    budget: Budget | None = None,
    *,
    words: int | tuple[int, int] | None = None,
    characters: int | tuple[int, int] | None = None,
    tokens: int | tuple[int, int] | None = None,
    ratio: float | tuple[float, float] | None = None,
    tokenizer: TextCost | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    register: str | None = None,
    style: Style | None = None,
    protect: Collection[str] = (),
    system: str = DEFAULT,
) -> Compression:
    """Shorten one sentence with a named system, which stays in memory for the next call.

    `words`, `characters`, `tokens` (of a `tokenizer`) and `ratio` are upper limits, or pairs of a lower and an
    upper one; a `budget` can also be exact or a lower limit alone. `keep` and `drop` are words or phrases of
    the sentence, in any case; `protect` keeps all "names", "numbers" or "negations".

    >>> compress("It fell again on Monday.", words=3, system="truncate", drop=["again"]).text
    'It fell on'
    """
    limit = _budget(budget, words, characters, tokens, ratio, tokenizer)
    parsed = as_sentence(sentence)
    return _opened(system, register, style, protect).compress(
        parsed, limit, keep=find_phrases(parsed, keep), drop=find_phrases(parsed, drop)
    )


def compress_text(
    text: str,
    budget: Budget | None = None,
    *,
    words: int | tuple[int, int] | None = None,
    characters: int | tuple[int, int] | None = None,
    tokens: int | tuple[int, int] | None = None,
    ratio: float | tuple[float, float] | None = None,
    tokenizer: TextCost | None = None,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    drop_sentences: bool = False,
    register: str | None = None,
    style: Style | None = None,
    protect: Collection[str] = (),
    system: str = DEFAULT,
) -> DocumentCompression:
    """Shorten a text of several sentences to one budget, each sentence as much as costs the least meaning."""
    from laconic.systems.document import compress_document

    limit = _budget(budget, words, characters, tokens, ratio, tokenizer)
    opened = _opened(system, register, style, protect)
    return compress_document(opened, text, limit, keep=keep, drop=drop, drop_sentences=drop_sentences)


def _opened(system: str, register: str | None, style: Style | None, protect: Collection[str]) -> System:
    for name, value, kinds in (
        ("system", system, str),
        ("register", register, str | None),
        ("style", style, str | float | int | None),
    ):
        if not isinstance(value, kinds):
            raise LaconicError(f"a {name} is given by its name, not as {value!r}")
    return open_cached(system, register=register, style=style, protect=phrases_of(protect))


@lru_cache(maxsize=8)
def open_cached(
    name: str,
    *,
    register: str | None = None,
    style: Style | None = None,
    protect: tuple[str, ...] = (),
) -> System:
    """A system by name, opened once; the default one with a register, a style and words it protects."""
    if register is None and style is None and not protect:
        return open_system(name)
    if name != DEFAULT:
        raise LaconicError(f"register, style and protection are the default system's, not those of {name!r}")
    from laconic.systems.default.compressor import Compressor

    plain = open_cached(DEFAULT)
    assert isinstance(plain, Compressor)
    return plain.with_manner(register=register, style=style, protect=protect)


def _budget(
    budget: Budget | None,
    words: int | tuple[int, int] | None,
    characters: int | tuple[int, int] | None,
    tokens: int | tuple[int, int] | None,
    ratio: float | tuple[float, float] | None,
    tokenizer: TextCost | None,
) -> Budget | None:
    given = {"budget": budget, "words": words, "characters": characters, "tokens": tokens, "ratio": ratio}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise LaconicError(f"give one of {' and '.join(names)}, not both")
    if budget is not None and not isinstance(budget, Budget):
        raise LaconicError(f"a budget is made by `Budget`, such as Budget.at_most(12), not {budget!r}")
    if (tokens is None) != (tokenizer is None):
        raise LaconicError("a limit in tokens needs `tokens` and a `tokenizer`")
    for amount, unit, relative in (
        (words, "words", False),
        (characters, "characters", False),
        (tokens, tokenizer, False),
        (ratio, "words", True),
    ):
        if amount is not None and unit is not None:
            if isinstance(amount, tuple) and len(amount) != 2:
                raise LaconicError(f"a limit is a number or a pair of a lower and an upper one, not {amount}")
            least, most = amount if isinstance(amount, tuple) else (None, amount)
            return Budget(least, most, cast(Unit, unit), relative)
    return budget
