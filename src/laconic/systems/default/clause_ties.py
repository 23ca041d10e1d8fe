"""What holds a clause together: its verb with subject, auxiliaries, objects and complements."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.agreement import agree, is_singular
from laconic.systems.default.completions import completion
from laconic.systems.default.lexicon import ADVICE, WISHES
from laconic.systems.default.source_tree import AUXILIARIES, PRONOUNS, RELATIVE_CLAUSES, SUBJECTS, SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES, Kind, Tie, any_of

_ONE = frozenset(["NN", "NNP"])


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
            wished = relation == "xcomp" and tree.words[head] in WISHES and not tree.objects(head)
            instead = tree.objects(word) if wished else []  # they want (to have) the house
            yield any_of(head, [word, *instead, *tree.sharing_subject(word)], Kind.COMPLEMENT)
        elif relation in ("obj", "iobj"):
            yield from _object(tree, word, head)
        elif relation == "obl" and [tree.words[child] for child in tree.related(word, "case")] == ["of"]:
            # They knew of it, and were capable of it.
            yield any_of(head, [word, *tree.nouns(word)], Kind.COMPLEMENT)
        yield from completion(tree, word)
        yield from _reference(tree, word)


def _subject(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    outer = tree.outer_clause(head)
    if outer is not None and outer[0] == word:
        yield Tie((word,), (outer[1],), Kind.PREDICATE)
        yield Tie((outer[1],), (word,), Kind.SUBJECT)
        return
    verbs = [verb for verb in tree.sharing_subject(head) if verb == head or agree(tree, word, verb)]
    if not (tree.is_put_off(word) and tree.is_finite(word)):  # which can stand alone
        yield from (any_of(part, verbs, Kind.PREDICATE) for part in tree.standing_for(word))
    yield from _agreement(tree, word, head)
    # A verb that takes over a subject leaves its own behind: not "they he won".
    without_own = [verb for verb in verbs if verb == head or not tree.subjects(verb)]
    for verb in verbs[1:]:
        for own in tree.subjects(verb):
            if own not in tree.subtree(word):
                yield from (
                    Tie((part, own), tuple(without_own[:MOST_ALTERNATIVES]), Kind.PREDICATE)
                    for part in tree.standing_for(word)
                )
    if tree.tags[word].startswith("W") and tree.relations[head] in RELATIVE_CLAUSES:
        yield from (Tie((verb,), (word,), Kind.RELATIVE) for verb in tree.sharing_subject(head))
    else:
        handed_on = tree.handed_on(word, head)
        yield from (
            any_of(part, [word, *tree.nouns(word), *handed_on], Kind.SUBJECT)
            for part in (head, *tree.sharers(head))
        )
        if handed_on and tree.relations[head] != "conj":  # what is said has its own: they say (it) won
            yield Tie((head, tree.heads[head]), (word,), Kind.SUBJECT)


def _reference(tree: SourceTree, pronoun: int) -> Iterator[Tie]:
    """Who says "it" or "they" has named it before, if within the sentence: shares (in the firm) fell after it left."""
    if tree.words[pronoun] in PRONOUNS and tree.relations[pronoun] != "expl":
        before = range(pronoun - 1, -1, -1)
        if named := [word for word in before if tree.stands_for(pronoun, word)]:
            yield any_of(pronoun, named, Kind.REFERENCE)


def _agreement(tree: SourceTree, subject: int, verb: int) -> Iterator[Tie]:
    """The number of men has grown: the men do not take its place."""
    finite, singular = tree.finite(verb), tree.tags[subject] == "NN"
    if singular and is_singular(tree, finite):
        yield from (
            Tie((part, finite), (subject,), Kind.AGREEMENT)
            for part in tree.children[subject]
            if tree.tags[part] == "NNS" and tree.relations[part] == "nmod"
        )
    if is_singular(tree, finite) is False:  # the cook and the gardener are here
        together = [subject, *tree.conjuncts(subject)]
        for part in together if len(together) > 1 else ():
            if tree.tags[part] in _ONE:
                others = tuple(other for other in together if other != part)
                yield Tie((part, finite), others[:MOST_ALTERNATIVES], Kind.AGREEMENT)


def _auxiliary(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    if word + 1 < head and tree.words[word + 1] in ADVICE and tree.words[word] in ("had", "'d", "’d"):
        yield Tie((word,), (word + 1,), Kind.FIXED)  # they had better go
    outer = tree.outer_clause(head)
    if outer is not None and outer[1] == word:
        yield Tie((word,), (head,), Kind.VERB)
        return
    # With its subject or "to" a verb needs its first auxiliary, and with that the next: they (have (been seen)).
    before = [child for child in tree.children[head] if tree.relations[child] in AUXILIARIES and child < word]
    own = [part for subject in tree.subjects(head) for part in tree.standing_for(subject)]
    marks = [child for child in tree.children[head] if tree.tags[child] == "TO" and child < word]
    inverter = tree.inverter(word)
    if inverter is not None and not before and word < min(own, default=0):
        yield Tie((word,), (inverter,), Kind.FIXED)  # only then (did) they see it
    for part in (head, *tree.shared_predicates(head)):
        for anchor in before[-1:] or own + marks:
            if anchor != part:
                yield Tie((part, anchor), (word,), Kind.AUXILIARY)
        if not before:
            yield from _auxiliary_after_other_subjects(tree, word, head, part)
    yield any_of(word, tree.partners(head), Kind.VERB)


def _auxiliary_after_other_subjects(tree: SourceTree, word: int, head: int, part: int) -> Iterator[Tie]:
    """It came and (was) seen; they say (they) have won. The one before may do: it has come and (it has) won."""
    own, above = tree.subjects(head), tree.heads[head]
    others = [outer for subject in own for outer in tree.handed_on(subject, head)]
    if tree.relations[head] == "conj" and not own:
        others = tree.subjects(above)
    if others:
        again = [child for child in tree.children[above] if tree.words[child] == tree.words[word]]
        for anchor in (each for subject in others for each in tree.standing_for(subject)):
            yield Tie((part, anchor), (word, *again), Kind.AUXILIARY)


def _object(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A verb keeps its object, and the more so if that is who does or hears what follows: asked them to go.

    Or if it is a pronoun: there is nothing in it to leave out.
    """
    needed = [word, *tree.nouns(word)]
    if tree.relations[word] == "obj":
        yield any_of(head, needed, Kind.COMPLEMENT if tree.tags[word] == "PRP" else Kind.OBJECT)
        # Before another verb, one without its object takes that of the other: not "bought and wants to sail".
        # And whom something is given needs what: not "they gave us".
        later = [other for other in tree.conjuncts(head) if other > word and tree.tags[other].startswith("V")]
        yield from (
            Tie((head, other), tuple(needed[:MOST_ALTERNATIVES]), Kind.COMPLEMENT)
            for other in (*later, *tree.related(head, "iobj"))
        )
    yield from (
        Tie((head, child), tuple(needed[:MOST_ALTERNATIVES]), Kind.COMPLEMENT)
        for child in tree.children[head]
        if tree.relations[child] in ("xcomp", "ccomp") and child > word
    )
