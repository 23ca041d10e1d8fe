"""Source and channel: probabilities by their definition, which sum to one."""

from __future__ import annotations

from itertools import product
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.noisy_channel import ChannelModel
from laconic.grammar.pcfg import Pcfg
from laconic.trees.constituency import Tree
from tests.grammar.deletions import derivations
from tests.oracles import noisy_channel as oracle

training_sets = st.lists(derivations(), min_size=1, max_size=4)


def trained(training: list[DeletionDerivation]) -> ChannelModel:
    return ChannelModel.train([derivation.tree for derivation in training], training)


@given(training_sets, st.sampled_from(("S", "NP", "WHAT")))
@settings(max_examples=15, deadline=None)
def test_productions_of_a_label_sum_to_one(training: list[DeletionDerivation], label: str) -> None:
    grammar = Pcfg.from_trees(derivation.tree for derivation in training)
    labels = [*sorted({name for d in training for name in d.tree.labels}), "?"]
    assert len(labels) == grammar.label_count
    longest = 4
    total = sum(
        exp(grammar.log_probability(label, children))
        for size in range(1, longest + 1)
        for children in product(labels, repeat=size)
    )
    seen = grammar.counts.get(label, {})
    longer = sum(count for children, count in seen.items() if len(children) > longest)
    escape = len(seen) / (sum(seen.values()) + len(seen)) if seen else 1.0
    rest = escape * 0.5**longest + (longer / (sum(seen.values()) + len(seen)) if seen else 0.0)
    assert total + rest == pytest.approx(1)


@given(training_sets, st.data())
@settings(max_examples=15, deadline=None)
def test_expansions_sum_to_no_more_than_one(training: list[DeletionDerivation], data: st.DataObject) -> None:
    model = trained(training)
    labels = [*sorted({name for d in training for name in d.tree.labels}), "?"]
    target = tuple(data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=2)))

    def expands(long: tuple[str, ...]) -> bool:
        remaining = iter(long)
        return all(label in remaining for label in target)

    total = sum(
        exp(model.log_expansion("S", target, long))
        for size in range(len(target), len(target) + 3)
        for long in product(labels, repeat=size)
        if expands(long)
    )
    assert 0.1 < total <= 1 + 1e-9


@given(training_sets, derivations())
@settings(max_examples=50, deadline=None)
def test_rules_and_insertions_equal_the_definition(
    training: list[DeletionDerivation], other: DeletionDerivation
) -> None:
    model = trained(training)
    inserted = model.log_inserted(other.tree)
    for node in range(len(other.tree.labels)):
        assert inserted[node] == pytest.approx(oracle.inserted(model, other.tree, node))
    for rule in (*other.rules(), *training[0].rules()):
        expected = oracle.production(model, rule.label, rule.target)
        expected *= oracle.expansion(model, rule.label, rule.target, rule.children)
        assert model.log_rule(rule.label, rule.children, rule.kept) == pytest.approx(log(expected))


def test_the_channel_by_hand() -> None:
    tree = Tree.from_nested(("S", ("NP", ("NN", "Rain")), ("RB", "often"), ("VP", ("VBD", "fell"))))
    model = trained([derive_by_words(tree, [0, 2])])
    # Seven labels with the unknown one. S -> NP RB VP once, of one kind; S -> NP VP became it, once of once.
    assert model.grammar.label_count == 7
    assert exp(model.grammar.log_probability("S", ("NP", "RB", "VP"))) == pytest.approx((1 + 14**-3) / 2)
    assert exp(model.grammar.log_probability("S", ("NP", "VP"))) == pytest.approx(14**-2 / 2)
    one_insertion = 1 / 4 / 7 / 3  # 2⁻² for one, one of seven labels, at one of three places
    expected = (1 + one_insertion) / 2
    assert exp(model.log_expansion("S", ("NP", "VP"), ("NP", "RB", "VP"))) == pytest.approx(expected)


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(LaconicError, match="no derivation"):
        ChannelModel.train([], [])
    with pytest.raises(LaconicError, match="no production"):
        Pcfg.from_trees([])
