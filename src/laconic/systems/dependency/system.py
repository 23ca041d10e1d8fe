"""Sentence compression as dependency parsing, and the model of neighbours that it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from laconic.corpora.pair import Pair
from laconic.decode.compressive import CompressiveParser
from laconic.decode.path import PathDecoder
from laconic.errors import ModelError
from laconic.learn.interface import FeatureVector, Weights
from laconic.learn.training import Progress
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import annotated
from laconic.systems.decoding import DecodingSystem
from laconic.systems.dependency.factors import Factors
from laconic.systems.dependency.features import Extractor
from laconic.systems.dependency.learning import LearningOptions, learn

MOST_PARSED = 100
"""Words of a sentence up to which trees are searched, as the rules of a parser grow with the cube."""

PATHS = Factors(arcs=False, siblings=False)
"""Pairs of neighbours without what is between them: the bigrams that `Dependency` has beside its tree."""

_MOST_BITS = 28


@dataclass(frozen=True)
class FactoredSystem(DecodingSystem):
    """A linear model over the parts of a compression that its factors name, searched exactly.

    `weights` holds what was learnt, one weight for each hashed feature that has one.
    """

    factors: Factors
    bits: int = 20
    weights: FeatureVector | None = field(default=None, repr=False)
    name: ClassVar[str]

    @cached_property
    def extractor(self) -> Extractor:
        """What turns sentences into features."""
        return Extractor(self.bits, self.factors.evidence, self.factors.arcs)

    @cached_property
    def _dense(self) -> Weights:
        if self.weights is None:
            raise ModelError(f"system {self.name!r} has not learnt anything yet: fit it, or load a model")
        dense = np.zeros(self.extractor.size)
        self.weights.add_to(dense)
        return dense

    def fit(
        self,
        pairs: Iterable[Pair],
        *,
        development: Sequence[Pair] | None = None,
        options: LearningOptions | None = None,
        generator: np.random.Generator | None = None,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
    ) -> Self:
        """The system after learning from the pairs, stopping when F1 on the development pairs no longer rises.

        Without development pairs, some of the pairs are held out; with none in them, all epochs are run.
        References that are no deletions are passed over. Without a generator, a new one of seed 0 is used.
        The state of learning is kept in the folder `checkpoint`, from which a stopped training goes on.
        """
        training = learn(
            list(pairs),
            self.extractor,
            self.factors,
            development=development,
            options=options or LearningOptions(),
            generator=generator or np.random.default_rng(0),
            progress=progress,
            checkpoint=checkpoint,
        )
        return self.with_weights(training.weights)

    def with_weights(self, weights: Weights) -> Self:
        """The same system with other weights, rounded to single precision, as they are stored."""
        rounded = weights.astype(np.float32).astype(np.float64)
        learnt = np.flatnonzero(rounded)
        return replace(self, weights=FeatureVector(learnt, rounded[learnt]))

    def decoder(self, sentence: Sentence) -> CompressiveParser | PathDecoder:
        """All compressions of a sentence under the model, which is parsed first if it is not.

        Of more than MOST_PARSED words, the best path is searched for, each word with its best head.
        """
        [parsed] = annotated([sentence])
        features = self.extractor.extract(parsed)
        if len(parsed) > MOST_PARSED:
            return self.factors.path_decoder(features.score(self._dense, siblings=False))
        return self.factors.decoder(features.score(self._dense))

    def save(self, folder: Path) -> None:
        """Write the weights that are not 0, and what they are weights of."""
        if self.weights is None:
            raise ModelError(f"system {self.name!r} has not learnt anything yet: there is nothing to save")
        arrays = {
            "steps": np.diff(self.weights.features, prepend=0).astype(np.uint32),
            "weights": self.weights.values.astype(np.float32),
        }
        settings = {"bits": self.bits, "factors": asdict(self.factors)}
        write_model(folder, self.name, Content(settings, arrays))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            bits = stored.whole("bits", low=1, high=_MOST_BITS)
            values = stored.array("weights", np.float32, (None,))
            features = np.cumsum(stored.array("steps", np.uint32, values.shape), dtype=np.int64)
            if len(features) and not features[-1] < 1 << bits:
                raise stored.fault("steps", f"the way to features below {1 << bits}", int(features[-1]))
            chosen = stored.within("factors")
            return cls(
                factors=Factors(*(chosen.flag(name) for name in ("arcs", "siblings", "bigrams", "evidence"))),
                bits=bits,
                weights=FeatureVector(features, values.astype(np.float64)),
            )


@dataclass(frozen=True)
class Dependency(FactoredSystem):
    """Compression as dependency parsing: the best words with the best projective tree and bigrams over them.

    The draft "Sentence Compression as Dependency Parsing", which makes the joint model of Thadani and McKeown
    (2013) tractable.
    """

    factors: Factors = field(default_factory=Factors)
    name: ClassVar[str] = "dependency"


@dataclass(frozen=True)
class Discriminative(FactoredSystem):
    """The best path over kept words, by features of neighbours and of what is dropped between them (McDonald 2006).

    With `PATHS` as factors, neighbours alone are looked at.
    """

    factors: Factors = field(default_factory=lambda: replace(PATHS, evidence=True))
    name: ClassVar[str] = "discriminative"
