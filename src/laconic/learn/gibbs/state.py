"""The state of the sampler: what every source node is aligned to, and the rules that follow from it.

A rule is rooted at every aligned source node. Its source tree ends at the next aligned nodes below, its target tree
begins at the node that the root is aligned to and ends at those that the source's frontier is aligned to. Where one of
these is the root of the target tree itself, that tree is a single node. All that is needed to name and to score the
rule is kept for every node as if it were the root of a rule, and is brought up to date when a cut is made or mended.
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import NamedTuple

import numpy as np

from laconic.arrays import Float64
from laconic.grammar.base_distribution import BaseDistribution, log_alignments
from laconic.kernel import kernel
from laconic.learn.gibbs.corpus import (
    EPSILON,
    LINKED,
    UNALIGNED,
    FlatPairs,
    Hashes,
    Nodes,
    SampledPairs,
    Side,
    exact,
)
from laconic.learn.gibbs.counts import Counts, add_rule, row_of
from laconic.learn.gibbs.hashing import (
    BARE_FIRST,
    BARE_SECOND,
    DELETED_FIRST,
    DELETED_SECOND,
    LINKED_FIRST,
    LINKED_SECOND,
    SOURCE_FACTOR,
    mix_first,
    mix_second,
)

RuleKey = tuple[np.uint64, np.uint64, int, float]
"""A rule for kernels: its two hashes, the number of its pair of root labels, and ln P₀(rule | root labels)."""


class Prior(NamedTuple):
    """α, and the logarithms of α, β, 1 - β and of the numbers of alignments of frontiers.

    All but α's are exact (see `corpus.exact`), so that a rule has the same probability however it came about.
    """

    concentration: float
    log_concentration: float
    log_expanded: float
    log_stopped: float
    log_alignments: Float64
    label_count: int


class Fragments(NamedTuple):
    """For every node, the hashes and the log probability of the elementary tree below it, as far as the next cuts.

    `given_first` and `given_second` are what the node adds to the hashes of its parent.
    """

    first: Hashes
    second: Hashes
    logs: Float64
    given_first: Hashes
    given_second: Hashes


class State(NamedTuple):
    """The alignment of every source node, and what follows from it.

    `links` and `deletions` count the nodes at the frontier of a source node's elementary tree. `holders` is the
    number of source nodes that are aligned to a target node, `lowest` the lowest of these.
    """

    alignment: Nodes
    source: Fragments
    links: Nodes
    deletions: Nodes
    target: Fragments
    holders: Nodes
    lowest: Nodes


def make_prior(pairs: SampledPairs, base: BaseDistribution, concentration: float) -> Prior:
    """The prior of a corpus as numbers for kernels."""
    most_source = max(len(source.words) for source, _, _ in pairs.pairs)
    most_target = max(len(target.words) for _, target, _ in pairs.pairs)
    table = [[log_alignments(m, n) for n in range(most_target + 1)] for m in range(most_source + 1)]
    stops = exact(np.array([log(base.expansion), log1p(-base.expansion)]))
    return Prior(
        float(concentration),
        log(concentration),
        float(stops[0]),
        float(stops[1]),
        exact(np.array(table)),
        len(pairs.labels),
    )


def make_state(arrays: FlatPairs, prior: Prior, alignment: Nodes) -> State:
    """The state of an alignment, which becomes part of it."""
    source, target = len(arrays.source.parents), len(arrays.target.parents)
    state = State(
        alignment,
        _no_fragments(source),
        np.zeros(source, np.int32),
        np.zeros(source, np.int32),
        _no_fragments(target),
        np.zeros(target, np.int32),
        np.full(target, -1, np.int32),
    )
    _fill(arrays, prior, state)
    return state


def _no_fragments(count: int) -> Fragments:
    return Fragments(
        np.zeros(count, np.uint64),
        np.zeros(count, np.uint64),
        np.zeros(count, np.float64),
        np.zeros(count, np.uint64),
        np.zeros(count, np.uint64),
    )


@kernel
def _fill(arrays: FlatPairs, prior: Prior, state: State) -> None:
    """Compute all that follows from the alignment, from the leaves up."""
    for place, held in enumerate(state.alignment):
        if held >= 0:
            state.holders[held] += 1
            state.lowest[held] = place  # in preorder, the lowest comes last
    for nodes, fragments in ((arrays.source, state.source), (arrays.target, state.target)):
        fragments.first[:] = nodes.first
        fragments.second[:] = nodes.second
        fragments.logs[:] = nodes.logs
    for place in range(len(state.alignment) - 1, -1, -1):
        i = np.int32(place)
        parent = arrays.source.parents[i]
        if parent >= 0:
            mark = state.alignment[i]
            _give(arrays.source, state.source, i, mark)
            _hand_up(state.source, i, parent)
            state.source.logs[parent] += (
                prior.log_expanded + state.source.logs[i] if mark == UNALIGNED else prior.log_stopped
            )
            state.links[parent] += state.links[i] if mark == UNALIGNED else np.int32(mark >= 0)
            state.deletions[parent] += state.deletions[i] if mark == UNALIGNED else np.int32(mark == EPSILON)
    for place in range(len(state.holders) - 1, -1, -1):
        j = np.int32(place)
        parent = arrays.target.parents[j]
        if parent >= 0:
            _give(arrays.target, state.target, j, LINKED if state.holders[j] else UNALIGNED)
            _hand_up(state.target, j, parent)
            state.target.logs[parent] += (
                prior.log_stopped if state.holders[j] else prior.log_expanded + state.target.logs[j]
            )


@kernel
def _hand_up(fragments: Fragments, node: np.int32, parent: np.int32) -> None:
    fragments.first[parent] += fragments.given_first[node]
    fragments.second[parent] += fragments.given_second[node]


@kernel
def _give(nodes: Side, fragments: Fragments, node: np.int32, mark: np.int32) -> None:
    """What a node adds to the hashes of its parent: by its cut if it is aligned, else by what is below it."""
    if mark == UNALIGNED:
        first, second = fragments.first[node], fragments.second[node]
    elif mark == EPSILON:
        first, second = DELETED_FIRST, DELETED_SECOND
    else:
        first, second = LINKED_FIRST, LINKED_SECOND
    fragments.given_first[node] = nodes.factors[node] * mix_first(first)
    fragments.given_second[node] = nodes.factors[node] * mix_second(second)


@kernel
def hashes_with_cut(
    nodes: Side, fragments: Fragments, node: np.int32, root: np.int32, first: np.uint64, second: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """The hashes of the fragment of a root above a node if that node had the given code."""
    while node != root:
        parent = nodes.parents[node]
        factor = nodes.factors[node]
        first = fragments.first[parent] - fragments.given_first[node] + factor * mix_first(first)
        second = fragments.second[parent] - fragments.given_second[node] + factor * mix_second(second)
        node = parent
    return first, second


@kernel
def _pass_up(
    nodes: Side, fragments: Fragments, node: np.int32, root: np.int32, mark: np.int32, change: float
) -> None:
    """Bring the fragments from a node's parent up to their root up to date, after a cut at the node changed."""
    while node != root:
        parent = nodes.parents[node]
        first, second = fragments.given_first[node], fragments.given_second[node]
        _give(nodes, fragments, node, mark)
        fragments.first[parent] += fragments.given_first[node] - first
        fragments.second[parent] += fragments.given_second[node] - second
        fragments.logs[parent] += change
        mark = UNALIGNED
        node = parent


@kernel
def align(arrays: FlatPairs, prior: Prior, state: State, i: np.int32, root: np.int32, j: np.int32) -> None:
    """Align a source node that is not, below a rule's root."""
    state.alignment[i] = j
    change = prior.log_stopped - prior.log_expanded - state.source.logs[i]
    _pass_up(arrays.source, state.source, i, root, j, change)
    links = np.int32(j >= 0) - state.links[i]
    deletions = np.int32(j == EPSILON) - state.deletions[i]
    _count_up(arrays, state, i, root, links, deletions)
    if j < 0:
        return
    state.holders[j] += 1
    state.lowest[j] = max(state.lowest[j], i)
    if state.holders[j] == 1:
        change = prior.log_stopped - prior.log_expanded - state.target.logs[j]
        _pass_up(arrays.target, state.target, j, state.alignment[root], LINKED, change)


@kernel
def unalign(arrays: FlatPairs, prior: Prior, state: State, i: np.int32, root: np.int32) -> None:
    """Make an aligned source node a part of the rule above it."""
    j = state.alignment[i]
    state.alignment[i] = UNALIGNED
    change = prior.log_expanded + state.source.logs[i] - prior.log_stopped
    _pass_up(arrays.source, state.source, i, root, UNALIGNED, change)
    links = state.links[i] - np.int32(j >= 0)
    deletions = state.deletions[i] - np.int32(j == EPSILON)
    _count_up(arrays, state, i, root, links, deletions)
    if j < 0:
        return
    state.holders[j] -= 1
    if state.holders[j] == 0:
        state.lowest[j] = -1
        change = prior.log_expanded + state.target.logs[j] - prior.log_stopped
        _pass_up(arrays.target, state.target, j, state.alignment[root], UNALIGNED, change)
    elif state.lowest[j] == i:
        state.lowest[j] = root  # the nodes that hold j form a chain


@kernel
def _count_up(
    arrays: FlatPairs, state: State, i: np.int32, root: np.int32, links: np.int32, deletions: np.int32
) -> None:
    while i != root:
        i = arrays.source.parents[i]
        state.links[i] += links
        state.deletions[i] += deletions


@kernel
def root_above(arrays: FlatPairs, alignment: Nodes, i: np.int32) -> np.int32:
    """The closest aligned ancestor of a source node."""
    i = arrays.source.parents[i]
    while alignment[i] == UNALIGNED:
        i = arrays.source.parents[i]
    return i


@kernel
def deletion_rule(
    prior: Prior, label: np.int32, first: np.uint64, second: np.uint64, log_source: float
) -> RuleKey:
    """A rule X/ε of a source tree."""
    return (
        first,
        second,
        int(label) * (prior.label_count + 1) + prior.label_count,
        prior.log_expanded + log_source,
    )


@kernel
def expanded_target(prior: Prior, state: State, j: np.int32) -> tuple[np.uint64, np.uint64, float]:
    """The hashes and the logarithm of the target tree below a node."""
    return state.target.first[j], state.target.second[j], prior.log_expanded + state.target.logs[j]


@kernel
def bare_target(prior: Prior) -> tuple[np.uint64, np.uint64, float]:
    """The hashes and the logarithm of a target tree of one node; its label is that of the rule."""
    return BARE_FIRST, BARE_SECOND, prior.log_stopped


@kernel
def synchronous_rule(
    prior: Prior,
    labels: tuple[np.int32, np.int32],
    source: tuple[np.uint64, np.uint64, float],
    frontier: tuple[np.int32, np.int32],
    target: tuple[np.uint64, np.uint64, float],
) -> RuleKey:
    """A rule of two trees; `frontier` is how many of its source nodes are linked and deleted."""
    root = int(labels[0]) * (prior.label_count + 1) + int(labels[1])
    # The factor of one side keeps a rule apart from the one in which the sides have changed places.
    first = SOURCE_FACTOR * mix_first(source[0]) + mix_first(target[0] ^ np.uint64(root))
    second = SOURCE_FACTOR * mix_second(source[1]) + mix_second(target[1] ^ np.uint64(root))
    alignments = prior.log_alignments[frontier[0] + frontier[1], frontier[0]]
    return first, second, root, prior.log_expanded + source[2] + target[2] - alignments


@kernel
def rule_at(arrays: FlatPairs, prior: Prior, state: State, i: np.int32) -> RuleKey:
    """The rule rooted at an aligned source node."""
    j = state.alignment[i]
    label = arrays.source.labels[i]
    first, second, log_source = state.source.first[i], state.source.second[i], state.source.logs[i]
    if j == EPSILON:
        return deletion_rule(prior, label, first, second, log_source)
    target = expanded_target(prior, state, j) if state.lowest[j] == i else bare_target(prior)
    return synchronous_rule(
        prior,
        (label, arrays.target.labels[j]),
        (first, second, log_source),
        (state.links[i], state.deletions[i]),
        target,
    )


@kernel
def counts_of(counts: Counts, rule: RuleKey) -> tuple[int, int]:
    """How often a rule, and its pair of root labels, is used."""
    row = row_of(counts.rules, rule[0], rule[1])
    return int(np.int64(counts.rules[row, 2])), int(counts.roots[rule[2]])


@kernel
def log_predictive(prior: Prior, rule: RuleKey, used: tuple[int, int]) -> float:
    """ln (n_e + α P₀(e | c)) / (n_c + α), equation 4, of a rule and its root that are used so often."""
    if used[0] == 0:
        numerator = prior.log_concentration + rule[3]
    else:
        numerator = log(used[0] + prior.concentration * exp(rule[3]))
    return numerator - log(used[1] + prior.concentration)


@kernel
def count_rules(arrays: FlatPairs, prior: Prior, state: State, counts: Counts) -> float:
    """Count the rules of a state, one after the other, into empty tables; returns ln p(rules)."""
    total = 0.0
    for i in range(len(state.alignment)):
        if state.alignment[i] != UNALIGNED:
            rule = rule_at(arrays, prior, state, np.int32(i))
            total += log_predictive(prior, rule, counts_of(counts, rule))
            add_rule(counts, rule[0], rule[1], rule[2])
    return total


@kernel
def scatter(generator: np.random.Generator, arrays: FlatPairs) -> Nodes:
    """A random derivation: from the top down, each of a node's choices is as likely as the others."""
    alignment = np.full(len(arrays.roots), UNALIGNED, np.int32)
    for i in range(len(arrays.roots)):
        if arrays.roots[i] >= 0:
            alignment[i] = arrays.roots[i]
            continue
        if arrays.deletable[i]:
            if generator.random() < 0.5:
                alignment[i] = EPSILON
            continue
        if arrays.bottoms[i] < 0:
            continue
        highest = max(arrays.tops[i], alignment[root_above(arrays, alignment, np.int32(i))])
        j = arrays.bottoms[i]
        choices = 1
        while j >= highest:
            choices += 1
            j = arrays.target.parents[j]
        j = arrays.bottoms[i]
        for _ in range(np.int64(generator.random() * choices)):
            alignment[i] = j
            j = arrays.target.parents[j]
    return alignment
