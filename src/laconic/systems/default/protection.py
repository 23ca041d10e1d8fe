"""What must not be torn apart: negations, quantities, subjects and verbs, and other ties of the source tree."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files

from laconic.sentence import Sentence
from laconic.text.detokenise import paired_marks


class Kind(Enum):
    """Why words belong together; the value says what is left where they are torn apart."""

    NEGATION = "a negation is gone"
    QUANTITY = "a number stands without what it counts"
    SUBJECT = "a verb stands without its subject"
    PREDICATE = "a subject stands without its verb"
    CLAUSE = "the text has no main verb"
    AUXILIARY = "a verb stands without its auxiliary"
    CONJUNCTION = "a clause stands without its conjunction"
    COMPLEMENT = "a verb stands without its object or clause"
    PREPOSITION = "a phrase stands without its preposition"
    HEAD = "a word stands without the one it belongs to"
    MARK = "a quote, bracket or comma stands without its partner"


@dataclass(frozen=True, slots=True)
class Tie:
    """If all of `given` are kept (always, if there is none), one of `needed` must be kept too."""

    given: tuple[int, ...]
    needed: tuple[int, ...]
    kind: Kind

    def broken_by(self, kept: frozenset[int]) -> bool:
        """Whether a compression keeps all of `given` and none of `needed`."""
        return kept.issuperset(self.given) and kept.isdisjoint(self.needed)


_LEXICON = tomllib.loads(
    files("laconic.systems.default").joinpath("lexicon.toml").read_text(encoding="utf-8")
)
_NEGATIONS = frozenset(_LEXICON["negations"])
_DENIALS = frozenset(_LEXICON["denials"])
_MAGNITUDES = frozenset(_LEXICON["magnitudes"])
_CLIPPED = frozenset(["n't", "n’t", "nʼt"])
_MAIN_CLAUSES = frozenset(["ccomp", "conj", "parataxis"])
_COMPLEMENTS = frozenset(["xcomp", "ccomp", "csubj", "csubj:pass", "obj", "nsubj:pass", "advcl"])
_SUBJECTS = frozenset(["nsubj", "nsubj:pass", "csubj", "csubj:pass", "nsubj:outer", "expl"])
_COUNTERS = frozenset(["nummod", "nmod", "nmod:unmarked", "nmod:tmod", "compound", "flat", "advmod"])
_BELONGING = frozenset(
    [
        "det",
        "amod",
        "nummod",
        "nmod",
        "nmod:poss",
        "det:predet",
        "case",
        "fixed",
        "mark",
        "acl",
        "acl:relcl",
        "obl",
    ]
)
_SET_OFF = frozenset(["acl", "acl:relcl", "appos", "advcl", "parataxis", "nmod", "obl", "advmod"])
_ARTICLE_REACH = 12  # words after an article among which its noun may be found
_MOST_ALTERNATIVES = 6  # words any of which mends a tie; each is a search of its own


def ties(sentence: Sentence) -> tuple[Tie, ...]:
    """The ties of an annotated sentence, the gravest kinds first.

    >>> from laconic.text.tokenise import tokenise
    >>> plain = tokenise("It did not fall.")
    >>> fall = plain.annotated(tags=("PRP", "VBD", "RB", "VB", "."), heads=(3, 3, 3, -1, 3),
    ...     relations=("nsubj", "aux", "advmod", "root", "punct"))
    >>> [(tie.given, tie.needed, tie.kind.name) for tie in ties(fall)][:2]
    [((3,), (2,), 'NEGATION'), ((3,), (0,), 'SUBJECT')]
    """
    order = {kind: place for place, kind in enumerate(Kind)}
    found = dict.fromkeys(_Bonds(sentence).ties())
    return tuple(sorted(found, key=lambda tie: order[tie.kind]))


def clashing_articles(sentence: Sentence) -> list[tuple[int, int]]:
    """The pairs of "a" or "an" and a later word that would not follow it in speech.

    >>> from laconic.text.tokenise import tokenise
    >>> clashing_articles(tokenise("an old violin"))
    [(0, 2)]
    """
    words = sentence.words
    return [
        (article, later)
        for article, word in enumerate(words)
        if word.casefold() in ("a", "an")
        for later in range(article + 2, min(len(words), article + _ARTICLE_REACH))
        if words[later][0].isalpha() and _starts_with_vowel(words[later]) != (word.casefold() == "an")
    ]


def _starts_with_vowel(word: str) -> bool:
    if len(word) > 1 and word.isupper() and not set(word) & set("AEIOU"):
        return word[0] in "FHLMNRSX"  # spelt out: an MP
    small = word.casefold()
    if small.startswith(tuple(_LEXICON["silent h"])):
        return True
    return small[0] in "aeiou" and not small.startswith(tuple(_LEXICON["consonantal vowel"]))


class _Bonds:
    """The source tree, asked for what belongs together."""

    def __init__(self, sentence: Sentence) -> None:
        assert sentence.heads is not None and sentence.relations is not None and sentence.tags is not None
        self.sentence = sentence
        self.words = [word.casefold() for word in sentence.words]
        self.heads, self.relations, self.tags = sentence.heads, sentence.relations, sentence.tags
        self.children: list[list[int]] = [[] for _ in self.words]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)

    def ties(self) -> Iterator[Tie]:
        for word, head in enumerate(self.heads):
            yield from self._negation(word, head)
            if self.tags[word] == "CD" or self.words[word] in _MAGNITUDES:
                yield from self._quantity(word, head)
            if head >= 0:
                yield from self._clause(word, head)
                yield from self._phrase(word, head)
            else:
                yield Tie((), tuple(self._main_verbs(word)[:_MOST_ALTERNATIVES]), Kind.CLAUSE)
        for opening, closing in paired_marks(self.sentence):
            yield Tie((opening,), (closing,), Kind.MARK)
            yield Tie((closing,), (opening,), Kind.MARK)

    def _negation(self, word: int, head: int) -> Iterator[Tie]:
        if self.words[word] in _CLIPPED and word > 0:
            yield Tie((word - 1,), (word,), Kind.NEGATION)
            yield Tie((word,), (word - 1,), Kind.HEAD)
        if head >= 0 and self.words[word] in _NEGATIONS and self.relations[word] != "conj":
            yield Tie((head,), (word,), Kind.NEGATION)
        if head >= 0 and self.relations[word] in _COMPLEMENTS and self._denies(head):
            yield Tie((word,), (head,), Kind.NEGATION)

    def _denies(self, word: int) -> bool:
        return self.words[word] in _DENIALS or any(
            self.words[child] in _NEGATIONS for child in self.children[word]
        )

    def _quantity(self, word: int, head: int) -> Iterator[Tie]:
        following = word + 1
        if following < len(self.words) and (
            self.tags[following] == "CD" or self.words[following] in _MAGNITUDES
        ):
            # Parts of one number: $ 5 million, 12 percent.
            yield Tie((word,), (following,), Kind.QUANTITY)
            yield Tie((following,), (word,), Kind.QUANTITY)
        if self.tags[word] != "CD":
            return
        if head >= 0 and self.relations[word] in _COUNTERS:
            yield Tie((word,), (head,), Kind.QUANTITY)
        for child in self.children[word]:
            if self.relations[child] == "advmod" and child < word:  # more than 20, up to 20, nearly 20
                yield from (Tie((word,), (part,), Kind.QUANTITY) for part in self._subtree(child))

    def _clause(self, word: int, head: int) -> Iterator[Tie]:
        relation = self.relations[word]
        if relation in _SUBJECTS:
            yield self._any_of(word, self._heirs(head), Kind.PREDICATE)
            handed_on = self._outer_subjects(head) if self.tags[word] == "PRP" else []
            yield self._any_of(head, [word, *self._nouns(word), *handed_on], Kind.SUBJECT)
        elif relation in ("aux", "aux:pass", "cop"):
            yield Tie((head,), (word,), Kind.AUXILIARY)
            yield self._any_of(word, self._heirs(head), Kind.HEAD)
        elif relation == "compound:prt":
            yield Tie((head,), (word,), Kind.AUXILIARY)
            yield Tie((word,), (head,), Kind.HEAD)
        elif self._joins_clauses(word) and self.heads[head] >= 0:
            yield Tie((head, self.heads[head]), (word,), Kind.CONJUNCTION)
        elif relation in ("obj", "ccomp", "xcomp"):
            yield self._any_of(head, [word, *self._nouns(word), *self._heirs(word)], Kind.COMPLEMENT)

    def _joins_clauses(self, word: int) -> bool:
        if self.relations[word] == "mark":
            return self.words[word] != "that"
        return self.relations[word] == "advmod" and self.tags[word] == "WRB"  # when, where

    def _phrase(self, word: int, head: int) -> Iterator[Tie]:
        relation = self.relations[word]
        if relation == "case" and self.heads[head] >= 0:
            yield Tie((head, self.heads[head]), (word,), Kind.PREPOSITION)
        if relation in _BELONGING:
            inside = set(self._subtree(word))
            others = [noun for noun in self._nouns(head) if noun not in inside]
            yield self._any_of(word, [head, *others, *self._heirs(head)], Kind.HEAD)
        if relation in _SET_OFF:
            yield from self._commas(word)

    def _commas(self, word: int) -> Iterator[Tie]:
        """Two commas around a phrase stay or go together, and not without the phrase."""
        inside = [part for part in self._subtree(word) if self.words[part] != ","] or [word]
        before, after = min(inside) - 1, max(inside) + 1
        if before > 0 and after < len(self.words) and self.words[before] == self.words[after] == ",":
            yield Tie((before, word), (after,), Kind.MARK)
            yield Tie((after, word), (before,), Kind.MARK)
            yield Tie((before,), (word,), Kind.MARK)

    def _any_of(self, given: int, needed: list[int], kind: Kind) -> Tie:
        words = [word for word in dict.fromkeys(needed) if word != given]
        return Tie((given,), tuple(words[:_MOST_ALTERNATIVES]), kind)

    def _heirs(self, verb: int) -> list[int]:
        """The verb and those that can take over its subject: it came and won; it says it won."""
        found = [verb]
        for node in found:
            found.extend(
                child
                for child in self.children[node]
                if self.relations[child] in _MAIN_CLAUSES and self._shares_subject(child)
            )
        return found

    def _main_verbs(self, root: int) -> list[int]:
        """The root and the clauses on it that can stand alone: what was said, what follows a semicolon."""
        found = [root]
        for node in found:
            found.extend(child for child in self.children[node] if self.relations[child] in _MAIN_CLAUSES)
        return found

    def _shares_subject(self, verb: int) -> bool:
        subjects = [child for child in self.children[verb] if self.relations[child] in _SUBJECTS]
        return all(self.tags[subject] == "PRP" for subject in subjects)

    def _subtree(self, word: int) -> list[int]:
        found = [word]
        for node in found:
            found.extend(self.children[node])
        return found

    def _nouns(self, word: int) -> list[int]:
        """The nouns of a phrase, any of which may stand for it: the linebacker Mayo, a group of men."""
        return [part for part in self._subtree(word) if self.tags[part].startswith(("NN", "PRP"))]

    def _outer_subjects(self, word: int) -> list[int]:
        """The subjects of the clauses around a verb."""
        found: list[int] = []
        while (word := self.heads[word]) >= 0:
            found.extend(child for child in self.children[word] if self.relations[child] in _SUBJECTS)
        return found
