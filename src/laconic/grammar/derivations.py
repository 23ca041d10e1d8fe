"""Derivations of a synchronous grammar: generating a pair of trees, transducing one tree into another.

Cohn & Lapata (2009), algorithms 1 and 2. Both rewrite pairs of nodes, the leftmost of the target first, until
no variable is left; they differ in whether the source tree is made or given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.grammar.fragments import Fragment, fragment_of
from laconic.grammar.rules import Rule
from laconic.trees.constituency import Tree


@dataclass(frozen=True, slots=True)
class Application:
    """A rule and, for each of its variables 1, 2, …, the derivation below it.

    `node` is the source node that the rule rewrites where the source tree is given, else None.
    """

    rule: Rule
    below: tuple[Application, ...]
    node: int | None = None

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

    def source(self) -> Fragment:
        """The generated source tree; what was deleted stays a node linked to ε."""
        parts = {number: part.source() for number, part in enumerate(self.below, start=1)}
        return self.rule.source.substituted(parts)

    def target(self) -> Fragment:
        """The generated target tree."""
        parts = {number: part.target() for number, part in enumerate(self.below, start=1)}
        return self.rule.target.substituted(parts)


def generate(root: tuple[str, str], choose: Callable[[str, str], Rule]) -> Application:
    """Generate a pair of trees from a pair of categories (algorithm 1); `choose` gives a rule for each pair.

    The leftmost pair of the target is rewritten first, and with it all that is below it.
    """

    def rewrite(source: str, target: str) -> Application:
        rule = choose(source, target)
        if rule.root != (source, target):
            raise LaconicError(f"{rule} does not rewrite <{source},{target}>")
        return _applied(rule, None, lambda number: rewrite(*rule.variables[number]))

    return rewrite(*root)


def transduce(tree: Tree, target_root: str, choose: Callable[[int, str], Rule]) -> Application:
    """Rewrite a tree as one with the given root category (algorithm 2).

    `choose(node, category)` gives the rule for a source node and the category it becomes; its source side
    must match the tree there.
    """

    def rewrite(node: int, target: str) -> Application:
        rule = choose(node, target)
        places = match_fragment(rule.source, tree, node)
        if rule.target.label != target or places is None:
            raise LaconicError(f"{rule} does not rewrite node {node} ({tree.labels[node]}) as {target}")
        variables = [place for place, leaf in zip(places, rule.source.frontier(), strict=True) if leaf.link]
        return _applied(rule, node, lambda number: rewrite(variables[number], rule.variables[number][1]))

    return rewrite(0, target_root)


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


def derivation_steps(derivation: Application, tree: Tree) -> Iterator[str]:
    """The derivation of a given tree, step by step as in the paper's Figure 4.

    Each line is the target tree so far, in which a node X/Y stands for a source subtree X that is still to
    be rewritten as Y, with that subtree below it.
    """
    if derivation.node is None:
        raise LaconicError("this derivation generated its source tree: there is no given tree to rewrite")
    done: set[int] = set()

    def written(application: Application) -> str:
        if application.node not in done:
            source = fragment_of(tree, application.node or 0)
            x, y = application.rule.root
            return f"[{x}/{y} {str(source).partition(' ')[2]}"
        return _written(application.rule.target, application, written)

    yield written(derivation)
    for application in derivation.applications():
        assert application.node is not None
        done.add(application.node)
        yield written(derivation)


def _written(fragment: Fragment, application: Application, write: Callable[[Application], str]) -> str:
    if fragment.link:
        return write(application.below[fragment.link - 1])
    if not fragment.children:
        return str(fragment)
    label = str(Fragment(fragment.label))
    return f"[{label} {' '.join(_written(child, application, write) for child in fragment.children)}]"


def _applied(rule: Rule, node: int | None, below: Callable[[int], Application]) -> Application:
    """The rule with its variables rewritten from left to right on the target side."""
    parts: dict[int, Application] = {}
    for variable in rule.target.variables:
        number = (variable.link or 0) - 1
        parts[number] = below(number)
    return Application(rule, tuple(parts[number] for number in range(len(parts))), node)
