"""Verbs and adjectives that say nothing without what follows them."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import INCOMPLETE
from laconic.systems.default.source_tree import AUXILIARIES, RELATIVE_CLAUSES, SourceTree
from laconic.systems.default.tie import Kind, Tie, any_of

_COMPLETIONS = frozenset(
    [
        *("obj", "iobj", "xcomp", "ccomp", "obl", "obl:agent", "obl:tmod", "obl:npmod", "obl:unmarked"),
        *("advmod", "compound:prt", "nsubj", "nsubj:pass", "advcl", "csubj"),
    ]
)


def completion(tree: SourceTree, word: int) -> Iterator[Tie]:
    """What says nothing by itself keeps something of what follows it: they put it there, it is based on facts."""
    voice = voice_of(tree, word)
    if voice is None or tree.words[word] not in INCOMPLETE[voice] or _has_gap(tree, word):
        return
    if following := completions(tree, word):
        nouns = (noun for child in following for noun in tree.nouns(child))
        yield any_of(word, [*following, *nouns], Kind.COMPLEMENT)


def completions(tree: SourceTree, word: int) -> list[int]:
    """What follows a verb or an adjective and completes it."""
    return [child for child in tree.children[word] if child > word and tree.relations[child] in _COMPLETIONS]


def _has_gap(tree: SourceTree, verb: int) -> bool:
    """Whether what completes a verb stands before its relative clause: the house they bought."""
    asks = any(tree.tags[subject].startswith("W") for subject in tree.subjects(verb))
    return tree.relations[verb] in RELATIVE_CLAUSES and not asks


def voice_of(tree: SourceTree, word: int) -> str | None:
    """How a verb or an adjective is used; None if it is no predicate."""
    relations = {tree.relations[child] for child in tree.children[word]}
    if tree.tags[word] == "JJ":
        return "predicative" if "cop" in relations else None
    if not tree.tags[word].startswith("V") or tree.relations[word] in AUXILIARIES:
        return None
    if "aux:pass" in relations or (tree.tags[word], tree.relations[word]) == ("VBN", "acl"):
        return "passive"
    return "active" if tree.tags[word] != "VBN" or "aux" in relations else None
