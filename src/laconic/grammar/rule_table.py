"""Rules as flat arrays: a large grammar is read at once, and its rules are made when they are asked for.

A side of a rule is written level by level, so that the children of its root stand beside it. Every node has a label
and a shape: how many children it has, 0 for a preterminal, whose word is the next of `words`, or -1 - link. A rule of
deletion has no target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import overload

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Int32
from laconic.errors import LaconicError
from laconic.grammar.deletion_rules import DeletionRule
from laconic.grammar.fragments import Fragment
from laconic.grammar.rules import Rule
from laconic.grammar.word_pcfg import Production

AnyRule = Rule | DeletionRule
Root = tuple[str, str | None]
"""The labels that a rule rewrites; that of the target is None where all is deleted."""


_DEEPEST = 200  # levels; trees of sentences come to 50


@dataclass(frozen=True, slots=True, eq=False)
class FlatRules:
    """The arrays of a grammar.

    `names` are its labels and words; `labels` and `shapes` are those of all nodes, rule after rule, the source before
    the target, `words` those of all preterminals, and `sides` (rules, 2) the number of nodes of each side.
    """

    names: tuple[str, ...]
    labels: Int32
    shapes: Int32
    words: Int32
    sides: Int32

    @classmethod
    def of(cls, rules: Iterable[AnyRule]) -> FlatRules:
        """The arrays of some rules."""
        places: dict[str, int] = {}
        labels: list[int] = []
        shapes: list[int] = []
        words: list[int] = []
        sides: list[tuple[int, int]] = []
        for rule in rules:
            counts = []
            for side in (rule.source, rule.target) if isinstance(rule, Rule) else (rule.source,):
                nodes = list(_by_level(side))
                counts.append(len(nodes))
                for node in nodes:
                    labels.append(places.setdefault(node.label, len(places)))
                    shapes.append(len(node.children) if node.link is None else -1 - node.link)
                    if node.word is not None:
                        words.append(places.setdefault(node.word, len(places)))
            sides.append((counts[0], counts[1] if len(counts) == 2 else 0))
        return cls(
            tuple(places),
            np.array(labels, np.int32),
            np.array(shapes, np.int32),
            np.array(words, np.int32),
            np.array(sides, np.int32).reshape(-1, 2),
        )

    def fault(self) -> str | None:
        """What is wrong with the arrays, so that no trees can be made of them; None if nothing is."""
        for array in (self.labels, self.words):
            if len(array) and not (array.min() >= 0 and array.max() < len(self.names)):
                return "a label or a word has no name"
        if not all(self.names):
            return "a name is empty"
        if len(self.sides) and not (self.sides.min() >= 0 and self.sides[:, 0].min() >= 1):
            return "a rule has no source"
        if self.sides.sum(dtype=np.int64) != len(self.labels) or len(self.labels) != len(self.shapes):
            return "the sides have another number of nodes than there are"
        if np.count_nonzero(self.shapes == 0) != len(self.words):
            return "there are other numbers of words and of preterminals"
        if not len(self.labels):
            return None
        sizes = self.sides.reshape(-1).astype(np.int64)
        sizes = sizes[sizes > 0]
        starts = np.cumsum(sizes) - sizes
        children = np.maximum(self.shapes, 0).astype(np.int64)
        before = np.cumsum(children) - children  # of all nodes before
        side = np.repeat(np.arange(len(sizes)), sizes)
        promised = 1 + before - before[starts][side]  # by those before in its side
        within = np.arange(len(children)) - starts[side]
        totals = np.add.reduceat(children, starts)
        if not (np.all(promised > within) and np.array_equal(totals, sizes - 1)):
            return "a side is no tree"
        return None


@dataclass(frozen=True)
class RuleTable(Sequence[AnyRule]):
    """The rules of flat arrays, each made when it is first asked for."""

    flat: FlatRules
    _made: dict[int, AnyRule] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        fault = self.flat.fault()
        if fault is not None:
            raise LaconicError(f"no table of rules: {fault}")

    def __len__(self) -> int:
        return len(self.flat.sides)

    @overload
    def __getitem__(self, place: int) -> AnyRule: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[AnyRule, ...]: ...
    def __getitem__(self, place: int | slice) -> AnyRule | tuple[AnyRule, ...]:
        """A rule; one that the arrays do not describe rightly is an error."""
        if isinstance(place, slice):
            return tuple(self[each] for each in range(len(self))[place])
        number = range(len(self))[place]
        found = self._made.get(number)
        if found is None:
            found = self._made[number] = self._make(number)
        return found

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, RuleTable | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def roots(self) -> tuple[tuple[Root, ...], Int32]:
        """The different pairs of root labels, and the number of each rule's."""
        names, labels, sides = self.flat.names, self.flat.labels, self.flat.sides
        starts = self._starts
        sources = labels[starts[:-1]]
        # A rule of deletion has no target: the place after its source is another rule's, or none.
        targets = np.append(labels, 0)[starts[:-1] + sides[:, 0]]
        keys = sources.astype(np.int64) * (len(names) + 1) + np.where(sides[:, 1] > 0, targets + 1, 0)
        unique, numbers = np.unique(keys, return_inverse=True)
        pairs = (divmod(key, len(names) + 1) for key in unique.tolist())
        return (
            tuple((names[one], names[two - 1] if two else None) for one, two in pairs),
            numbers.astype(np.int32),
        )

    def by_top(self, production: Production) -> list[int]:
        """The places of the rules whose source begins with a production, in ascending order."""
        parts = (production.label, *production.children)
        ids = [self._ids.get(part) for part in parts]
        if production.word is not None:
            word = self._ids.get(production.word)
            ids.append(None if word is None else -1 - word)
        return [] if None in ids else self._tops.get(np.array(ids, np.int32).tobytes(), [])

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.flat.names)}

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where each rule's nodes begin, and where the last one's end."""
        return np.concatenate([[0], np.cumsum(self.flat.sides.sum(axis=1, dtype=np.int64))])

    @cached_property
    def _first_words(self) -> NDArray[np.int64]:
        """How many words are before a node, in all rules."""
        return np.concatenate([[0], np.cumsum(self.flat.shapes == 0)])

    @cached_property
    def _tops(self) -> dict[bytes, list[int]]:
        """The rules by the production at the top of their source, written as numbers."""
        found: dict[bytes, list[int]] = {}
        starts = self._starts[:-1]
        labels, width = self.flat.labels.tobytes(), self.flat.labels.itemsize
        words = (-1 - self.flat.words).tobytes()
        shapes, firsts = self.flat.shapes[starts].tolist(), self._first_words[starts].tolist()
        for number, (start, shape, first) in enumerate(zip(starts.tolist(), shapes, firsts, strict=True)):
            key = labels[width * start : width * (start + 1 + max(shape, 0))]
            if shape == 0:
                key += words[width * first : width * (first + 1)]
            found.setdefault(key, []).append(number)
        return found

    def _make(self, number: int) -> AnyRule:
        start = int(self._starts[number])
        source, target = self.flat.sides[number].tolist()
        if not target:
            return DeletionRule(self._fragment(start, source))
        return Rule(self._fragment(start, source), self._fragment(start + source, target))

    def _fragment(self, start: int, size: int) -> Fragment:
        names = self.flat.names
        labels = self.flat.labels[start : start + size].tolist()
        shapes = self.flat.shapes[start : start + size].tolist()
        last_word = int(self._first_words[start + size])
        first_children = list(accumulate((max(shape, 0) for shape in shapes), initial=1))
        heights = [1] * size
        made: list[Fragment] = [None] * size  # type: ignore[list-item]
        for place in reversed(range(size)):
            label, shape = names[labels[place]], shapes[place]
            if shape > 0:
                first = first_children[place]
                heights[place] = 1 + max(heights[first : first + shape])
                if heights[place] > _DEEPEST:
                    raise LaconicError(f"a rule of more than {_DEEPEST} levels")
                made[place] = Fragment(label, tuple(made[first : first + shape]))
            elif shape == 0:
                last_word -= 1
                made[place] = Fragment(label, word=names[int(self.flat.words[last_word])])
            else:
                made[place] = Fragment(label, link=-1 - shape)
        return made[0]


def _by_level(fragment: Fragment) -> Iterator[Fragment]:
    level: tuple[Fragment, ...] = (fragment,)
    while level:
        yield from level
        level = tuple(child for node in level for child in node.children)
