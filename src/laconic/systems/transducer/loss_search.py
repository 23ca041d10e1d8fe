"""Searching a forest for the derivation that scores high and is wrong: loss-augmented decoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from laconic.arrays import Float64
from laconic.decode.cube_pruning import Beam, intersect
from laconic.decode.transducer import Transduction
from laconic.errors import InfeasibleBudget
from laconic.forest.derivation import Derivation
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, best_by_cost, best_within
from laconic.ngram.model import NgramModel
from laconic.systems.transducer.losses import Loss, LossPiece
from laconic.trees.constituency import Tree

_SCALES = tuple(float(scale) for scale in np.geomspace(0.01, 100, 13))


@dataclass(frozen=True, slots=True, eq=False)
class LanguageScore:
    """A language model that scores outputs: weight · ln p, searched within a beam, or exactly without one."""

    model: NgramModel
    weight: float
    beam: Beam | None


@dataclass(frozen=True, slots=True)
class LossSearch:
    """A transduction whose outputs are compared with a reference tree by a loss.

    The forest's edges must be scored; `language` adds the score of a language model. Pieces of the loss that
    need n-grams are searched within `beam`, exactly without one.
    """

    space: Transduction
    reference: Tree
    loss: Loss
    beam: Beam | None = None

    def best(
        self, scores: Float64, *, loss_scale: float, language: LanguageScore | None = None
    ) -> Derivation:
        """The derivation of highest score + loss_scale · loss; its score is that sum without the model's part.

        Exact if the loss is and no beam limits the search.
        """
        if loss_scale == 0.0:
            return self._searched(self.space.forest.rescored(scores), None, 0.0, None, language)
        found: Derivation | None = None
        for bound, piece in self._by_bound(scores, loss_scale, language):
            if found is not None and bound <= found.score:
                break
            forest = self.space.forest.rescored(scores + loss_scale * piece.gains)
            try:
                candidate = self._searched(forest, piece.model, loss_scale, piece.length, language)
            except InfeasibleBudget:
                continue  # no output of this length
            value = candidate.score + loss_scale * piece.constant
            if found is None or value > found.score:
                found = Derivation(self.space.forest, value, candidate.edges)
        assert found is not None, "a loss has pieces for every length"
        return found

    def _by_bound(
        self, scores: Float64, loss_scale: float, language: LanguageScore | None
    ) -> list[tuple[float, LossPiece]]:
        """The pieces of the loss with an upper bound of what each can give, highest first.

        A piece for one length gives at most the best score at that length and its constant, if its gains are
        losses and a language model's logarithms too. Others are unbounded and keep their order.
        """
        pieces = list(self.loss.pieces(self.space, self.reference))
        if all(piece.length is None for piece in pieces) or (language is not None and language.weight < 0):
            return [(np.inf, piece) for piece in pieces]
        forest = self.space.forest.rescored(scores)
        by_length = best_by_cost(forest, forest.edge_costs()).scores

        def bound(piece: LossPiece) -> float:
            if piece.length is None or piece.gains.max() > 0.0:
                return np.inf
            best_score = by_length[piece.length] if piece.length < len(by_length) else -np.inf
            return float(best_score + loss_scale * piece.constant)

        bounded = [(bound(piece), piece) for piece in pieces]
        return sorted(bounded, key=lambda item: -item[0])

    def best_by_slack(
        self, scores: Float64, truth: float, value_of: Callable[[Derivation], float]
    ) -> Derivation | None:
        """The derivation that maximises loss · (1 + score - truth), if one makes that positive.

        A piece that counts is searched at every count c: the best score at each c gives the maximum of
        (constant ± c) · (1 + score - truth) exactly, wherever the second factor is positive, and elsewhere
        nothing is violated. Other pieces are searched by score + μ · loss for a row of μ, a lower bound.
        `value_of` gives the loss of a derivation.
        """
        forest = self.space.forest.rescored(scores)
        found: tuple[float, Derivation] | None = None
        candidates: list[Derivation] = []
        pieces = list(self.loss.pieces(self.space, self.reference))
        for piece in pieces:
            if piece.counts is None:
                continue
            table = best_by_cost(forest, piece.counts)
            losses = piece.constant + piece.slope * np.arange(len(table.scores))
            feasible = (table.scores > -np.inf) & (1 + table.scores - truth > 0) & (losses > 0)
            if feasible.any():
                products = np.where(feasible, losses * (1 + table.scores - truth), -np.inf)
                candidates.append(table.derivation(int(np.argmax(products))))
        if any(piece.counts is None for piece in pieces):
            candidates += [self.best(scores, loss_scale=scale) for scale in _SCALES]
        for candidate in candidates:
            score = float(scores[np.array(candidate.edges)].sum())
            value = value_of(candidate) * (1 + score - truth)
            if value > 0 and (found is None or value > found[0]):
                found = value, Derivation(self.space.forest, value, candidate.edges)
        return None if found is None else found[1]

    def _searched(
        self,
        forest: Hypergraph,
        counter: NgramModel | None,
        loss_scale: float,
        length: int | None,
        language: LanguageScore | None,
    ) -> Derivation:
        """The best derivation under the edges, the language model and a counter of n-grams."""
        models = []
        if language is not None and language.weight != 0.0:
            models.append(language)
        if counter is not None:
            models.append(LanguageScore(counter, loss_scale, self.beam))
        return self._under(models, forest, length)

    def _under(self, models: Sequence[LanguageScore], forest: Hypergraph, length: int | None) -> Derivation:
        """The best derivation of this length, if one is given, under the edges and all models."""
        if not models:
            if length is None:
                return best(forest)
            return best_within(forest, forest.edge_costs(), length, length)
        first, *others = models
        ids = first.model.vocabulary.ids(self.space.symbols)
        crossed = intersect(forest, first.model, symbol_ids=ids, weight=first.weight, beam=first.beam)
        return crossed.project(self._under(others, crossed.forest, length))
