"""The rules and the derivation of Cohn & Lapata (2009): Figures 3, 4 and 7, and the rules of section 3.2."""

from laconic.grammar.coverage import delete_rules
from laconic.grammar.extraction import ExtractionOptions, extract_rules
from laconic.grammar.rules import Rule, parse_rule
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.constituency import Tree
from tests.golden.test_cohn_lapata_figure_6 import SOURCE, TARGET
from tests.oracles.derivations import derivation_steps, transduce

FIGURE_7 = """
<S,S> -> <[S [SBAR WHNP_1 S_2] CC_ε SBAR_3], [S WHNP_1 [S NP_2 VP_3]]>
<WHNP,WHNP> -> <[WHNP RB_ε WP_1], [WHNP WP_1]>
<WP,WP> -> <[WP what], [WP what]>
<S,NP> -> <[S NP_1 VP_ε], NP_1>
<NP,NP> -> <[NP NNS_1], [NP NNS_1]>
<NNS,NNS> -> <[NNS records], [NNS records]>
<SBAR,VP> -> <[SBAR WHNP_ε S_1], VP_1>
<S,VP> -> <[S NP_ε VP_1], VP_1>
<VP,VP> -> <[VP VBP_1 VP_2], [VP VBP_1 VP_2]>
<VBP,VBP> -> <[VBP are], [VBP are]>
<VP,VP> -> <[VP VBN_1], [VP VBN_1]>
<VBN,VBN> -> <[VBN involved], [VBN involved]>
"""

# In the order of the figure; here (5) deletes the conjunction by its word, as there.
FIGURE_3 = """
<WHNP,WHNP> -> <[WHNP RB_ε WP_1], [WHNP WP_1]>
<S,NP> -> <[S NP_1 VP_ε], NP_1>
<S,VP> -> <[S NP_ε VP_1], VP_1>
<SBAR,VP> -> <[SBAR WHNP_ε S_1], VP_1>
<S,S> -> <[S [SBAR WHNP_1 S_2] [CC and] SBAR_3], [S WHNP_1 [S NP_2 VP_3]]>
<WP,WP> -> <[WP what], [WP what]>
<NP,NP> -> <[NP NNS_1], [NP NNS_1]>
<NNS,NNS> -> <[NNS records], [NNS records]>
<VP,VP> -> <[VP VBP_1 VP_2], [VP VBP_1 VP_2]>
<VBP,VBP> -> <[VBP are], [VBP are]>
<VP,VP> -> <[VP VBN_1], [VP VBN_1]>
<VBN,VBN> -> <[VBN involved], [VBN involved]>
"""


def rules(text: str) -> list[Rule]:
    return [parse_rule(line) for line in text.strip().splitlines()]


def word_links(source: Tree, target: Tree) -> list[tuple[int, int]]:
    return [(s, t) for t, s in enumerate(align_deletion(source.words, target.words))]


def relative_clause() -> tuple[Tree, Tree]:
    """The paper's <SBAR,VP> example: `which ones are involved` becomes `are involved`."""
    source = next(
        SOURCE.subtree(v) for v, start in enumerate(SOURCE.starts) if SOURCE.words[start] == "which"
    )
    target = next(TARGET.subtree(w) for w, label in enumerate(TARGET.labels) if label == "VP")
    return source, target


def rules_at_root(depth: int) -> set[Rule]:
    source, target = relative_clause()
    options = ExtractionOptions(depth=depth, variables=10**6, nodes=10**6)
    found = extract_rules(source, target, word_links(source, target), options)
    return {rule for rule in found if rule.root == ("SBAR", "VP")}


def test_minimal_rules_are_those_of_figure_7() -> None:
    found = extract_rules(SOURCE, TARGET, word_links(SOURCE, TARGET))
    assert set(found) == set(rules(FIGURE_7))
    assert len(found) == 12
    assert set(found.values()) == {1}


def test_text_is_the_papers_notation() -> None:
    assert [str(rule) for rule in rules(FIGURE_7)] == FIGURE_7.strip().splitlines()


def test_one_level_of_recursion_adds_two_rules() -> None:
    assert rules_at_root(0) == set(rules("<SBAR,VP> -> <[SBAR WHNP_ε S_1], VP_1>"))
    assert rules_at_root(1) - rules_at_root(0) == set(
        rules(
            """
<SBAR,VP> -> <[SBAR [WHNP WP_ε] S_1], VP_1>
<SBAR,VP> -> <[SBAR WHNP_ε [S NP_ε VP_1]], VP_1>
"""
        )
    )


def test_two_levels_of_recursion_add_four() -> None:
    # The paper prints the second with [WP which], which would pass over three matches, not two.
    assert rules_at_root(2) - rules_at_root(1) == set(
        rules(
            """
<SBAR,VP> -> <[SBAR [WHNP [WP which]] S_1], VP_1>
<SBAR,VP> -> <[SBAR [WHNP WP_ε] [S NP_ε VP_1]], VP_1>
<SBAR,VP> -> <[SBAR WHNP_ε [S [NP NNS_ε] VP_1]], VP_1>
<SBAR,VP> -> <[SBAR WHNP_ε [S NP_ε [VP VBP_1 VP_2]]], [VP VBP_1 VP_2]>
"""
        )
    )


def test_generalisations_of_the_relative_clause() -> None:
    """`which` and `ones` can be cut in 3 ways each and VP in 7; or S is cut: 3 · (1 + 3 · 7).

    The paper counts 45 = 3 · 3 · 5: without S, which its list of aligned nodes leaves out at that place,
    and with one of the two nodes over `involved`.
    """
    found = rules_at_root(depth=len(relative_clause()[0].labels))
    assert len(found) == 66
    of_the_paper = {rule for rule in found if {"S", "VBN"}.isdisjoint(x for x, _ in rule.variables)}
    assert len(of_the_paper) == 45


def test_deletion_keeps_the_heads() -> None:
    assert delete_rules("NP", ("DT", "JJ", "NN")) == tuple(
        rules(
            """
<NP,NP> -> <[NP DT_ε JJ_ε NN_1], [NP NN_1]>
<NP,NN> -> <[NP DT_ε JJ_ε NN_1], NN_1>
<NP,NP> -> <[NP DT_1 JJ_ε NN_2], [NP DT_1 NN_2]>
<NP,NP> -> <[NP DT_1 JJ_2 NN_3], [NP DT_1 JJ_2 NN_3]>
"""
        )
    )


def test_derivation_is_that_of_figure_4() -> None:
    grammar = rules(FIGURE_3)
    numbered = iter((5, 1, 6, 2, 7, 8, 4, 3, 9, 10, 11, 12))
    derivation = transduce(SOURCE, "S", lambda node, category: grammar[next(numbered) - 1])
    assert derivation.target().tree() == TARGET
    used = [grammar.index(application.rule) + 1 for application in derivation.applications()]
    assert used == [5, 1, 6, 2, 7, 8, 4, 3, 9, 10, 11, 12]

    sbar = "[WHNP [WP which]] [S [NP [NNS ones]] [VP [VBP are] [VP [VBN involved]]]]"
    records = "[NP [NNS records]] [VP [VBD made] [NP [PRP it]]]"
    lines = list(derivation_steps(derivation, SOURCE))
    assert len(lines) == 13
    assert lines[:5] == [
        f"[S/S [SBAR [WHNP [RB exactly] [WP what]] [S {records}]] [CC and] [SBAR {sbar}]]",
        f"[S [WHNP/WHNP [RB exactly] [WP what]] [S [S/NP {records}] [SBAR/VP {sbar}]]]",
        f"[S [WHNP [WP/WP what]] [S [S/NP {records}] [SBAR/VP {sbar}]]]",
        f"[S [WHNP [WP what]] [S [S/NP {records}] [SBAR/VP {sbar}]]]",
        f"[S [WHNP [WP what]] [S [NP/NP [NNS records]] [SBAR/VP {sbar}]]]",
    ]
    assert lines[-2:] == [
        "[S [WHNP [WP what]] [S [NP [NNS records]] [VP [VBP are] [VP [VBN/VBN involved]]]]]",
        "[S [WHNP [WP what]] [S [NP [NNS records]] [VP [VBP are] [VP [VBN involved]]]]]",
    ]
