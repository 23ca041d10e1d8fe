"""The baseline that keeps every word: what a score is worth without compressing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from laconic.budget import Budget
from laconic.budgets import Pins, Request
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.system import System
from laconic.text.detokenise import standing


@dataclass(frozen=True, slots=True)
class Everything(System):
    """Keeps all words but those it is told to drop; any other length is refused."""

    name: ClassVar[str] = "everything"

    def fit(self, pairs: Iterable[Pair]) -> Self:  # noqa: ARG002  (the contract of systems)
        """The same system: there is nothing to learn."""
        return self

    def compress(
        self,
        sentence: str | Sentence,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> Compression:
        """The whole sentence, less `drop` and the marks that have no reason without it.

        >>> Everything().compress(Sentence.from_words(["It", "fell", "."])).text
        'It fell .'
        """
        request = Request.of(sentence, budget, keep, drop)
        source = request.sentence
        kept = [index for index in range(len(source)) if index not in request.drop]
        compression = Compression.by_deletion(source, standing(source, kept))
        if not request.keep.issubset(compression.kept or ()):
            raise request.refusal(None)
        cost = request.cost(compression)
        if not request.least <= cost <= request.most:
            raise request.refusal((cost, cost))
        return compression

    def save(self, folder: Path) -> None:
        """Write the system's name; it has no other settings."""
        write_model(folder, self.name, Content())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name):
            return cls()
