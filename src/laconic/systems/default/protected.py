"""Kinds of words that a caller can have kept without naming them one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.default.protections import words_of

PROTECTED: Mapping[str, Callable[[str, str], bool]] = {
    "names": lambda word, tag: tag in ("NNP", "NNPS"),  # noqa: ARG005
    "numbers": lambda word, tag: tag == "CD" or word in words_of("parts of a number", "sign of a currency"),
    "negations": lambda word, tag: word in words_of("negation", "clipped negation"),  # noqa: ARG005
}
"""Whether a word, in small letters, and its tag are of each kind."""


def check_kinds(kinds: Collection[str]) -> tuple[str, ...]:
    """The kinds, in their order; an unknown one is an error."""
    for kind in kinds:
        if kind not in PROTECTED:
            raise LaconicError(f"what can be protected is {', '.join(PROTECTED)}, not {kind!r}")
    return tuple(kind for kind in PROTECTED if kind in kinds)


def protected_words(sentence: Sentence, kinds: Collection[str]) -> frozenset[int]:
    """The words of these kinds in a tagged sentence."""
    assert sentence.tags is not None
    return frozenset(
        place
        for place, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True))
        if any(PROTECTED[kind](word.casefold(), tag) for kind in kinds)
    )
