"""The baseline that cuts off the end: the first words, as many as fit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from laconic.budget import Budget
from laconic.budgets import Pins, Request
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError, nearest_possible
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.system import System
from laconic.text.detokenise import standing


@dataclass(frozen=True, slots=True)
class Truncate(System):
    """Keeps the first words that fit the budget, and the words it is told to keep.

    Without an upper limit it keeps `ratio` of the words; `fit` learns that ratio from the references.
    It never skips a word to fit a later one, so a demand for an exact number of characters is often refused.
    """

    ratio: float = 0.7
    name: ClassVar[str] = "truncate"
    learnt: ClassVar[tuple[str, ...]] = ("ratio",)

    def __post_init__(self) -> None:
        if not 0 <= self.ratio <= 1:
            raise LaconicError(f"the ratio of words to keep lies between 0 and 1, not {self.ratio}")

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system that keeps the mean ratio of words that the references keep."""
        ratios = [
            min(1.0, len(reference) / len(pair.source))
            for pair in pairs
            for reference in pair.references
            if len(pair.source)
        ]
        if not ratios:
            raise LaconicError("there is no sentence to learn a ratio from")
        return type(self)(sum(ratios) / len(ratios))

    def compress(
        self,
        sentence: str | Sentence,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> Compression:
        """The longest beginning that fits.

        >>> Truncate().compress(Sentence.from_words(["It", "fell", "again", "."]), Budget.at_most(2)).text
        'It fell'
        """
        request = Request.of(sentence, budget, keep, drop)
        source = request.sentence
        pinned = request.keep | request.drop
        free = [index for index in range(len(source)) if index not in pinned]

        def beginning(count: int) -> Compression:
            return Compression.by_deletion(source, standing(source, sorted({*free[:count], *request.keep})))

        def cost(count: int) -> int:
            return request.cost(beginning(count))

        def keeps(answer: Compression) -> bool:
            return request.keep.issubset(answer.kept or ())

        # The cost grows with the number of words, but for marks that lose or find their reason.
        counts = range(len(free) + 1)
        fitting = range(
            bisect_left(counts, request.least, key=cost), bisect_right(counts, request.most, key=cost)
        )
        wanted = len(free)
        if budget is None or budget.most is None:
            wanted = max(0, round(self.ratio * len(source)) - len(request.keep))
        for some in (fitting, counts):
            for count in sorted(some, key=lambda count: abs(count - wanted)):
                answer = beginning(count)
                if keeps(answer) and request.least <= request.cost(answer) <= request.most:
                    return answer
        costs = {request.cost(answer) for answer in map(beginning, counts) if keeps(answer)}
        raise request.refusal(nearest_possible(costs, request.least, request.most))

    def save(self, folder: Path) -> None:
        """Write the ratio."""
        write_model(folder, self.name, Content({"ratio": self.ratio}))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            return cls(stored.number("ratio", low=0, high=1))
