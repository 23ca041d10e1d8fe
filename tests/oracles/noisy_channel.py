"""The noisy channel by its definition: the score of one set of kept words, phrase by phrase."""

from __future__ import annotations

import math
from collections.abc import Collection

from laconic.grammar.noisy_channel import ChannelModel
from laconic.trees.constituency import Tree


def production(model: ChannelModel, label: str, children: tuple[str, ...]) -> float:
    """p(children | label)."""
    seen = dict(model.grammar.counts.get(label, {}))
    base = (0.5 / model.grammar.label_count) ** len(children)
    if not seen:
        return base
    return (seen.get(children, 0) + len(seen) * base) / (sum(seen.values()) + len(seen))


def expansion(model: ChannelModel, label: str, short: tuple[str, ...], long: tuple[str, ...]) -> float:
    """p(long | label, short)."""
    seen = dict(model.templates.get((label, short), {}))
    new = len(long) - len(short)
    base = 0.5 ** (new + 1) / model.grammar.label_count**new / math.comb(len(long), new)
    if not seen:
        return base
    return (seen.get(long, 0) + len(seen) * base) / (sum(seen.values()) + len(seen))


def score(model: ChannelModel, tree: Tree, words: Collection[int], node: int = 0) -> float:
    """ln p(short tree, long tree) below a node that stays."""
    children = tree.children(node)
    if not children:
        return 0.0
    kept = [c for c in children if any(tree.starts[c] <= word < tree.ends[c] for word in words)]
    long, short = (tuple(tree.labels[child] for child in each) for each in (children, kept))
    label = tree.labels[node]
    total = math.log(production(model, label, short)) + math.log(expansion(model, label, short, long))
    for child in children:
        total += score(model, tree, words, child) if child in kept else inserted(model, tree, child)
    return total


def inserted(model: ChannelModel, tree: Tree, node: int) -> float:
    """ln p of an inserted part."""
    children = tree.children(node)
    if not children:
        return 0.0
    rule = production(model, tree.labels[node], tuple(tree.labels[child] for child in children))
    return math.log(rule) + sum(inserted(model, tree, child) for child in children)
