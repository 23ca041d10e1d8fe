"""The worked example of the compressive parsing paper: its Figure 1."""

import numpy as np
import pytest

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.trees.drawing import draw_dependencies
from laconic.trees.svg import dependencies_to_svg

SENTENCE = "Production was closed down at Ford last night for the Christmas period ."
COMPRESSION = "Production closed for Christmas ."
WORDS, SHORT = SENTENCE.split(), COMPRESSION.split()
HEADS = {"Production": "closed", "closed": None, "for": "closed", "Christmas": "for", ".": "closed"}


def figure_scores():
    """Scores that prefer the arcs and bigrams of the figure and pay 1 for every other one."""
    position = {word: index + 1 for index, word in enumerate(WORDS)} | {None: 0}
    arc = np.full((len(WORDS) + 1,) * 2, -1.0)
    bigram = np.full((len(WORDS) + 2,) * 2, -1.0)
    for word, head in HEADS.items():
        arc[position[head], position[word]] = 1.0
    path = [0, *(position[word] for word in SHORT), len(WORDS) + 1]
    bigram[path[:-1], path[1:]] = 1.0
    return arc, bigram


@pytest.mark.parametrize("order", ["first", "second"])
@pytest.mark.parametrize("limit", [None, Limit(5, 5), Limit(0, 29, tuple(map(len, WORDS)))])
def test_the_figure_comes_out_with_its_tree(order, limit):
    arc, bigram = figure_scores()
    sibling = np.zeros((len(arc),) * 3) if order == "second" else None
    solution = CompressiveParser(arc, bigram, sibling=sibling).best(limit=limit)
    assert [WORDS[word] for word in solution.kept] == SHORT
    assert [None if head == -1 else SHORT[head] for head in solution.heads] == list(HEADS.values())
    assert solution.score == pytest.approx(5 + 6)


def test_the_figure_is_drawn():
    solution = CompressiveParser(*figure_scores()).best()
    assert draw_dependencies(SHORT, solution.heads).splitlines() == [
        "┌─ Production",
        "closed",
        "├─ for",
        "│  └─ Christmas",
        "└─ .",
    ]
    picture = dependencies_to_svg(SHORT, solution.heads)
    assert all(f">{word}</text>" in picture for word in SHORT)


def test_every_other_length_is_worse_and_exact():
    frontier = CompressiveParser(*figure_scores()).frontier()
    assert int(np.argmax(frontier.scores)) == 5
    for length in range(1, len(WORDS) + 1):
        assert len(frontier.solution(length).kept) == length
        assert frontier.scores[length] < 11 or length == 5


def test_second_order_scores_can_forbid_the_figure():
    arc, bigram = figure_scores()
    sibling = np.zeros((len(arc),) * 3)
    # "for" and "." as neighbouring right dependents of "closed"
    sibling[3, 9, 13] = -100.0
    solution = CompressiveParser(arc, bigram, sibling=sibling).best(limit=Limit(5, 5))
    assert [WORDS[word] for word in solution.kept] == SHORT
    assert solution.heads != (1, -1, 1, 2, 1)
