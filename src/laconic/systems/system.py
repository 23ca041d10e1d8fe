"""What every system answers, whatever is inside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.sentence import Sentence


@runtime_checkable
class System(Protocol):
    """Something that learns from pairs, shortens sentences, and can be stored in a folder and read again."""

    @property
    def name(self) -> str:
        """The name under which the registry knows the system."""
        ...

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system after learning from sentences and their compressions."""
        ...

    def compress(
        self,
        sentence: Sentence,
        budget: Budget | None = None,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Compression:
        """The best compression that meets the budget, keeps the words `keep` and drops the words `drop`.

        Without a budget the system chooses the length. What cannot be met raises `InfeasibleBudget`.
        """
        ...

    def save(self, folder: Path) -> None:
        """Write the system as JSON and numeric arrays."""
        ...

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote; never runs code from the folder."""
        ...
