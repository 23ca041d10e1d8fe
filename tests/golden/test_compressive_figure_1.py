"""The compressive parse of "Sentence Compression as Dependency Parsing", Figure 1, as its caption fixes it.

The caption names four of ten words by their places, all arcs and all bigrams of the parse; the other words it omits.
"""

from itertools import pairwise

import numpy as np
import pytest

from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit, Solution
from laconic.trees.drawing import draw_dependencies
from laconic.trees.svg import dependencies_to_svg

WORDS = 10
SHORT = ["Production", "closed", "for", "Christmas"]
PLACES = (1, 3, 7, 9)
ARCS = {(0, 3), (3, 1), (3, 7), (7, 9)}  # y: head and dependent; 0 is the root
BIGRAMS = {(0, 1), (1, 3), (3, 7), (7, 9), (9, 11)}  # z: neighbours; 0 is the start, 11 the end


def figure_scores():
    """Scores that prefer the arcs and bigrams of the figure and pay 1 for every other one."""
    arc, bigram = np.full((WORDS + 1, WORDS + 1), -1.0), np.full((WORDS + 2, WORDS + 2), -1.0)
    arc[tuple(zip(*ARCS, strict=True))] = 1.0
    bigram[tuple(zip(*BIGRAMS, strict=True))] = 1.0
    return arc, bigram


def parts(solution: Solution) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The arcs and bigrams that a solution sets to 1."""
    places = [word + 1 for word in solution.kept]
    heads = [0 if head == -1 else places[head] for head in solution.heads]
    return set(zip(heads, places, strict=True)), set(pairwise([0, *places, WORDS + 1]))


@pytest.mark.parametrize("order", ["first", "second"])
@pytest.mark.parametrize(
    "limit", [None, Limit(4, 4), Limit(0, 8, (2,) * WORDS)], ids=["free", "words", "costs"]
)
def test_the_figure_comes_out_with_all_its_arcs_and_bigrams(order: str, limit) -> None:
    arc, bigram = figure_scores()
    sibling = np.zeros((len(arc),) * 3) if order == "second" else None
    solution = CompressiveParser(arc, bigram, sibling=sibling).best(limit=limit)
    assert parts(solution) == (ARCS, BIGRAMS)
    assert len(solution.kept) == 4  # the figure's ‖z‖₁, which counts the kept words
    assert solution.score == pytest.approx(len(ARCS) + len(BIGRAMS))


def test_the_figure_is_drawn() -> None:
    solution = CompressiveParser(*figure_scores()).best()
    assert draw_dependencies(SHORT, solution.heads).splitlines() == [  # type: ignore[arg-type]
        "┌─ Production",
        "closed",
        "└─ for",
        "   └─ Christmas",
    ]
    picture = dependencies_to_svg(SHORT, solution.heads)  # type: ignore[arg-type]
    assert all(f">{word}</text>" in picture for word in SHORT)


def test_every_other_length_is_worse_and_exact() -> None:
    frontier = CompressiveParser(*figure_scores()).frontier()
    assert int(np.argmax(frontier.scores)) == len(PLACES)
    for length in range(1, WORDS + 1):
        assert len(frontier.solution(length).kept) == length
        assert frontier.scores[length] < 9 or length == len(PLACES)


def test_second_order_scores_can_forbid_the_figure() -> None:
    arc, bigram = figure_scores()
    sibling = np.zeros((len(arc),) * 3)
    sibling[3, 3, 7] = -100.0  # "for" as the first dependent of "closed" on its right
    solution = CompressiveParser(arc, bigram, sibling=sibling).best(limit=Limit(4, 4))
    assert [word + 1 for word in solution.kept] == list(PLACES)
    assert parts(solution)[0] != ARCS
