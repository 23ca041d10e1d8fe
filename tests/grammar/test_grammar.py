import pytest

from laconic.errors import FormatError, LaconicError
from laconic.grammar.extraction import ExtractionOptions
from laconic.grammar.grammar import Grammar
from laconic.grammar.rules import parse_rule
from laconic.trees.constituency import Tree
from tests.golden.test_cohn_lapata_figure_6 import SOURCE, TARGET
from tests.golden.test_cohn_lapata_rules import word_links

PAIR = (SOURCE, TARGET, tuple(word_links(SOURCE, TARGET)))


def test_grammars_round_trip_through_text() -> None:
    grammar = Grammar.extracted([PAIR, PAIR], ExtractionOptions(depth=2))
    again = Grammar.from_lines(grammar.to_lines())
    assert (again.rules, again.counts) == (grammar.rules, grammar.counts)
    assert set(again.counts) == {2}


def test_targets_of_a_source_fragment_are_limited() -> None:
    counts = {
        parse_rule("<NP,NP> -> <[NP DT_1 NN_2], [NP DT_1 NN_2]>"): 5,
        parse_rule("<NP,NP> -> <[NP DT_ε NN_1], [NP NN_1]>"): 7,
        parse_rule("<NP,NN> -> <[NP DT_ε NN_1], NN_1>"): 1,
        parse_rule("<NP,NP> -> <[NP NN_1], [NP NN_1]>"): 1,
    }
    kept = Grammar.of(counts, targets=2)
    assert [str(rule.source) for rule in kept.rules] == ["[NP DT_ε NN_1]", "[NP DT_1 NN_2]", "[NP NN_1]"]


def test_rare_rules_can_be_left_out() -> None:
    copy, other = (parse_rule(f"<NP,NP> -> <[NP {tag}_1], [NP {tag}_1]>") for tag in ("NN", "CD"))
    kept = Grammar.of({copy: 2, other: 1}).frequent(2)
    assert (kept.rules, kept.counts) == ((copy,), (2,))


def test_a_pair_that_cannot_be_aligned_does_not_stop_extraction() -> None:
    bad = (Tree.from_nested(("S", ("NN", "rain"))), Tree.from_nested(("S", ("NN", "snow"))), ())
    complaints: list[LaconicError] = []
    grammar = Grammar.extracted([bad, PAIR], ExtractionOptions(depth=0), on_error=complaints.append)
    assert len(grammar) == 12
    assert "'snow'" in str(complaints[0])
    with pytest.raises(LaconicError, match="no rule to extract"):
        Grammar.extracted([bad])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("<NP,NP> -> <[NP NN_1], [NP NN_1]>", "a count, a tab and a rule"),
        ("1\t<NP,NP> -> <[NP NN_1], [NP NN_1]", "a rule reads"),
        ("2\t<NP,NP> -> <[NP NN_1], [NP NN_1]>", "twice"),
        ("9" * 5000 + "\t<NP,NP> -> <[NP NN_1], [NP NN_1]>", "a count, a tab and a rule"),
        (f"1\t<NP,NP> -> <{'[NP ' * 900}[NN a]{']' * 900}, [NN a]>", "more than 200 levels"),
    ],
)
def test_a_malformed_line_is_named(line: str, complaint: str) -> None:
    lines = ["1\t<NP,NP> -> <[NP NN_1], [NP NN_1]>", line]
    with pytest.raises(FormatError, match=rf"rules.txt:2: .*{complaint}"):
        Grammar.from_lines(lines, source="rules.txt")
