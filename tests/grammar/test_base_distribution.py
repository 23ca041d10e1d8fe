"""The base distribution sums to one over all pairs of trees of a pair of roots."""

from itertools import combinations, permutations
from math import exp, fsum, log

import pytest

from laconic.errors import LaconicError
from laconic.grammar.base_distribution import BaseDistribution, log_alignments
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import EPSILON, Fragment
from laconic.grammar.rules import Rule, parse_rule
from laconic.grammar.word_pcfg import Production, WordPcfg
from laconic.trees.constituency import Tree
from tests.oracles.fragments import elementary_trees

FLAT = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("VP", ("VBD", "fell"))))
FLAT_AGAIN = Tree.from_nested(("S", ("VP", ("VBD", "fell"), ("NP", ("NN", "snow")))))
DEEP = Tree.from_nested(("S", ("NP", ("NP", ("NN", "rain")))))


def test_productions_of_a_label_sum_to_one() -> None:
    grammar = WordPcfg.from_trees([FLAT, FLAT_AGAIN, DEEP])
    totals: dict[str, list[float]] = {}
    for production, value in grammar.log_probabilities.items():
        totals.setdefault(production.label, []).append(exp(value))
    assert {label: pytest.approx(1.0) for label in totals} == {label: fsum(p) for label, p in totals.items()}
    assert set(totals) == {"S", "NP", "VP", "NN", "VBD"}


def test_a_unary_phrase_is_no_word() -> None:
    tree = Tree.from_nested(("S", ("X", ("Y", "a")), ("X", "Y")))
    grammar = WordPcfg.from_trees([tree])
    assert grammar.log_probability(Production("X", ("Y",))) == pytest.approx(log(1 / 2))
    assert grammar.log_probability(Production("X", (), "Y")) == pytest.approx(log(1 / 2))


@pytest.mark.parametrize("expansion", [0.05, 0.3, 0.9])
def test_trees_of_a_finite_grammar_sum_to_one_and_rules_to_those_that_consume(expansion: float) -> None:
    base = BaseDistribution(WordPcfg.from_trees([FLAT, FLAT_AGAIN]), expansion)
    trees = list(elementary_trees(base.grammar, "S", depth=5))
    assert fsum(exp(base.log_generated(tree)) for tree in trees) == pytest.approx(1.0)
    rules = [DeletionRule(deleted(tree)) for tree in trees if tree.children]
    assert fsum(exp(base.log_probability(rule)) for rule in rules) == pytest.approx(expansion)


def test_pairs_of_trees_with_all_their_alignments_sum_to_one() -> None:
    base = BaseDistribution(WordPcfg.from_trees([FLAT, FLAT_AGAIN]), 0.3)
    total, without_insertions, rules = [], [], []
    for source in elementary_trees(base.grammar, "S", depth=5):
        for target in elementary_trees(base.grammar, "VP", depth=5):
            m, n = frontier(source), frontier(target)
            each = exp(base.log_generated(source) + base.log_generated(target) - log_alignments(m, n))
            total.append(each * alignments(m, n))
            if source.children:
                found = list(linked(source, target))
                without_insertions.append(each * len(found))
                rules += found
    assert fsum(total) == pytest.approx(1.0)
    assert len(set(rules)) == len(rules) > 100
    assert fsum(exp(base.log_probability(rule)) for rule in rules) == pytest.approx(fsum(without_insertions))


def test_partial_sums_of_a_recursive_grammar_rise_to_one() -> None:
    base = BaseDistribution(WordPcfg.from_trees([FLAT, DEEP]), 0.5)
    sums = [
        fsum(exp(base.log_generated(tree)) for tree in elementary_trees(base.grammar, "NP", depth=depth))
        for depth in (1, 2, 4, 8, 16)
    ]
    assert sums[0] == pytest.approx(0.5)  # the bare node
    assert sums == sorted(sums)
    assert sums[-1] < 1 + 1e-12
    assert sums[-1] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(("source", "target"), [(0, 0), (0, 3), (1, 1), (3, 2), (2, 4)])
def test_alignments_are_counted_as_by_enumeration(source: int, target: int) -> None:
    assert log_alignments(source, target) == pytest.approx(log(alignments(source, target)))


def test_a_rule_has_the_probability_of_its_parts() -> None:
    base = BaseDistribution(WordPcfg.from_trees([FLAT, FLAT_AGAIN]), 0.1)
    rule = parse_rule("<S,S> -> <[S NP_ε [VP VBD_1]], [S VP_1]>")
    # S -> NP VP has 1/2, VP -> VBD 1/2 and S -> VP 1/2; six decisions; two nodes and one: three alignments.
    source = log(0.1) + log(1 / 2) + log(0.9) + log(0.1) + log(1 / 2) + log(0.9)
    target = log(0.1) + log(1 / 2) + log(0.9)
    assert base.log_probability(rule) == pytest.approx(source + target - log(3))
    bare = parse_rule("<S,VBD> -> <[S NP_ε [VP VBD_1]], VBD_1>")
    assert base.log_probability(bare) == pytest.approx(source + log(0.9) - log(3))


def test_impossible_rules_and_options_are_errors() -> None:
    with pytest.raises(LaconicError, match="between 0 and 1"):
        BaseDistribution(WordPcfg.from_trees([FLAT]), 1.0)
    with pytest.raises(LaconicError, match="no tree"):
        WordPcfg.from_trees([])
    assert BaseDistribution(WordPcfg.from_trees([FLAT]), 0.1).log_probability(
        DeletionRule(Fragment("NN", word="snow"))
    ) == float("-inf")


def alignments(source: int, target: int) -> int:
    """How many ways there are to link some of one side to some of the other, by enumeration."""
    return sum(
        len(list(permutations(range(target), size)))
        for size in range(min(source, target) + 1)
        for _ in combinations(range(source), size)
    )


def deleted(tree: Fragment) -> Fragment:
    if tree.children:
        return Fragment(tree.label, tuple(map(deleted, tree.children)))
    return Fragment(tree.label, link=EPSILON) if tree.word is None else tree


def frontier(tree: Fragment) -> int:
    return sum(leaf.word is None for leaf in tree.frontier())


def linked(source: Fragment, target: Fragment):
    """All rules of two trees that insert nothing."""
    size, places = frontier(target), frontier(source)
    for chosen in combinations(range(places), size):
        for order in permutations(range(1, size + 1)):
            numbers = {place: number for number, place in enumerate(chosen, start=1)}
            left = numbered(source, iter([numbers.get(place, EPSILON) for place in range(places)]))
            yield Rule(left, numbered(target, iter(order)))


def numbered(tree: Fragment, links) -> Fragment:
    if tree.children:
        return Fragment(tree.label, tuple(numbered(child, links) for child in tree.children))
    return tree if tree.word is not None else Fragment(tree.label, link=next(links))
