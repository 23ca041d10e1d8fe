from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.formats.penn import parse_tree
from laconic.trees.drawing import draw_dependencies, draw_tree
from tests.strategies import head_sequences, trees

LINES = str.maketrans("┌├└│─", "     ")


def test_a_constituency_tree() -> None:
    tree = parse_tree("( (S (NP (DT The) (NN sun)) (VP (VBZ shines)) (. .)))")
    assert draw_tree(tree, kept=[1, 2]).split("\n") == [
        "·",
        "└─ S",
        "   ├─ NP",
        "   │  ├─ DT ~The~",
        "   │  └─ NN sun",
        "   ├─ VP",
        "   │  └─ VBZ shines",
        "   └─ . ~.~",
    ]


def test_a_dependency_tree_reads_in_the_order_of_its_words() -> None:
    words = ["The", "man", "in", "the", "boat", "saw", "a", "shark", "."]
    assert draw_dependencies(words, (1, 5, 1, 4, 2, -1, 7, 5, 5), kept=[1, 5, 6, 7]).split("\n") == [
        "   ┌─ ~The~",
        "┌─ man",
        "│  └─ ~in~",
        "│     │  ┌─ ~the~",
        "│     └─ ~boat~",
        "saw",
        "│  ┌─ a",
        "├─ shark",
        "└─ ~.~",
    ]


def test_a_tree_that_is_not_projective_has_numbers() -> None:
    words = ["A", "hearing", "is", "scheduled", "on", "it", "today"]
    drawn = draw_dependencies(words, (1, 2, -1, 2, 1, 4, 3))
    assert drawn.split("\n") == [
        "   ┌─ 1 A",
        "┌─ 2 hearing",
        "│  └─ 5 on",
        "│     └─ 6 it",
        "3 is",
        "└─ 4 scheduled",
        "   └─ 7 today",
    ]


@given(trees(word=st.sampled_from("abcdef")))
def test_every_node_has_its_line_and_its_depth(tree) -> None:
    lines = draw_tree(tree).translate(LINES).split("\n")
    assert [line.split()[0] for line in lines] == list(tree.labels)
    indents = [(len(line) - len(line.lstrip())) // 3 for line in lines]
    for node, parent in enumerate(tree.parents):
        assert indents[node] == (0 if parent < 0 else indents[parent] + 1)


@given(head_sequences())
def test_heads_can_be_read_off_the_drawing(heads) -> None:
    """The head of a line is the nearest line, on the side its connector points to, one level further out."""
    words = [f"w{index}" for index in range(len(heads))]
    lines = draw_dependencies(words, heads).split("\n")
    order = [int(re.search(r"w(\d+)", line)[1]) for line in lines]
    levels = [(len(line) - len(line.translate(LINES).lstrip())) // 3 for line in lines]
    found = [-1] * len(heads)
    for row, level in enumerate(levels):
        if not level:
            continue
        column = 3 * (level - 1)
        end = row
        while lines[end][column] in "┌├│└":
            # Follow the vertical line to its open end, which is where the head stands.
            end += 1 if _points_down(lines, row, column) else -1
        found[order[row]] = order[end]
    assert tuple(found) == heads


def _points_down(lines, row, column):
    start = row
    while start > 0 and len(lines[start - 1]) > column and lines[start - 1][column] in "┌├│":
        start -= 1
    return lines[start][column] == "┌"


def test_relations_stand_in_a_column() -> None:
    drawn = draw_dependencies(["Stars", "fell"], (1, -1), relations=("nsubj", "root"))
    assert drawn.split("\n") == ["┌─ Stars   nsubj", "fell       root"]


def test_nothing_draws_as_nothing() -> None:
    assert draw_dependencies([], [], relations=[]) == ""


def test_bad_input_raises() -> None:
    with pytest.raises(LaconicError, match="cycle"):
        draw_dependencies(["a", "b"], (1, 0))
    with pytest.raises(LaconicError, match="1 words but 2 heads"):
        draw_dependencies(["a"], (-1, 0))
    with pytest.raises(LaconicError, match="1 words but 0 relations"):
        draw_dependencies(["a"], (-1,), relations=())


def test_long_sentences_are_drawn_without_recursion() -> None:
    count = 3_000
    assert draw_dependencies(["w"] * count, [*range(1, count), -1]).count("\n") == count - 1
    tree = parse_tree("(NP (DT a) " * count + "(NN end)" + ")" * count)
    assert draw_tree(tree).count("\n") == 2 * count
