"""Compressing any text: read as people write it, cut sentence by sentence, put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar, Unpack

from laconic.budget import Budget, TextCost
from laconic.budgets.parts import DocumentCompression, Part
from laconic.compressed_text import CompressedText, Piece
from laconic.compression import Compression
from laconic.documents.links import Links, with_whole_links
from laconic.documents.protected import protected_spans
from laconic.documents.structure import Place, Segment, Unread, places
from laconic.documents.weaving import Written, weave
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.options import TABLE, Given, Options, Pin, unknown
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System
from laconic.text.phrases import find_phrase
from laconic.text.tokenise import tokenise

_BLOCK_ENDS = {"paragraph": re.compile(r"\n\s*\n"), "line": re.compile(r"\n")}


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
            what = repr(pin) if isinstance(pin, str) else f"a word from {pin[0]} to {pin[1]}"
            raise LaconicError(f"{what}, to be kept or dropped, is not in the text")


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
        place = Place.of(replace(text, lead=""))
        units, tail = [Unit(Between.read(text.lead), "", place, len(text.lead))], Between()
        units, tail = _without_last_space(units) if text.words else ([], Between.read(text.text))
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
    """What is asked for of sentences that others have cut; put together they are the text.

    White space stands behind sentences, and before the first. Where the limit is for paragraphs or lines, these end at
    blank lines or at line ends between sentences.
    """
    ends = _BLOCK_ENDS.get(options.per)
    units: list[Unit] = []
    fixed, position = Between(), 0
    for number, sentence in enumerate(sentences):
        opens = number == 0 or (ends is not None and ends.search(sentences[number - 1].spaces[-1]))
        if opens and units:
            units, fixed = _without_last_space(units)
        place = Place.of(replace(sentence, lead=""))
        start = position + len(sentence.lead)
        units.append(Unit(fixed + Between.read(sentence.lead), "" if opens else None, place, start))
        fixed = Between()
        position += len(sentence.text)
    tail = Between()
    if units:
        units, tail = _without_last_space(units)
    return TextRequest(system, options, budget, units, tail, pins, system.threads)


def read(text: str, options: Options) -> list[Segment]:
    """The blocks of a text in its format, and what stands between them."""
    if options.format == "markdown":
        from laconic.documents.markdown import read_markdown

        return read_markdown(text)
    if options.format == "html":
        from laconic.documents.html import read_html

        return read_html(text)
    from laconic.documents.text import read_lines, read_text

    return read_lines(text) if "line" in (options.per, options.format.removesuffix("s")) else read_text(text)


@dataclass(frozen=True, slots=True)
class Between:
    """What stands between sentences whatever happens, and what of it is read, and counts for limits."""

    source: str = ""
    counted: str = ""

    @classmethod
    def read(cls, text: str) -> Between:
        """What is read as it stands, or, if it is `Unread`, not at all."""
        return cls(str(text), "" if isinstance(text, Unread) else text)

    def __add__(self, other: Between) -> Between:
        return Between(self.source + other.source, self.counted + other.counted)


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence in its document.

    What stands before it whatever happens, its lead if it opens a block, its place there, and where the block starts in
    the document, or the sentence if it is a block by itself.
    """

    fixed: Between
    lead: str | None
    place: Place
    start: int

    @property
    def span(self) -> tuple[int, int]:
        """Where its words stand in the document."""
        spans = self.place.spans
        return self.start + spans[0][0], self.start + spans[-1][1]


def units_of(segments: Sequence[Segment]) -> tuple[list[Unit], Between]:
    """The sentences of a document in order, and what stands behind the last."""
    units: list[Unit] = []
    fixed, position, unread = Between(), 0, False
    for segment in segments:
        start = segment if isinstance(segment, str) else segment.lead
        if isinstance(segment, Unread):
            unread = True
        elif unread:
            # What is not read stands between lines: words on both sides of it are not one.
            starts_line = start[:1].isspace() or not (units or fixed.counted)
            fixed += Between("", "" if starts_line else "\n")
            unread = False
        if isinstance(segment, str):
            fixed += Between.read(segment)
            position += len(segment)
            continue
        position += len(segment.lead)
        lead: str | None = segment.lead
        for place in places(segment):
            sentence = place.sentence
            if not sentence.words:
                fixed += Between.read((lead or "") + sentence.text)
                lead = lead and ""
                continue
            before = sentence.lead if lead is None else lead + sentence.lead
            bare = replace(place, sentence=replace(sentence, lead=""))
            units.append(Unit(fixed, None if lead is None else before, bare, position))
            fixed, lead = Between(), None
        position += len(segment.source)
        if lead is None:
            units, fixed = _without_last_space(units)
    return units, fixed


def _without_last_space(units: list[Unit]) -> tuple[list[Unit], Between]:
    """The units without what stands behind the last word of a block: that stays whatever becomes of the word."""
    *others, last = units
    sentence = last.place.sentence
    bare = replace(last.place, sentence=replace(sentence, spaces=(*sentence.spaces[:-1], "")))
    return [*others, replace(last, place=bare)], Between.read(sentence.spaces[-1])


def pinned_parts(system: System, options: Options, units: Sequence[Unit], pins: Pins) -> list[Part]:
    """The sentences with the words that must stay and go, by pins, markup and protection."""
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
        self.parts = pinned_parts(system, options, units, pins)

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
        forced.tail = self.tail if self.budget is not None and self.options.per == "text" else Between()
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
        answers, unmet = list[Compression | None](), list[str]()
        for block in self._blocks():
            first = replace(block[0], fixed="", lead="")
            links = self._links()[len(answers) : len(answers) + len(block)]
            found_answers, why = self._together([first, *block[1:]], links, "", budget)
            answers += found_answers
            unmet += why
        return self._written(answers, unmet)

    def _links(self) -> list[Links]:
        return [unit.place.links for unit in self.units]

    def _without_words(self) -> CompressedText:
        budget, tail = self.budget, self.tail.counted
        if budget is not None and self.options.impossible == "error":
            cost = budget.measure(tokenise(tail).words, tail) if self.options.per == "text" else 0
            least, most = budget.limits(cost)
            if not least <= cost <= most and not (budget.least is None and not tail.strip()):
                raise InfeasibleBudget("a text without sentences has nothing to cut", possible=(cost, cost))
        return CompressedText((_between(self.tail, self.tail.source),) if self.tail.source else ())

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
        elif isinstance(budget.unit, TextCost):
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
            if shifted is budget:
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
            Written(unit.place, unit.lead is not None, unit.fixed.source, gap, answer)
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


def authors_gaps(units: Sequence[Unit]) -> list[str]:
    """What the author put before each sentence: the lead of its block, or white space."""
    spaces = ["", *(unit.place.sentence.spaces[-1] for unit in units)]
    return [space if unit.lead is None else unit.lead for unit, space in zip(units, spaces, strict=False)]


def _between(source: Between, text: str) -> Piece:
    return Piece(source.source, text, counted=None if source.counted == text else source.counted)


Answer = TypeVar("Answer")


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


def words_at(sentence: Sentence, start: int, end: int) -> list[int]:
    """The words that a span of a sentence's text touches."""
    found, position = [], 0
    for number, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        if position < end and start < position + len(word):
            found.append(number)
        position += len(word) + len(space)
    return found


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
