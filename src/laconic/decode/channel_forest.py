"""From a parsed sentence to the forest of the short trees that may have grown into it, by a noisy channel."""

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


def channel_forest(model: ChannelModel, tree: Tree) -> Hypergraph:
    """Every non-empty subset of the words, scored by ln p(short tree) + ln p(long tree | short tree).

    A phrase of up to `WIDEST` children has an edge for each subset of them. A wider one has an edge for all
    its children, one for the leftmost place of each template that was seen for it, and a chain over (children
    decided, children kept) for the rest: so every subset is there, and the best of its scores counts.
    """
    builder = ForestBuilder(range(len(tree.words)))
    growth = model.log_growth(tree)
    nodes = [builder.node(node) for node in range(len(tree.labels))]
    for node, label in enumerate(tree.labels):
        below = tree.children(node)
        if not below:
            builder.edge(nodes[node], emits=[tree.starts[node]])
            continue
        name, children = bare_label(label), tuple(bare_label(tree.labels[child]) for child in below)
        grown = [growth[child] for child in below]
        wide = len(below) > WIDEST
        for kept in _seen(model, name, children) if wide else _subsets(len(below)):
            dropped = sum(grown) - sum(grown[place] for place in kept)
            builder.edge(
                nodes[node],
                [nodes[below[place]] for place in kept],
                score=model.log_rule(name, children, kept) + dropped,
            )
        if wide:
            _add_chain(builder, nodes[node], node, [nodes[child] for child in below], grown)
            for count in range(1, len(below) + 1):
                last = builder.node((node, len(below), count))
                builder.edge(last, score=model.log_unseen(name, children, count))
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


def _add_chain(builder: ForestBuilder, head: int, node: int, below: list[int], grown: list[float]) -> None:
    """Keep or drop one child after the other; what stays is counted, and is not nothing."""
    states = {0: head}
    for place, (child, drop_score) in enumerate(zip(below, grown, strict=True), start=1):
        following: dict[int, int] = {}
        for count, state in states.items():
            following[count + 1] = builder.node((node, place, count + 1))
            builder.edge(state, [child, following[count + 1]])
            if count or place < len(below):
                following.setdefault(count, builder.node((node, place, count)))
                builder.edge(state, [following[count]], score=drop_score)
        states = following
