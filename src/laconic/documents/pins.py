"""The words of a text that must stay or go: by pins, markup and protection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laconic.budgets.parts import Part
from laconic.documents.protected import protected_spans
from laconic.documents.units import Between, Unit
from laconic.errors import LaconicError
from laconic.options import Options, Pin
from laconic.sentence import Sentence
from laconic.systems.system import System
from laconic.text.phrases import find_phrase
from laconic.text.tokenise import tokenise


class Pins:
    """The words to keep and to drop that have been found, in one text or in some of many."""

    def __init__(self, options: Options) -> None:
        self._missing = dict.fromkeys(pin for wanted in options.pins for pin in wanted)

    def found(self, pin: Pin) -> None:
        """Say that one was found."""
        self._missing.pop(pin, None)

    def check(self) -> None:
        """Raise an error if one was not."""
        for pin in self._missing:
            raise LaconicError(f"{_shown(pin)}, to be kept or dropped, is not in the text")


def pinned_parts(
    system: System, options: Options, units: Sequence[Unit], tail: Between, pins: Pins
) -> list[Part]:
    """The sentences with the words that must stay and go, by pins, markup and protection.

    What stands between them stays: words to keep are kept there, and words to drop cannot be dropped.
    """
    find_beside(options, units, tail, pins)
    keep, drop = ([set(_named(units, pin, pins)) for pin in wanted] for wanted in options.pins)
    parts: list[Part] = []
    for number, unit in enumerate(units):
        place, sentence = unit.place, unit.place.sentence
        named, dropped = ({word for pin in pins for at, word in pin if at == number} for pins in (keep, drop))
        spans = protected_spans(sentence.text, options.protect)
        kept = named | place.tied | {word for span in spans for word in words_at(sentence, *span)}
        for word in sorted((named | place.tied) & dropped):
            why = (
                "is both to be kept and to be dropped"
                if word in named
                else "holds markup and cannot be dropped"
            )
            raise LaconicError(f"{sentence.words[word]!r} {why}, in {sentence.text.strip()[:60]!r}")
        kept -= dropped
        sure = kept | system.protected(sentence) if place.links else kept
        for link in place.links:  # whoever pins some of a link pins all of it
            kept |= link if link & sure and not link & dropped else frozenset()
            dropped |= link if link & dropped and not link & kept else frozenset()
        may_go = options.drop_sentences and not kept
        may_go = may_go and not system.protected(sentence) - dropped
        parts.append(
            Part(sentence, frozenset(kept), frozenset(dropped), may_go, unit.fixed.counted, unit.lead)
        )
    return parts


def _named(units: Sequence[Unit], pin: Pin, pins: Pins) -> Iterator[tuple[int, int]]:
    """The words that a pin names, as (number of the sentence, number of the word)."""
    for number, unit in enumerate(units):
        sentence = unit.place.sentence
        if isinstance(pin, str):
            words = find_phrase(sentence, pin)
        else:
            words = unit.place.words_at(pin[0] - unit.start, pin[1] - unit.start)
        for word in words:
            pins.found(pin)
            yield number, word


def find_beside(options: Options, units: Sequence[Unit], tail: Between, pins: Pins) -> None:
    """Look for pins in what stands between sentences: it is kept, and an error if it is to be dropped."""
    kept, dropped = options.pins
    if not kept and not dropped:
        return
    for stretch in (*(each for unit in units for each in unit.before), *tail.stretches):
        words = tokenise(stretch.read)
        for pin in (*kept, *dropped):
            if isinstance(pin, str):
                is_there = bool(find_phrase(words, pin))
            else:
                start, end = (max(0, place - stretch.start) for place in pin)
                is_there = bool(stretch.source[start:end].strip())
            if is_there and pin in dropped:
                raise LaconicError(
                    f"{_shown(pin)} cannot be dropped: it stands in {stretch.read.strip()[:60]!r}, which is in no "
                    "sentence and stays as it is; words to drop elsewhere can be given by their places"
                )
            if is_there:
                pins.found(pin)


def _shown(pin: Pin) -> str:
    return repr(pin) if isinstance(pin, str) else f"a word from {pin[0]} to {pin[1]}"


def words_at(sentence: Sentence, start: int, end: int) -> list[int]:
    """The words that a span of a sentence's text touches."""
    found, position = [], 0
    for number, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        if position < end and start < position + len(word):
            found.append(number)
        position += len(word) + len(space)
    return found
