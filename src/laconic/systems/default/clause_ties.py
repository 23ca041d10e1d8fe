"""What holds clauses together: subjects and verbs, auxiliaries, complements, the words that join clauses."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import ADVICE, DEGREES, HYPOTHESES, ORDINALS, UNFINISHED, UNIVERSALS
from laconic.systems.default.source_tree import AUXILIARIES, CLAUSES, SUBJECTS, SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES, Kind, Tie, any_of

_DEPENDENT_CLAUSES = frozenset(["advcl", "advcl:relcl", "acl", "acl:relcl", "xcomp"])
_RELATIVE_CLAUSES = frozenset(["acl:relcl", "advcl:relcl"])
_MODIFIERS = frozenset(["acl", "acl:relcl"])
_COMPLETIONS = frozenset(["obj", "iobj", "xcomp", "ccomp", "obl", "advmod", "compound:prt", "nsubj", "advcl"])


def clause_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties between the clauses of a sentence and within each of them, phrases left aside."""
    for word, head in enumerate(tree.heads):
        if head < 0:
            yield Tie((), tuple(tree.main_verbs(word)[:MOST_ALTERNATIVES]), Kind.CLAUSE)
        else:
            relation = tree.relations[word]
            if relation in SUBJECTS:
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
            elif relation in ("mark", "advmod"):
                yield from _joint(tree, word, head)
            yield from _dependence(tree, word, head)
        yield from _completion(tree, word)


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
    if tree.tags[word].startswith("W") and tree.relations[head] in _RELATIVE_CLAUSES:
        yield from (Tie((verb,), (word,), Kind.RELATIVE) for verb in tree.heirs(head))
    else:
        handed_on = tree.outer_subjects(head) if tree.tags[word] == "PRP" else []
        yield from (
            any_of(part, [word, *tree.nouns(word), *handed_on], Kind.SUBJECT)
            for part in (head, *tree.sharers(head))
        )
        if handed_on and tree.relations[head] != "conj":  # what is said has its own: they say (it) won
            yield Tie((head, tree.heads[head]), (word,), Kind.SUBJECT)


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


def _joint(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What joins a clause to the one around it, or announces it."""
    outer = tree.outer_clause(head)
    if tree.words[word] == "that" and tree.heads[head] >= 0:
        first = tree.heads[head] if tree.relations[head] == "conj" else head
        if tree.heads[first] >= 0:  # (they say) that it came and that it won
            yield Tie((word,), (tree.heads[first],), Kind.GOVERNOR)
    if tree.words[word] == "only" and tree.relations[head] in ("obl", "advcl") and tree.heads[head] >= 0:
        yield Tie((tree.heads[head],), (head,), Kind.RESTRICTION)  # they open only on Sundays
    if outer is not None and outer[1] < word and tree.relations[word] == "mark":
        yield Tie((outer[1], head), (word,), Kind.CONJUNCTION)  # what counts is (that) they left
    elif tree.words[word] in HYPOTHESES and tree.relations[word] == "mark":
        yield Tie((head,), (word,), Kind.CONDITION)
    elif tree.joins(word):
        if tree.tags[word] == "TO":
            yield Tie((head,), (word,), Kind.CONJUNCTION)
        else:
            around = dict.fromkeys((tree.heads[head], *tree.mains_above(head)))
            yield from (Tie((head, above), (word,), Kind.CONJUNCTION) for above in around if above >= 0)
    elif tree.words[word] in DEGREES and word < head and tree.tags[head].startswith(("JJ", "RB")):
        # as long as, so late that
        measures = [
            child
            for child in tree.children[head]
            if child > head and tree.relations[child] in ("advcl", "ccomp", "obl")
        ]
        yield from (Tie((child,), (word,), Kind.CONJUNCTION) for child in measures)
        if tree.words[word] == "as":
            yield from (Tie((head,), (child,), Kind.CONJUNCTION) for child in measures[:1])


def _dependence(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A clause that depends on a word stands with it, or else, if it can, alone and without a conjunction."""
    relation = tree.relations[word]
    if relation in _MODIFIERS:
        yield from _modifier(tree, word, head)
    embedded = relation in CLAUSES and word not in tree.main and tree.is_clause(word)
    if relation not in _DEPENDENT_CLAUSES and not embedded:
        return
    needed = [head, *tree.stand_ins(word, head)]
    if relation in _RELATIVE_CLAUSES:
        yield from _relative(tree, word, head, needed)
        return
    if tree.subjects(word) and not tree.asks(word):
        yield from (
            Tie((word, above), tuple(needed[:MOST_ALTERNATIVES]), Kind.GOVERNOR)
            for above in tree.mains_above(word)
            if above != head
        )
        yield from (
            any_of(child, needed, Kind.GOVERNOR) for child in tree.children[word] if tree.joins(child)
        )
    else:
        yield any_of(word, needed, Kind.QUESTION if tree.asks(word) else Kind.GOVERNOR)
        yield from _question_word(tree, word, head)


def _question_word(tree: SourceTree, verb: int, head: int) -> Iterator[Tie]:
    """What an indirect question asks for: tell us how long it takes."""
    for child in tree.children[verb]:
        asking = [part for part in tree.subtree(child)[:2] if tree.tags[part].startswith("W")]
        if asking and child < verb:
            yield Tie((verb, head), (child,), Kind.CONJUNCTION)
            if asking[0] != child:
                yield Tie((verb, child), (asking[0],), Kind.CONJUNCTION)


def _modifier(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What a clause after a noun says of it: any delay (caused (by them)), the (first) time they came."""
    if _restricts(tree, word, head):
        yield Tie((head,), (word,), Kind.RESTRICTION)
    yield from (
        Tie((head, word), (child,), Kind.RESTRICTION)
        for child in tree.children[head]
        if tree.relations[child] == "amod" and (tree.tags[child] == "JJS" or tree.words[child] in ORDINALS)
    )
    if tree.relations[word] == "acl" and tree.tags[word] in ("VBN", "VBG"):
        following = [child for child in tree.children[word] if child > word and not tree.is_mark(child)]
        if following:
            yield any_of(word, following, Kind.COMPLEMENT)


def _restricts(tree: SourceTree, word: int, head: int) -> bool:
    """Whether a clause says which of all are meant: any person (who fails to pay), those (arriving late)."""
    quantified = tree.words[head] in UNIVERSALS or any(
        tree.relations[child] == "det" and tree.words[child] in UNIVERSALS for child in tree.children[head]
    )
    first = min(tree.subtree(word))
    # What is announced completes its noun: no sign (that they left).
    announced = any(tree.relations[child] == "mark" for child in tree.children[word])
    return quantified and word > head and not (announced or tree.is_mark(first) or tree.is_mark(first - 1))


def _relative(tree: SourceTree, word: int, head: int, needed: list[int]) -> Iterator[Tie]:
    """A relative clause keeps its noun, and its pronoun unless that is an object: the man (whom) we saw."""
    if tree.tags[head].startswith("W"):  # what they saw
        yield Tie((word,), (head,), Kind.PRONOUN)
        yield Tie((head,), (word,), Kind.PRONOUN)
        return
    pronouns = [child for child in tree.children[word] if child < word and tree.tags[child].startswith("W")]
    for pronoun in pronouns:
        yield any_of(pronoun, needed, Kind.PRONOUN)
        yield Tie((pronoun,), (word,), Kind.PRONOUN)
        if tree.relations[pronoun] not in SUBJECTS and tree.children[pronoun]:  # in which
            yield Tie((word, head), (pronoun,), Kind.RELATIVE)
    yield from (
        Tie((word, above), tuple(needed[:MOST_ALTERNATIVES]), Kind.RELATIVE)
        for above in tree.mains_above(word)[:1]
        if above != head
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
