"""Losses are the maxima of their pieces, and searching the pieces finds the most wrong derivation."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laconic.decode.cube_pruning import Beam
from laconic.decode.transducer import Transducer, Transduction
from laconic.errors import LaconicError
from laconic.forest.derivation import Derivation
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees, Grammar
from laconic.ngram.model import NgramModel
from laconic.systems.transducer.loss_search import _SCALES, LanguageScore, LossSearch
from laconic.systems.transducer.losses import (
    CfgHamming,
    EditDistance,
    F1Loss,
    Loss,
    LossPiece,
    NgramHamming,
    TokenHamming,
)
from laconic.trees.constituency import Tree
from tests.decode.language_models import models
from tests.forest.questions import k_best
from tests.grammar.strategies import deletion_pairs, rewriting_pairs

LOOSE = ExtractionOptions(depth=1, variables=99, nodes=99)
MANY = 1000
EVERY_LOSS = [
    TokenHamming(),
    TokenHamming(penalty=0.25),
    CfgHamming(),
    CfgHamming(penalty=0.5),
    NgramHamming(),
    NgramHamming(order=2, penalty=0.5),
    EditDistance(),
    F1Loss(),
]
losses = pytest.mark.parametrize("loss", EVERY_LOSS, ids=str)
pairs = deletion_pairs(max_words=5) | rewriting_pairs(max_words=4)


def space_of(pair: AlignedTrees) -> tuple[Transduction, list[Derivation]]:
    source, target, _ = pair
    space = Transducer(Grammar.extracted([pair], LOOSE, targets=99)).transduction(source, target.labels[0])
    derivations = list(k_best(space.forest, MANY))
    assume(len(derivations) < MANY)
    return space, derivations


def is_exact(loss: Loss, space: Transduction, reference: Tree) -> bool:
    """Whether no more words of the reference can be predicted too often than the loss has pieces for."""
    if not isinstance(loss, EditDistance | F1Loss):
        return True
    most = Counter(space.tree.words)
    new = set(space.symbols[len(space.tree.words) :])
    wanted = Counter(reference.words)
    doubtful = [word for word, count in wanted.items() if most[word] > count or word in new]
    return len(doubtful) <= loss.ambiguous


def piece_value(piece: LossPiece, space: Transduction, derivation: Derivation) -> float:
    """What a linear piece says of a derivation; -inf if it does not speak of it."""
    words = space.words(derivation)
    if piece.length is not None and piece.length != len(words):
        return -np.inf
    edges = np.array(derivation.edges)
    if piece.counts is not None:
        assert piece.gains == pytest.approx(piece.slope * piece.counts)
    model_score = 0.0 if piece.model is None else float(piece.model.score_words(words).sum())
    return piece.constant + float(piece.gains[edges].sum()) + model_score


def edge_scores(space: Transduction, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=space.forest.edge_count)


def score_of(derivation: Derivation, scores: np.ndarray) -> float:
    return float(scores[np.array(derivation.edges)].sum())


@losses
@settings(max_examples=12, deadline=None)
@given(pair=pairs)
def test_a_loss_is_the_maximum_of_its_pieces(loss: Loss, pair: AlignedTrees) -> None:
    space, derivations = space_of(pair)
    reference = pair[1]
    assume(is_exact(loss, space, reference))
    pieces = list(loss.pieces(space, reference))
    for derivation in derivations:
        expected = loss.value(space.target(derivation), reference)
        assert max(piece_value(piece, space, derivation) for piece in pieces) == pytest.approx(expected)


@losses
@settings(max_examples=10, deadline=None)
@given(pair=pairs, seed=st.integers(0, 99), scale=st.sampled_from([0.0, 0.3, 2.0]))
def test_loss_augmented_search_is_exact(loss: Loss, pair: AlignedTrees, seed: int, scale: float) -> None:
    space, derivations = space_of(pair)
    reference = pair[1]
    assume(is_exact(loss, space, reference))
    scores = edge_scores(space, seed)
    found = LossSearch(space, reference, loss).best(scores, loss_scale=scale)
    values = [
        score_of(each, scores) + scale * loss.value(space.target(each), reference) for each in derivations
    ]
    assert found.score == pytest.approx(max(values))
    assert score_of(found, scores) + scale * loss.value(space.target(found), reference) == pytest.approx(
        found.score
    )


@losses
@settings(max_examples=6, deadline=None)
@given(pair=deletion_pairs(max_words=4), model=models, seed=st.integers(0, 99))
def test_search_with_a_language_model_is_exact_without_a_beam(
    loss: Loss, pair: AlignedTrees, model: NgramModel, seed: int
) -> None:
    space, derivations = space_of(pair)
    reference = pair[1]
    assume(is_exact(loss, space, reference))
    scores = edge_scores(space, seed)
    search = LossSearch(space, reference, loss)

    def value(derivation: Derivation) -> float:
        words = space.words(derivation)
        language = 0.5 * float(model.score_words(words).sum())
        return score_of(derivation, scores) + language + loss.value(space.target(derivation), reference)

    best = max(map(value, derivations))
    assume(best > -np.inf)
    found = search.best(scores, loss_scale=1.0, language=LanguageScore(model, 0.5, None))
    assert found.score == pytest.approx(best)
    narrow = search.best(scores, loss_scale=1.0, language=LanguageScore(model, 0.5, Beam(1, 1)))
    assert narrow.score <= best + 1e-6


@pytest.mark.parametrize("loss", [TokenHamming(), CfgHamming()], ids=str)
@settings(max_examples=20, deadline=None)
@given(pair=pairs, seed=st.integers(0, 99))
def test_slack_is_searched_exactly_for_counting_losses(loss: Loss, pair: AlignedTrees, seed: int) -> None:
    violations(loss, pair, seed, exact=True)


@pytest.mark.parametrize(
    "loss", [TokenHamming(penalty=0.5), NgramHamming(), EditDistance(), F1Loss()], ids=str
)
@settings(max_examples=6, deadline=None)
@given(pair=pairs, seed=st.integers(0, 99))
def test_slack_is_bounded_from_below_for_other_losses(loss: Loss, pair: AlignedTrees, seed: int) -> None:
    violations(loss, pair, seed, exact=False)


def violations(loss: Loss, pair: AlignedTrees, seed: int, *, exact: bool) -> None:
    space, derivations = space_of(pair)
    reference = pair[1]
    scores = edge_scores(space, seed)
    truth = max(score_of(each, scores) for each in derivations if space.target(each) == reference)

    def value_of(derivation: Derivation) -> float:
        return loss.value(space.target(derivation), reference)

    violation = {each.edges: value_of(each) * (1 + score_of(each, scores) - truth) for each in derivations}
    best = max(violation.values())
    found = LossSearch(space, reference, loss).best_by_slack(scores, truth, value_of)
    # Where the loss is searched by a row of scales, what is best at any of them is a violation to be found; among
    # equals, any of them.
    certain = 0.0
    if not exact and is_exact(loss, space, reference):
        for scale in _SCALES:
            values = {each.edges: score_of(each, scores) + scale * value_of(each) for each in derivations}
            highest = max(values.values()) - 1e-9 * scale
            certain = max(
                certain, min(violation[edges] for edges, value in values.items() if value >= highest)
            )
    if found is None:
        assert (best if exact else certain) <= 1e-9
    else:
        assert found.score <= best + 1e-9
        assert found.score >= (best if exact else certain) - 1e-6
        assert found.score == pytest.approx(violation[found.edges])


def test_words_that_can_err_on_both_sides_double_the_pieces() -> None:
    source = Tree.from_nested(("S", *((tag, "the") for tag in ("A", "B", "C")), ("D", "sun")))
    reference = Tree.from_nested(("S", ("B", "the"), ("D", "sun")))
    space = Transducer(Grammar((), ())).transduction(source)
    assert len(list(EditDistance(ambiguous=1).pieces(space, reference))) == 2
    assert len(list(EditDistance(ambiguous=0).pieces(space, reference))) == 1
    assert not is_exact(EditDistance(ambiguous=0), space, reference)
    assert not is_exact(F1Loss(ambiguous=0), space, reference)
    assert is_exact(TokenHamming(), space, reference)


@losses
def test_the_reference_has_no_loss(loss: Loss) -> None:
    tree = Tree.from_nested(("S", ("NN", "rain"), ("VBD", "fell")))
    assert loss.value(tree, tree) == 0


def test_a_penalty_is_not_negative() -> None:
    tree = Tree.from_nested(("S", ("NN", "rain"), ("VBD", "fell")))
    space = Transducer(Grammar((), ())).transduction(tree)
    with pytest.raises(LaconicError, match="at least 0"):
        list(TokenHamming(penalty=-1).pieces(space, tree))
