"""Derivations of a synchronous grammar: which rules rewrite which nodes of a tree.

Pairs of nodes are rewritten, the leftmost of the target first, until no variable is left: Cohn & Lapata (2009),
algorithm 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.grammar.fragments import Fragment
from laconic.grammar.rules import Rule
from laconic.trees.constituency import Tree


@dataclass(frozen=True, slots=True)
class Application:
    """A rule, for each of its variables 1, 2, …, the derivation below it, and the source node that it rewrites."""

    rule: Rule
    below: tuple[Application, ...]
    node: int

    def __post_init__(self) -> None:
        expected = self.rule.variables
        if tuple(part.rule.root for part in self.below) != expected:
            roots = ", ".join(f"<{x},{y}>" for x, y in (part.rule.root for part in self.below))
            raise LaconicError(
                f"the variables of {self.rule} cannot be rewritten by rules for {roots or 'nothing'}"
            )

    def applications(self) -> Iterator[Application]:
        """This application and those below it, in the order of rewriting: leftmost target variable first."""
        pending = [self]
        while pending:
            application = pending.pop()
            yield application
            links = [node.link or 0 for node in application.rule.target.variables]
            pending.extend(application.below[link - 1] for link in reversed(links))

    def target(self) -> Fragment:
        """The generated target tree."""
        parts = {number: part.target() for number, part in enumerate(self.below, start=1)}
        return self.rule.target.substituted(parts)


def match_fragment(fragment: Fragment, tree: Tree, node: int) -> list[int] | None:
    """The tree's nodes at the frontier of an elementary tree that matches at a node; None if it does not."""
    if fragment.label != tree.labels[node]:
        return None
    children = tree.children(node)
    if fragment.word is not None:
        return [node] if not children and tree.words[tree.starts[node]] == fragment.word else None
    if not fragment.children:
        return [node]
    if len(children) != len(fragment.children):
        return None
    frontier: list[int] = []
    for part, child in zip(fragment.children, children, strict=True):
        below = match_fragment(part, tree, child)
        if below is None:
            return None
        frontier += below
    return frontier
