from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from laconic.errors import FormatError
from laconic.trees.heads import HeadRules
from tests.strategies import trees

RULES = HeadRules.load()


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("S", "NP VP .", 1),
        ("S", "NP TO VP", 1),
        ("S", "NP-SBJ VP-X", 1),
        ("VP", "MD VP", 0),
        ("VP", "VBD NP PP", 0),
        ("VP", "ADVP VBD VBN", 1),
        ("VP", "NP PP NP", 0),
        ("PP", "IN NP", 0),
        ("PP", "ADVP IN NP", 1),
        ("ADVP", "RB RB", 1),
        ("ADJP", "RB JJ PP", 1),
        ("SBAR", "IN S", 0),
        ("SBAR", "WHNP S", 0),
        ("QP", "RB CD CD", 0),
        ("WHNP", "WDT NN", 0),
        # The rules for noun phrases, one after the other.
        ("NP", "DT NN POS", 2),
        ("NP", "NP NN", 1),
        ("NP", "DT NNP NNP", 2),
        ("NP", "NN POS JJ", 1),
        ("NP", "NP PP SBAR", 0),
        ("NP", "DT ADJP CD", 1),
        ("NP", "DT CD JJ", 1),
        ("NP", "DT RB JJ", 2),
        ("NP", "DT PRP", 1),
        ("NP", "PRP ,", 0),
        ("NML", "NN NN", 1),
        # Coordination: the first conjunct before the conjunction.
        ("NP", "NN CC NN", 0),
        ("NP", "DT NN CC NN", 1),
        ("NP", "NN , CC NN", 0),
        ("NP", "CC NN", 1),
        ("NP", ", CC NN", 2),
        ("S", "S CC S", 0),
        # No match: the side the search starts from, punctuation apart.
        ("FRAG", "NP PP .", 1),
        ("PRN", "-LRB- NP -RRB-", 1),
        ("INTJ", ", UH", 1),
        ("UNHEARD", "`` FOO BAR", 1),
        ("UNHEARD", ", .", 0),
        ("", "S .", 0),
        ("TOP", ". S", 1),
    ],
)
def test_head_children(label: str, children: str, head: int) -> None:
    assert RULES.head_child(label, children.split()) == head


@pytest.mark.parametrize(
    ("label", "children", "ranking"),
    [
        # Cohn & Lapata (2009), section 3.2: keep NN; DT NN; DT JJ NN.
        ("NP", "DT JJ NN", "NN DT JJ"),
        ("VP", "VBD NP , PP", "VBD NP PP ,"),
        ("S", "PP , NP VP .", "VP NP PP , ."),
        ("NP", "NP , SBAR ,", "NP SBAR , ,"),
        ("VP", "VB CC VB NP", "VB VB NP CC"),
        ("ADVP", "RB RBR RB", "RB RB RBR"),
    ],
)
def test_rankings(label: str, children: str, ranking: str) -> None:
    labels = children.split()
    assert [labels[child] for child in RULES.ranked(label, labels)] == ranking.split()


def test_matches_of_one_label_rank_in_the_order_of_the_search() -> None:
    assert RULES.ranked("NP", ["DT", "NN", "NN"]) == (2, 1, 0)
    assert RULES.ranked("VP", ["VB", "CC", "VB"]) == (0, 2, 1)


def test_the_ranking_gives_the_four_deletion_rules() -> None:
    """Cohn & Lapata (2009), section 3.2: retain the first 1, 2, … children, one also without its parent."""
    children = ("DT", "JJ", "NN")
    ranking = RULES.ranked("NP", children)
    rules = []
    for count in range(1, len(ranking) + 1):
        kept = tuple(children[child] for child in sorted(ranking[:count]))
        rules.append(("NP", *kept))
        if count == 1:
            rules.append(kept)
    assert rules == [("NP", "NN"), ("NN",), ("NP", "DT", "NN"), ("NP", "DT", "JJ", "NN")]


@given(trees())
def test_rankings_are_permutations_led_by_the_head(tree) -> None:
    for node in range(len(tree.labels)):
        if not tree.is_preterminal(node):
            label, children = tree.production(node)
            ranking = RULES.ranked(label, children)
            assert sorted(ranking) == list(range(len(children)))
            assert ranking[0] == RULES.head_child(label, children)


def test_rules_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.headrules"
    path.write_text("# mine\nNP right NN\n* left\n%punctuation ,\n")
    rules = HeadRules.load(path)
    assert rules.head_child("NP", ["NN", "DT"]) == 0
    assert rules.head_child("VP", [",", "VB"]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NP sideways NN\n* left\n", "mine.headrules:1: expected"),
        ("* left\nNP\n", "mine.headrules:2: expected"),
        ("* left\n%colours red\n", "mine.headrules:2: expected"),
        ("NP left NN\n", "no rule for every other category"),
    ],
)
def test_broken_rule_files_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.headrules"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        HeadRules.load(path)
