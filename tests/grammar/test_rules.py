import pytest
from hypothesis import given

from laconic.errors import FormatError, LaconicError
from laconic.grammar.extraction import ExtractionOptions, extract_rules
from laconic.grammar.fragments import EPSILON, Fragment, fragment_of, parse_fragment
from laconic.grammar.grammar import AlignedTrees
from laconic.grammar.rules import Rule, parse_rule
from laconic.trees.constituency import Tree
from tests.grammar.strategies import rewriting_pairs
from tests.strategies import trees


@given(trees())
def test_trees_are_complete_fragments(tree: Tree) -> None:
    fragment = fragment_of(tree)
    assert fragment.tree() == tree
    assert parse_fragment(str(fragment)) == fragment
    assert fragment.words == tree.words
    assert fragment.size == len(tree.labels) + len(tree.words)


@given(rewriting_pairs())
def test_rules_round_trip_through_text(pair: AlignedTrees) -> None:
    for rule in extract_rules(*pair, ExtractionOptions(depth=2)):
        assert parse_rule(str(rule)) == rule


def test_rules_reorder_substitute_and_change_categories() -> None:
    rule = parse_rule("<PP,NP> -> <[PP [IN of] NP_1 JJ_2], [NP JJ_2 [POS 's] NN_1]>")
    assert rule.root == ("PP", "NP")
    assert rule.variables == (("NP", "NN"), ("JJ", "JJ"))
    assert rule.target.words == ("'s",)


def test_unlexicalised_and_unlinked_patterns() -> None:
    rule = parse_rule("<NP,NNS> -> <[NP CD_ε ADJP_ε [NNS activists]], [NNS activists]>")
    assert str(rule.source.unlinked()) == "[NP CD ADJP [NNS activists]]"
    assert str(rule.source.unlexicalised()) == "[NP CD_ε ADJP_ε NNS]"
    assert str(rule.target.unlexicalised()) == "NNS"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("NP -> DT NN", "a rule reads"),
        ("<NP,NP> -> <[NP NN_1] [NP NN_1]>", "', ' between them"),
        ("<NP,NP> -> <[NP NN_1, [NP NN_1]>", "', ' between them"),
        ("<NP,NP> -> <[NP NN_1], [NP NN_1>", "']' is missing"),
        ("<NP,NP> -> <[NP NN_1], [NP NN_1]]>", "follows a complete tree"),
        ("<NP,NP> -> <[NP NN_1], [NP]>", "nothing below 'NP'"),
        ("<NP,NP> -> <[NP NN_1], [NP NN_2]>", "are not the same"),
        ("<NP,NP> -> <[NP DT_2 NN_1], [NP DT_2 NN_1]>", "from left to right"),
        ("<NP,NP> -> <[NP DT_ε NN_1], [NP DT_ε NN_1]>", "only source nodes"),
        ("<NP,NP> -> <[NP DT NN_1], [NP NN_1]>", "neither a bracketed tree nor a label"),
        ("<VP,NP> -> <[NP NN_1], [NP NN_1]>", "stands before its arrow"),
        ("<NP,NP> -> <[NP NN_1], []>", "without a label"),
        ("<NP,NP> -> <[NP [NN x\\]], [NP [NN x]]>", "', ' between them"),
    ],
)
def test_malformed_rules_say_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint.replace("[", r"\[")):
        parse_rule(text)


def test_a_variable_is_no_source_side() -> None:
    with pytest.raises(LaconicError, match="source side"):
        Rule(Fragment("NP", link=1), Fragment("NP", link=1))


def test_a_node_is_one_of_four() -> None:
    with pytest.raises(LaconicError, match="one of them"):
        Fragment("NP", word="x", link=EPSILON)
