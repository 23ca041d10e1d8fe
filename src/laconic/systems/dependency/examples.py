"""Pairs as examples for learners: the reference with its tree, and cost-augmented search around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from laconic.corpora.pair import Pair
from laconic.decode.contract import Limit, Solution
from laconic.learn.interface import Answer, FeatureVector, Weights
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.dependency.factors import Factors
from laconic.systems.dependency.features import Extractor
from laconic.systems.dependency.rows import FeatureRows
from laconic.trees.dependency import projectivise


@dataclass(frozen=True)
class Gold:
    """A source sentence with annotation, the words that a reference keeps, and a projective tree over them."""

    sentence: Sentence
    kept: tuple[int, ...]
    heads: tuple[int, ...]


def gold_compressions(
    pairs: Iterable[Pair],
    *,
    references: int | None = None,
    annotate: Callable[[Iterable[Sentence]], Iterable[Sentence]] = annotated,
) -> Iterator[Gold]:
    """The references that are deletions and keep a word, not signs alone, each parsed as a sentence of its own.

    `references` is the number of references used of each pair; None means all. `annotate` adds tags and trees.
    """
    corpus = list(pairs)
    sources = annotate(pair.source for pair in corpus)
    chosen = [
        (source, kept, reference)
        for pair, source in zip(corpus, sources, strict=True)
        for kept, reference in list(zip(pair.kept, pair.references, strict=True))[:references]
        if kept and any(letter.isalnum() for word in reference for letter in word)
    ]
    parses = annotate(Sentence.from_words(reference) for _, _, reference in chosen)
    for (source, kept, _), parse in zip(chosen, parses, strict=True):
        assert kept is not None
        assert parse.heads is not None
        yield Gold(source, kept, projectivise(parse.heads))


@dataclass(frozen=True)
class CompressionExample:
    """A gold compression behind its decoder.

    The loss of an answer is the number of words wrongly kept or dropped, plus `head_loss` for each rightly
    kept word with another head than in the gold tree. With `gold_length`, answers have as many words as the
    gold compression.
    """

    rows: FeatureRows
    gold: Gold
    factors: Factors
    head_loss: float = 0.5
    gold_length: bool = False

    @cached_property
    def truth(self) -> FeatureVector:
        """The features of the gold compression."""
        return self._features(self.gold.kept, self.gold.heads)

    @cached_property
    def _is_gold(self) -> NDArray[np.bool_]:
        kept = np.zeros(len(self.gold.sentence), bool)
        kept[list(self.gold.kept)] = True
        return kept

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        """The k compressions of highest score + loss_scale · loss."""
        scores = self.rows.score(weights)
        if self.factors.arcs and self.head_loss > 0.0:
            positions = np.array([*self.gold.kept, -1]) + 1
            scores.arcs[:, positions[:-1]] += loss_scale * self.head_loss
            scores.arcs[positions[list(self.gold.heads)], positions[:-1]] -= loss_scale * self.head_loss
        decoder = self.factors.decoder(scores)
        # |wrongly kept| + |wrongly dropped| = Σ over kept words of (1 if wrong else -1) + |gold|
        prices = loss_scale * np.where(self._is_gold, -1.0, 1.0)
        length = len(self.gold.kept)
        limit = Limit(length, length) if self.gold_length else None
        if k == 1:
            found: Sequence[Solution] = [decoder.best(prices=prices, limit=limit)]
        else:
            found = decoder.k_best_derivations(k, prices=prices, limit=limit)
        return [Answer(self._features(one.kept, one.heads), self.loss(one)) for one in found]

    def mean_answer(self, weights: Weights, *, loss_scale: float = 0.0) -> Answer:
        """The mean of all compressions under exp(score + loss_scale · loss)/Z; its loss is ln Z - score of the truth.

        The loss is that of words alone.
        """
        prices = loss_scale * np.where(self._is_gold, -1.0, 1.0)
        features, total = self.factors.mean(self.rows, weights, prices)
        return Answer(features, total + loss_scale * len(self.gold.kept) - self.truth.dot(weights))

    def loss(self, solution: Solution) -> float:
        """How wrong a compression is; see the class."""
        gold = dict(zip(self.gold.kept, self.gold.heads, strict=True))
        wrong = len(set(solution.kept) ^ set(gold))
        if solution.heads is None:
            return float(wrong)

        def place(kept: Sequence[int], head: int) -> int:
            return kept[head] if head >= 0 else -1

        strays = sum(
            place(solution.kept, head) != place(self.gold.kept, gold[word])
            for word, head in zip(solution.kept, solution.heads, strict=True)
            if word in gold
        )
        return wrong + self.head_loss * strays

    def _features(self, kept: Sequence[int], heads: Sequence[int] | None) -> FeatureVector:
        return self.rows.vector(self.factors.rows(self.rows, kept, heads))


def examples_of(
    golds: Iterable[Gold],
    extractor: Extractor,
    factors: Factors,
    *,
    head_loss: float = 0.5,
    gold_length: bool = False,
) -> list[CompressionExample]:
    """The examples of gold compressions; the features of equal sentences in a row are extracted once."""
    examples: list[CompressionExample] = []
    for gold in golds:
        if examples and examples[-1].gold.sentence is gold.sentence:
            rows = examples[-1].rows
        else:
            rows = extractor.extract(gold.sentence)
        examples.append(CompressionExample(rows, gold, factors, head_loss, gold_length))
    return examples
