from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.formats.penn import parse_tree
from laconic.trees.svg import arc_levels, dependencies_to_svg, tree_to_svg
from tests.strategies import head_sequences, trees

NAMESPACE = "{http://www.w3.org/2000/svg}"


def elements(svg, name):
    return list(ET.fromstring(svg).iter(NAMESPACE + name))


def texts(svg):
    return [element.text for element in elements(svg, "text")]


@given(trees())
def test_every_label_and_word_is_drawn(tree) -> None:
    svg = tree_to_svg(tree)
    assert texts(svg) == [*tree.labels, *tree.words]
    assert len(elements(svg, "line")) == len(tree.labels) - 1


@given(trees(), st.data())
def test_what_is_dropped_is_struck(tree, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.sampled_from(range(len(tree.words)))))
    struck = [
        element.text for element in elements(tree_to_svg(tree, kept=kept), "text") if is_struck(element)
    ]
    assert struck == [word for index, word in enumerate(tree.words) if index not in kept]


def is_struck(element):
    return element.get("text-decoration") == "line-through"


def test_words_do_not_overlap_and_stay_inside() -> None:
    tree = parse_tree("(S (NP (DT The) (NN extraordinarily-long-word)) (VP (VBD 東京)))")
    svg = tree_to_svg(tree)
    places = [float(element.get("x")) for element in elements(svg, "text")[-3:]]
    assert places == sorted(places)
    assert places[1] - places[0] > 8 * len("extraordinarily-long-word") / 2
    assert places[-1] < float(ET.fromstring(svg).get("width"))  # type: ignore[arg-type]


@given(head_sequences())
def test_dependencies_are_drawn(heads) -> None:
    words = [f"w{index}" for index in range(len(heads))]
    relations = [f"r{index}" for index in range(len(heads))]
    svg = dependencies_to_svg(words, heads, relations=relations, kept=[0])
    assert texts(svg) == [*relations, *words]
    assert len(elements(svg, "path")) == 2 * len(heads)  # an arc and an arrowhead each
    assert sum(map(is_struck, elements(svg, "text"))) == len(heads) - 1


@given(head_sequences())
def test_arcs_that_overlap_lie_on_different_levels(heads) -> None:
    levels = arc_levels(heads)
    arcs = [(min(word, head), max(word, head), levels[word]) for word, head in enumerate(heads) if head >= 0]
    for index, (first, last, level) in enumerate(arcs):
        for other_first, other_last, other_level in arcs[:index]:
            if max(first, other_first) < min(last, other_last):
                assert level != other_level
                if first <= other_first and other_last <= last and (first, last) != (other_first, other_last):
                    assert level > other_level
    assert all(
        levels[word] > max((arc[2] for arc in arcs), default=0) for word, head in enumerate(heads) if head < 0
    )


@pytest.mark.parametrize("word", ["<&>", '"', "\ud800", "\x00", "\uffff", "]]>"])
def test_any_word_gives_well_formed_xml(word: str) -> None:
    tree = parse_tree("(NN x)")
    odd = type(tree)((word,), tree.parents, tree.starts, tree.ends, (word,))
    shown = "\ufffd" if word in ("\ud800", "\x00", "\uffff") else word
    svg = tree_to_svg(odd)
    assert texts(svg) == [shown, shown]
    assert svg.encode()
    assert texts(dependencies_to_svg([word], [-1], relations=[word])) == [shown, shown]


def test_nothing_draws_as_an_empty_picture() -> None:
    assert texts(dependencies_to_svg([], [])) == []


def test_bad_input_raises() -> None:
    with pytest.raises(LaconicError, match="root"):
        dependencies_to_svg(["a", "b"], (-1, -1))
    with pytest.raises(LaconicError, match="2 words but 1 heads"):
        dependencies_to_svg(["a", "b"], (-1,))
