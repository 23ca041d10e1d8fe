"""Which references are measured against."""

from __future__ import annotations

from collections.abc import Iterable

from laconic.corpora.pair import Pair


def without_wordless(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs all of whose references keep a word: seven of written dev are a full stop alone."""
    return [pair for pair in pairs if all(map(has_word, pair.references))]


def has_word(words: Iterable[str]) -> bool:
    """Whether there is more than punctuation."""
    return any(letter.isalnum() for word in words for letter in word)
