"""What clauses and words side by side need: their conjunction, the number of their verb, a common verb, a main one."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.source_tree import AUXILIARIES, SourceTree
from laconic.systems.default.tie import Tie, first_few

ODDS = 4.0
"""How seldom these are torn, in log-odds."""

UNJOINED = "phrases stand without the word that joins them"
DISAGREEING = "a verb does not agree with its subject"
LONE_SUBJECT = "a subject stands without its verb"
NO_VERB = "the text has no main verb"
UNHELD = "two clauses stand side by side that another verb held together"
_ONE = frozenset(["NN", "NNP", "PRP"])
_OF_SEVERAL = frozenset(["are", "were", "have", "do", "’re", "'re"])


def main_verb_tie(tree: SourceTree) -> Iterator[Tie]:
    """Who shortens a sentence leaves one: a text with a finite main verb keeps such a verb."""
    verbs = tree.main_verbs()
    if any(tree.is_clause(verb) for verb in verbs):
        yield Tie((), first_few(verbs), NO_VERB)


def predicate_ties(tree: SourceTree) -> Iterator[Tie]:
    """Of a main predicate that is a noun or an adjective the copula is the verb, with its "it" or "there"."""
    for predicate in tree.main_verbs():
        copulas = tree.related(predicate, "cop")
        if copulas and not tree.is_verb(predicate):
            yield Tie((predicate,), first_few(copulas), NO_VERB)
            if expletives := tree.related(predicate, "expl"):
                yield Tie((predicate,), first_few(expletives), NO_VERB)


def coordination_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties between words that stand side by side in a list."""
    for first in range(len(tree)):
        others = tree.related(first, "conj")
        if not others:
            continue
        joining = [word for other in others for word in tree.related(other, "cc")]
        if joining:  # salt, pepper (and) oil
            yield from (Tie((first, other), first_few(joining), UNJOINED) for other in others)
        if tree.relations[first].startswith("nsubj"):
            yield from _agreement(tree, first, others)
    yield from _common_verbs(tree)
    yield from _two_subjects(tree)


def _common_verbs(tree: SourceTree) -> Iterator[Tie]:
    """“They came,” she said, adding that he left: of the two only one can be said by itself."""
    clauses = [word for word in range(len(tree)) if tree.subjects(word)]
    for number, first in enumerate(clauses):
        above_first = tree.above(first)
        for second in clauses[number + 1 :]:
            above_second = tree.above(second)
            if first in above_second or second in above_first:
                continue
            common = next((word for word in above_first if word in above_second), None)
            if common is None:
                continue
            paths = [above[: above.index(common)] for above in (above_first, above_second)]
            tops = [path[-1] if path else word for path, word in zip(paths, (first, second), strict=True)]
            if any(paths) and not any(tree.relations[top] in ("conj", "parataxis") for top in tops):
                yield Tie((first, second), first_few([common, *paths[0], *paths[1]]), UNHELD)


def _two_subjects(tree: SourceTree) -> Iterator[Tie]:
    """The firm says it sells: either can take the other's verb, but both cannot share it."""
    for verb in range(len(tree)):
        for said in tree.related(verb, "ccomp"):
            together = [verb, *(other for other in tree.related(verb, "conj") if not tree.subjects(other))]
            yield from (
                Tie((first, second), first_few(together), LONE_SUBJECT)
                for first in tree.subjects(verb)
                for second in tree.subjects(said)
            )


def _agreement(tree: SourceTree, subject: int, others: list[int]) -> Iterator[Tie]:
    """The cook and the gardener are here: neither is by itself."""
    verb = tree.heads[subject]
    finite = next((child for child in tree.children[verb] if tree.relations[child] in AUXILIARIES), verb)
    if tree.words[finite] in _OF_SEVERAL or (tree.tags[finite] == "VBP" and tree.words[finite] != "am"):
        together = [subject, *others]
        for part in together:
            if tree.tags[part] in _ONE and tree.words[part] not in ("you", "i", "we", "they"):
                rest = first_few(other for other in together if other != part)
                yield Tie((part, finite), rest, DISAGREEING)
