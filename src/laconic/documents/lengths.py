"""Every length of every sentence of a text, and of the text as a whole: what a slider shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

from laconic.budget import WORDS, Budget
from laconic.budgets.parts import Part
from laconic.compression import Compression
from laconic.documents.compress import whole_of
from laconic.documents.links import Links, whole_links
from laconic.documents.pins import Pins, pinned_parts
from laconic.documents.units import Unit, authors_gaps, read, units_of
from laconic.documents.weaving import Written, weave
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.options import Given, Options
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System

_WORDS_SEARCHED = 3600  # of a sentence, in all of the searches for its lengths


@dataclass(frozen=True, slots=True)
class SentenceLengths:
    """A sentence, where it starts and ends in the text, and its best compression at every number of words.

    Words are counted as people count them; numbers of words that cannot be met are absent.
    """

    sentence: Sentence
    start: int
    end: int
    answers: Mapping[int, Compression]


@dataclass(frozen=True, repr=False)
class TextLengths:
    """A text, every length of its sentences, and their places in it; notebooks show it with a slider."""

    text: str
    sentences: tuple[SentenceLengths, ...]
    units: tuple[Unit, ...]

    def __repr__(self) -> str:
        totals = self.totals
        span = f"{totals[0]} to {totals[-1]} words" if totals else "no words"
        return f"<TextLengths {span} of {self.text[:40]!r}>"

    def _repr_html_(self) -> str:
        """The text with what goes struck through, and a slider over all lengths."""
        from laconic.documents.slider import slider_html

        return slider_html(self)

    @property
    def totals(self) -> tuple[int, ...]:
        """The numbers of words that the sentences with words can have together."""
        return tuple(sorted(self._best[-1])) if self._measured else ()

    def choice(self, words: int) -> tuple[Compression | None, ...]:
        """The compressions of all sentences that have so many words together and the best scores; None has no answers.

        An exact knapsack over the lengths of the sentences.
        """
        if words not in self.totals:
            below = [total for total in self.totals if total < words][-1:]
            above = [total for total in self.totals if total > words][:1]
            near = below + above
            raise InfeasibleBudget(
                f"the text has no length of {words} words", possible=(near[0], near[-1]) if near else None
            )
        chosen: list[Compression | None] = []
        left = words
        for each, best in zip(reversed(self._measured), reversed(self._best), strict=True):
            own = best[left][1]
            chosen.append(each.answers[own])
            left -= own
        answers = iter(reversed(chosen))
        return tuple(next(answers) if each.answers else None for each in self.sentences)

    def at(self, words: int) -> str:
        """The text at a number of words in all.

        >>> lengths("It fell again. It rose.", system="truncate").at(4)
        'It fell It rose.'
        """
        answers = [
            whole_of(each.sentence) if answer is None else answer
            for each, answer in zip(self.sentences, self.choice(words), strict=True)
        ]
        found, end = weave(
            [
                Written(unit.place, unit.lead, unit.fixed.source, gap, answer)
                for unit, gap, answer in zip(self.units, authors_gaps(self.units), answers, strict=True)
            ]
        )
        return "".join(part for pair in found for part in pair) + end + self.text[self._end :]

    @property
    def _end(self) -> int:
        """Where what stands behind the last sentence, and its markup, starts."""
        last = [
            mark
            for unit in self.units[-1:]
            for mark in unit.place.marks
            if mark.before == len(unit.place.spans)
        ]
        return max((each.end for each in self.sentences), default=0) + sum(len(mark.source) for mark in last)

    @property
    def _measured(self) -> tuple[SentenceLengths, ...]:
        return tuple(each for each in self.sentences if each.answers)

    @cached_property
    def _best(self) -> list[dict[int, tuple[float, int]]]:
        """After each sentence: for every total so far the best score, and the length of the sentence that has it."""
        rows: list[dict[int, tuple[float, int]]] = []
        before = {0: 0.0}
        for each in self._measured:
            row: dict[int, tuple[float, int]] = {}
            for total, score in before.items():
                for words, answer in each.answers.items():
                    worth = score + (answer.score or 0.0)
                    if total + words not in row or worth > row[total + words][0]:
                        row[total + words] = (worth, words)
            rows.append(row)
            before = {total: score for total, (score, _) in row.items()}
        return rows


def lengths(text: str, **options: Unpack[Given]) -> TextLengths:
    """A text with what `compress` makes of each of its sentences at every exact number of words.

    >>> [sentence] = lengths("It fell again on Monday.", system="truncate").sentences
    >>> sentence.answers[2].text
    'It fell'
    """
    wanted = Options(**options)
    return lengths_with(system_for(wanted), text, wanted)


Wanted = Callable[[int], Sequence[int]]
"""The numbers of words that are looked for in a sentence of so many."""


def every_length(words: int) -> Sequence[int]:
    """All of them.

    >>> list(every_length(4))
    [1, 2, 3, 4]
    """
    return range(1, words + 1)


def lengths_in_time(words: int) -> Sequence[int]:
    """Every length of a sentence of up to 60 words; of a longer one some, evenly spread, the whole among them.

    Each length is a search, which takes the longer the longer the sentence is. So that somebody can wait for them all,
    there are fewer then: about 3,600 / `words`.

    >>> list(lengths_in_time(308))
    [11, 38, 65, 92, 119, 146, 173, 200, 227, 254, 281, 308]
    """
    step = max(1, -(-words * words // _WORDS_SEARCHED))
    return range(words, 0, -step)[::-1]


def lengths_with(
    system: System, text: str, options: Options, *, wanted: Wanted = every_length
) -> TextLengths:
    """The same by a system that is open, or only of the lengths that are wanted of each sentence."""
    if not isinstance(text, str):
        raise LaconicError(f"a text to compress is a string, not {text!r:.60}")
    if options.limits:
        raise LaconicError(f"{options.limits[0]} is a limit, but every length is asked for: give none")
    units, tail = units_of(read(text, options))
    pins = Pins(options)
    parts = pinned_parts(system, options, units, tail, pins)
    pins.check()

    def measured(asked: tuple[Part, Links]) -> tuple[Sentence, dict[int, Compression]]:
        part, links = asked
        sentence = replace(part.sentence, spaces=(*part.sentence.spaces[:-1], ""))
        return sentence, _answers(system, replace(part, sentence=sentence), links, wanted)

    asked = [(part, unit.place.links) for part, unit in zip(parts, units, strict=True)]
    found = map_in_order(measured, asked, threads=max(1, min(system.threads, len(parts))))
    return TextLengths(
        text,
        tuple(
            SentenceLengths(sentence, *unit.span, answers)
            for unit, (sentence, answers) in zip(units, found, strict=True)
        ),
        tuple(units),
    )


def _answers(system: System, part: Part, links: Links, wanted: Wanted) -> dict[int, Compression]:
    def cut(parts: Sequence[Part], budget: Budget | None) -> list[Compression | None]:
        return [system.compress(each.sentence, budget, keep=each.keep, drop=each.drop) for each in parts]

    answers: dict[int, Compression] = {}
    for words in wanted(WORDS.count(part.sentence.text)):
        with suppress(InfeasibleBudget):
            [found] = whole_links(cut, [part], [links], Budget.exactly(words))
            assert found is not None
            answers[words] = found
    return answers
