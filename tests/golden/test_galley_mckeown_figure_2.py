"""Galley and McKeown (2007), Figure 2: a full sentence and its revision, aligned by least edits."""

from __future__ import annotations

from laconic.grammar.deletion_scfg import derive_by_edits, derive_strictly
from laconic.trees.constituency import Tree
from laconic.trees.edit_distance import align_trees

SUBJECT = (("DT", "The"), ("JJ", "second"))
RAN = ("VP", ("VBD", "ran"), ("PP", ("IN", "without"), ("NP", ("NN", "incident"))))
SOURCE = Tree.from_nested(
    (
        "S",
        ("NP", *SUBJECT, ("NN", "computer")),
        ("VP", ("VP", ("VBD", "started"), ("PRT", ("RP", "up"))), ("CC", "and"), RAN),
        (".", "."),
    )
)
TARGET = Tree.from_nested(("S", ("NP", *SUBJECT, ("NN", "unit")), RAN, (".", ".")))


def test_the_alignment_is_that_of_the_figure() -> None:
    mapping = align_trees(SOURCE, TARGET)
    # Numbers of the figure: S 1, NP 2, DT 3, JJ 5, NN 7, VP 9, VBD 10, PP 12, IN 13, NP 15, NN 16, stop 18.
    assert [SOURCE.labels[s] for s, _ in mapping.nodes] == list(TARGET.labels)
    assert [s for s, _ in mapping.nodes] == [0, 1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 17]
    assert mapping.words == ((0, 0), (1, 1), (2, 2), (6, 3), (7, 4), (8, 5), (9, 6))
    assert mapping.distance == 10  # nine deleted (VP VP VBD started PRT RP up CC and), one substituted


def test_the_rules_are_those_of_the_paper() -> None:
    derivation = derive_by_edits(SOURCE, TARGET, substitutions=1)
    assert derivation is not None
    assert [str(rule) for rule in derivation.rules()] == [
        "S -> <NP VP ., NP VP .>",
        "NP -> <DT JJ NN, DT JJ NN>",
        "VP -> <VP CC VP, VP>",  # the auxiliary tree, adjoined to the initial tree S -> NP VP
        "VP -> <VBD PP, VBD PP>",
        "PP -> <IN NP, IN NP>",
        "NP -> <NN, NN>",
    ]


def test_without_substitutions_the_pair_is_lost() -> None:
    assert derive_by_edits(SOURCE, TARGET) is None


def test_without_auxiliary_trees_the_deletion_is_lost() -> None:
    derivation = derive_by_edits(SOURCE, TARGET, substitutions=1, auxiliaries=False)
    assert derivation is not None
    assert all(rule.children == rule.target for rule in derivation.rules())
    pure = Tree.from_nested(("S", ("NP", *SUBJECT, ("NN", "computer")), RAN, (".", ".")))
    strict = derive_strictly(SOURCE, pure, (0, 1, 2, 6, 7, 8, 9))
    assert "VP -> <VP CC VP, VP>" not in [str(rule) for rule in strict.rules()]
