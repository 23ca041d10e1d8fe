"""A text of several sentences under one budget: which sentence gives up how much, by an exact knapsack."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from laconic.budget import Budget, TextCost
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.phrases import find_phrase
from laconic.text.split import split_sentences

SLACK = 0.05
"""How much of a budget that is only an upper limit may be left unused where that reads better."""

DROPPED = 0.5
"""What dropping a sentence costs for each of its words, against its best compression."""

_NEAREST = 6  # choices to mend where none costs exactly what it must


class FrontierSystem(Protocol):
    """A system that can tell the best compression of a sentence at every length."""

    def compress(
        self,
        sentence: Sentence,
        budget: Budget | None = None,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Compression:
        """The best compression that meets the budget."""
        ...

    def frontier(
        self,
        sentence: Sentence,
        *,
        ratio: float | None = None,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Sequence[Compression]:
        """The best compressions at every number of words; `ratio` says which lengths matter."""
        ...


@dataclass(frozen=True, slots=True)
class DocumentCompression:
    """A shortened text: the compression of each of its sentences, None for those that were dropped."""

    sentences: tuple[Sentence, ...]
    compressions: tuple[Compression | None, ...]

    @property
    def text(self) -> str:
        """The sentences that are left, with the white space their author put between them."""
        text = ""
        for number, compression in enumerate(self.compressions):
            if compression is not None and compression.text:
                text += (_gap_before(self.sentences, number) if text else "") + compression.text
        return text

    @property
    def words(self) -> tuple[str, ...]:
        """All words that are left."""
        return tuple(word for answer in self.compressions if answer is not None for word in answer.words)

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be torn apart, sentence by sentence."""
        return tuple(note for answer in self.compressions if answer is not None for note in answer.notes)


def compress_document(
    system: FrontierSystem,
    text: str,
    budget: Budget | None = None,
    *,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    drop_sentences: bool = False,
) -> DocumentCompression:
    """Shorten a text to one budget; sentences stay in order, each whole, shortened or, if allowed, dropped.

    Among the best compressions of every sentence at every length, one each is chosen so that the sum of
    their scores is highest and the text they make meets the budget. `keep` and `drop` are words or phrases,
    pinned wherever they appear; a sentence with a word to keep is not dropped.
    """
    sentences = tuple(sentence for sentence in split_sentences(text) if sentence.words)
    pins = [_Pins.of(sentence, keep, drop) for sentence in sentences]
    for phrase in (*keep, *drop):
        if not any(find_phrase(sentence, phrase) for sentence in sentences):
            raise LaconicError(f"{phrase!r}, to be kept or dropped, is not in the text")
    if budget is None:
        natural = (
            system.compress(sentence, keep=pin.keep, drop=pin.drop)
            for sentence, pin in zip(sentences, pins, strict=True)
        )
        return DocumentCompression(sentences, tuple(natural))
    if not sentences:
        return DocumentCompression((), ())
    return _Document(system, sentences, pins, budget, drop_sentences=drop_sentences).answer()


@dataclass(frozen=True, slots=True)
class _Pins:
    keep: frozenset[int]
    drop: frozenset[int]

    @classmethod
    def of(cls, sentence: Sentence, keep: Collection[str], drop: Collection[str]) -> _Pins:
        found = [
            frozenset(index for phrase in phrases for index in find_phrase(sentence, phrase))
            for phrases in (keep, drop)
        ]
        return cls(*found)


@dataclass(frozen=True, slots=True)
class _Option:
    """One thing that may become of a sentence, None if it is dropped: what it costs as the first, or after others."""

    compression: Compression | None
    first: int
    later: int
    value: float


class _Document:
    """The knapsack: options for each sentence, and a limit on what the chosen ones cost together."""

    def __init__(
        self,
        system: FrontierSystem,
        sentences: tuple[Sentence, ...],
        pins: Sequence[_Pins],
        budget: Budget,
        *,
        drop_sentences: bool,
    ) -> None:
        self.system, self.sentences, self.pins, self.budget = system, sentences, pins, budget
        whole = tuple(Compression.by_deletion(sentence, range(len(sentence))) for sentence in sentences)
        self.total = self._cost(DocumentCompression(sentences, whole))
        self.least, self.most = budget.limits(self.total)
        self.options = [
            list(self._options(number, drop_sentences=drop_sentences)) for number in range(len(sentences))
        ]

    def answer(self) -> DocumentCompression:
        """The best choice within the budget."""
        floor = self.least
        if self.budget.least is None:  # an upper limit is there to be used
            floor = max(0, min(self.total, self.most) - max(1, int(SLACK * self.most)))
        for least in dict.fromkeys((floor, self.least)):
            found = next(self._choices(least), None) or self._mended(least)
            if found is not None:
                return found
        extremes = (
            DocumentCompression(
                self.sentences,
                tuple(pick(options, key=lambda option: option.first).compression for options in self.options),
            )
            for pick in (min, max)
        )
        low, high = map(self._cost, extremes)
        raise InfeasibleBudget(
            f"no compression of the {len(self.sentences)} sentences costs {self.least} to {self.most}",
            possible=(low, high),
        )

    def _options(self, number: int, *, drop_sentences: bool) -> Iterator[_Option]:
        sentence, pin = self.sentences[number], self.pins[number]
        if len(pin.drop) == len(sentence):
            yield _Option(None, 0, 0, 0.0)
            return
        gap = _gap_before(self.sentences, number)
        best = -np.inf
        ratio = self.most / max(1, self.total)
        for compression in self.system.frontier(sentence, ratio=ratio, keep=pin.keep, drop=pin.drop):
            assert compression.score is not None
            best = max(best, compression.score)
            first, later = (
                self.budget.measure(compression.words, text)
                for text in (compression.text, gap + compression.text)
            )
            yield _Option(compression, first, later, compression.score)
        if drop_sentences and not pin.keep:
            yield _Option(None, 0, 0, best - DROPPED * len(sentence))

    def _choices(self, least: int) -> Iterator[DocumentCompression]:
        """The best choice at every cost whose text costs from `least` to the most allowed, best first."""
        # What the options cost adds up to what the text costs, but for tokenizers.
        tolerance = 2 + self.most // 10 if isinstance(self.budget.unit, TextCost) else 0
        best, chosen = self._fill(self.most + tolerance)
        for cost in np.argsort(-best, kind="stable").tolist():
            if best[cost] > -np.inf and cost >= least - tolerance:
                found = self._rebuilt(chosen, cost)
                if least <= self._cost(found) <= self.most:
                    yield found

    def _fill(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        # best(s, c) = max over the options o of sentence s of value(o) + best(s - 1, c - later(o)), or, where
        # nothing is kept before it, of value(o) + none(s - 1) at c = first(o); none(s) drops all up to s.
        best, none = np.full(most + 1, -np.inf), 0.0
        chosen = np.full((len(self.options), most + 1), -1, np.int32)  # 2·option, + 1 if it is the first kept
        for options, choice in zip(self.options, chosen, strict=True):
            before, best = best, np.full(most + 1, -np.inf)
            none_before, none = none, -np.inf
            for number, option in enumerate(options):
                if option.compression is None:
                    none = none_before + option.value
                elif option.first <= most and none_before + option.value > best[option.first]:
                    best[option.first] = none_before + option.value
                    choice[option.first] = 2 * number + 1
                if option.later <= most:
                    values = before[: most + 1 - option.later] + option.value
                    better = values > best[option.later :]
                    best[option.later :][better] = values[better]
                    choice[option.later :][better] = 2 * number
        if not np.isfinite(best).any() and none > -np.inf:
            best[0] = none  # there is nothing that may be kept
        return best, chosen

    def _rebuilt(self, chosen: NDArray[np.int32], cost: int) -> DocumentCompression:
        answers: list[Compression | None] = [None] * len(self.options)
        for number in reversed(range(len(self.options))):
            choice = int(chosen[number, cost])
            if choice < 0:
                break
            option = self.options[number][choice // 2]
            answers[number] = option.compression
            if choice % 2:
                break
            cost -= option.later
        return DocumentCompression(self.sentences, tuple(answers))

    def _mended(self, least: int) -> DocumentCompression | None:
        """A choice that costs nearly what it must, with one sentence cut anew to make up for the rest."""
        best, chosen = self._fill(self.most)
        for cost in np.flatnonzero(best > -np.inf)[::-1][:_NEAREST].tolist():
            found = self._rebuilt(chosen, cost)
            lack = least - self._cost(found)
            for number, answer in enumerate(found.compressions):
                wanted = lack if answer is None else lack + self.budget.measure(answer.words, answer.text)
                if answer is None or wanted < 1:
                    continue
                try:
                    anew = self.system.compress(
                        self.sentences[number],
                        Budget(wanted, wanted + self.most - least, self.budget.unit),
                        keep=self.pins[number].keep,
                        drop=self.pins[number].drop,
                    )
                except InfeasibleBudget:
                    continue
                parts = (*found.compressions[:number], anew, *found.compressions[number + 1 :])
                mended = DocumentCompression(self.sentences, parts)
                if least <= self._cost(mended) <= self.most:
                    return mended
        return None

    def _cost(self, found: DocumentCompression) -> int:
        return self.budget.measure(found.words, found.text)


def _gap_before(sentences: Sequence[Sentence], number: int) -> str:
    """The white space before a sentence; there is some even where the author put none."""
    return (sentences[number - 1].spaces[-1] or " ") if number else ""
