"""Synchronous tree substitution rules <X,Y> -> <α, γ, ~>, as values and as text.

Cohn & Lapata (2009), "Sentence compression as tree transduction", section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from laconic.errors import FormatError, LaconicError
from laconic.grammar.fragments import EMPTY, Fragment, parse_fragment


@dataclass(frozen=True, slots=True)
class Rule:
    """A pair of elementary trees whose variables correspond by number, in any order on the target side.

    Source nodes may be linked to ε: what is below them is deleted. Variables are numbered from left to
    right on the source side, so that equal rules are equal values. The source is more than one node, so
    that every rule consumes something; the target may be a variable alone, or `EMPTY`: then nothing is left of
    the source, which has no variables.

    >>> rule = parse_rule("<NP,NNS> -> <[NP CD_ε ADJP_ε [NNS activists]], [NNS activists]>")
    >>> rule.root, rule.source.words
    (('NP', 'NNS'), ('activists',))
    """

    source: Fragment
    target: Fragment

    def __post_init__(self) -> None:
        if self.source.link is not None:
            raise LaconicError(f"the source side of a rule is a tree, not the variable {self.source}")
        for side in (self.source, self.target):
            bare = next((node for node in side.frontier() if node.word is None and node.link is None), None)
            if bare is not None:
                raise LaconicError(f"node {bare} of {side} has no word, no link and nothing below it")
        variables = [node.link for node in self.source.variables]
        if variables != list(range(1, len(variables) + 1)):
            raise LaconicError(f"variables are numbered 1, 2, … from left to right, not as in {self.source}")
        if self.target == EMPTY and not variables:
            return
        if any(node.link == 0 for node in self.target.frontier()):
            raise LaconicError(f"only source nodes can be linked to ε, but the target is {self.target}")
        if sorted(node.link or 0 for node in self.target.variables) != variables:
            raise LaconicError(f"the variables of {self.source} and {self.target} are not the same")

    @property
    def root(self) -> tuple[str, str]:
        """The pair of categories that the rule rewrites."""
        return self.source.label, self.target.label

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """The (source, target) categories of the variables 1, 2, …"""
        targets = {node.link: node.label for node in self.target.variables}
        return tuple((node.label, targets[node.link]) for node in self.source.variables)

    def __str__(self) -> str:
        x, y = self.root
        return f"<{x},{y}> -> <{self.source}, {self.target}>"


def parse_rule(text: str) -> Rule:
    """The rule that `str` wrote; a malformed one is an error that says what is wrong."""
    left, arrow, right = text.strip().partition(" -> <")
    if not arrow or not right.endswith(">"):
        raise FormatError(f"a rule reads '<X,Y> -> <[X …], [Y …]>', not {text!r:.80}")
    sides = right[:-1]
    middle = _end_of_tree(sides)
    if middle < 0 or not sides.startswith(", ", middle):
        raise FormatError(f"the sides of a rule are two trees with ', ' between them, not {sides!r:.80}")
    try:
        rule = Rule(parse_fragment(sides[:middle]), parse_fragment(sides[middle + 2 :]))
    except FormatError:
        raise
    except LaconicError as error:
        raise FormatError(f"{error}: {text.strip()!r:.80}") from None
    x, y = rule.root
    if left != f"<{x},{y}>":
        raise FormatError(f"the rule rewrites <{x},{y}>, but {left!r:.40} stands before its arrow")
    return rule


def _end_of_tree(text: str) -> int:
    """Where the first bracketed tree ends; -1 if it does not."""
    depth = 0
    escaped = False
    for place, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character in "[]":
            depth += 1 if character == "[" else -1
            if depth == 0:
                return place + 1
        elif depth == 0:
            return -1
    return -1
