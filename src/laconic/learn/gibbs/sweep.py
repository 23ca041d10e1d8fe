"""Resampling what source nodes are aligned to, one after the other.

Yamangil & Shieber (2010), equations 5 to 7. Let e_M be the rule rooted at the closest aligned ancestor of a node while
the node is unaligned, e_A the rule of that ancestor and e_B the rule of the node while it is aligned. Then, with the
counts of all other rules,

    p(unaligned)      ∝  (n(e_M) + α P₀(e_M)) / (n(c_M) + α)
    p(aligned with j) ∝  (n(e_A) + α P₀(e_A)) / (n(c_A) + α)  ·  (n'(e_B) + α P₀(e_B)) / (n'(c_B) + α),

where n' counts e_A besides.
"""

from __future__ import annotations

import numpy as np

from laconic.arrays import Float64
from laconic.kernel import kernel
from laconic.learn.gibbs.corpus import EPSILON, UNALIGNED, FlatPairs, Nodes
from laconic.learn.gibbs.counts import Counts, add_rule, remove_rule
from laconic.learn.gibbs.hashing import DELETED_FIRST, DELETED_SECOND, LINKED_FIRST, LINKED_SECOND
from laconic.learn.gibbs.state import (
    Prior,
    RuleKey,
    State,
    align,
    bare_target,
    counts_of,
    deletion_rule,
    expanded_target,
    hashes_with_cut,
    log_predictive,
    root_above,
    rule_at,
    synchronous_rule,
    unalign,
)


@kernel
def sweep(
    arrays: FlatPairs,
    prior: Prior,
    state: State,
    counts: Counts,
    order: Nodes,
    temperature: float,
    generator: np.random.Generator,
) -> tuple[float, int]:
    """Resample the nodes in this order; returns how much ln p(rules) rose, and how many alignments changed.

    Conditionals are raised to the power 1 / temperature; at temperature 0 the most probable choice is taken, of
    several such the first.
    """
    longest = 0
    for i in order:
        longest = max(longest, arrays.bottoms[i] - arrays.tops[i])
    scores = np.empty(longest + 2, np.float64)
    choices = np.empty(longest + 2, np.int32)
    rise = 0.0
    moved = 0
    for i in order:
        before = state.alignment[i]
        root = root_above(arrays, state.alignment, i)
        merged = _take_out(arrays, prior, state, counts, i, root)
        scores[0] = log_predictive(prior, merged, counts_of(counts, merged))
        choices[0] = UNALIGNED
        size = 1
        if arrays.deletable[i]:
            scores[1] = _log_split(arrays, prior, state, counts, i, root, EPSILON)
            choices[1] = EPSILON
            size = 2
        else:
            j, highest = _partners(arrays, state, i, root)
            while j >= highest:
                scores[size] = _log_split(arrays, prior, state, counts, i, root, j)
                choices[size] = j
                size += 1
                j = arrays.target.parents[j]
        chosen = _draw(scores, size, temperature, generator)
        for k in range(size):
            if choices[k] == before:
                rise += scores[chosen] - scores[k]
        moved += choices[chosen] != before
        _put_back(arrays, prior, state, counts, i, root, choices[chosen], merged)
    return rise, moved


@kernel
def _take_out(
    arrays: FlatPairs, prior: Prior, state: State, counts: Counts, i: np.int32, root: np.int32
) -> RuleKey:
    """Take the rules that meet at a node out of the counts, and leave it unaligned; returns e_M."""
    if state.alignment[i] != UNALIGNED:
        below = rule_at(arrays, prior, state, i)
        above = rule_at(arrays, prior, state, root)
        remove_rule(counts, below[0], below[1], below[2])
        remove_rule(counts, above[0], above[1], above[2])
        unalign(arrays, prior, state, i, root)
        return rule_at(arrays, prior, state, root)
    merged = rule_at(arrays, prior, state, root)
    remove_rule(counts, merged[0], merged[1], merged[2])
    return merged


@kernel
def _put_back(
    arrays: FlatPairs,
    prior: Prior,
    state: State,
    counts: Counts,
    i: np.int32,
    root: np.int32,
    j: np.int32,
    merged: RuleKey,
) -> None:
    """Align a node, or leave it unaligned, and count the rules that meet there."""
    if j == UNALIGNED:
        add_rule(counts, merged[0], merged[1], merged[2])
        return
    align(arrays, prior, state, i, root, j)
    above = rule_at(arrays, prior, state, root)
    below = rule_at(arrays, prior, state, i)
    add_rule(counts, above[0], above[1], above[2])
    add_rule(counts, below[0], below[1], below[2])


@kernel
def _partners(arrays: FlatPairs, state: State, i: np.int32, root: np.int32) -> tuple[np.int32, np.int32]:
    """The lowest and the highest target node that an unaligned node with links may be aligned to."""
    # All of these stand on one path from the root of the target down, where lower nodes have higher numbers.
    highest = max(arrays.tops[i], state.alignment[root])
    lowest = arrays.bottoms[i]
    child = arrays.linked_children[i]
    while child >= 0 and state.alignment[child] == UNALIGNED:
        child = arrays.linked_children[child]
    if child >= 0:
        lowest = min(lowest, state.alignment[child])
    return lowest, highest


@kernel
def _log_split(
    arrays: FlatPairs, prior: Prior, state: State, counts: Counts, i: np.int32, root: np.int32, j: np.int32
) -> float:
    """The logarithm of the second conditional above: a node that is unaligned is aligned with j."""
    source = state.source
    top = state.alignment[root]
    labels = arrays.source.labels
    own = (source.first[i], source.second[i], source.logs[i])
    log_above = source.logs[root] - prior.log_expanded - source.logs[i] + prior.log_stopped
    if j == EPSILON:
        below = deletion_rule(prior, labels[i], own[0], own[1], own[2])
        first, second = hashes_with_cut(arrays.source, source, i, root, DELETED_FIRST, DELETED_SECOND)
    else:
        first, second = hashes_with_cut(arrays.source, source, i, root, LINKED_FIRST, LINKED_SECOND)
    if top == EPSILON:
        above = deletion_rule(prior, labels[root], first, second, log_above)
    else:
        # The target tree of the rule above as it is, and as it is when j is cut.
        is_bare = state.lowest[top] != root
        target = bare_target(prior) if is_bare else expanded_target(prior, state, top)
        if j >= 0:
            if j == top:
                below_target = target
                target = bare_target(prior)
            elif state.holders[j]:
                below_target = bare_target(prior)
            else:
                below_target = expanded_target(prior, state, j)
                cut = hashes_with_cut(arrays.target, state.target, j, top, LINKED_FIRST, LINKED_SECOND)
                log_target = target[2] - below_target[2] + prior.log_stopped
                target = (cut[0], cut[1], log_target)
            frontier = (state.links[i], state.deletions[i])
            below = synchronous_rule(prior, (labels[i], arrays.target.labels[j]), own, frontier, below_target)
        links = np.int32(state.links[root] - state.links[i] + np.int32(j >= 0))
        deletions = np.int32(state.deletions[root] - state.deletions[i] + np.int32(j == EPSILON))
        above = synchronous_rule(
            prior,
            (labels[root], arrays.target.labels[top]),
            (first, second, log_above),
            (links, deletions),
            target,
        )
    same_root = above[2] == below[2]
    same = same_root and above[0] == below[0] and above[1] == below[1]
    count, root_count = counts_of(counts, below)
    return log_predictive(prior, above, counts_of(counts, above)) + log_predictive(
        prior, below, (count + int(same), root_count + int(same_root))
    )


@kernel
def _draw(scores: Float64, size: int, temperature: float, generator: np.random.Generator) -> int:
    """One of the first scores, with a probability of exp(score / temperature) up to a factor."""
    best = 0
    for k in range(1, size):
        if scores[k] > scores[best]:
            best = k
    if temperature == 0.0 or size == 1:
        return best
    total = 0.0
    for k in range(size):
        total += np.exp((scores[k] - scores[best]) / temperature)
    remaining = total * generator.random()
    for k in range(size):
        remaining -= np.exp((scores[k] - scores[best]) / temperature)
        if remaining < 0.0:
            return k
    return best
