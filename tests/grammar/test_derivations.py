import pytest

from laconic.errors import LaconicError
from laconic.grammar.rules import parse_rule
from laconic.trees.alignment.rewriting import align_rewriting
from laconic.trees.constituency import Tree
from tests.oracles.derivations import derivation_steps, transduce

GRAMMAR = {
    ("S", "S"): parse_rule("<S,S> -> <[S NP_1 ADVP_ε VP_2], [S VP_2 NP_1]>"),
    ("NP", "NP"): parse_rule("<NP,NP> -> <[NP [NN rain]], [NP [NN snow]]>"),
    ("VP", "VP"): parse_rule("<VP,VP> -> <[VP [VBD fell]], [VP [VBD fell]]>"),
}


def test_transduction_follows_the_given_tree() -> None:
    tree = Tree.from_nested(("S", ("NP", ("NN", "rain")), ("ADVP", ("RB", "today")), ("VP", ("VBD", "fell"))))
    derivation = transduce(tree, "S", lambda node, category: GRAMMAR[tree.labels[node], category])
    assert derivation.target().tree().words == ("fell", "snow")
    assert list(derivation_steps(derivation, tree)) == [
        "[S/S [NP [NN rain]] [ADVP [RB today]] [VP [VBD fell]]]",
        "[S [VP/VP [VBD fell]] [NP/NP [NN rain]]]",
        "[S [VP [VBD fell]] [NP/NP [NN rain]]]",
        "[S [VP [VBD fell]] [NP [NN snow]]]",
    ]


def test_a_tree_whose_nodes_are_cut_is_none() -> None:
    with pytest.raises(LaconicError, match="not complete: NP_1"):
        GRAMMAR["S", "S"].source.tree()


def test_rules_must_fit_where_they_are_applied() -> None:
    tree = Tree.from_nested(("S", ("NP", ("NN", "hail")), ("ADVP", ("RB", "today")), ("VP", ("VBD", "fell"))))
    with pytest.raises(LaconicError, match=r"does not rewrite node 1 \(NP\) as NP"):
        transduce(tree, "S", lambda node, category: GRAMMAR[tree.labels[node], category])


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ("a b c", "a c", ((0, 0), (2, 1))),
        ("he bought a big house", "He purchased a house", ((0, 0), (1, 1), (2, 2), (4, 3))),
        ("today it rained", "it rained today", ((0, 2), (1, 0), (2, 1))),
        ("x", "y", ()),
        ("he has some information", "he has info", ((0, 0), (1, 1), (3, 2))),
        (
            "it rose in spite of rain",
            "it rose despite rain",
            ((0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3)),
        ),
        ("it rose a b c d today", "it rose x today", ((0, 0), (1, 1), (6, 3))),
        ("a b", "c d", ()),
    ],
)
def test_rewritten_words_are_aligned(source: str, target: str, links: tuple[tuple[int, int], ...]) -> None:
    assert align_rewriting(source.split(), target.split()) == links
