"""One derivation of a synchronous grammar, rule by rule, as Cohn & Lapata (2009) write it down."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from laconic.errors import LaconicError
from laconic.grammar.derivations import Application, match_fragment
from laconic.grammar.fragments import Fragment, fragment_of
from laconic.grammar.rules import Rule
from laconic.trees.constituency import Tree


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
        below: dict[int, Application] = {}
        for variable in rule.target.variables:  # from left to right on the target side
            number = (variable.link or 0) - 1
            below[number] = rewrite(variables[number], rule.variables[number][1])
        return Application(rule, tuple(below[number] for number in range(len(below))), node)

    return rewrite(0, target_root)


def derivation_steps(derivation: Application, tree: Tree) -> Iterator[str]:
    """The derivation of a given tree, step by step as in the paper's Figure 4.

    Each line is the target tree so far, in which a node X/Y stands for a source subtree X that is still to
    be rewritten as Y, with that subtree below it.
    """
    done: set[int] = set()

    def written(application: Application) -> str:
        if application.node not in done:
            source = fragment_of(tree, application.node)
            x, y = application.rule.root
            return f"[{x}/{y} {str(source).partition(' ')[2]}"
        return _written(application.rule.target, application, written)

    yield written(derivation)
    for application in derivation.applications():
        done.add(application.node)
        yield written(derivation)


def _written(fragment: Fragment, application: Application, write: Callable[[Application], str]) -> str:
    if fragment.link:
        return write(application.below[fragment.link - 1])
    if not fragment.children:
        return str(fragment)
    label = str(Fragment(fragment.label))
    return f"[{label} {' '.join(_written(child, application, write) for child in fragment.children)}]"
