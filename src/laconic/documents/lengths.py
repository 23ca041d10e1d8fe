"""Every length of every sentence of a text: what a slider shows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Unpack

from laconic.budget import WORDS, Budget
from laconic.compression import Compression
from laconic.documents.compress import Pins, pinned_parts, read, units_of
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.options import Given, Options
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System


@dataclass(frozen=True, slots=True)
class SentenceLengths:
    """A sentence, where its first word starts in the text, and its best compression at every number of words.

    Words are counted as people count them; numbers of words that cannot be met are absent.
    """

    sentence: Sentence
    start: int
    answers: dict[int, Compression]


def lengths(text: str, **options: Unpack[Given]) -> tuple[SentenceLengths, ...]:
    """The sentences of a text, each with what `compress` makes of it at every exact number of words.

    >>> [each] = lengths("It fell again on Monday.", system="truncate")
    >>> each.answers[2].text
    'It fell'
    """
    wanted = Options(**options)
    return lengths_with(system_for(wanted), text, wanted)


def lengths_with(system: System, text: str, options: Options) -> tuple[SentenceLengths, ...]:
    """The same by a system that is open."""
    if options.limits:
        raise LaconicError(f"{options.limits[0]} is a limit, but every length is asked for: give none")
    units, _ = units_of(read(text, options))
    pins = Pins(options)
    parts = pinned_parts(system, options, units, pins)
    pins.check()
    found = []
    for unit, part in zip(units, parts, strict=True):
        sentence = replace(part.sentence, spaces=(*part.sentence.spaces[:-1], ""))
        found.append(SentenceLengths(sentence, unit.start, _answers(system, sentence, part.keep, part.drop)))
    return tuple(found)


def _answers(
    system: System, sentence: Sentence, keep: Collection[int], drop: Collection[int]
) -> dict[int, Compression]:
    whole = WORDS.count(sentence.text)
    answers = {}
    for words in range(1, whole + 1):
        try:
            answers[words] = system.compress(sentence, Budget.exactly(words), keep=keep, drop=drop)
        except InfeasibleBudget:
            continue
    return answers
