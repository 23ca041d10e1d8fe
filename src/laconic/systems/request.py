"""What a caller asks of a system for one sentence, checked before any search."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from laconic.budget import Budget, TextCost
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.text.detokenise import detokenise


@dataclass(frozen=True, slots=True)
class Request:
    """A sentence to shorten, the words that must stay or go, and the allowed cost from `least` to `most`.

    Without a budget, `least` and `most` allow everything.
    """

    sentence: Sentence
    budget: Budget | None
    keep: frozenset[int]
    drop: frozenset[int]
    least: int
    most: int

    @classmethod
    def of(
        cls, sentence: Sentence, budget: Budget | None, keep: Collection[int], drop: Collection[int]
    ) -> Request:
        """The request; words that are not in the sentence, or both kept and dropped, are errors."""
        for index in (*keep, *drop):
            if not 0 <= index < len(sentence):
                raise LaconicError(f"no word {index} to keep or drop in a sentence of {len(sentence)} words")
        both = sorted(set(keep) & set(drop))
        if both:
            raise LaconicError(
                f"word {both[0]} ({sentence.words[both[0]]!r}) is both to be kept and to be dropped"
            )
        least, most = 0, len(sentence)
        if budget is not None:
            for word in sentence.words if callable(budget.unit) else ():
                if budget.measure((word,), word) < 0:
                    raise LaconicError(
                        f"a word costs at least 0, but {word!r} costs {budget.measure((word,), word)}"
                    )
            whole, _ = detokenise(sentence, range(len(sentence)))
            least, most = budget.limits(budget.measure(sentence.words, whole))
        return cls(sentence, budget, frozenset(keep), frozenset(drop), least, most)

    def cost(self, compression: Compression) -> int:
        """What the compression costs in the budget's unit (words, without a budget)."""
        if self.budget is None:
            return len(compression.words)
        return self.budget.measure(compression.words, compression.text)

    def refusal(self, possible: tuple[int, int]) -> InfeasibleBudget:
        """The error that says what was asked and what is possible instead."""
        budget = self.budget
        if budget is not None and budget.most is None:
            demand, amount = "at least", self.least
        elif self.least == self.most and (budget is None or budget.least is not None):
            demand, amount = "exactly", self.least
        else:
            demand, amount = "at most" if self.least == 0 else f"{self.least} to", self.most
        if budget is None or callable(budget.unit):
            unit = "cost"
        else:
            unit = budget.unit.name if isinstance(budget.unit, TextCost) else budget.unit
            unit = unit.removesuffix("s") if amount == 1 else unit
        text = self.sentence.text.strip()
        start = text if len(text) <= 40 else f"{text[:40]}…"
        pins = "".join(
            f", {verb} {len(indices)} given word{'s' * (len(indices) > 1)}"
            for verb, indices in (("keeping", self.keep), ("dropping", self.drop))
            if indices
        )
        return InfeasibleBudget(
            f"no compression of {start!r} has {demand} {amount} {unit}{pins}", possible=possible
        )
