"""From a parsed sentence to the forest of all its deletions, scored by a Markov grammar.

A phrase that stays keeps at least one child, so each set of kept words has exactly one derivation: a phrase
stays if and only if one of its words does. The forest's nodes are the phrases and words that stay, and for
each side of a phrase's head, from the head outwards,

    A(i, history) = keep the i-th modifier, then A(i + 1, …), or drop it, then A(i + 1, …),

where the history holds the last s decisions; and, if the head is dropped, B(i): all before the i-th modifier
are dropped, and at least one from there on stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.forest.assembly import Pools, assemble
from laconic.forest.hypergraph import Hypergraph, slot
from laconic.forest.shape import Floats, Indices
from laconic.grammar.context_tree import ContextArrays, Numbers, deepest
from laconic.grammar.markov import (
    DROPPED,
    KEPT,
    LEFT_SIDE,
    RIGHT_SIDE,
    Distributions,
    LexicalTree,
    MarkovGrammar,
    context_width,
    fill_modifier,
    fill_phrase,
    side_modifiers,
)
from laconic.kernel import kernel
from laconic.trees.constituency import Tree

# Templates: nothing, one to three tails in order, two tails in reverse; the words follow.
_EMPTY, _ONE, _TWO, _THREE, _REVERSED = range(5)
_FIRST_WORD = 5
_TEMPLATES = ((), (slot(0),), (slot(0), slot(1)), (slot(0), slot(1), slot(2)), (slot(1), slot(0)))


class _Edges(NamedTuple):
    """Edges under construction; `sizes` counts nodes, edges and tails."""

    heads: Indices
    tail_starts: Indices
    tails: Indices
    scores: Floats
    templates: Indices
    sizes: Indices


def deletion_forest(grammar: MarkovGrammar, tree: Tree) -> Hypergraph:
    """Every non-empty subset of the words of a tree, scored by ln p of equation 7 summed over what stays.

    Its size grows with 2^s for sister order s, and linearly with the tree.
    """
    lexical = grammar.lexicon.lexicalise(tree)
    edges = _deletions(lexical, grammar.distributions, grammar.options.sisters, grammar.options.ancestors)
    nodes, count, _ = edges.sizes.tolist()
    words = np.arange(len(tree.words), dtype=np.int32)
    rows = np.zeros(count, dtype=np.int32)
    lengths = [*map(len, _TEMPLATES), *(1 for _ in tree.words)]
    return assemble(
        0,
        node_count=nodes,
        heads=edges.heads,
        tail_starts=edges.tail_starts,
        tails=edges.tails,
        scores=edges.scores,
        templates=edges.templates,
        feature_rows=rows,
        origins=rows,
        pools=Pools(
            item_starts=np.cumsum([0, *lengths], dtype=np.int32),
            items=np.array([*(item for items in _TEMPLATES for item in items), *words], dtype=np.int32),
            feature_starts=np.zeros(2, dtype=np.int32),
            feature_indices=np.zeros(0, dtype=np.int32),
            feature_values=np.zeros(0),
            symbol_words=words,
        ),
    )


@kernel
def _deletions(tree: LexicalTree, grammar: Distributions, sisters: int, ancestors: int) -> _Edges:
    # Of each modifier: keep and drop after every history, for a kept and a dropped head, and in B.
    most = len(tree.parents) * (4 * (1 << sisters) + 2 + 3)
    edges = _Edges(
        np.empty(most, dtype=np.int32),
        np.zeros(most + 1, dtype=np.int32),
        np.empty(3 * most, dtype=np.int32),
        np.empty(most),
        np.empty(most, dtype=np.int32),
        np.array([len(tree.parents), 0, 0], dtype=np.int32),
    )
    tails = np.empty(3, dtype=np.int32)
    context = np.empty(context_width(sisters, ancestors), dtype=np.int32)
    for node in range(len(tree.parents)):
        head = tree.head_children[node]
        if head < 0:
            _add(edges, node, tails, 0, 0.0, _FIRST_WORD + tree.starts[node])
            continue
        fill_phrase(context, tree, node, ancestors)
        of_head = grammar.head.log_probabilities[deepest(grammar.head, context)]
        lefts, rights = side_modifiers(tree, node, LEFT_SIDE), side_modifiers(tree, node, RIGHT_SIDE)
        # The head stays: [A of the left] head [A of the right].
        count = 0
        if len(lefts):
            tails[count], _, _ = _side(
                edges, context, tree, grammar.left, lefts, LEFT_SIDE, KEPT, sisters, ancestors
            )
            count += 1
        tails[count] = head
        count += 1
        if len(rights):
            tails[count], _, _ = _side(
                edges, context, tree, grammar.right, rights, RIGHT_SIDE, KEPT, sisters, ancestors
            )
            count += 1
        _add(edges, node, tails, count, of_head[KEPT], _EMPTY + count)
        # The head goes: B of the left with A of the right, or nothing on the left with B of the right.
        none_left = 0.0
        any_right, some_right = -1, -1
        if len(rights):
            any_right, some_right, _ = _side(
                edges, context, tree, grammar.right, rights, RIGHT_SIDE, DROPPED, sisters, ancestors
            )
        if len(lefts):
            _, some_left, none_left = _side(
                edges, context, tree, grammar.left, lefts, LEFT_SIDE, DROPPED, sisters, ancestors
            )
            tails[0], tails[1] = some_left, any_right
            count = 1 if any_right < 0 else 2
            _add(edges, node, tails, count, of_head[DROPPED], _EMPTY + count)
        if some_right >= 0:
            tails[0] = some_right
            _add(edges, node, tails, 1, of_head[DROPPED] + none_left, _ONE)
    _, count, tail_count = edges.sizes
    return _Edges(
        edges.heads[:count].copy(),
        edges.tail_starts[: count + 1].copy(),
        edges.tails[:tail_count].copy(),
        edges.scores[:count].copy(),
        edges.templates[:count].copy(),
        edges.sizes,
    )


@kernel
def _side(
    edges: _Edges,
    context: Numbers,
    tree: LexicalTree,
    distribution: ContextArrays,
    modifiers: Numbers,
    side: int,
    head_kept: int,
    sisters: int,
    ancestors: int,
) -> tuple[int, int, float]:
    """Add one side of a phrase; return the nodes A(1) and B(1) and the score of dropping all.

    B is -1 if the head stays: then nothing else has to.
    """
    both = _REVERSED if side == LEFT_SIDE else _TWO
    tails = np.empty(3, dtype=np.int32)
    window = (1 << sisters) - 1
    following = np.full(window + 1, -1, dtype=np.int32)  # A(i + 1, history)
    here = np.full(window + 1, -1, dtype=np.int32)
    some, none = -1, 0.0
    for place in range(len(modifiers) - 1, -1, -1):
        modifier = modifiers[place]
        last = place == len(modifiers) - 1
        for history in range(1 << min(sisters, place)):
            fill_modifier(context, tree, modifiers, place, head_kept, history, sisters, ancestors)
            scores = distribution.log_probabilities[deepest(distribution, context)]
            after_keep, after_drop = following[(history << 1 | 1) & window], following[history << 1 & window]
            node = _new_node(edges)
            here[history] = node
            tails[0], tails[1] = modifier, after_keep
            _add(edges, node, tails, 1 if last else 2, scores[KEPT], _ONE if last else both)
            tails[0] = after_drop
            _add(edges, node, tails, 0 if last else 1, scores[DROPPED], _EMPTY if last else _ONE)
            if history == 0 and head_kept == DROPPED:
                node = _new_node(edges)
                tails[0], tails[1] = modifier, after_keep
                _add(edges, node, tails, 1 if last else 2, scores[KEPT], _ONE if last else both)
                if not last:
                    tails[0] = some
                    _add(edges, node, tails, 1, scores[DROPPED], _ONE)
                some = node
                none += scores[DROPPED]
        following[:] = here
    return following[0], some, none


@kernel
def _new_node(edges: _Edges) -> int:
    edges.sizes[0] += 1
    return int(edges.sizes[0]) - 1


@kernel
def _add(edges: _Edges, head: int, tails: Indices, count: int, score: float, template: int) -> None:
    edge, first = edges.sizes[1], edges.sizes[2]
    edges.heads[edge], edges.scores[edge], edges.templates[edge] = head, score, template
    for i in range(count):
        edges.tails[first + i] = tails[i]
    edges.sizes[1] += 1
    edges.sizes[2] += count
    edges.tail_starts[edge + 1] = first + count
