"""The channel of Knight and Marcu (2000): how a short tree grows into the long one that was seen.

Every phrase of the short tree expands: from its children to a supersequence of them, by a template such as
S -> NP VP into S -> NP ADVP VP. What is inserted grows on by the context-free grammar. Words need no
probability: those of the short tree come from the source model, those of inserted parts from the same grammar,
so that together they are the same for every short tree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, log

from laconic.errors import FormatError, LaconicError
from laconic.grammar.deletion_scfg import DeletionDerivation
from laconic.grammar.pcfg import Children, Pcfg
from laconic.grammar.witten_bell import log_escape, log_interpolated
from laconic.trees.constituency import Tree
from laconic.trees.transform import bare_label

_COUNT = re.compile(r"[1-9][0-9]{0,14}")

Templates = Mapping[tuple[str, Children], Mapping[Children, int]]
"""For (category, children of the short phrase), how often each sequence of children was its expansion."""


@dataclass(frozen=True)
class ChannelModel:
    """p(long tree | short tree) and p(short tree), over trees whose leaves are tags.

    An expansion has its relative frequency interpolated, by Witten and Bell, with a distribution over all:
    j insertions with probability 2⁻⁽ʲ⁺¹⁾, at any places and of any labels alike.
    """

    grammar: Pcfg
    templates: Templates

    @classmethod
    def train(cls, trees: Iterable[Tree], derivations: Iterable[DeletionDerivation]) -> ChannelModel:
        """The grammar of the trees, and the templates of the derivations."""
        templates: dict[tuple[str, Children], Counter[Children]] = {}
        for derivation in derivations:
            for rule in derivation.rules():
                label, children = bare_label(rule.label), tuple(map(bare_label, rule.children))
                target = tuple(map(bare_label, rule.target))
                templates.setdefault((label, target), Counter())[children] += 1
        if not templates:
            raise LaconicError("there is no derivation to train a noisy channel on")
        return cls(Pcfg.from_trees(trees), templates)

    def to_lines(self) -> dict[str, list[str]]:
        """Productions and templates as text: a count, a category and sequences of categories, between tabs."""
        return {
            "productions": [
                f"{count}\t{label}\t{' '.join(children)}"
                for label, rules in self.grammar.counts.items()
                for children, count in rules.items()
            ],
            "templates": [
                f"{count}\t{label}\t{' '.join(target)}\t{' '.join(children)}"
                for (label, target), expansions in self.templates.items()
                for children, count in expansions.items()
            ],
        }

    @classmethod
    def from_lines(cls, productions: Iterable[str], templates: Iterable[str]) -> ChannelModel:
        """The model that `to_lines` wrote; a malformed line is an error."""
        rules: dict[str, dict[Children, int]] = {}
        for count, label, children in _fields(productions, 3):
            rules.setdefault(label, {})[tuple(children.split())] = int(count)
        expansions: dict[tuple[str, Children], dict[Children, int]] = {}
        for count, label, target, children in _fields(templates, 4):
            expansions.setdefault((label, tuple(target.split())), {})[tuple(children.split())] = int(count)
        return cls(Pcfg.from_counts(rules), expansions)

    def log_expansion(self, label: str, target: Children, children: Children) -> float:
        """ln p(children | label, target): the short phrase's children become the long one's."""
        seen = self.templates.get((label, target), {})
        return log_interpolated(seen, children, self._log_base(len(target), len(children)))

    def log_rule(self, label: str, children: Children, kept: Iterable[int]) -> float:
        """ln of p(short phrase) times p(its expansion), for the children of a long phrase that stay."""
        target = tuple(children[place] for place in kept)
        return self.grammar.log_probability(label, target) + self.log_expansion(label, target, children)

    def log_unseen(self, label: str, children: Children, kept_count: int) -> float:
        """No more than `log_rule` of any so many children, whichever stay: as if nothing like it was seen."""
        escape = log_escape(self.grammar.counts.get(label, {}))
        base = -kept_count * log(2 * self.grammar.label_count)
        least = self._least_escapes.get((label, kept_count), 0.0)
        return escape + base + least + self._log_base(kept_count, len(children))

    def short_phrases(self, label: str, children: Children) -> Sequence[Children]:
        """The children of the short phrases that were seen to expand to these."""
        return self._by_expansion.get((label, children), ())

    @cached_property
    def _by_expansion(self) -> dict[tuple[str, Children], list[Children]]:
        found: dict[tuple[str, Children], list[Children]] = {}
        for (label, target), expansions in self.templates.items():
            for children in expansions:
                found.setdefault((label, children), []).append(target)
        return found

    @cached_property
    def _least_escapes(self) -> dict[tuple[str, int], float]:
        """By category and number of children of short phrases, ln of the least weight of what was not seen."""
        least: dict[tuple[str, int], float] = {}
        for (label, target), expansions in self.templates.items():
            key = label, len(target)
            least[key] = min(least.get(key, 0.0), log_escape(expansions))
        return least

    def log_inserted(self, tree: Tree) -> tuple[float, ...]:
        """For each node, ln p of what hangs below it, as a part that was inserted."""
        labels = [bare_label(label) for label in tree.labels]
        below = [0.0] * len(labels)
        for node in reversed(range(len(labels))):
            children = tree.children(node)
            if children:
                rule = self.grammar.log_probability(labels[node], tuple(labels[child] for child in children))
                below[node] = rule + sum(below[child] for child in children)
        return tuple(below)

    def _log_base(self, kept_count: int, count: int) -> float:
        insertions = count - kept_count
        return (
            -(insertions + 1) * log(2)
            - insertions * log(self.grammar.label_count)
            - log(comb(count, insertions))
        )


def _fields(lines: Iterable[str], wanted: int) -> Iterator[list[str]]:
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if len(fields) != wanted or not _COUNT.fullmatch(fields[0]):
            raise FormatError(f"a line holds a count and {wanted - 1} fields, not {line!r:.60}", line=number)
        yield fields
