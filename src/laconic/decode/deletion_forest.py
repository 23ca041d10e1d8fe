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

from laconic.arrays import Float64, Int32, Int64
from laconic.forest.assembly import assemble
from laconic.forest.edges import EdgeArrays, Pools
from laconic.forest.hypergraph import Hypergraph, slot
from laconic.forest.shape import as_int64
from laconic.grammar.context_tree import ContextArrays, deepest
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
_NODES, _EDGES, _TAILS = 0, 1, 2  # what `sizes` counts
_TEMPLATES = ((), (slot(0),), (slot(0), slot(1)), (slot(0), slot(1), slot(2)), (slot(1), slot(0)))


class _Edges(NamedTuple):
    """Edges under construction, the tails of edge e being tails[tail_starts[e] : tail_starts[e + 1]]."""

    heads: Int32
    templates: Int32
    tail_starts: Int32
    tails: Int32
    scores: Float64
    sizes: Int64


def deletion_forest(grammar: MarkovGrammar, tree: Tree) -> Hypergraph:
    """Every non-empty subset of the words of a tree, scored by ln p of equation 7 summed over what stays.

    Its size grows with 2^s for sister order s, and linearly with the tree.
    """
    lexical = grammar.lexicon.lexicalise(tree)
    nodes, heads, templates, tail_starts, tails, scores = _deletions(
        lexical, grammar.distributions, grammar.options.sisters, grammar.options.ancestors
    )
    words = np.arange(len(tree.words), dtype=np.int32)
    lengths = [*map(len, _TEMPLATES), *(1 for _ in tree.words)]
    return assemble(
        0,
        node_count=nodes,
        edges=EdgeArrays(
            heads=heads,
            tail_starts=tail_starts,
            tails=tails,
            scores=scores,
            templates=templates,
            feature_rows=np.zeros(len(heads), np.int32),
            origins=np.zeros(len(heads), np.int32),
        ),
        pools=Pools(
            item_starts=np.cumsum([0, *lengths], dtype=np.int32),
            items=np.array([*(item for items in _TEMPLATES for item in items), *words], dtype=np.int32),
            feature_starts=np.zeros(2, np.int32),
            feature_indices=np.zeros(0, np.int32),
            feature_values=np.zeros(0),
            symbol_words=words,
        ),
    )


@kernel
def _deletions(
    tree: LexicalTree, grammar: Distributions, sisters: int, ancestors: int
) -> tuple[int, Int32, Int32, Int32, Int32, Float64]:
    # Of each modifier: keep and drop after every history, for a kept and a dropped head, and in B.
    most = len(tree.parents) * (4 * (1 << sisters) + 2 + 3)
    sizes = np.zeros(3, np.int64)
    sizes[_NODES] = len(tree.parents)
    edges = _Edges(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.zeros(most + 1, np.int32),
        np.empty(3 * most, np.int32),
        np.empty(most),
        sizes,
    )
    # A kernel is compiled once more for every constant that it is given as such: these are none.
    no_tail, left_side, right_side = as_int64(-1), as_int64(LEFT_SIDE), as_int64(RIGHT_SIDE)
    kept, dropped, first_word = as_int64(KEPT), as_int64(DROPPED), as_int64(_FIRST_WORD)
    context = np.empty(context_width(sisters, ancestors), np.int32)
    for node in range(len(tree.parents)):
        head = as_int64(tree.head_children[node])
        if head < 0:
            _add(edges, node, first_word + tree.starts[node], no_tail, no_tail, no_tail, 0.0)
            continue
        fill_phrase(context, tree, node, ancestors)
        of_head = grammar.head.log_probabilities[deepest(grammar.head, context)]
        lefts, rights = side_modifiers(tree, node, left_side), side_modifiers(tree, node, right_side)
        # The head stays: [A of the left] head [A of the right].
        before, _, _ = _side(edges, context, tree, grammar.left, lefts, left_side, kept, sisters, ancestors)
        after, _, _ = _side(edges, context, tree, grammar.right, rights, right_side, kept, sisters, ancestors)
        template = as_int64(_ONE + (before >= 0) + (after >= 0))
        _add(edges, node, template, before, head, after, of_head[KEPT])
        # The head goes: B of the left with A of the right, or nothing on the left with B of the right.
        any_right, some_right, _ = _side(
            edges, context, tree, grammar.right, rights, right_side, dropped, sisters, ancestors
        )
        _, some_left, none_left = _side(
            edges, context, tree, grammar.left, lefts, left_side, dropped, sisters, ancestors
        )
        if some_left >= 0:
            template = as_int64(_ONE + (any_right >= 0))
            _add(edges, node, template, some_left, any_right, no_tail, of_head[DROPPED])
        if some_right >= 0:
            _add(edges, node, as_int64(_ONE), some_right, no_tail, no_tail, of_head[DROPPED] + none_left)
    count = sizes[_EDGES]
    return (
        sizes[_NODES],
        edges.heads[:count].copy(),
        edges.templates[:count].copy(),
        edges.tail_starts[: count + 1].copy(),
        edges.tails[: sizes[_TAILS]].copy(),
        edges.scores[:count].copy(),
    )


@kernel
def _side(
    edges: _Edges,
    context: Int32,
    tree: LexicalTree,
    distribution: ContextArrays,
    modifiers: Int32,
    side: int,
    head_kept: int,
    sisters: int,
    ancestors: int,
) -> tuple[int, int, float]:
    """Add one side of a phrase; return the nodes A(1) and B(1) and the score of dropping all.

    Both are -1 where there are no modifiers; B is -1 too if the head stays: then nothing else has to.
    """
    no_tail, one, empty = as_int64(-1), as_int64(_ONE), as_int64(_EMPTY)
    both = as_int64(_REVERSED if side == LEFT_SIDE else _TWO)
    window = (1 << sisters) - 1
    following, here = np.full(window + 1, -1), np.full(window + 1, -1)  # A(i + 1, history), A(i, history)
    some, none = as_int64(-1), 0.0
    for place in range(len(modifiers) - 1, -1, -1):
        modifier = as_int64(modifiers[place])
        last = place == len(modifiers) - 1
        keeping, dropping = (one, empty) if last else (both, one)
        for history in range(1 << min(sisters, place)):
            fill_modifier(context, tree, modifiers, place, head_kept, history, sisters, ancestors)
            scores = distribution.log_probabilities[deepest(distribution, context)]
            after_keep, after_drop = following[(history << 1 | 1) & window], following[history << 1 & window]
            here[history] = _new_node(edges)
            _add(edges, here[history], keeping, modifier, after_keep, no_tail, scores[KEPT])
            _add(edges, here[history], dropping, after_drop, no_tail, no_tail, scores[DROPPED])
            if history == 0 and head_kept == DROPPED:
                node = _new_node(edges)
                _add(edges, node, keeping, modifier, after_keep, no_tail, scores[KEPT])
                if not last:
                    _add(edges, node, one, some, no_tail, no_tail, scores[DROPPED])
                some = node
                none += scores[DROPPED]
        for history in range(window + 1):
            following[history] = here[history]
    return following[0], some, none


@kernel
def _new_node(edges: _Edges) -> int:
    edges.sizes[_NODES] += 1
    return int(edges.sizes[_NODES]) - 1


@kernel
def _add(edges: _Edges, head: int, template: int, first: int, second: int, third: int, score: float) -> None:
    """Add an edge; tails of -1 are none."""
    edge = edges.sizes[_EDGES]
    edges.heads[edge], edges.templates[edge], edges.scores[edge] = head, template, score
    for tail in (first, second, third):
        if tail >= 0:
            edges.tails[edges.sizes[_TAILS]] = tail
            edges.sizes[_TAILS] += 1
    edges.sizes[_EDGES] += 1
    edges.tail_starts[edge + 1] = edges.sizes[_TAILS]
