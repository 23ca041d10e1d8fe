"""What holds punctuation to the words around it, and a text to its main verb."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Tie, first_few
from laconic.text.detokenise import paired_marks

_SAID_OF_NOUNS = frozenset(["appos", "nmod", "acl", "acl:relcl"])
_BESIDE_PHRASES = _SAID_OF_NOUNS | {"conj"}
_SET_OFF = frozenset(["acl", "acl:relcl", "appos", "advcl", "parataxis", "nmod", "obl", "advmod"])


TORN = "a quote, bracket or comma stands without its partner"
NO_VERB = "the text has no main verb"


def main_verb_tie(tree: SourceTree) -> Iterator[Tie]:
    """Who shortens a sentence leaves one: a text with a finite main verb keeps such a verb."""
    verbs = tree.main_verbs()
    if any(tree.is_clause(verb) for verb in verbs):
        yield Tie((), first_few(verbs), NO_VERB)


def mark_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties of the punctuation of a sentence."""
    for word, head in enumerate(tree.heads):
        if head < 0:
            continue
        relation = tree.relations[word]
        if tree.words[word] == "," and tree.relations[head] in _SAID_OF_NOUNS and head > word:
            yield _tie(word, tree.stand_ins(head))  # which sets it off
        if relation == "appos":
            yield from _comma_of_apposition(tree, word, head)
        elif relation == "conj":
            yield from _list_comma(tree, word, head)
        if relation in _SET_OFF or (relation == "conj" and tree.related(word, "cc")):
            yield from _commas(tree, word)
    for opening, closing in paired_marks(tree.sentence):
        yield Tie((opening,), (closing,), TORN)
        yield Tie((closing,), (opening,), TORN)
    last = len(tree) - 1
    if last > 0 and tree.is_mark(last) and tree.words[last - 1] in (".", "?", "!"):
        yield Tie((last,), (last - 1,), TORN)  # a quote after the stop does not stay without it


def _comma_of_apposition(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What explains a noun can take its place, but not after a comma."""
    first = min(tree.subtree(word))
    comma = first if tree.words[first] == "," else first - 1
    if comma > head and tree.words[comma] == ",":
        yield _tie(comma, [head, *tree.related(head, "flat", "conj")])


def _list_comma(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """The comma before a conjunct needs one before it."""
    first = min(part for part in tree.subtree(word) if not tree.is_mark(part))
    if head < first and tree.words[first - 1] == "," and tree.heads[first - 1] == word:
        yield _tie(first - 1, [part for part in tree.heirs(head, but=word) if part < first])


def _commas(tree: SourceTree, word: int) -> Iterator[Tie]:
    """Two commas around a phrase stay or go together, and not without the phrase."""
    if commas := tree.between_commas(word):
        before, after = commas
        yield Tie((before, word), (after,), TORN)
        yield Tie((after, word), (before,), TORN)
        yield Tie((before,), (word,), TORN)
        # After other phrases, a comma may be needed all the same: in May(, they say), prices fell.
        if tree.relations[word] in _BESIDE_PHRASES:
            yield Tie((after,), (word,), TORN)


def _tie(mark: int, needed: list[int]) -> Tie:
    return Tie((mark,), first_few(word for word in needed if word != mark), TORN)
