"""Why the words of any text stayed or went, for the very request: its limit, its pins, its manner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

from laconic.budget import Budget
from laconic.compressed_text import CompressedText
from laconic.compression import Compression
from laconic.documents.compress import TextRequest, limit_of, request_of, wanted_of
from laconic.errors import InfeasibleBudget
from laconic.options import Given, Options
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.reasons import MOST, Explanation, Rival
from laconic.systems.system import System


@dataclass(frozen=True, slots=True, repr=False)
class ExplainedText:
    """A shortened text, and for each of its sentences why it was cut so; None for those that were dropped whole."""

    compressed: CompressedText
    sentences: tuple[Explanation | None, ...]

    def __repr__(self) -> str:
        return f"<ExplainedText {self.compressed.text!r}>"

    def lines(self, most: int = MOST) -> list[str]:
        """All of it as text, with rivals for so many words."""
        found = [f"!! {note}" for note in self._of_text]
        for piece, explanation, left in self._each(most):
            found += [f"=> (dropped) {piece}"] if explanation is None else explanation.lines(left)
        return found

    def to_dict(self, most: int = MOST) -> dict[str, Any]:
        """All of it as JSON holds it, with rivals for so many words."""
        return {
            "source": self.compressed.source,
            "text": self.compressed.text,
            "unmet": list(self.compressed.unmet),
            "sentences": [
                {"source": source, "text": ""} if explanation is None else explanation.to_dict(left)
                for source, explanation, left in self._each(most)
            ],
        }

    def html(self, most: int = MOST) -> str:
        """All of it as a piece of HTML, with rivals for so many words."""
        from html import escape

        unmet = "".join(f"<p>{escape(note)}</p>" for note in self._of_text)
        return unmet + "".join(
            f"<p><del>{escape(source)}</del></p>" if explanation is None else explanation.html(left)
            for source, explanation, left in self._each(most)
        )

    def _repr_html_(self) -> str:
        return self.html()

    @property
    def _of_text(self) -> list[str]:
        """The limits that could not be met of which no sentence says so itself."""
        told = {note for answer in self.compressed.compressions for note in answer.notes}
        return [note for note in self.compressed.unmet if note not in told]

    def _each(self, most: int) -> list[tuple[str, Explanation | None, int]]:
        """The source of every sentence, its explanation, and how many of its words may have rivals."""
        found, left = [], most
        for piece, explanation in zip(self.compressed.sentences, self.sentences, strict=True):
            found.append((piece.source, explanation, max(0, left)))
            left -= 0 if explanation is None else len(explanation.reasons)
        return found


def explain(text: str | Sentence, budget: Budget | None = None, **options: Unpack[Given]) -> ExplainedText:
    """Shorten a text as `compress` does with the same options, and say why each word stayed or went.

    Of every word: what the best answer to the same request costs in which it goes the other way, that answer, and
    the ties that hold the word. Rivals are looked for when they are asked for.

    >>> explained = explain("It fell again on Monday.", words=3, system="truncate", drop="again")
    >>> explained.sentences[0].rival(0).text
    'Fell on Monday.'
    """
    wanted = wanted_of(options)
    return explain_with(system_for(wanted), text, wanted, limit_of(wanted, budget))


def explain_with(
    system: System, text: str | Sentence, options: Options, budget: Budget | None = None
) -> ExplainedText:
    """Explain a text by a system that is open, under a budget that is made."""
    request = request_of(system, text, options, budget)
    compressed = request.answer()
    answers = [piece.compression for piece in compressed.sentences]
    found = (
        None if answer is None else _explained(request, answers, at) for at, answer in enumerate(answers)
    )
    return ExplainedText(compressed, tuple(found))


def _explained(request: TextRequest, answers: Sequence[Compression | None], number: int) -> Explanation:
    part, answer = request.parts[number], answers[number]
    assert answer is not None
    among = [answers[at] for at in request.sharing(number)]
    # Together, sentences are cut to the lengths that suit all of them.
    limit = request.budget if len(among) == 1 else Budget.exactly(len(answer.kept or ()), unit="pieces")
    together = "".join(each.text for each in among if each is not None)
    return request.system.explained(
        answer,
        limit,
        partial(_rival, request, answers, number),
        pinned=part.keep | part.drop,
        length=_length(request, among, together),
    )


def _rival(
    request: TextRequest, answers: Sequence[Compression | None], number: int, place: int
) -> Rival | None:
    """The best answer with a word the other way, of all sentences that share a limit with its own."""
    answer = answers[number]
    assert answer is not None
    forced = request.forcing(number, place, stays=place not in (answer.kept or ()))
    try:
        found = forced.answer()
    except InfeasibleBudget:
        return None
    if found.unmet:
        return None
    before, after = (
        _score(each)
        for each in (
            [answers[at] for at in request.sharing(number)],
            [p.compression for p in found.sentences],
        )
    )
    cost = None if before is None or after is None else before - after
    others = [piece.compression for piece in found.sentences]
    return Rival(found.text.strip(), cost, _length(request, others, found.text), found.notes)


def _score(answers: Sequence[Compression | None]) -> float | None:
    scores = [answer.score for answer in answers if answer is not None]
    return None if None in scores else float(sum(score for score in scores if score is not None))


def _length(request: TextRequest, answers: Sequence[Compression | None], text: str) -> int:
    """What sentences come to in the unit of the limit, words as they are cut without one."""
    words = [word for answer in answers if answer is not None for word in answer.standing]
    return len(words) if request.budget is None else request.budget.measure(words, text)
