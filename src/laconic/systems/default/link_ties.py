"""What holds clauses to each other: the words that join them, what they depend on, relative pronouns."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.lexicon import (
    CONDITIONS,
    DEGREES,
    HYPOTHESES,
    ORDINALS,
    SUPPOSITIONS,
    UNIVERSALS,
)
from laconic.systems.default.source_tree import CLAUSES, RELATIVE_CLAUSES, SUBJECTS, SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES, Kind, Tie, any_of

_DEPENDENT_CLAUSES = frozenset(["advcl", "acl", "xcomp", *RELATIVE_CLAUSES])
_ASIDE = frozenset(["obj", "obl", "nmod", "xcomp", "conj"])
_MODIFIERS = frozenset(["acl", "acl:relcl"])


def link_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties between the clauses of a sentence, and of clauses to the words they depend on."""
    for word, head in enumerate(tree.heads):
        if head >= 0:
            asks = tree.tags[word] in ("WRB", "WP") and word < head and tree.words[-1] == "?"
            if asks and head in tree.main:
                yield Tie((head,), (word,), Kind.QUESTION)  # why did they leave?
            if tree.relations[word] in ("mark", "advmod"):
                yield from _joint(tree, word, head)
            yield from _dependence(tree, word, head)


def _joint(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What joins a clause to the one around it, or announces it."""
    outer = tree.outer_clause(head)
    if tree.words[word] == "that":
        yield from _announcer(tree, word, head)
    if outer is not None and outer[1] < word and tree.relations[word] == "mark":
        yield Tie((outer[1], head), (word,), Kind.CONJUNCTION)  # what counts is (that) they left
    elif tree.words[word] in HYPOTHESES and tree.relations[word] == "mark":
        yield Tie((head,), (word,), Kind.CONDITION)
        conditional = tree.words[word] in CONDITIONS and tree.relations[head] == "advcl"
        aside = tree.between_commas(head) is not None  # if I may say so
        if conditional and not aside and tree.words[word - 1] != "even":
            yield Tie((tree.heads[head],), (head,), Kind.PROVISO)
    elif tree.joins(word) and tree.tags[word] == "TO":
        yield Tie((head,), (word,), Kind.CONJUNCTION)
        helped = tree.related(head, "xcomp")  # to (help) find
        yield any_of(word, [*tree.partners(head), *helped], Kind.VERB)
    elif tree.joins(word):
        above = [part for part in dict.fromkeys((tree.heads[head], *tree.mains_above(head))) if part >= 0]
        said = [clause for part in above for clause in tree.related(part, "ccomp")]
        beside = [part for part in (*above, *said) if part != head]  # when they came (we thought) it was late
        yield from (Tie((head, part), (word,), Kind.CONJUNCTION) for part in beside)
    elif tree.words[word] == "only" and tree.relations[head] in ("obl", "advcl") and tree.heads[head] >= 0:
        yield Tie((tree.heads[head],), (head,), Kind.RESTRICTION)  # they open only on Sundays
        yield Tie((head,), (word,), Kind.RESTRICTION)
    elif tree.words[word] in DEGREES and tree.tags[head].startswith(("JJ", "RB")):
        yield from _degree(tree, word, head)


def _announcer(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """They say that it came and that it won: "that" needs who says it."""
    first = tree.heads[head] if tree.relations[head] == "conj" else head
    if tree.heads[first] >= 0:
        yield Tie((word,), (tree.heads[first],), Kind.GOVERNOR)


def _degree(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """As long as they like, so late that they left."""
    measures = [
        child
        for child in tree.children[head]
        if child > max(word, head) and tree.relations[child] in ("advcl", "ccomp", "xcomp", "obl")
    ]
    yield from (Tie((child,), (word,), Kind.CONJUNCTION) for child in measures)
    if tree.words[word] == "as":
        second = [child for child in measures if "as" in (tree.words[part] for part in tree.children[child])]
        yield from (Tie((head,), (child,), Kind.CONJUNCTION) for child in second)
        if second and tree.words[head] == "long" and tree.heads[head] >= 0:
            yield Tie((tree.heads[head],), (head,), Kind.PROVISO)  # they may stay, as long as they pay


def _dependence(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """A clause that depends on a word stands with it, or else, if it can, alone and without a conjunction."""
    relation = tree.relations[word]
    if relation in _MODIFIERS:
        yield from _modifier(tree, word, head)
    if relation in ("ccomp", "csubj") and tree.words[head] in SUPPOSITIONS:
        yield Tie((word,), (head,), Kind.CONDITION)  # they fear that it is lost
    embedded = relation in CLAUSES and word not in tree.main and tree.is_clause(word)
    if relation not in _DEPENDENT_CLAUSES and not embedded:
        return
    needed = [head, *tree.stand_ins(word, head)]
    if relation in RELATIVE_CLAUSES:
        yield from _relative(tree, word, head, needed)
        return
    quoted = relation == "acl" and "that" in (tree.words[child] for child in tree.related(word, "mark"))
    if quoted and tree.relations[head] in _ASIDE:
        yield any_of(word, needed, Kind.GOVERNOR)  # the claim that it is so
    if tree.subjects(word) and not tree.asks(word) and tree.is_finite(word):
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
        for child in tree.related(head, "amod")
        if tree.tags[child] == "JJS" or tree.words[child] in ORDINALS
    )
    if tree.relations[word] == "acl" and tree.tags[word] in ("VBN", "VBG"):
        following = [child for child in tree.children[word] if child > word and not tree.is_mark(child)]
        if following:
            yield any_of(word, following, Kind.COMPLEMENT)


def _restricts(tree: SourceTree, word: int, head: int) -> bool:
    """Whether a clause says which of all are meant: any person (who fails to pay), those (arriving late)."""
    quantified = any(tree.words[part] in UNIVERSALS for part in (head, *tree.related(head, "det")))
    first = min(tree.subtree(word))
    # What is announced completes its noun: no sign (that they left).
    announced = bool(tree.related(word, "mark"))
    return quantified and word > head and not (announced or tree.is_mark(first) or tree.is_mark(first - 1))


def _relative(tree: SourceTree, word: int, head: int, needed: list[int]) -> Iterator[Tie]:
    """A relative clause keeps its noun, and its pronoun unless that is an object: the man (whom) we saw."""
    if tree.tags[head].startswith("W"):  # what they saw
        yield Tie((word,), (head,), Kind.PRONOUN)
        yield Tie((head,), (word,), Kind.PRONOUN)
        if tree.heads[head] >= 0 and tree.relations[head] in ("obj", "obl", "nmod"):
            yield Tie((head,), (tree.heads[head],), Kind.QUESTION)
        return
    pronouns = [child for child in tree.children[word] if child < word and tree.tags[child].startswith("W")]
    for pronoun in pronouns:
        yield any_of(pronoun, needed, Kind.PRONOUN)
        yield Tie((pronoun,), (word,), Kind.PRONOUN)
        if tree.relations[pronoun] not in SUBJECTS and tree.children[pronoun]:  # in which
            yield Tie((word, head), (pronoun,), Kind.RELATIVE)
    yield from (
        Tie((word, above), tuple(needed[:MOST_ALTERNATIVES]), Kind.RELATIVE)
        for above in tree.mains_above(word)
        if above != head
    )
