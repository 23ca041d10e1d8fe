"""Training examples: a source tree's forest, the gold derivation in it, and searches for wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from laconic.corpora.pair import Pair
from laconic.decode.cube_pruning import Beam
from laconic.decode.transducer import Transducer, Transduction
from laconic.errors import LaconicError
from laconic.forest.derivation import Derivation
from laconic.forest.inference import best
from laconic.grammar.grammar import AlignedTrees
from laconic.learn.interface import Answer, FeatureVector, Weights
from laconic.ngram.model import NgramModel
from laconic.systems.annotation import parsed_pairs
from laconic.systems.transducer.features import derivation_features, language_weight
from laconic.systems.transducer.loss_search import LanguageScore, LossSearch
from laconic.systems.transducer.losses import Loss
from laconic.trees.alignment.rewriting import align_rewriting
from laconic.trees.constituency import Tree
from laconic.trees.transform import with_root

OnError = Callable[[LaconicError], None]


def aligned_trees(pair: Pair) -> AlignedTrees:
    """The trees of a pair's source and of its first reference, with the links between their words.

    References that only delete are aligned so; others by equal, moved and substituted words.
    """
    if pair.source.tree is None or pair.reference_trees is None:
        raise LaconicError(f"pair {pair.id!r} has no trees to learn from")
    words, kept = pair.references[0], pair.kept[0]
    if kept is not None:
        links = tuple((s, t) for t, s in enumerate(kept))
    else:
        links = align_rewriting(pair.source.words, words)
    if not links:
        raise LaconicError(
            f"pair {pair.id!r}: no word of the reference {' '.join(words)[:60]!r} can be aligned"
        )
    return with_root(pair.source.tree), with_root(pair.reference_trees[0]), links


def aligned_pairs(
    pairs: Iterable[Pair], *, on_error: OnError, only_deletions: bool = False
) -> list[AlignedTrees]:
    """The trees of pairs and of their first references, missing ones the parser's; of others `on_error` hears."""

    def with_words() -> Iterator[Pair]:
        for pair in pairs:
            if pair.source.words and all(pair.references):
                yield pair
            else:
                on_error(LaconicError(f"pair {pair.id!r}: the source or a reference has no words"))

    aligned = []
    for pair in parsed_pairs(with_words(), references=True):
        try:
            if only_deletions and pair.kept[0] is None:
                raise LaconicError(f"pair {pair.id!r}: the reference does more than delete words")
            aligned.append(aligned_trees(pair))
        except LaconicError as error:
            on_error(error)
    return aligned


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A source's forest, its reference tree and the gold derivation of the two."""

    space: Transduction
    reference: Tree
    gold: Derivation


@dataclass(frozen=True, eq=False)
class TransductionExample:
    """A source with its reference tree and the features of the gold derivation.

    It answers one derivation at a time: the best, or that of highest score + loss. Without a language
    model, answers are exact if the loss is.
    """

    space: Transduction
    reference: Tree
    truth: FeatureVector
    loss: Loss
    language: NgramModel | None = None
    beam: Beam | None = None

    @classmethod
    def of(
        cls, lesson: Lesson, loss: Loss, *, language: NgramModel | None = None, beam: Beam | None = None
    ) -> TransductionExample:
        """The example of a lesson."""
        truth = derivation_features(lesson.gold, _log_probability(language, lesson.reference.words))
        return cls(lesson.space, lesson.reference, truth, loss, language, beam)

    def answers(self, weights: Weights, *, k: int = 1, loss_scale: float = 0.0) -> Sequence[Answer]:
        """The derivation of highest weights · features + loss_scale · loss."""
        if k != 1:
            raise LaconicError(f"a transduction answers one derivation at a time, not {k}")
        scores = self.space.forest.scored(weights).scores
        language = None
        if self.language is not None:
            language = LanguageScore(self.language, language_weight(weights), self.beam)
        return (self._answer(self._search.best(scores, loss_scale=loss_scale, language=language)),)

    def slack_answer(self, weights: Weights) -> Answer | None:
        """The derivation of highest loss · (1 - weights · (truth - features)); without a language model only."""
        if self.language is not None:
            raise LaconicError("slack rescaling cannot search with a language model: use margin rescaling")
        scores = self.space.forest.scored(weights).scores
        found = self._search.best_by_slack(scores, self.truth.dot(weights), self._loss)
        return None if found is None else self._answer(found)

    @cached_property
    def _search(self) -> LossSearch:
        return LossSearch(self.space, self.reference, self.loss, self.beam)

    def _loss(self, derivation: Derivation) -> float:
        return self.loss.value(self.space.target(derivation), self.reference)

    def _answer(self, derivation: Derivation) -> Answer:
        language = _log_probability(self.language, self.space.words(derivation))
        return Answer(derivation_features(derivation, language), self._loss(derivation))


def gold_derivation(
    transducer: Transducer, source: Tree, target: Tree, weights: Weights | None = None
) -> Derivation:
    """The derivation of a pair of trees that uses the most rules (algorithm 5), or, with weights, the best.

    It is an error if there is none.
    """
    forest = transducer.alignment(source, target).forest
    return best(forest.rescored(np.ones(forest.edge_count)) if weights is None else forest.scored(weights))


def make_lessons(
    pairs: Sequence[AlignedTrees], transducer: Transducer, *, on_error: OnError | None = None
) -> list[Lesson]:
    """The lessons of pairs of trees; a pair that the grammar cannot derive goes to `on_error`."""
    lessons = []
    for source, target, _ in pairs:
        try:
            gold = gold_derivation(transducer, source, target)
            lessons.append(Lesson(transducer.transduction(source, target.labels[0]), target, gold))
        except LaconicError as error:
            if on_error is not None:
                on_error(error)
    return lessons


def _log_probability(model: NgramModel | None, words: Sequence[str]) -> float:
    return 0.0 if model is None else model.score_sentence(words)
