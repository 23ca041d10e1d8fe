"""Compressing any text: read as people write it, cut sentence by sentence, put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar, Unpack

from laconic.budget import Budget, TextCost, adds_up
from laconic.budgets.parts import DocumentCompression, Part
from laconic.compressed_text import CompressedText, Piece
from laconic.compression import Compression
from laconic.documents.links import Links, with_whole_links
from laconic.documents.pins import Pins, pinned_parts
from laconic.documents.units import (
    Between,
    Unit,
    authors_gaps,
    beside,
    read,
    read_before,
    units_of,
    units_of_sentence,
    units_of_sentences,
)
from laconic.documents.weaving import Written, weave
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.options import TABLE, Given, Options, unknown
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System
from laconic.text.tokenise import tokenise


def compress(text: str | Sentence, budget: Budget | None = None, **options: Unpack[Given]) -> CompressedText:
    """Shorten a text, to a limit or to the length that is natural for each sentence.

    The options are those of `laconic.options.Options`: a limit (`words=12`, `characters="40..60"`, `ratio="=0.5"`),
    what it is for (`per="sentence"`), whose habits are imitated, what must stay or go. What fits is unchanged.

    >>> compress("It fell again on Monday.", words=3, system="truncate", drop="again").text
    'It fell on'
    """
    wanted = wanted_of(options)
    limit = limit_of(wanted, budget)
    return compress_with(system_for(wanted), text, wanted, limit)


def wanted_of(options: Given) -> Options:
    """The options of keyword arguments; a name that is not in the table is an error."""
    for name in options:
        if name not in TABLE:
            raise LaconicError(unknown(name))
    return Options(**options)


def limit_of(wanted: Options, budget: Budget | None) -> Budget | None:
    """The budget that is given, or that the options ask for; both are an error."""
    if budget is not None and not isinstance(budget, Budget):
        raise LaconicError(f"budget={budget!r:.60}: is made by `Budget`, such as Budget.at_most(12)")
    if budget is not None and wanted.limits:
        raise LaconicError(f"a budget and {wanted.limits[0]} are two limits: give one of them")
    if budget is not None and wanted.length is not None:
        raise LaconicError(f"length={wanted.length!r}: is for texts without a limit, and a budget is one")
    return wanted.budget() if budget is None else budget


def compress_with(
    system: System,
    text: str | Sentence,
    options: Options,
    budget: Budget | None = None,
    *,
    pins: Pins | None = None,
    threads: int | None = None,
) -> CompressedText:
    """Shorten a text by a system that is open, to a budget that is made; a sentence is not cut into others.

    With `pins`, words to keep or drop need not be in this text. The sentences of one text are shared out among
    `threads`, by default the system's own.
    """
    return request_of(system, text, options, budget, pins=pins, threads=threads).answer()


def request_of(
    system: System,
    text: str | Sentence,
    options: Options,
    budget: Budget | None = None,
    *,
    pins: Pins | None = None,
    threads: int | None = None,
) -> TextRequest:
    """What is asked for of a text, ready to be answered; the same arguments as `compress_with`."""
    if isinstance(text, Sentence):
        units, tail = units_of_sentence(text)
    elif isinstance(text, str):
        units, tail = units_of(read(text, options))
    else:
        raise LaconicError(f"a text to compress is a string, not {text!r:.60}")
    found = Pins(options) if pins is None else pins
    asked = TextRequest(system, options, budget, units, tail, found, threads or system.threads)
    if pins is None:
        found.check()
    return asked


def request_of_sentences(
    system: System,
    sentences: Sequence[Sentence],
    options: Options,
    budget: Budget | None = None,
    *,
    pins: Pins,
) -> TextRequest:
    """What is asked for of sentences that others have cut; put together they are the text."""
    units, tail = units_of_sentences(sentences, options.per)
    return TextRequest(system, options, budget, units, tail, pins, system.threads)


class TextRequest:
    """A text under its options: pins found, limits met by the text, the paragraph, the line or the sentence."""

    def __init__(
        self,
        system: System,
        options: Options,
        budget: Budget | None,
        units: Sequence[Unit],
        tail: Between,
        pins: Pins,
        threads: int,
    ) -> None:
        self.system, self.options, self.budget, self.tail = system, options, budget, tail
        self.units, self.threads = list(units), threads
        self.parts = pinned_parts(system, options, units, tail, pins)

    def sharing(self, number: int) -> range:
        """The sentences, by their numbers, that share their limit with this one."""
        if self.budget is None or self.options.per == "sentence":
            return range(number, number + 1)
        if self.options.per == "text":
            return range(len(self.parts))
        end = 0
        for block in self._blocks():
            start, end = end, end + len(block)
            if number < end:
                break
        return range(start, end)

    def forcing(self, number: int, word: int, *, stays: bool) -> TextRequest:
        """The same of the sentences that share a limit with this one, with one more of its words kept or dropped."""
        forced, among = copy(self), self.sharing(number)
        part = self.parts[number]
        if stays:
            pinned = replace(part, keep=part.keep | {word}, droppable=False)
        else:
            pinned = replace(part, drop=part.drop | {word})
        parts = [*self.parts[:number], pinned, *self.parts[number + 1 :]]
        forced.parts, forced.units = parts[among.start : among.stop], self.units[among.start : among.stop]
        if self.budget is None or self.options.per == "sentence":
            forced.tail = Between()
        elif self.options.per != "text":
            before, behind = self._beside(among.start, among.stop)
            forced.units[0] = replace(forced.units[0], fixed=Between(), lead=before)
            forced.tail = Between(behind, behind)
        return forced

    def answer(self) -> CompressedText:
        """The text as it was asked for."""
        budget = self.budget
        if not self.parts:
            return self._without_words()
        if budget is None or self.options.per == "sentence":
            pairs = zip(self.parts, self._links(), strict=True)
            found = list(map_in_order(self._cut, pairs, threads=min(self.threads, len(self.parts))))
            told = [_noted(answer, why) if why else answer for answer, why in found]
            return self._written(told, [why for _, why in found if why])
        if self.options.per == "text":
            return self._written(*self._together(self.parts, self._links(), self.tail.counted, budget))
        answers, unmet = list[Compression | None](), self._unmet_as_they_are()
        for block in self._blocks():
            start, end = len(answers), len(answers) + len(block)
            before, behind = self._beside(start, end)
            marks = before.lstrip()
            first = replace(block[0], fixed=before.removesuffix(marks), lead=marks)
            found_answers, why = self._together([first, *block[1:]], self._links()[start:end], behind, budget)
            answers += found_answers
            unmet += why
        return self._written(answers, unmet)

    def _beside(self, start: int, end: int) -> tuple[str, str]:
        """What is read on the lines of a block, of these sentences, before it and behind it."""
        behind = read_before(self.units[end]) if end < len(self.units) else self.tail.counted
        return beside(read_before(self.units[start]), behind)

    def _links(self) -> list[Links]:
        return [unit.place.links for unit in self.units]

    def _without_words(self) -> CompressedText:
        """A text in which nothing is cut."""
        pieces = (_between(self.tail, self.tail.source),) if self.tail.source else ()
        return CompressedText(pieces, tuple(self._unmet_as_they_are()))

    def _unmet_as_they_are(self) -> list[str]:
        """Why limits are not met by what is left as it is: a text without sentences; headings, tables, code.

        Those are not filled up to a limit, nor are they cut to a share of themselves.
        """
        budget, per, unmet = self.budget, self.options.per, list[str]()
        if budget is None or per == "sentence" or (per != "text" and budget.relative):
            return unmet
        betweens = [unit.fixed for unit in self.units] + [self.tail]
        every = [self.tail.counted] if per == "text" else [p for each in betweens for p in each.parted(per)]
        for stays in every:
            cost = budget.measure(tokenise(stays).words, stays)
            least, most = budget.limits(cost)
            if cost > most or (per == "text" and cost < least):
                start = stays.strip() if len(stays.strip()) <= 40 else f"{stays.strip()[:40]}…"
                what = (
                    "a text without sentences" if per == "text" else f"{start!r}, a {per} without sentences,"
                )
                error = InfeasibleBudget(f"{what} has nothing to cut", possible=(cost, cost))
                if self.options.impossible == "error":
                    raise error
                unmet.append(f"left as it is: {error}")
        return unmet

    def _blocks(self) -> Iterator[list[Part]]:
        block: list[Part] = []
        for part in self.parts:
            if part.lead is not None and block:
                yield block
                block = []
            block.append(part)
        yield block

    def _cut(self, asked: tuple[Part, Links]) -> tuple[Compression | None, str]:
        """The compression of one sentence, None if nothing may stay of it, and why its limit is not met, if so."""
        budget, (part, links) = self.budget, asked
        if part.is_gone:
            return None, ""
        whole = Compression.by_deletion(part.sentence, range(len(part.sentence)))
        if budget is not None and not part.drop and _fits(budget, whole.words, whole.text):
            return whole, ""

        def alone(parts: Sequence[Part], to: Budget | None) -> list[Compression | None]:
            return [self.system.compress(part.sentence, to, keep=part.keep, drop=part.drop) for part in parts]

        def cut(to: Budget | None) -> Compression | None:
            def limits() -> tuple[int, int]:
                return (0, 0) if to is None else to.limits(to.measure(whole.words, whole.text))

            return with_whole_links(alone, [part], [links], to, limits)[0]

        return self._met(cut, budget, whole)

    def _together(
        self, parts: Sequence[Part], links: Sequence[Links], tail: str, budget: Budget
    ) -> tuple[list[Compression | None], list[str]]:
        """The compressions of sentences that meet a budget together, and why it is not met, if it is not."""
        whole = DocumentCompression(
            tuple(parts),
            tuple(Compression.by_deletion(part.sentence, range(len(part.sentence))) for part in parts),
            tail,
        )
        if not any(part.drop for part in parts) and _fits(budget, whole.words, whole.text):
            return list(whole.compressions), []

        def meet(parts: Sequence[Part], to: Budget | None) -> Sequence[Compression | None]:
            assert to is not None
            if len(parts) == 1 and not parts[0].is_gone:
                found = self._alone(parts[0], tail, to, whole)
                if found is not None:
                    return (found,)
            from laconic.budgets.documents import meet_as_document

            return meet_as_document(self.system, parts, to, tail=tail).compressions

        def cut(to: Budget) -> tuple[Compression | None, ...]:
            def limits() -> tuple[int, int]:
                return to.limits(to.measure(whole.words, whole.text))

            return tuple(with_whole_links(meet, parts, links, to, limits))

        answers, why = self._met(cut, budget, whole.compressions)
        return list(answers), [why] if why else []

    def _alone(self, part: Part, tail: str, budget: Budget, whole: DocumentCompression) -> Compression | None:
        """The only sentence of a text, cut so that the text meets the budget; None if it cannot be so simply."""
        before = "".join(gap for gap, _ in whole.written)
        least, most = budget.limits(budget.measure(whole.words, whole.text))
        if not before and not tail:
            shifted = budget
        elif least > most:  # as between two ratios: the text's own refusal says what is possible
            return None
        elif isinstance(budget.unit, TextCost) and not adds_up(budget.unit, whole.text):
            count = budget.unit.count
            unit = TextCost(lambda text: count(before + text + tail), budget.unit.name)
            shifted = Budget(budget.least and least, None if budget.most is None else most, unit)
        else:
            extra = budget.measure(tokenise(before + tail).words, before + tail)
            if most < extra:
                return None
            shifted = Budget(
                None if budget.least is None else max(0, least - extra),
                None if budget.most is None else most - extra,
                budget.unit,
            )
        try:
            return self.system.compress(part.sentence, shifted, keep=part.keep, drop=part.drop)
        except InfeasibleBudget:
            if shifted is budget and not part.droppable:
                raise
            return None

    def _met(self, cut: Callable[[Any], Answer], budget: Budget | None, whole: Answer) -> tuple[Answer, str]:
        """What `cut` makes to a budget, and why it is not met where that is no error."""
        try:
            return cut(budget), ""
        except InfeasibleBudget as error:
            if self.options.impossible == "error":
                raise
            if self.options.impossible == "nearest" and error.possible is not None and budget is not None:
                with suppress(InfeasibleBudget):
                    near = _nearest(error.possible, budget)
                    return cut(Budget.exactly(near, unit=budget.unit)), f"the nearest there is: {error}"
            return whole, f"left as it is: {error}"

    def _written(self, answers: Sequence[Compression | None], unmet: Sequence[str]) -> CompressedText:
        """The pieces of the text."""
        parts = [
            replace(part, fixed=unit.fixed.source) for part, unit in zip(self.parts, self.units, strict=True)
        ]
        document = DocumentCompression(tuple(parts), tuple(answers), self.tail.source)
        gaps = [gap[len(part.fixed) :] for part, (gap, _) in zip(parts, document.written, strict=True)]
        authors = authors_gaps(self.units)
        if all(map(_is_whole, answers)):
            # Between sentences there is white space even where the author put none, if anything is cut.
            gaps = authors
        sentences = [
            Written(unit.place, unit.lead, unit.fixed.source, gap, answer)
            for unit, gap, answer in zip(self.units, gaps, answers, strict=True)
        ]
        sources, source_end = _sources(sentences, authors)
        texts, text_end = weave(sentences)
        pieces: list[Piece] = []
        for unit, each, (before, source), (gap, text) in zip(
            self.units, sentences, sources, texts, strict=True
        ):
            if before or gap:
                pieces.append(_between(Between(before, unit.fixed.counted + each.gap), gap))
            pieces.append(Piece(source, text, True, each.answer))
        if source_end + text_end + self.tail.source:
            end = Between(source_end + self.tail.source, self.tail.counted)
            pieces.append(_between(end, text_end + self.tail.source))
        return CompressedText(tuple(pieces), tuple(unmet))


def _sources(sentences: Sequence[Written], gaps: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    """What the author wrote before each sentence, and of it; and behind the last, if it is markup."""
    if any(each.place.marks for each in sentences):
        return weave(
            [
                replace(each, gap=gap, answer=whole_of(each.place.sentence))
                for each, gap in zip(sentences, gaps, strict=True)
            ]
        )
    bare = (each.place.sentence for each in sentences)
    texts = (sentence.text.removesuffix(sentence.spaces[-1]) for sentence in bare)
    return [(each.fixed + gap, text) for each, gap, text in zip(sentences, gaps, texts, strict=True)], ""


def whole_of(sentence: Sentence) -> Compression:
    """All of a sentence."""
    return Compression.by_deletion(sentence, range(len(sentence)))


def _between(source: Between, text: str) -> Piece:
    return Piece(source.source, text, counted=None if source.counted == text else source.counted)


Answer = TypeVar("Answer")


def _fits(budget: Budget, words: Sequence[str], text: str) -> bool:
    """Whether a text is within an upper limit as it is."""
    cost = budget.measure(words, text)
    return budget.least is None and cost <= budget.limits(cost)[1]


def _nearest(possible: tuple[int, int], budget: Budget) -> int:
    """Of the two that are possible the one nearer to what was asked for, the lower of two that are as near."""
    below, above = possible
    if budget.least is None or budget.relative:
        return below
    most = budget.least if budget.most is None else budget.most
    return below if budget.least - below <= above - most else above


def _noted(answer: Compression | None, why: str) -> Compression | None:
    """A sentence that says itself why its own limit is not met."""
    return None if answer is None else replace(answer, notes=(why, *answer.notes))


def _is_whole(answer: Compression | None) -> bool:
    return answer is not None and answer.kept is not None and len(answer.kept) == len(answer.sentence)
