"""Lexicalised Markov grammars of deletion (Galley and McKeown 2007, equations 5 to 7).

Of a phrase l with the children L_m … L_1 H R_1 … R_n, the head H is kept or dropped first, then the modifiers
on either side from the head outwards, each by a distribution of its own side:

    p(α_c | α_f, l) = p_h(k_h | H, l)
                      · Π_i p_l(k_i | L_{i-s} … L_i, k_{i-s} … k_{i-1}, H, k_h, l)
                      · Π_i p_r(k_i | R_{i-s} … R_i, k_{i-s} … k_{i-1}, H, k_h, l)

with k = 1 for kept. H and the modifier at issue are given by category, tag and word, the s sisters between
them by category; l is the phrase with v - 1 of its ancestors. The termination symbols on both ends are a
variable of their own: whether the modifier is the outermost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Int32
from laconic.errors import LaconicError
from laconic.grammar.context_tree import ContextArrays, ContextTree
from laconic.kernel import kernel
from laconic.storage import Content, Stored
from laconic.trees.arrays import tree_arrays
from laconic.trees.constituency import Tree
from laconic.trees.heads import HeadRules
from laconic.trees.transform import bare_label

Annotation = Literal["category", "tag", "word"]
Variable = Literal[
    "head word",
    "modifier word",
    "head tag",
    "modifier tag",
    "ancestors",
    "stop",
    "sisters",
    "sister keeps",
    "head kept",
    "head category",
    "modifier category",
]

PAPER_ORDER: tuple[Variable, ...] = get_args(Variable)
"""The order in which contexts lose variables (note 7); the paper places neither ancestors nor stops here."""

# Int32 that no label or word of a vocabulary has: an unknown one, the place of the head, beyond the end.
UNKNOWN, HEAD_PLACE, NOTHING = 0, 1, 2
FIRST_NUMBER = 3
DROPPED, KEPT, NO_DECISION = 0, 1, 2

# Columns of a context; the ancestors, the sisters and their keeps follow, the nearest first.
_MODIFIER, _HEAD = 0, 3  # category, tag and word of each
_HEAD_KEPT, _STOP, _ANCESTORS = 6, 7, 8

_DIGITS = re.compile(r"[\d#]+")


@dataclass(frozen=True, slots=True)
class MarkovOptions:
    """Which context a decision sees: s `sisters`, v `ancestors`, and the annotation of modifier and head.

    With `stops` it sees whether the modifier is the outermost of its side. `order` says in which order contexts lose
    their variables when data is sparse.
    """

    sisters: int = 1
    ancestors: int = 1
    modifier: tuple[Annotation, ...] = ("category", "tag", "word")
    head: tuple[Annotation, ...] = ("category", "tag", "word")
    stops: bool = True
    order: tuple[Variable, ...] = PAPER_ORDER

    def __post_init__(self) -> None:
        if not 0 <= self.sisters <= 8 or not 0 <= self.ancestors <= 8:
            raise LaconicError(
                f"sister and ancestor orders lie between 0 and 8, not at {self.sisters} and {self.ancestors}"
            )
        for place, annotation in (("modifier", self.modifier), ("head", self.head)):
            if not set(annotation) <= set(get_args(Annotation)) or len(set(annotation)) < len(annotation):
                raise LaconicError(f"a {place} is annotated by category, tag and word, not {annotation}")
        if sorted(self.order) != sorted(PAPER_ORDER):
            raise LaconicError(f"an order names each of {', '.join(PAPER_ORDER)} once, not {self.order}")

    @classmethod
    def from_stored(cls, stored: Stored) -> MarkovOptions:
        """The options that were stored."""
        return cls(
            stored.whole("sisters", low=0, high=8),
            stored.whole("ancestors", low=0, high=8),
            tuple(stored.settings["modifier"]),
            tuple(stored.settings["head"]),
            stored.flag("stops"),
            tuple(stored.settings["order"]),
        )

    def removal(self, *, of_head: bool) -> tuple[int, ...]:
        """The columns of a context in the order in which they are removed; further sisters and ancestors first.

        The decision about the head sees the head and the ancestors only.
        """
        first_sister = _ANCESTORS + self.ancestors
        first_keep = first_sister + self.sisters
        columns: dict[Variable, tuple[int, ...]] = {
            "head kept": (_HEAD_KEPT,),
            "stop": (_STOP,) if self.stops else (),
            "ancestors": tuple(range(_ANCESTORS, first_sister))[::-1],
            "sisters": tuple(range(first_sister, first_keep))[::-1],
            "sister keeps": tuple(range(first_keep, first_keep + self.sisters))[::-1],
            "modifier category": (_MODIFIER,) if "category" in self.modifier else (),
            "modifier tag": (_MODIFIER + 1,) if "tag" in self.modifier else (),
            "modifier word": (_MODIFIER + 2,) if "word" in self.modifier else (),
            "head category": (_HEAD,) if "category" in self.head else (),
            "head tag": (_HEAD + 1,) if "tag" in self.head else (),
            "head word": (_HEAD + 2,) if "word" in self.head else (),
        }
        seen: tuple[Variable, ...] = ("head word", "head tag", "ancestors", "head category")
        return tuple(
            c for variable in self.order if not of_head or variable in seen for c in columns[variable]
        )


class LexicalTree(NamedTuple):
    """A tree for kernels: one entry a node, in preorder, labels and words as numbers.

    `tags` and `words` are those of a node's head word; `head_children` is -1 for preterminals.
    """

    parents: Int32
    starts: Int32
    first_children: Int32
    next_siblings: Int32
    head_children: Int32
    categories: Int32
    tags: Int32
    words: Int32


@dataclass(frozen=True)
class Lexicon:
    """Categories, tags and words as numbers; heads by Collins' rules."""

    labels: Mapping[str, int]
    words: Mapping[str, int]
    _heads: dict[tuple[str, ...], int] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, labels: tuple[str, ...], words: tuple[str, ...]) -> Lexicon:
        """The lexicon of these labels and (folded) words, numbered in their order."""

        def numbered(names: tuple[str, ...]) -> dict[str, int]:
            return {name: number for number, name in enumerate(names, start=FIRST_NUMBER)}

        return cls(numbered(labels), numbered(words))

    def lexicalise(self, tree: Tree) -> LexicalTree:
        """The tree as numbers; what the lexicon does not know is `UNKNOWN`."""
        arrays = tree_arrays(tree)
        children: list[list[int]] = [[] for _ in tree.labels]
        for node in range(1, len(tree.labels)):
            children[tree.parents[node]].append(node)
        # In preorder a parent comes first, so from the back a node's children are complete before it.
        head_children = [-1] * len(children)
        head_words = list(tree.starts)
        for node in reversed(range(len(children))):
            below = children[node]
            if below:
                head = self._head_child(tree.labels[node], tuple(tree.labels[child] for child in below))
                head_children[node] = below[head]
                head_words[node] = head_words[below[head]]
        labels = [self._label(label) for label in tree.labels]
        word_tags = [labels[node] for node, below in enumerate(children) if not below]
        word_numbers = [self.words.get(fold_word(word), UNKNOWN) for word in tree.words]
        return LexicalTree(
            arrays.parents,
            arrays.starts,
            arrays.first_children,
            arrays.next_siblings,
            *(
                np.array(numbers, dtype=np.int32)
                for numbers in (
                    head_children,
                    labels,
                    [word_tags[word] for word in head_words],
                    [word_numbers[word] for word in head_words],
                )
            ),
        )

    def _label(self, label: str) -> int:
        found = self.labels.get(label)
        return self.labels.get(bare_label(label), UNKNOWN) if found is None else found

    def _head_child(self, label: str, children: tuple[str, ...]) -> int:
        key = (label, *children)
        if key not in self._heads:
            self._heads[key] = HeadRules.load().head_child(label, children)
        return self._heads[key]


def fold_word(word: str) -> str:
    """A word as the grammar sees it: in lower case, every run of digits as one sign.

    >>> fold_word("F-16"), fold_word("The"), fold_word("##")
    ('f-#', 'the', '#')
    """
    return _DIGITS.sub("#", word.lower())


@dataclass(frozen=True, slots=True, eq=False)
class MarkovGrammar:
    """The three distributions over DROPPED and KEPT, given contexts: of heads, left and right modifiers."""

    options: MarkovOptions
    lexicon: Lexicon
    head: ContextTree
    left: ContextTree
    right: ContextTree

    def content(self) -> Content:
        """What a file holds."""
        found = Content(
            {"options": asdict(self.options)},
            lines={"labels": tuple(self.lexicon.labels), "words": tuple(self.lexicon.words)},
        )
        for name, tree in (("head", self.head), ("left", self.left), ("right", self.right)):
            found |= tree.content().within(name)
        return found

    @classmethod
    def from_stored(cls, stored: Stored) -> MarkovGrammar:
        """The grammar whose `content` was stored; whatever does not fit is an error."""
        options = MarkovOptions.from_stored(stored.within("options"))
        labels, words = (tuple(stored.lines_of(name, distinct=True)) for name in ("labels", "words"))
        head, left, right = (
            ContextTree.from_stored(
                # Kernels look the columns up in contexts as wide as the options make them.
                stored.within(name),
                options.removal(of_head=name == "head")[::-1],
                outcomes=2,
            )
            for name in ("head", "left", "right")
        )
        return cls(options, Lexicon.of(labels, words), head, left, right)

    @property
    def distributions(self) -> Distributions:
        """The distributions as kernels want them."""
        return Distributions(self.head.arrays, self.left.arrays, self.right.arrays)

    def log_probability(self, tree: Tree, kept: NDArray[np.bool_], node: int) -> float:
        """ln p(α_c | α_f, l) of a phrase, by equation 7, if its children stay or go as `kept` says of nodes."""
        lexical = self.lexicon.lexicalise(tree)
        derived = np.zeros(len(tree.labels), dtype=np.bool_)
        derived[node] = True
        contexts, sides, outcomes = decisions(
            lexical, derived, np.asarray(kept, dtype=np.bool_), self.options.sisters, self.options.ancestors
        )
        trees = (self.head, self.left, self.right)
        rows = zip(contexts, sides, outcomes, strict=True)
        return float(sum(trees[side].log_distribution(row)[outcome] for row, side, outcome in rows))


class Distributions(NamedTuple):
    """The distributions of a grammar, for kernels."""

    head: ContextArrays
    left: ContextArrays
    right: ContextArrays


HEAD_SIDE, LEFT_SIDE, RIGHT_SIDE = range(3)


@kernel
def context_width(sisters: int, ancestors: int) -> int:
    """The number of columns of a context."""
    return _ANCESTORS + ancestors + 2 * sisters


def context_columns(sisters: int, ancestors: int, *, of: tuple[int, int]) -> list[int]:
    """The columns of a context of higher orders (sisters, ancestors) that make one of lower orders."""
    first_sister = _ANCESTORS + of[1]
    first_keep = first_sister + of[0]
    return [
        *range(_ANCESTORS + ancestors),
        *range(first_sister, first_sister + sisters),
        *range(first_keep, first_keep + sisters),
    ]


@kernel
def fill_phrase(context: Int32, tree: LexicalTree, phrase: int, ancestors: int) -> None:
    """Write what all decisions about a phrase's children see: its head child, its labels upwards."""
    context[:] = NOTHING
    head = tree.head_children[phrase]
    context[_HEAD], context[_HEAD + 1], context[_HEAD + 2] = (
        tree.categories[head],
        tree.tags[head],
        tree.words[head],
    )
    above = phrase
    for level in range(ancestors):
        if above >= 0:
            context[_ANCESTORS + level] = tree.categories[above]
            above = tree.parents[above]


@kernel
def fill_modifier(
    context: Int32,
    tree: LexicalTree,
    modifiers: Int32,
    place: int,
    head_kept: int,
    history: int,
    sisters: int,
    ancestors: int,
) -> None:
    """Write what the decision about `modifiers[place]` sees, above what `fill_phrase` wrote.

    `modifiers` are those of one side, from the head outwards; bit j - 1 of `history` tells whether the
    j-th sister towards the head was kept.
    """
    modifier = modifiers[place]
    context[_MODIFIER], context[_MODIFIER + 1], context[_MODIFIER + 2] = (
        tree.categories[modifier],
        tree.tags[modifier],
        tree.words[modifier],
    )
    context[_HEAD_KEPT] = head_kept
    context[_STOP] = place == len(modifiers) - 1
    first_sister = _ANCESTORS + ancestors
    for step in range(1, sisters + 1):
        label, decision = NOTHING, NO_DECISION
        if step <= place:
            label, decision = tree.categories[modifiers[place - step]], history >> (step - 1) & 1
        elif step == place + 1:
            label = HEAD_PLACE
        context[first_sister + step - 1] = label
        context[first_sister + sisters + step - 1] = decision


@kernel
def side_modifiers(tree: LexicalTree, phrase: int, side: int) -> Int32:
    """The children of a phrase on one side of its head, from the head outwards."""
    head = tree.head_children[phrase]
    count = 0
    child = tree.first_children[phrase]
    while child >= 0:
        count += (child < head) if side == LEFT_SIDE else (child > head)
        child = tree.next_siblings[child]
    found = np.empty(count, dtype=np.int32)
    place = 0
    child = tree.first_children[phrase]
    while child >= 0:
        if child < head and side == LEFT_SIDE:
            found[count - 1 - place] = child
            place += 1
        elif child > head and side == RIGHT_SIDE:
            found[place] = child
            place += 1
        child = tree.next_siblings[child]
    return found


@kernel
def decisions(
    tree: LexicalTree, derived: NDArray[np.bool_], kept: NDArray[np.bool_], sisters: int, ancestors: int
) -> tuple[Int32, Int32, Int32]:
    """The (context, side, outcome) of every decision about the children of the derived phrases."""
    count = 0
    for node in range(1, len(derived)):
        count += derived[tree.parents[node]]
    contexts = np.empty((count, context_width(sisters, ancestors)), dtype=np.int32)
    sides, outcomes = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    row = 0
    for phrase in range(len(derived)):
        head = tree.head_children[phrase]
        if not derived[phrase] or head < 0:
            continue
        fill_phrase(contexts[row], tree, phrase, ancestors)
        shared = contexts[row].copy()
        head_kept = int(kept[head])
        sides[row], outcomes[row] = HEAD_SIDE, head_kept
        row += 1
        for side in (LEFT_SIDE, RIGHT_SIDE):
            modifiers = side_modifiers(tree, phrase, side)
            history = 0
            for place in range(len(modifiers)):
                contexts[row] = shared
                fill_modifier(contexts[row], tree, modifiers, place, head_kept, history, sisters, ancestors)
                decision = int(kept[modifiers[place]])
                sides[row], outcomes[row] = side, decision
                row += 1
                history = (history << 1 | decision) & ((1 << sisters) - 1)
    return contexts[:row], sides[:row], outcomes[:row]
