"""How wrong a target tree is: the losses of Cohn & Lapata (2009), section 3.6, as maxima of linear functions.

To train with a margin one searches the derivation of highest score + loss. None of these losses is a sum over
the rules of a derivation, but each is a *maximum* of such sums: with TP and FP the right and wrong items,

    FP + λ max(l - TP - FP, 0)  =  max(FP, FP + λ (l - TP - FP)),
    |p_i - q_i|                 =  max(p_i - q_i, q_i - p_i),
    -min(p_i, q_i)              =  max(-p_i, -q_i).

So the search is exact: one ordinary search for each linear piece, and the best of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Float64
from laconic.decode.rule_matching import productions_in, productions_of
from laconic.decode.transducer import Transduction
from laconic.errors import LaconicError
from laconic.forest.inference import best_by_cost
from laconic.ngram.model import NgramModel
from laconic.systems.transducer.reference_ngrams import ngrams_of, reference_model
from laconic.trees.constituency import Tree


class LossPiece(NamedTuple):
    """A linear function of derivations: constant + Σ of `gains` over the edges + the model's score of the yield.

    With a `length`, it speaks only of derivations that yield so many words. Where `counts` are given, the
    piece is constant + `slope` · (Σ of counts over the edges), with counts of at least 0.
    """

    gains: Float64
    constant: float
    length: int | None = None
    model: NgramModel | None = None
    counts: NDArray[np.int64] | None = None
    slope: int = 0


class Hits(NamedTuple):
    """Predicted items that are in the reference, and those that are not."""

    right: int
    wrong: int


class Loss(Protocol):
    """How wrong a predicted tree is, given the reference; 0 for the reference itself."""

    def value(self, predicted: Tree, reference: Tree) -> float:
        """The loss."""
        ...

    def pieces(self, space: Transduction, reference: Tree) -> Iterator[LossPiece]:
        """Linear functions whose maximum for a derivation of the space is the loss of its tree, or a lower bound."""
        ...


@dataclass(frozen=True, slots=True)
class TokenHamming:
    """FP + penalty · max(l - (TP + FP), 0) over the words, where l is the length of the reference.

    A penalty below 1 lets the model drop more: 0.25 and 0.5 make the paper's Transducer 2.
    """

    penalty: float = 1.0

    def hits(self, predicted: Tree, reference: Tree) -> Hits:
        """The arguments of the loss."""
        return _hits(predicted.words, reference.words)

    def value(self, predicted: Tree, reference: Tree) -> float:
        """The loss."""
        return _hamming(self.hits(predicted, reference), len(reference.words), self.penalty)

    def pieces(self, space: Transduction, reference: Tree) -> Iterator[LossPiece]:
        """Two pieces: the output is short, or it is not."""
        known = set(reference.words)
        right = np.array([word in known for word in space.symbols], dtype=np.int64)
        yield from _hamming_pieces(
            space.forest.edge_costs(right),
            space.forest.edge_costs(1 - right),
            len(reference.words),
            self.penalty,
        )


@dataclass(frozen=True, slots=True)
class CfgHamming:
    """The same over the productions of the tree, those of words included."""

    penalty: float = 1.0

    def hits(self, predicted: Tree, reference: Tree) -> Hits:
        """The arguments of the loss."""
        return _hits(productions_of(predicted), productions_of(reference))

    def value(self, predicted: Tree, reference: Tree) -> float:
        """The loss."""
        return _hamming(self.hits(predicted, reference), len(reference.labels), self.penalty)

    def pieces(self, space: Transduction, reference: Tree) -> Iterator[LossPiece]:
        """Two pieces: the tree is small, or it is not. A production lies within one rule."""
        known = set(productions_of(reference))
        used, of_edge = np.unique(space.forest.origins, return_inverse=True)
        targets = (space.rule(number).rule.target for number in used.tolist())
        # Those of its variables belong to other rules.
        hits = [_hits(filter(None, productions_in(target)), known) for target in targets]
        right, wrong = np.array(hits, dtype=np.int64)[of_edge].T
        yield from _hamming_pieces(right, wrong, len(reference.labels), self.penalty)


@dataclass(frozen=True, slots=True)
class NgramHamming:
    """The same over the n-grams of up to `order` words of the sentence with its boundaries."""

    order: int = 3
    penalty: float = 1.0

    def hits(self, predicted: Tree, reference: Tree) -> Hits:
        """The arguments of the loss."""
        return _hits(ngrams_of(predicted.words, self.order), ngrams_of(reference.words, self.order))

    def value(self, predicted: Tree, reference: Tree) -> float:
        """The loss."""
        length = len(ngrams_of(reference.words, self.order))
        return _hamming(self.hits(predicted, reference), length, self.penalty)

    def pieces(self, space: Transduction, reference: Tree) -> Iterator[LossPiece]:
        """Two pieces, each a language model that counts wrong n-grams in place of logarithms."""
        none = np.zeros(space.forest.edge_count)
        length = len(ngrams_of(reference.words, self.order))
        yield LossPiece(none, 0.0, model=reference_model(reference.words, self.order, discount=0.0))
        short = reference_model(reference.words, self.order, discount=self.penalty)
        yield LossPiece(none, self.penalty * length, model=short)


@dataclass(frozen=True, slots=True)
class EditDistance:
    """p + q - 2 Σ min(p_i, q_i): insertions and deletions between the bags of words.

    A word that the output may have more often than the reference, which has it too, can err on both
    sides: each such word doubles the pieces, up to `ambiguous` words; beyond, the pieces are a lower bound.
    """

    ambiguous: int = 6

    def value(self, predicted: Tree, reference: Tree) -> float:
        """The loss."""
        counts, wanted = Counter(predicted.words), Counter(reference.words)
        return float(counts.total() + wanted.total() - 2 * (counts & wanted).total())

    def pieces(self, space: Transduction, reference: Tree) -> Iterator[LossPiece]:
        """Σ ± (p_i - q_i), for each choice of signs that can be the greatest."""
        wanted = Counter(reference.words)
        doubtful = _doubtful(space, wanted)[: self.ambiguous]
        for signs in product((1, -1), repeat=len(doubtful)):
            sign = dict.fromkeys(wanted, -1) | dict(zip(doubtful, signs, strict=True))
            gains = space.forest.edge_sums([sign.get(word, 1) for word in space.symbols])
            yield LossPiece(gains, -float(sum(sign[word] * count for word, count in wanted.items())))


@dataclass(frozen=True, slots=True)
class F1Loss:
    """1 - F1 over the bags of words = 1 - 2 Σ min(p_i, q_i) / (p + q).

    At a fixed length p of the output it is a maximum of linear functions, as the edit distance is.
    """

    ambiguous: int = 3

    def value(self, predicted: Tree, reference: Tree) -> float:
        """The loss."""
        counts, wanted = Counter(predicted.words), Counter(reference.words)
        return 1 - 2 * (counts & wanted).total() / (counts.total() + wanted.total())

    def pieces(self, space: Transduction, reference: Tree) -> Iterator[LossPiece]:
        """For each length, 1 - 2/(p + q) Σ (p_i or q_i), for each choice that can be the greatest."""
        wanted = Counter(reference.words)
        doubtful = _doubtful(space, wanted)[: self.ambiguous]
        for fixed in product((False, True), repeat=len(doubtful)):
            full = {word for word, whole in zip(doubtful, fixed, strict=True) if whole}
            counted = [float(word in wanted and word not in full) for word in space.symbols]
            matches = space.forest.edge_sums(counted)
            for length in range(1, _longest(space) + 1):
                scale = 2 / (length + wanted.total())
                constant = 1 - scale * sum(wanted[word] for word in full)
                yield LossPiece(-scale * matches, constant, length)


def _hits(predicted: Iterable[object], reference: Iterable[object]) -> Hits:
    known = set(reference)
    found = [item in known for item in predicted]
    return Hits(sum(found), len(found) - sum(found))


def _hamming(hits: Hits, length: int, penalty: float) -> float:
    return hits.wrong + penalty * max(length - hits.right - hits.wrong, 0)


def _hamming_pieces(
    right: NDArray[np.int64], wrong: NDArray[np.int64], length: int, penalty: float
) -> Iterator[LossPiece]:
    if penalty < 0:
        raise LaconicError(f"the penalty for short outputs is at least 0, not {penalty}")
    yield LossPiece(wrong.astype(np.float64), 0.0, counts=wrong, slope=1)
    gains = (1 - penalty) * wrong - penalty * right
    if penalty == 1:
        yield LossPiece(gains, float(length), counts=right, slope=-1)
    else:
        yield LossPiece(gains, penalty * length)


def _doubtful(space: Transduction, wanted: Counter[str]) -> list[str]:
    """The words of the reference that some output may have more often than the reference."""
    source = Counter(space.tree.words)
    new = set(space.symbols[len(space.tree.words) :])
    return [word for word, count in wanted.items() if source[word] > count or word in new]


def _longest(space: Transduction) -> int:
    """The most words that a derivation yields."""
    alike = space.forest.rescored(np.zeros(space.forest.edge_count))
    return len(best_by_cost(alike, alike.edge_costs()).scores) - 1
