"""Two systems, one answer: the best by the sum of their scores, found by dual decomposition.

Jin-ge Yao, Xiaojun Wan and Jianguo Xiao: Joint Decoding of Tree Transduction Models for Sentence Compression. EMNLP
2014.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.budgets import Meeting, Request, SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.contract import LONG_SENTENCE, Decoder, Limit, Searcher, Selections, Solution
from laconic.decode.dual_decomposition import Agreement, JointDecoder, JointSearcher, Scaled
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import annotated
from laconic.systems.decoding import DecodingSystem
from laconic.systems.ngram import Ngram
from laconic.systems.registry import SYSTEMS, open_system
from laconic.systems.transducer.system import TreeTransducer


@dataclass(frozen=True, eq=False)
class Joint(DecodingSystem):
    """The words that the `first` and the `second` system value most together; the second counts `weight` times.

    Both delete words only; of one that rewrites, the derivations that delete take part. The lengths that systems weigh
    apart from their scores play no part. The search makes at most so many `rounds`, with steps of `scale` at first.
    """

    first: DecodingSystem
    second: DecodingSystem
    weight: float = 1.0
    rounds: int = 50
    scale: float = 1.0
    name: ClassVar[str] = "joint"

    def __post_init__(self) -> None:
        if not 0 < self.weight < np.inf:
            raise LaconicError(f"the weight of the second system is a number above 0, not {self.weight}")

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system after both have learnt from the pairs; the weight stays."""
        shown = list(pairs)
        return replace(self, first=self.first.fit(shown), second=self.second.fit(shown))

    def decoder(self, sentence: Sentence) -> Decoder:
        """The search over the words of a sentence by both."""
        return self.search_space(sentence).decoder

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """What both make of a sentence."""
        [parsed] = annotated([sentence])
        mine, other = self.first.deletion_space(parsed), self.second.deletion_space(parsed)
        price = mine.word_price + self.weight * other.word_price
        return replace(
            mine,
            decoder=self._joint(mine, other),
            word_price=price,
            value=None,
            selective=mine.selective or other.selective,
            new_words=(),
        )

    def why_none(self, request: Request) -> str:
        """Which of the two has none, or that they agree on none; unless all was looked at, that none was found."""
        names = [self.first.name, self.second.name]
        if len(request.sentence) > LONG_SENTENCE:
            return f"{' and '.join(names)} agree on none that was found"
        [parsed] = annotated([request.sentence])
        parts = [Meeting(part.deletion_space(parsed), request) for part in (self.first, self.second)]
        lacking = [part.found(part.request.least, part.request.most) is None for part in parts]
        names = [name for name, lacks in zip(names, lacking, strict=True) if lacks] or names
        looked = [part for part, lacks in zip(parts, lacking, strict=True) if lacks] or parts
        verb = "agree on" if not any(lacking) else "have" if all(lacking) else "has"
        found = "" if all(part.is_exhaustive for part in looked) else " that was found"
        return f"{' and '.join(names)} {verb} none{found}"

    def agreement(self, sentence: Sentence, limit: Limit | None = None) -> Agreement:
        """The joint search of a sentence, with its bound and the trace of its rounds."""
        space = self.search_space(sentence)
        assert isinstance(space.decoder, JointDecoder)
        return space.decoder.joint.agree(prices=np.full(len(sentence), space.word_price), limit=limit)

    def save(self, folder: Path) -> None:
        """Write both systems and how they are joined."""
        settings = {"weight": self.weight, "rounds": self.rounds, "scale": self.scale}
        write_model(folder, self.name, Content(settings))
        self.first.save(folder / "first")
        self.second.save(folder / "second")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote; a part that the card names is the shipped system of that name."""
        with open_model(folder, cls.name) as stored:
            options = {"weight": stored.number("weight"), "scale": stored.number("scale")}
            rounds = stored.whole("rounds", low=1, high=10**6)
            first, second = (
                _decoding(stored.choice(part, SYSTEMS) if part in stored.settings else folder / part)
                for part in ("first", "second")
            )
        return cls(first, second, rounds=rounds, **options)

    def _joint(self, mine: SearchSpace, other: SearchSpace) -> JointDecoder:
        words = len(mine.sentence)
        searcher = JointSearcher(
            _Padded(mine.decoder, len(mine.new_words)),
            Scaled(_Padded(other.decoder, len(other.new_words)), self.weight),
            words,
            rounds=max(1, min(self.rounds, self.rounds * LONG_SENTENCE // words)),
            scale=self.scale,
        )

        def likely(prices: Float64) -> Float64:
            found = []
            for space in (mine, other):
                try:
                    found.append(space.decoder.word_marginals(prices=prices))
                except InfeasibleBudget:  # it has no compression with these pins
                    continue
            return np.mean(found, axis=0) if found else np.full(words, 0.5)

        def listed(prices: Float64, limit: Limit | None) -> Selections:
            selective = [space for space in (mine, other) if space.selective]
            found = [
                space.lister.selections(prices=prices, limit=_padded(limit, len(space.new_words)))
                for space in selective
            ]
            kept = dict.fromkeys(kept for each in found for kept in each.kept)
            return next((each for each in found if each.are_all), Selections(tuple(kept), are_all=False))

        return JointDecoder(searcher, likely, listed, mine.decoder.counts_gaps and other.decoder.counts_gaps)


@dataclass(frozen=True, slots=True)
class _Padded:
    """A search over a forest that knows new words, none of which it may write: they cost nothing."""

    searcher: Searcher
    new_words: int

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        return self.searcher.best(prices=prices, limit=_padded(limit, self.new_words))


def _padded(limit: Limit | None, new_words: int) -> Limit | None:
    if limit is None or limit.costs is None or not new_words:
        return limit
    return replace(limit, costs=limit.costs + (0,) * new_words)


def _decoding(name: str | Path) -> DecodingSystem:
    system = open_system(name)
    if not isinstance(system, DecodingSystem):
        raise LaconicError(
            f"system {str(name)!r} searches nothing, so nothing can be searched with it jointly"
        )
    return system


def joint_of(names: str) -> Joint:
    """The two systems named as A+B, joined.

    >>> joint_of("ngram+discriminative").second.name
    'discriminative'
    """
    parts = names.split("+")
    if len(parts) != 2:
        raise LaconicError(f"joint decoding is of two systems, A+B, not {names!r}")
    return Joint(_decoding(parts[0]), _decoding(parts[1]))


@dataclass(frozen=True, eq=False)
class JointLm(Joint):
    """The transducer's rules and the trigrams of news that it scores its output with: its own objective."""

    first: DecodingSystem = field(default_factory=lambda: _decoding("transducer"))
    second: DecodingSystem = field(default_factory=Ngram)
    weight: float = 0.0  # that of the transducer's language model
    name: ClassVar[str] = "joint-lm"
    learnt: ClassVar[tuple[str, ...]] = ("weight",)

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system after the transducer has learnt its rules and the weight of n-grams, and those their length."""
        shown = list(pairs)
        return replace(self, first=self.first.fit(shown), second=self.second.fit(shown), weight=0.0)

    def __post_init__(self) -> None:
        if self.weight == 0.0 and isinstance(self.first, TreeTransducer):
            object.__setattr__(self, "weight", self.first.language_weight())
        super().__post_init__()


@dataclass(frozen=True, eq=False)
class JointDiscriminative(Joint):
    """The transducer's rules and the discriminative model of neighbours."""

    first: DecodingSystem = field(default_factory=lambda: _decoding("transducer"))
    second: DecodingSystem = field(default_factory=lambda: _decoding("discriminative"))
    weight: float = 4.0  # the best on folds of train: experiments/results/joint/weights.md
    name: ClassVar[str] = "joint-discriminative"
