"""The tree edit distance by the literal recursion over forests, and the cost of a mapping."""

from __future__ import annotations

from functools import cache
from typing import Any

from laconic.trees.constituency import Tree
from laconic.trees.edit_distance import TreeMapping

Forest = tuple[Any, ...]  # of (is it a word, label or word, forest below)


def nested(tree: Tree, node: int = 0) -> Any:
    children = tuple(nested(tree, child) for child in tree.children(node))
    return False, tree.labels[node], children or ((True, tree.words[tree.starts[node]], ()),)


def size(forest: Forest) -> int:
    return sum(1 + size(below) for _, _, below in forest)


@cache
def forest_distance(left: Forest, right: Forest) -> int:
    """The last root of either forest is deleted, inserted, or both are mapped to each other."""
    if not left or not right:
        return size(left) + size(right)
    (left_word, left_label, left_below), (right_word, right_label, right_below) = left[-1], right[-1]
    choices = [
        forest_distance(left[:-1] + left_below, right) + 1,
        forest_distance(left, right[:-1] + right_below) + 1,
    ]
    if left_word == right_word:
        choices.append(
            forest_distance(left[:-1], right[:-1])
            + forest_distance(left_below, right_below)
            + (left_label != right_label)
        )
    return min(choices)


def distance(source: Tree, target: Tree) -> int:
    return forest_distance((nested(source),), (nested(target),))


def mapping_cost(source: Tree, target: Tree, mapping: TreeMapping) -> int:
    """What a mapping deletes, inserts and substitutes."""
    size = len(source.labels) + len(source.words) + len(target.labels) + len(target.words)
    substitutions = sum(source.labels[a] != target.labels[b] for a, b in mapping.nodes)
    substitutions += sum(source.words[a] != target.words[b] for a, b in mapping.words)
    return size - 2 * (len(mapping.nodes) + len(mapping.words)) + substitutions


def keeps_structure(source: Tree, target: Tree, mapping: TreeMapping) -> bool:
    """Whether the mapping is one to one and keeps ancestors and the order from left to right."""

    def relation(tree: Tree, a: tuple[int, bool], b: tuple[int, bool]) -> str:
        spans = []
        for place, word in (a, b):
            start, end = (place, place + 1) if word else (tree.starts[place], tree.ends[place])
            depth = len(tree.labels) if word else place  # in preorder an ancestor comes first
            spans.append((start, end, depth))
        (start, end, depth), (other_start, other_end, other_depth) = spans
        if end <= other_start:
            return "left"
        if other_end <= start:
            return "right"
        if depth == other_depth:
            return "same"
        return "above" if depth < other_depth else "below"

    pairs = [((a, False), (b, False)) for a, b in mapping.nodes]
    pairs += [((a, True), (b, True)) for a, b in mapping.words]
    return all(
        relation(source, a, other_a) == relation(target, b, other_b)
        for a, b in pairs
        for other_a, other_b in pairs
    )
