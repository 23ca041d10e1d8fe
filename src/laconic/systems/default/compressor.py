"""The default compressor: the network's scores inside an exact search."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import ClassVar, Self

from laconic.annotate.annotator import Annotator, load_annotator
from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.sentence import Sentence
from laconic.systems.default.scoring import REGISTERS, Weights, potentials
from laconic.systems.folder import read_settings, write_settings
from laconic.systems.request import Request


class Compressor:
    """Minimal."""

    name: ClassVar[str] = "default"

    def __init__(
        self,
        *,
        register: str = "news",
        weights: Weights | None = None,
        annotator: Annotator | None = None,
        threads: int | None = None,
    ) -> None:
        self._annotator = annotator or load_annotator(threads=threads)
        self.register = register
        self.weights = weights or REGISTERS[register]

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The same."""
        return self

    def compress(
        self,
        sentence: Sentence,
        budget: Budget | None = None,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Compression:
        """The best compression."""
        request = Request.of(sentence, budget, keep, drop)
        [analysis] = self._annotator.analyse([sentence], register=self.register)
        found = potentials(analysis.scores, self.weights)
        decoder = CompressiveParser(found.arc, found.bigram)
        limit = None if budget is None else Limit(request.least, request.most)
        best = decoder.best(prices=found.prices, limit=limit)
        return Compression.by_deletion(analysis.sentence, best.kept, score=best.score, heads=best.structure)

    def save(self, folder: Path) -> None:
        """Write."""
        write_settings(folder, self.name, {"register": self.register})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        return cls(register=str(read_settings(folder, cls.name)["register"]))
