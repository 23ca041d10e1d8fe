"""A sentence and the compressions people wrote of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.constituency import Tree


@dataclass(frozen=True, slots=True)
class Pair:
    """A source sentence with its reference compressions.

    `references` are word sequences. `kept[r]` holds the source positions of the words of reference r where
    that reference is a deletion, and is None where it is not. `doc` names the document the sentence is from.
    `reference_trees`, where known, holds the constituency tree of each reference.
    """

    id: str
    source: Sentence
    references: tuple[tuple[str, ...], ...]
    kept: tuple[tuple[int, ...] | None, ...]
    doc: str | None = None
    reference_trees: tuple[Tree, ...] | None = None

    def __post_init__(self) -> None:
        if not self.references:
            raise LaconicError(f"pair {self.id!r} has no reference")
        if len(self.kept) != len(self.references):
            raise LaconicError(
                f"pair {self.id!r} has {len(self.references)} references but {len(self.kept)} kept"
            )
        for positions, reference in zip(self.kept, self.references, strict=True):
            if positions is not None and not _spells(self.source, positions, reference):
                raise LaconicError(
                    f"pair {self.id!r}: the source words at {positions} are not the reference "
                    f"{' '.join(reference)[:60]!r}"
                )
        if self.reference_trees is not None:
            if len(self.reference_trees) != len(self.references):
                raise LaconicError(
                    f"pair {self.id!r} has {len(self.references)} references but "
                    f"{len(self.reference_trees)} trees of references"
                )
            for tree, reference in zip(self.reference_trees, self.references, strict=True):
                if tree.words != reference:
                    raise LaconicError(
                        f"pair {self.id!r}: the tree is over {' '.join(tree.words)[:60]!r}, not over "
                        f"the reference {' '.join(reference)[:60]!r}"
                    )

    @classmethod
    def aligned(
        cls, identity: str, source: Sentence, references: Sequence[Sequence[str]], *, doc: str | None = None
    ) -> Pair:
        """The pair whose references are aligned where they are deletions, ties to the last appearance.

        >>> Pair.aligned("1", Sentence.from_words(["Stocks", "fell", "today"]), [["Stocks", "fell"]]).kept
        ((0, 1),)
        """
        kept: list[tuple[int, ...] | None] = []
        for reference in references:
            try:
                kept.append(align_deletion(source.words, reference))
            except LaconicError:
                kept.append(None)
        return cls(identity, source, tuple(map(tuple, references)), tuple(kept), doc)


def _spells(source: Sentence, positions: tuple[int, ...], reference: tuple[str, ...]) -> bool:
    """Whether the positions ascend within the source and hold the words of the reference."""
    steps = zip((-1, *positions), (*positions, len(source)), strict=True)
    return all(here < after for here, after in steps) and reference == tuple(
        source.words[position] for position in positions
    )
