"""Number: whether a subject and a verb go together."""

from __future__ import annotations

from laconic.systems.default.source_tree import SourceTree

_SINGULAR, _PLURAL = frozenset(["is", "was", "has", "does"]), frozenset(["are", "were", "have", "do"])


def is_singular(tree: SourceTree, verb: int) -> bool | None:
    """Whether a finite verb asks for one or (False) for several; None if it does not matter.

    What "I" and "you" do takes the form of the plural, and is not told from it.
    """
    word, tag = tree.words[verb], tree.tags[verb]
    if word in _SINGULAR or tag == "VBZ":
        return True
    return False if word in _PLURAL or tag == "VBP" else None


def agree(tree: SourceTree, noun: int, verb: int) -> bool:
    """Whether a noun by itself, if it is one, can be the subject of a verb: it says they are gone, not "it are"."""
    singular = is_singular(tree, tree.finite(verb))
    if singular is None or tree.conjuncts(noun):
        return True
    return not tree.tags[noun].startswith("NN") or singular == (tree.tags[noun] in ("NN", "NNP"))
