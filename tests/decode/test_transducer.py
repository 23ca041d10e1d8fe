"""Forests of transduction against the enumeration of all derivations, and the closed loop with extraction."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laconic.decode.cube_pruning import Beam
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.decode.rule_matching import Coverage, ReadyRule, RuleMatcher, _coverage_types
from laconic.decode.transducer import Transducer
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.forest.inference import best
from laconic.grammar.derivations import Application
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import AlignedTrees, Grammar
from laconic.grammar.rules import Rule, parse_rule
from laconic.ngram.model import NgramModel
from laconic.trees.constituency import Tree
from laconic.trees.transform import with_root
from tests.decode.language_models import SPELLING, models
from tests.forest.questions import features_of, k_best
from tests.grammar.strategies import WORDS, deletion_pairs, rewriting_pairs
from tests.oracles.transduction import all_derivations, coverage_rules
from tests.strategies import trees

NOTHING = Grammar((), ())
LOOSE = ExtractionOptions(depth=2, variables=99, nodes=99)
MANY = 2000


class RuleNumbers:
    """One feature for each rule, and one for the source words that rules account for."""

    def __init__(self) -> None:
        self.numbers: dict[Rule, int] = {}

    def __call__(self, rule: ReadyRule, consumed: int) -> dict[int, float]:
        number = self.numbers.setdefault(rule.rule, len(self.numbers) + 1)
        return {0: float(consumed), number: 1.0}


def derivations(tree: Tree, grammar: Grammar, root: str) -> list[Application]:
    rules = coverage_rules(tree) | set(grammar.rules)
    found = list(islice(all_derivations(tree, rules, root), MANY))
    assume(len(found) < MANY)
    return found


def score(derivation: Application, weights: np.ndarray, numbers: RuleNumbers) -> float:
    return sum(weights[numbers.numbers[part.rule]] for part in derivation.applications())


@settings(max_examples=40, deadline=None)
@given(rewriting_pairs(max_words=4), st.integers(0, 99))
def test_the_forest_holds_exactly_the_derivations(pair: AlignedTrees, seed: int) -> None:
    source, target, _ = pair
    grammar = Grammar.extracted([pair], LOOSE, targets=99)
    numbers = RuleNumbers()
    transduction = Transducer(grammar, numbers).transduction(source, target.labels[0])
    expected = derivations(source, grammar, target.labels[0])
    weights = np.random.default_rng(seed).normal(size=len(numbers.numbers) + 1)
    weights[0] = 0.0
    found = k_best(transduction.forest.scored(weights), MANY)
    assert Counter(transduction.rewriting(each).application() for each in found) == Counter(expected)
    for derivation in found:
        application = transduction.rewriting(derivation).application()
        assert derivation.score == pytest.approx(score(application, weights, numbers))
        assert transduction.target(derivation) == application.target().tree()
        assert transduction.words(derivation) == transduction.target(derivation).words


@settings(max_examples=40, deadline=None)
@given(trees(max_words=7, word=WORDS))
def test_every_tree_is_covered_and_can_be_copied(tree: Tree) -> None:
    tree = with_root(tree)
    numbers = RuleNumbers()
    transduction = Transducer(NOTHING, numbers).transduction(tree)
    forest = transduction.forest
    longest = best(forest.rescored(forest.edge_costs().astype(float)))
    assert transduction.target(longest) == tree
    assert longest.words() == tuple(range(len(tree.words)))
    # The rules of a derivation account for every source word once.
    assert sum(features_of(forest, edge)[0] for edge in longest.edges) == len(tree.words)
    shortest = best(forest.rescored(-forest.edge_costs().astype(float)))
    assert len(transduction.words(shortest)) == 1
    assert sum(features_of(forest, edge)[0] for edge in shortest.edges) == len(tree.words)


@settings(max_examples=40, deadline=None)
@given(rewriting_pairs(max_words=4) | deletion_pairs(max_words=6))
def test_alignment_uses_the_most_rules(pair: AlignedTrees) -> None:
    source, target, _ = pair
    grammar = Grammar.extracted([pair], LOOSE, targets=99)
    alignment = Transducer(grammar).alignment(source, target)
    most = best(alignment.forest.rescored(np.ones(alignment.forest.edge_count)))
    assert alignment.target(most) == target
    matching = [
        len(list(found.applications()))
        for found in derivations(source, grammar, target.labels[0])
        if found.target().tree() == target
    ]
    assert most.score == max(matching)


@settings(max_examples=25, deadline=None)
@given(deletion_pairs(max_words=5), models, st.integers(0, 99))
def test_search_with_a_language_model_is_exact_and_beams_stay_below(
    pair: AlignedTrees, model: NgramModel, seed: int
) -> None:
    source, target, _ = pair
    grammar = Grammar.extracted([pair], LOOSE, targets=99)
    numbers = RuleNumbers()
    transduction = Transducer(grammar, numbers).transduction(source, target.labels[0])
    expected = derivations(source, grammar, target.labels[0])
    weights = np.random.default_rng(seed).normal(size=len(numbers.numbers) + 1)
    weights[0] = 0.0

    def ids(words: tuple[str, ...]) -> list[int]:
        return [model.vocabulary.id(SPELLING[sum(map(ord, word)) % len(SPELLING)]) for word in words]

    def decoder(beam: Beam | None) -> NgramForestDecoder:
        forest = transduction.forest.scored(weights)
        return NgramForestDecoder(
            forest,
            model,
            words=len(source.words),
            symbol_ids=ids(transduction.symbols),
            weight=0.5,
            beam=beam,
        )

    scores = [
        score(found, weights, numbers) + 0.5 * model.score_ids(ids(found.target().words)).sum()
        for found in expected
    ]
    assume(max(scores) > -np.inf)
    exact = decoder(None).best()
    assert exact.score == pytest.approx(max(scores))
    assert decoder(Beam(1, 2)).best().score <= exact.score + 1e-9


def test_derivations_name_their_source_nodes() -> None:
    tree = Tree.from_nested(("S", ("NP", ("DT", "the"), ("NN", "rain")), ("VP", ("VBD", "fell"))))
    transduction = Transducer(NOTHING).transduction(tree)
    application = transduction.rewriting(best(transduction.forest)).application()
    assert [part.node for part in application.applications()] == list(range(6))


def test_coverage_is_a_choice() -> None:
    tree = Tree.from_nested(("S", ("NP", ("DT", "the"), ("NN", "rain")), ("VP", ("VBD", "fell"))))
    only_copies = Transducer(NOTHING, coverage=Coverage.COPY).transduction(tree)
    assert [only_copies.words(found) for found in k_best(only_copies.forest, 9)] == [("the", "rain", "fell")]
    with pytest.raises(InfeasibleBudget, match="no rule rewrites the root 'S'"):
        Transducer(NOTHING, coverage=Coverage.NONE).transduction(tree)
    only_deletions = Transducer(NOTHING, coverage=Coverage.DELETE)
    with pytest.raises(InfeasibleBudget, match="no rule rewrites the root 'S'"):
        only_deletions.transduction(tree)


@given(trees(max_words=7, word=WORDS))
@settings(max_examples=40)
def test_rules_of_coverage_are_of_the_type_that_they_look_like(tree: Tree) -> None:
    for choice in (Coverage.COPY, Coverage.DELETE, Coverage.COPY | Coverage.DELETE):
        for _, matches in RuleMatcher(NOTHING, choice).matches(tree):
            for match in matches:
                assert match.rule.types == _coverage_types(match.rule.rule)


def test_rules_have_the_numbers_of_the_grammar() -> None:
    rules = tuple(
        map(parse_rule, ("<VBD,VBD> -> <[VBD fell], [VBD dropped]>", "<NN,NN> -> <[NN rain], [NN water]>"))
    )
    tree = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("VP", ("VBD", "fell"))))
    space = Transducer(Grammar(rules, (1, 1))).transduction(tree)
    assert [space.rule(number).rule for number in range(2)] == list(rules)

    def words(*weights: float) -> tuple[str, ...]:
        scores = np.array([*weights, *(0.0 for _ in space.coverage)])
        return space.words(best(space.forest.rescored(scores[space.forest.origins])))

    assert words(-1.0, 0.5) == ("water", "fell")
    assert words(0.5, -1.0) == ("rain", "dropped")


def test_a_root_that_nothing_becomes_is_refused() -> None:
    tree = Tree.from_nested(("S", ("VP", ("VBD", "fell"))))
    with pytest.raises(InfeasibleBudget, match="'S' as 'FRAG'"):
        Transducer(NOTHING).transduction(tree, "FRAG")
    other = Tree.from_nested(("S", ("VP", ("VBD", "rose"))))
    with pytest.raises(LaconicError, match="no derivation that rewrites 'fell' as 'rose'"):
        Transducer(NOTHING).alignment(tree, other)
