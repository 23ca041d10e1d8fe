"""What holds punctuation to the words around it: commas, quotes and brackets, the stop at the end."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Kind, Tie, any_of
from laconic.text.detokenise import paired_marks

_SAID_OF_NOUNS = frozenset(["appos", "nmod", "acl", "acl:relcl"])
_BESIDE_PHRASES = _SAID_OF_NOUNS | {"conj"}
_SET_OFF = frozenset(["acl", "acl:relcl", "appos", "advcl", "parataxis", "nmod", "obl", "advmod"])


def mark_ties(tree: SourceTree) -> Iterator[Tie]:
    """The ties of the punctuation of a sentence."""
    for word, head in enumerate(tree.heads):
        if head < 0:
            continue
        relation = tree.relations[word]
        if tree.words[word] == "," and tree.relations[head] in _SAID_OF_NOUNS and head > word:
            yield any_of(word, [head, *tree.nouns(head)], Kind.MARK)  # which sets it off
        if relation == "appos":
            yield from _comma_of_apposition(tree, word, head)
        elif relation == "conj":
            yield from _list_comma(tree, word, head)
        if relation in _SET_OFF or (relation == "conj" and tree.related(word, "cc")):
            yield from _commas(tree, word)
    for opening, closing in paired_marks(tree.sentence):
        yield Tie((opening,), (closing,), Kind.MARK)
        yield Tie((closing,), (opening,), Kind.MARK)
    last = len(tree) - 1
    if last > 0 and tree.is_mark(last) and tree.words[last - 1] in (".", "?", "!"):
        yield Tie((last,), (last - 1,), Kind.MARK)  # a quote after the stop does not stay without it


def _comma_of_apposition(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """What explains a noun can take its place, but not after a comma."""
    first = min(tree.subtree(word))
    comma = first if tree.words[first] == "," else first - 1
    if comma > head and tree.words[comma] == ",":
        yield any_of(comma, tree.standing_for(head), Kind.MARK)


def _list_comma(tree: SourceTree, word: int, head: int) -> Iterator[Tie]:
    """The comma before a conjunct needs one before it."""
    first = min(part for part in tree.subtree(word) if not tree.is_mark(part))
    if head < first and tree.words[first - 1] == "," and tree.heads[first - 1] == word:
        earlier = [other for other in tree.conjuncts(head) if other < word]
        inside = tree.subtree(word)
        others = [part for part in tree.stand_ins(word, head) if part not in inside and part < first]
        yield any_of(first - 1, [head, *earlier, *others], Kind.MARK)


def _commas(tree: SourceTree, word: int) -> Iterator[Tie]:
    """Two commas around a phrase stay or go together, and not without the phrase."""
    if commas := tree.between_commas(word):
        before, after = commas
        yield Tie((before, word), (after,), Kind.MARK)
        yield Tie((after, word), (before,), Kind.MARK)
        yield Tie((before,), (word,), Kind.MARK)
        # After other phrases, a comma may be needed all the same: in May(, they say), prices fell.
        if tree.relations[word] in _BESIDE_PHRASES:
            yield Tie((after,), (word,), Kind.MARK)
