"""Sentence compression as dependency parsing, and the bigram model it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from laconic.corpora.pair import Pair
from laconic.decode.compressive import CompressiveParser
from laconic.decode.path import PathDecoder
from laconic.errors import ModelError
from laconic.learn.interface import FeatureVector, Weights
from laconic.learn.training import Progress
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.arrays import read_arrays, write_arrays
from laconic.systems.decoding import DecodingSystem
from laconic.systems.dependency.factors import Factors
from laconic.systems.dependency.features import Extractor
from laconic.systems.dependency.learning import LearningOptions, learn
from laconic.systems.folder import read_settings, write_settings

MOST_PARSED = 100
"""Words of a sentence up to which trees are searched, as the rules of a parser grow with the cube."""

_ARRAYS = "weights.npz"


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
        return Extractor(self.bits)

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
    ) -> Self:
        """The system after learning from the pairs, stopping when F1 on the development pairs no longer rises.

        Without development pairs, some of the pairs are held out; with none in them, all epochs are run.
        References that are no deletions are passed over. Without a generator, a new one of seed 0 is used.
        """
        training = learn(
            list(pairs),
            self.extractor,
            self.factors,
            development=development,
            options=options or LearningOptions(),
            generator=generator or np.random.default_rng(0),
            progress=progress,
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
        write_arrays(folder / _ARRAYS, arrays)
        write_settings(folder, self.name, {"bits": self.bits, "factors": asdict(self.factors)})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        settings = read_settings(folder, cls.name)
        arrays = read_arrays(folder / _ARRAYS)
        try:
            bits, factors = int(settings["bits"]), Factors(**settings["factors"])
            weights = _sparse(arrays, 1 << bits)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{folder}: damaged model of {cls.name!r} ({error})") from None
        return cls(factors=factors, bits=bits, weights=weights)


def _sparse(arrays: dict[str, Any], size: int) -> FeatureVector:
    features = np.cumsum(arrays["steps"], dtype=np.int64)
    values = arrays["weights"].astype(np.float64)
    if features.shape != values.shape or (len(features) and features[-1] >= size):
        raise ValueError(f"{len(features)} features and {len(values)} weights for {size} places")
    return FeatureVector(features, values)


@dataclass(frozen=True)
class Dependency(FactoredSystem):
    """Compression as dependency parsing: the best words with the best projective tree and bigrams over them.

    The draft "Sentence Compression as Dependency Parsing", which makes the joint model of Thadani and McKeown
    (2013) tractable.
    """

    factors: Factors = field(default_factory=Factors)
    name: ClassVar[str] = "dependency"


@dataclass(frozen=True)
class Bigram(FactoredSystem):
    """The best path over kept words by features of neighbours, after McDonald (2006)."""

    factors: Factors = field(default_factory=lambda: Factors(arcs=False, siblings=False))
    name: ClassVar[str] = "bigram"
