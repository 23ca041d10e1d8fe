"""A system that stops where its time is up: between two searches, of which a text takes many."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn, Self

from laconic.budgets import Costs, Lengths
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.sentence import Sentence
from laconic.serve.pool import Deadline
from laconic.systems.reasons import Explanation
from laconic.systems.system import System


class TimedSystem(System):
    """Another system that is asked only while there is time."""

    def __init__(self, system: System, deadline: Deadline) -> None:
        self.system, self.deadline = system, deadline
        self.name = system.name  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.system, name)
        if name not in ("with_manner", "favouring"):
            return found
        return lambda *asked, **manner: TimedSystem(found(*asked, **manner), self.deadline)

    @property
    def threads(self) -> int:
        """On how many threads the sentences of a text are compressed."""
        return self.system.threads

    def compress(self, *asked: Any, **options: Any) -> Compression:
        """The best compression."""
        self.deadline.check()
        return self.system.compress(*asked, **options)

    def lengths(self, sentence: Sentence, **options: Any) -> Lengths:
        """The best compression at every number of words."""
        self.deadline.check()
        found = self.system.lengths(sentence, **options)

        def find(words: int) -> Compression | None:
            self.deadline.check()
            return found.find(words)

        return Lengths(found.outlines, find)

    def costs(self, *asked: Any, **options: Any) -> Costs:
        """What the compressions of a sentence can cost."""
        self.deadline.check()
        return self.system.costs(*asked, **options)

    def explained(self, *asked: Any, **options: Any) -> Explanation:
        """Why each word stayed or went."""
        self.deadline.check()
        return self.system.explained(*asked, **options)

    def protected(self, sentence: Sentence) -> frozenset[int]:
        """The words that are kept though nobody named them."""
        self.deadline.check()
        return self.system.protected(sentence)

    def fit(self, pairs: Iterable[Pair]) -> NoReturn:
        """Nothing is learnt here."""
        raise NotImplementedError

    def save(self, folder: Path) -> NoReturn:
        """Nothing is stored here."""
        raise NotImplementedError

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Nothing is read here."""
        raise NotImplementedError
