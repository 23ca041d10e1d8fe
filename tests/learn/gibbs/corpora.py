"""Tiny corpora whose derivations can be counted."""

from laconic.grammar.grammar import AlignedTrees
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.constituency import Tree


def pair(source: tuple, target: tuple) -> AlignedTrees:  # type: ignore[type-arg]
    """The pair of a nested source and of a target that only deletes."""
    left, right = Tree.from_nested(source), Tree.from_nested(target)
    links = tuple((s, t) for t, s in enumerate(align_deletion(left.words, right.words)))
    return left, right, links


# The same deletion twice, once as a phrase.
RAIN = (
    pair(("S", ("P", ("R", "now")), ("N", "rain"), ("V", "fell")), ("S", ("N", "rain"), ("V", "fell"))),
    pair(("S", ("R", "now"), ("N", "rain"), ("V", "fell")), ("S", ("N", "rain"), ("V", "fell"))),
)
# A deleted chain in which rules meet their like, so that the second depends on the first.
CHAIN = (
    pair(("S", ("X", ("X", ("X", ("A", "a")))), ("B", "b")), ("S", ("B", "b"))),
    pair(("S", ("B", "b")), ("S", ("B", "b"))),
)
# Unary chains on both sides: one node has several partners, several nodes have one.
UNARY = (
    pair(("S", ("S", ("N", "rain"))), ("S", ("N", "rain"))),
    pair(("S", ("X", "so"), ("S", ("N", "rain"))), ("S", ("N", "rain"))),
)
CORPORA = {"rain": RAIN, "chain": CHAIN, "unary": UNARY}
