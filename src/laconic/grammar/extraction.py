"""Extraction of synchronous rules from a pair of trees whose words are aligned.

Cohn & Lapata (2009), algorithm 3: below a pair of aligned nodes, the highest nodes that are aligned in
their turn become variables, and the highest nodes without any aligned word are deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.grammar.fragments import EPSILON, fragment_of
from laconic.grammar.rules import Rule
from laconic.trees.alignment.constituents import Link, align_constituents, unlinked_nodes
from laconic.trees.constituency import Tree

_DELETED = -1


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """Which rules are extracted.

    `depth` is how many matches a rule may pass over, so that it shows what is below them: 0 gives the
    minimal rules, 1 and 2 more specific ones besides. Rules of more variables, or with more nodes
    (terminals included) on a side, are left out, and with them pairs that nothing else derives; with `whole`,
    minimal rules stay whatever their size, so that every pair is derived.

    A source node may be aligned to several target nodes. Where these cover different words, all are
    followed; where they are a chain of nodes over the same words, one of them is: the one of the same
    category, else the highest, as in the paper's Figure 7. With `chains` all nodes of chains are
    followed too.
    """

    depth: int = 1
    variables: int = 5
    nodes: int = 15
    whole: bool = False
    chains: bool = False

    def __post_init__(self) -> None:
        if self.depth < 0 or self.variables < 0 or self.nodes < 2:
            raise LaconicError(
                f"extraction needs depth >= 0, variables >= 0 and nodes >= 2, not {self.depth}, "
                f"{self.variables} and {self.nodes}"
            )


UNLIMITED = ExtractionOptions(depth=0, variables=10**6, nodes=10**6)
"""Minimal rules of any size."""

Cuts = tuple[tuple[int, int], ...]
"""Where a rule ends: (source node, target node), or (source node, -1) where the source is deleted."""


def extract_rules(
    source: Tree, target: Tree, links: Iterable[Link], options: ExtractionOptions = UNLIMITED
) -> Counter[Rule]:
    """The rules of a tree pair, with the number of aligned pairs of nodes that each was found at.

    With no limits, the rules derive the pair. An alignment without any link is an error.
    """
    pair = _AlignedPair(source, target, tuple(links), options)
    if (0, 0) not in pair.alignment:
        raise LaconicError(
            f"no word of {' '.join(source.words)[:60]!r} is aligned to one of {' '.join(target.words)[:60]!r}: "
            "there is no rule to extract"
        )
    found: Counter[Rule] = Counter()
    waiting = [(0, 0)]
    seen = {(0, 0)}
    while waiting:
        top = waiting.pop()
        rules = set()
        for passed, cuts in pair.all_cuts(*top):
            for cut in cuts:
                if cut[1] != _DELETED and cut not in seen:
                    seen.add(cut)
                    waiting.append(cut)
            rule = pair.rule(*top, cuts)
            size = max(rule.source.size, rule.target.size)
            is_small = size <= options.nodes and _variables(cuts) <= options.variables
            if is_small or (options.whole and not passed):
                rules.add(rule)
        found.update(rules)
    return found


class _AlignedPair:
    """A tree pair with its constituent alignment, and the ways to cut rules out of it."""

    def __init__(
        self, source: Tree, target: Tree, links: tuple[Link, ...], options: ExtractionOptions
    ) -> None:
        self.source = source
        self.target = target
        self.options = options
        self.alignment = frozenset(align_constituents(source, target, links))
        self.targets: dict[int, list[int]] = {}
        for v, w in sorted(self.alignment):
            self.targets.setdefault(v, []).append(w)
        self.deleted = frozenset(unlinked_nodes(source, (s for s, _ in links)))

    def all_cuts(self, v: int, w: int) -> list[tuple[int, Cuts]]:
        """(matches passed over, cuts) of every rule for an aligned pair of nodes; minimal rules pass over none."""
        return self._below(v, w, self.options.depth)

    def rule(self, v: int, w: int, cuts: Cuts) -> Rule:
        """The rule that rewrites a pair of nodes and ends at the cuts."""
        source_links: dict[int, int] = {}
        target_links: dict[int, int] = {}
        for node, aligned in cuts:  # from left to right on the source side
            if aligned == _DELETED:
                source_links[node] = EPSILON
            else:
                source_links[node] = target_links[aligned] = len(target_links) + 1
        return Rule(fragment_of(self.source, v, source_links), fragment_of(self.target, w, target_links))

    def _below(self, v: int, w: int, allowance: int) -> list[tuple[int, Cuts]]:
        """(matches passed over, cuts) of every way to cut below the children of v, passing over at most so many."""
        ways: list[tuple[int, Cuts]] = [(0, ())]
        for child in self.source.children(v):
            further = self._at(child, w, allowance)
            ways = [
                (passed + more, cuts + added)
                for passed, cuts in ways
                for more, added in further
                if passed + more <= allowance
                # Minimal rules that are too large are left out later: what is below them counts.
                and (passed + more == 0 or _variables(cuts) + _variables(added) <= self.options.variables)
            ]
        return ways

    def _at(self, v: int, w: int, allowance: int) -> list[tuple[int, Cuts]]:
        """The same for cuts at a node or below it."""
        if v in self.deleted:
            matches: list[Cuts] = [((v, _DELETED),)]
        else:
            matches = [((v, aligned),) for aligned in self._choices(v, w)]
        if not matches:
            return self._below(v, w, allowance)
        ways: list[tuple[int, Cuts]] = [(0, match) for match in matches]
        if allowance:
            ways += [(1 + passed, cuts) for passed, cuts in self._below(v, w, allowance - 1)]
        return ways

    def _choices(self, v: int, w: int) -> list[int]:
        """The target nodes within w that v is aligned to and that are followed."""
        tree = self.target
        end = tree.subtree_end(w)
        inside = [node for node in self.targets.get(v, ()) if w <= node < end]
        if self.options.chains:
            return inside
        chains: dict[tuple[int, int], list[int]] = {}
        for node in inside:
            chains.setdefault((tree.starts[node], tree.ends[node]), []).append(node)

        def preference(node: int) -> tuple[bool, bool, int]:
            # Of several of the same category one below w, so that w itself is not passed by.
            same = tree.labels[node] == self.source.labels[v]
            return not same, same and node == w, node

        return [min(chain, key=preference) for chain in chains.values()]


def _variables(cuts: Cuts) -> int:
    return sum(aligned != _DELETED for _, aligned in cuts)
