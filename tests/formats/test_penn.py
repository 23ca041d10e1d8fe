from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import FormatError, LaconicError
from laconic.formats.penn import (
    format_tree,
    parse_records,
    parse_tree,
    read_records,
    read_trees,
    write_trees,
)
from laconic.trees.constituency import Tree
from tests.strategies import trees

GO = "(S (VP (VB Go)))"


def read_text(tmp_path, text, **options):
    path = tmp_path / "bank.mrg"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(read_trees(path, **options))


@given(trees(), st.sampled_from([None, 0, 2]))
def test_writing_and_reading_round_trips(tree, indent) -> None:
    assert parse_tree(format_tree(tree, indent=indent)) == tree


@given(st.lists(trees(), max_size=4), st.sampled_from([None, 2]))
def test_streams_of_trees_round_trip(many, indent) -> None:
    text = "\n".join(format_tree(tree, indent=indent) for tree in many)
    records = parse_records(enumerate(text.split("\n"), start=1), source=None)
    assert [record.tree for record in records] == many


def test_files_round_trip(tmp_path: Path) -> None:
    many = [parse_tree(GO), parse_tree("( (NP (NN Fire)) (. !))")]
    path = tmp_path / "out.mrg"
    write_trees(path, many)
    assert path.read_text() == f"{GO}\n( (NP (NN Fire)) (. !))\n"
    assert list(read_trees(path)) == many
    write_trees(path, many, indent=2)
    assert path.read_text().startswith("(S\n  (VP\n    (VB Go)))\n\n(")
    assert list(read_trees(path)) == many


def test_one_tree_may_take_many_lines_and_one_line_many_trees(tmp_path: Path) -> None:
    text = "\n( (S \n\n    (NP (NN Rain))\n\t(VP (VBD fell))))(NP (NN a)) (NP (NN b))\n \n"
    assert [tree.words for tree in read_text(tmp_path, text)] == [("Rain", "fell"), ("a",), ("b",)]


def test_byte_order_mark_and_crlf_are_no_part_of_the_text(tmp_path: Path) -> None:
    assert read_text(tmp_path, b"\xef\xbb\xbf(S\r\n (VP (VB Go)))\r\n") == [parse_tree(GO)]


def test_white_space_is_unicode(tmp_path: Path) -> None:
    assert read_text(tmp_path, "(S\n\u00a0\u00a0(VP\u00a0(VB Go)))") == [parse_tree(GO)]


def test_comments_belong_to_the_next_tree(tmp_path: Path) -> None:
    path = tmp_path / "gum.ptb"
    path.write_text(f"# doc one\n\n{GO}\n{GO}\n# doc two\n# speaker = A\n{GO}\n")
    records = list(read_records(path))
    assert [record.comments for record in records] == [("doc one",), (), ("doc two", "speaker = A")]
    assert [record.line for record in records] == [3, 4, 7]


def test_traces_and_functions_go_on_request(tmp_path: Path) -> None:
    text = "( (S (NP-SBJ-1 (-NONE- *)) (VP=2 (VB Go))))\n(NP (-NONE- *T*-1))\n"
    assert len(read_text(tmp_path, text)) == 2
    cleaned = read_text(tmp_path, text, traces=False, functions=False)
    assert [format_tree(tree) for tree in cleaned] == ["( (S (VP (VB Go))))"]
    assert read_text(tmp_path, text, traces=False)[0].labels[2] == "VP=2"


def test_escapes_are_characters_in_words_and_labels_stay() -> None:
    tree = parse_tree(r"(NP (-LRB- -LRB-) (CD 1\/2) (SYM \*) (: :-RRB-) (-RRB- -RCB-))")
    assert tree.words == ("(", "1/2", "*", ":)", "}")
    assert tree.tags == ("-LRB-", "CD", "SYM", ":", "-RRB-")
    assert format_tree(tree) == "(NP (-LRB- -LRB-) (CD 1/2) (SYM *) (: :-RRB-) (-RRB- -RCB-))"


def test_a_bracket_token_without_tag_is_its_own_tag() -> None:
    tree = parse_tree("(PRN ( -LRB-)(NNS tics)( -RRB-))")
    assert tree == Tree.from_nested(("PRN", ("-LRB-", "("), ("NNS", "tics"), ("-RRB-", ")")))


def test_an_unlabelled_bracket_inside_a_tree_is_no_constituent() -> None:
    assert parse_tree("(S ( ) (NP (NN a)) ( (VP (VB b)) ( (. .))))") == parse_tree(
        "(S (NP (NN a)) (VP (VB b)) (. .))"
    )


def test_an_unlabelled_root_keeps_its_place() -> None:
    tree = parse_tree("( (S (VB Go)) (. !))")
    assert tree.labels == ("", "S", "VB", ".")
    assert format_tree(tree) == "( (S (VB Go)) (. !))"


FAULTS = {
    "(S (NP (NN a))": "bank.mrg:1: 1 unclosed bracket",
    "\n(S (NP (NN a)\n (VP (VB b)": "bank.mrg:2: 3 unclosed bracket",
    "(S (NN a)))": r"bank.mrg:1: '\)' outside a tree",
    "stray": "bank.mrg:1: 'stray' outside a tree",
    "(S)": "bank.mrg:1: bracket 'S' holds no word",
    "(S\n(NP\n))": "bank.mrg:3: bracket 'NP' holds no word",
    "()": "bank.mrg:1: bracket '' holds no word",
    "(())": "bank.mrg:1: bracket '' holds no word",
    "( dog)": "bank.mrg:1: bracket 'dog' holds no word",
    "(NN two words)": "bank.mrg:1: 'words' stands beside",
    "(NP (NN a) b)": "bank.mrg:1: 'b' stands beside",
    "(NP (NN a) ( (NN b) c))": "bank.mrg:1: 'c' stands beside",
    "(NP a (NN b))": "bank.mrg:1: bracket 'NP' holds a bracket beside a word",
}


@pytest.mark.parametrize(("text", "message"), FAULTS.items(), ids=FAULTS.keys())
def test_faults_raise_with_file_and_line(tmp_path: Path, text, message) -> None:
    with pytest.raises(FormatError, match=message):
        read_text(tmp_path, text)


@pytest.mark.parametrize("text", FAULTS.keys())
def test_faults_are_reported_and_the_next_tree_is_read(tmp_path: Path, text) -> None:
    errors: list[FormatError] = []
    found = read_text(tmp_path, f"{GO}\n\n{text}\n\n{GO}\n", on_error=errors.append)
    assert len(errors) == 1
    assert found[0] == found[-1] == parse_tree(GO)


def test_a_tree_that_never_closes_costs_only_itself(tmp_path: Path) -> None:
    errors: list[FormatError] = []
    text = f"{GO}\n(S (NP (NN a))\n{GO}\n{GO}\n(S\n  (VP (VB b))\n{GO}\n# doc\n{GO}\n(S (VP"
    found = read_text(tmp_path, text, on_error=errors.append)
    assert found == [parse_tree(GO)] * 5
    assert [error.line for error in errors] == [2, 5, 10]


def test_many_trees_that_never_close_take_linear_time(tmp_path: Path) -> None:
    errors: list[FormatError] = []
    assert read_text(tmp_path, "(S (NP (NN a))\n" * 20_000, on_error=errors.append) == []
    assert [error.line for error in errors] == list(range(1, 20_001))


def test_empty_files_hold_no_trees(tmp_path: Path) -> None:
    assert read_text(tmp_path, "") == []
    assert read_text(tmp_path, "\n# doc\n\n") == []


def test_a_truncated_gzip_file_raises(tmp_path: Path) -> None:
    path = tmp_path / "bank.mrg.gz"
    whole = gzip.compress((GO + "\n").encode() * 1000)
    path.write_bytes(whole)
    assert len(list(read_trees(path))) == 1000
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match="damaged gzip"):
        list(read_trees(path))


@pytest.mark.parametrize("text", ["", GO + GO])
def test_one_tree_is_one_tree(text) -> None:
    with pytest.raises(FormatError, match="expected one tree"):
        parse_tree(text)


@pytest.mark.parametrize(
    "tree",
    [
        Tree.from_nested(("NN", "two words")),
        Tree.from_nested(("N N", "word")),
        Tree.from_nested(("(", "word")),
    ],
)
def test_what_has_no_escape_cannot_be_written(tree) -> None:
    with pytest.raises(LaconicError, match="Penn brackets"):
        format_tree(tree)


def test_ten_thousand_words_deep() -> None:
    text = "(NP (DT a) " * 10_000 + "(NN end)" + ")" * 10_000
    tree = parse_tree(text)
    assert len(tree.words) == 10_001
    assert format_tree(tree) == text
