"""What holds a clause together: its verb with subject, auxiliaries, objects and complements."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import ADVICE, PERSONS, UNFINISHED
from laconic.systems.default.source_tree import AUXILIARIES, RELATIVE_CLAUSES, SUBJECTS, SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES, Kind, Tie, any_of

_ONE, _SEVERAL = ("NN", "NNP"), ("NNS", "NNPS")
_REFERENTS = {
    **dict.fromkeys(("it", "its", "he", "him", "his", "she", "her"), _ONE),
    **dict.fromkeys(("they", "them", "their"), _SEVERAL),
}
_COMPLETIONS = frozenset(["obj", "iobj", "xcomp", "ccomp", "obl", "advmod", "compound:prt", "nsubj", "advcl"])


def clause_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties within the clauses of a sentence, phrases left aside."""
    for word, head in enumerate(tree.heads):
        relation = tree.relations[word]
        if head < 0:
            yield Tie((), tuple(tree.main_verbs(word)[:MOST_ALTERNATIVES]), Kind.CLAUSE)
        elif relation in SUBJECTS:
            yield from _subject(tree, word, head)
        elif relation in AUXILIARIES:
            yield from _auxiliary(tree, word, head)
        elif relation == "compound:prt":
            yield Tie((head,), (word,), Kind.AUXILIARY)
            yield Tie((word,), (head,), Kind.VERB)
        elif relation in ("xcomp", "ccomp"):
            objects = [child for child in tree.children[word] if tree.relations[child] == "obj"]
            instead = objects if relation == "xcomp" else []  # they want (to sell) the house
            yield any_of(head, [word, *instead, *tree.heirs(word)], Kind.COMPLEMENT)
        elif relation in ("obj", "iobj"):
            yield from _object(tree, word, head)
        yield from _completion(tree, word)
        yield from _reference(tree, word)


def _subject(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    outer = tree.outer_clause(head)
    if outer is not None and outer[0] == word:
        yield Tie((word,), (outer[1],), Kind.PREDICATE)
        yield Tie((outer[1],), (word,), Kind.SUBJECT)
        return
    heirs = tree.heirs(head)
    yield any_of(word, heirs, Kind.PREDICATE)
    yield from _agreement(tree, word, head)
    # A verb that takes over a subject leaves its own behind: not "they he won".
    without_own = [heir for heir in heirs if heir == head or not tree.subjects(heir)]
    for heir in heirs[1:]:
        for own in tree.subjects(heir):
            if own not in tree.subtree(word):
                yield Tie((word, own), tuple(without_own[:MOST_ALTERNATIVES]), Kind.PREDICATE)
    if tree.tags[word].startswith("W") and tree.relations[head] in RELATIVE_CLAUSES:
        yield from (Tie((verb,), (word,), Kind.RELATIVE) for verb in tree.heirs(head))
    else:
        handed_on = tree.outer_subjects(head) if tree.tags[word] == "PRP" else []
        yield from (
            any_of(part, [word, *tree.nouns(word), *handed_on], Kind.SUBJECT)
            for part in (head, *tree.sharers(head))
        )
        if handed_on and tree.relations[head] != "conj":  # what is said has its own: they say (it) won
            yield Tie((head, tree.heads[head]), (word,), Kind.SUBJECT)


def _reference(tree: SourceTree, pronoun: int) -> Iterator[Tie]:
    """Who says "it" or "they" has named it before, if within the sentence: shares (in the firm) fell after it left."""
    numbers = _REFERENTS.get(tree.words[pronoun])
    if numbers is not None and tree.relations[pronoun] != "expl":
        named = [word for word in range(pronoun - 1, -1, -1) if tree.tags[word] in numbers]
        if tree.words[pronoun] in ("it", "its"):  # nobody is called so
            named = [word for word in named if tree.words[word] not in PERSONS]
        if named:
            yield any_of(pronoun, named, Kind.REFERENCE)


def _agreement(tree: SourceTree, subject: int, verb: int) -> Iterator[Tie]:
    """The number of men has grown: the men do not take its place."""
    finite = next((child for child in tree.children[verb] if tree.relations[child] in AUXILIARIES), verb)
    if tree.tags[subject] == "NN" and (tree.tags[finite] == "VBZ" or tree.words[finite] == "was"):
        yield from (
            Tie((part, finite), (subject,), Kind.HEAD)
            for part in tree.children[subject]
            if tree.tags[part] == "NNS" and tree.relations[part] == "nmod"
        )


def _auxiliary(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    if word + 1 < head and tree.words[word + 1] in ADVICE and tree.words[word] in ("had", "'d", "’d"):
        yield Tie((word,), (word + 1,), Kind.FIXED)  # they had better go
    outer = tree.outer_clause(head)
    if outer is not None and outer[1] == word:
        yield Tie((word,), (head,), Kind.VERB)
        return
    # With its subject or "to" a verb needs its first auxiliary, and with that the next: they (have (been seen)).
    before = [child for child in tree.children[head] if tree.relations[child] in AUXILIARIES and child < word]
    subjects = [part for subject in tree.subjects(head) for part in (subject, *tree.conjuncts(subject))]
    anchors = before[-1:] or subjects + [
        child for child in tree.children[head] if tree.tags[child] == "TO" and child < word
    ]
    inverter = tree.inverter(word)
    if inverter is not None and not before and word < min(subjects, default=0):
        yield Tie((word,), (inverter,), Kind.FIXED)  # only then (did) they see it
    predicates = (head, *(tree.shared_predicates(head) if tree.relations[word] == "cop" else ()))
    yield from (
        Tie((part, anchor), (word,), Kind.AUXILIARY)
        for anchor in anchors
        for part in predicates
        if part != anchor
    )
    yield any_of(word, tree.partners(head), Kind.VERB)


def _object(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A verb keeps its object, and the more so if that is who does or hears what follows: asked them to go.

    Or if it is a pronoun: there is nothing in it to leave out.
    """
    needed = [word, *tree.nouns(word)]
    if tree.relations[word] == "obj":
        yield any_of(head, needed, Kind.COMPLEMENT if tree.tags[word] == "PRP" else Kind.OBJECT)
        # Before another verb, one without its object takes that of the other: not "bought and wants to sail".
        yield from (
            Tie((head, other), tuple(needed[:MOST_ALTERNATIVES]), Kind.COMPLEMENT)
            for other in tree.children[head]
            if tree.relations[other] == "conj" and other > word and tree.tags[other].startswith("V")
        )
    yield from (
        Tie((head, child), tuple(needed[:MOST_ALTERNATIVES]), Kind.COMPLEMENT)
        for child in tree.children[head]
        if tree.relations[child] in ("xcomp", "ccomp") and child > word
    )


def _completion(tree: SourceTree, verb: int) -> Iterator[Tie]:
    """Verbs such as "have" or "put" keep something of what follows them."""
    if (
        tree.words[verb] in UNFINISHED
        and tree.tags[verb].startswith("V")
        and tree.relations[verb] not in AUXILIARIES
    ):
        following = [
            child for child in tree.children[verb] if child > verb and tree.relations[child] in _COMPLETIONS
        ]
        if following:
            yield any_of(
                verb,
                [*following, *(noun for child in following for noun in tree.nouns(child))],
                Kind.COMPLEMENT,
            )
