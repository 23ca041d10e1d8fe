"""Ties: words that must not be torn apart, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """Why words belong together; the value says what is left where they are torn apart."""

    __hash__ = object.__hash__  # members are unique; Enum's own is ten times slower

    NEGATION = "a negation is gone"
    QUANTITY = "a number stands without what it counts"
    PREDICATE = "a subject stands without its verb"
    EXCEPTION = "a denial stands without its exception"
    CONDITION = "what is only supposed stands as a fact"
    PROVISO = "what holds only on a condition stands without it"
    QUALIFIER = "what is not quite so stands as if it were"
    RESTRICTION = "what holds for some stands as if it held for all"
    CLAUSE = "the text has no main verb"
    VERB = "an auxiliary stands without its verb"
    QUESTION = "a question stands without what it asks for or depends on"
    PRONOUN = "a relative pronoun stands without its noun or its verb"
    RELATIVE = "a relative clause stands without its pronoun or its noun"
    REFERENCE = "a pronoun stands without what it stands for"
    GOVERNOR = "a dependent clause stands alone"
    COORDINATION = "a conjunction stands without one of its sides"
    CONJUNCTION = "clauses or phrases stand without the word that joins them"
    FIXED = "half of a fixed phrase is gone"
    SUBJECT = "a verb stands without its subject"
    AGREEMENT = "a verb does not agree with its subject"
    AUXILIARY = "a verb stands without its auxiliary or its particle"
    COMPLEMENT = "a verb stands without the clause it asks for"
    OBJECT = "a verb stands without its object"
    PREPOSITION = "a phrase stands without its preposition"
    STRANDED = "a preposition stands without its phrase"
    DETERMINER = "a noun and its article or its number are torn apart"
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


MOST_ALTERNATIVES = 6
"""Words any of which mends a tie; each is a search of its own."""


def any_of(given: int, needed: list[int], kind: Kind) -> Tie:
    """The tie of a word to the first few of several, any of which will do."""
    words = [word for word in dict.fromkeys(needed) if word != given]
    return Tie((given,), tuple(words[:MOST_ALTERNATIVES]), kind)
