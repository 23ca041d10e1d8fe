"""The baseline that cuts off the end: the first words, as many as fit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.request import Request


@dataclass(frozen=True, slots=True)
class Truncate:
    """Keeps the first words that fit the budget, and the words it is told to keep.

    Without an upper limit it keeps `ratio` of the words; `fit` learns that ratio from the references.
    It never skips a word to fit a later one, so a demand for an exact number of characters is often refused.
    """

    ratio: float = 0.7
    name: ClassVar[str] = "truncate"

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
        sentence: Sentence,
        budget: Budget | None = None,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Compression:
        """The longest beginning that fits.

        >>> Truncate().compress(Sentence.from_words(["It", "fell", "again", "."]), Budget.at_most(2)).text
        'It fell'
        """
        request = Request.of(sentence, budget, keep, drop)
        pinned = request.keep | request.drop
        droppable = [index for index in range(len(sentence)) if index not in pinned]

        def beginning(count: int) -> Compression:
            return Compression.by_deletion(sentence, sorted({*droppable[:count], *request.keep}))

        def cost(count: int) -> int:
            return request.cost(beginning(count))

        # The cost grows with the number of words, so bisection finds the limits.
        counts = range(len(droppable) + 1)
        if budget is None or budget.most is None:
            wanted = round(self.ratio * len(sentence)) - len(request.keep)
            count = min(max(0, wanted), len(droppable))
            if cost(count) < request.least:
                count = bisect_left(counts, request.least, key=cost)
        else:
            count = bisect_right(counts, request.most, key=cost) - 1
        if 0 <= count < len(counts) and request.least <= cost(count) <= request.most:
            return beginning(count)
        # Beginnings cost something from `low` to `high`, with gaps: then the nearest cost is offered.
        low, high = cost(0), cost(len(droppable))
        if request.most < low or high < request.least:
            raise request.refusal((low, high))
        below, above = cost(count), cost(count + 1)
        nearest = below if request.least - below <= above - request.most else above
        raise request.refusal((nearest, nearest))

    def save(self, folder: Path) -> None:
        """Write the ratio."""
        write_model(folder, self.name, Content({"ratio": self.ratio}))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            return cls(stored.number("ratio", low=0, high=1))
