"""The sentence as everyone passes it around: the author's words and spacing, and what was found out about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.later import at_hand, lazy
from laconic.trees.constituency import Tree
from laconic.trees.dependency import check_heads


@lazy("tree")
@dataclass(frozen=True, slots=True)
class Sentence:
    """Words exactly as written, the white space after each, and optional annotation.

    `lead + words[0] + spaces[0] + words[1] + …` is the original text, character by character.
    Indices are 0-based; `heads[i]` is the head of word i, or -1 for the root.

    >>> Sentence.from_words(["Stocks", "fell", "."]).text
    'Stocks fell .'
    """

    words: tuple[str, ...]
    spaces: tuple[str, ...]
    lead: str = ""
    tags: tuple[str, ...] | None = None
    tree: Tree | None = None
    heads: tuple[int, ...] | None = None
    relations: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        count = len(self.words)
        if "" in self.words:
            raise LaconicError(f"word {self.words.index('')} of the sentence is empty")
        for name in ("spaces", "tags", "heads", "relations"):
            values = getattr(self, name)
            if values is not None and len(values) != count:
                raise LaconicError(f"{count} words but {len(values)} {name}: {' '.join(self.words)[:60]!r}")
        tree: Tree | None = at_hand(self, "tree")
        if tree is not None and tree.words != self.words:
            raise LaconicError(
                f"the tree's words are not the sentence's: {' '.join(tree.words)[:60]!r} "
                f"against {' '.join(self.words)[:60]!r}"
            )
        if self.heads is not None:
            check_heads(self.heads)

    @classmethod
    def from_words(cls, words: Sequence[str], *, tree: Tree | None = None) -> Sentence:
        """A sentence of given words with one space between them, as tokenised corpora store them."""
        spaces = (" ",) * (len(words) - 1) + ("",) if words else ()
        return cls(words=tuple(words), spaces=spaces, tree=tree)

    @property
    def text(self) -> str:
        """The author's text, character by character."""
        return self.lead + "".join(word + space for word, space in zip(self.words, self.spaces, strict=True))

    def __len__(self) -> int:
        return len(self.words)

    def annotated(
        self,
        *,
        tags: Sequence[str] | None = None,
        tree: Tree | None = None,
        heads: Sequence[int] | None = None,
        relations: Sequence[str] | None = None,
    ) -> Sentence:
        """The same words with the given annotation added; what is not given stays as it was."""
        return Sentence(
            self.words,
            self.spaces,
            self.lead,
            tags=self.tags if tags is None else tuple(tags),
            tree=self.tree if tree is None else tree,
            heads=self.heads if heads is None else tuple(heads),
            relations=self.relations if relations is None else tuple(relations),
        )
