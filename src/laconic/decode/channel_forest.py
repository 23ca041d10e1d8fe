"""From a parsed sentence to the forest of the short trees that may have drop_scores into it, by a noisy channel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.grammar.noisy_channel import ChannelModel
from laconic.trees.constituency import Tree
from laconic.trees.transform import bare_label

WIDEST = 7
"""A phrase with more children is scored as if nothing like it was seen, unless a template fits."""

MOST_COUNTED = 60
"""Children of a phrase of which those kept are counted; those of a wider one have a price."""

_DISTANCES = (0, 2, 7, 18, 40, 80, 160)  # from both ends, of the lines that replace a curve


def channel_forest(model: ChannelModel, tree: Tree) -> Hypergraph:
    """Every non-empty subset of the words, scored by ln p(short tree) + ln p(long tree | short tree).

    A phrase of up to `WIDEST` children has an edge for each subset of them. A wider one has an edge for all
    its children, one for the leftmost place of each template that was seen for it, and a chain over (children
    decided, children kept) for the rest: so every subset is there, and the best of its scores counts. Of a phrase
    with hundreds of children, such as a list, these would be too many: what is a curve over their number is replaced
    by straight lines below it, each of which is a price for every child that stays.
    """
    builder = ForestBuilder(range(len(tree.words)))
    inserted = model.log_inserted(tree)
    nodes = [builder.node(node) for node in range(len(tree.labels))]
    for node, label in enumerate(tree.labels):
        below = tree.children(node)
        if not below:
            builder.edge(nodes[node], emits=[tree.starts[node]])
            continue
        name, children = bare_label(label), tuple(bare_label(tree.labels[child]) for child in below)
        drop_scores = [inserted[child] for child in below]
        wide = len(below) > WIDEST
        for kept in _seen(model, name, children) if wide else _subsets(len(below)):
            score = (
                model.log_rule(name, children, kept)
                + sum(drop_scores)
                - sum(drop_scores[place] for place in kept)
            )
            tails = [nodes[below[place]] for place in kept]
            while len(tails) > MOST_COUNTED:  # an edge of hundreds of tails makes room for as many in all
                *tails, before, last = tails
                tails.append(builder.node((node, len(kept), len(tails))))
                builder.edge(tails[-1], [before, last])
            builder.edge(nodes[node], tails, score=score)
        if wide:
            kept_nodes = [nodes[child] for child in below]
            unseen = [model.log_unseen(name, children, count) for count in range(1, len(below) + 1)]
            if len(below) <= MOST_COUNTED:
                _add_chain(builder, nodes[node], node, kept_nodes, drop_scores)
                for count, score in enumerate(unseen, start=1):
                    builder.edge(builder.node((node, len(below), count)), score=score)
            else:
                for line, (start, price) in enumerate(_lines_below(unseen)):
                    silent = builder.node((node, line))
                    builder.edge(nodes[node], [silent], score=start)
                    _add_priced_chain(builder, silent, (node, line), kept_nodes, drop_scores, price)
    return builder.build(nodes[0])


def _subsets(count: int) -> Iterator[tuple[int, ...]]:
    # All children first: among equals, the forest prefers what comes first.
    for size in range(count, 0, -1):
        yield from combinations(range(count), size)


def _seen(model: ChannelModel, label: str, children: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    """All children, and the leftmost places of every short phrase that was seen to expand to them."""
    yield tuple(range(len(children)))
    for target in model.short_phrases(label, children):
        if target != children:
            places: list[int] = []
            for wanted in target:
                places.append(children.index(wanted, places[-1] + 1 if places else 0))
            yield tuple(places)


def _add_chain(
    builder: ForestBuilder, head: int, node: int, below: list[int], drop_scores: list[float]
) -> None:
    """Keep or drop one child after the other; what stays is counted, and is not nothing."""
    states = {0: head}
    for place, (child, drop_score) in enumerate(zip(below, drop_scores, strict=True), start=1):
        following: dict[int, int] = {}
        for count, state in states.items():
            following[count + 1] = builder.node((node, place, count + 1))
            builder.edge(state, [child, following[count + 1]])
            if count or place < len(below):
                following.setdefault(count, builder.node((node, place, count)))
                builder.edge(state, [following[count]], score=drop_score)
        states = following


def _add_priced_chain(
    builder: ForestBuilder,
    silent: int,
    key: tuple[int, int],
    below: list[int],
    drop_scores: list[float],
    price: float,
) -> None:
    """Keep or drop one child after the other, each at a price; not all are dropped."""
    speaking = -1
    for place, (child, drop_score) in enumerate(zip(below, drop_scores, strict=True), start=1):
        following = builder.node((*key, place, True))
        builder.edge(silent, [child, following], score=price)
        if speaking >= 0:
            builder.edge(speaking, [child, following], score=price)
            builder.edge(speaking, [following], score=drop_score)
        if place < len(below):
            still = builder.node((*key, place, False))
            builder.edge(silent, [still], score=drop_score)
            silent = still
        speaking = following
    builder.edge(speaking)


def _lines_below(values: list[float]) -> Iterator[tuple[float, float]]:
    """The (value at 0, slope) of lines that touch a curve over 1, 2, …, and are nowhere above it.

    They are closer to each other at both ends, where a logarithm of a binomial coefficient bends most.

    >>> [(round(start), round(slope)) for start, slope in _lines_below([1.0, 4.0, 9.0, 16.0])]
    [(-2, 3), (-12, 7)]
    """
    last = len(values) - 2
    ends = [distance for distance in _DISTANCES if 2 * distance <= last]
    for place in dict.fromkeys((*ends, *(last - distance for distance in reversed(ends)))):
        slope = values[place + 1] - values[place]
        yield min(value - slope * count for count, value in enumerate(values, start=1)), slope
