"""What faults cost: torn ties, run-ons, clashing articles; and how much more, the freer the length is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from laconic.systems.default.tie import Kind, Tie

JUNCTION = 20.0
"""The price of keeping punctuation that detokenising takes away again: only pins make it worth paying."""

HARD = 100.0
"""Ties of this price or more are torn only where nothing else is possible."""

NOTED = frozenset(
    [
        Kind.NEGATION,
        Kind.QUANTITY,
        Kind.PREDICATE,
        Kind.EXCEPTION,
        Kind.CONDITION,
        Kind.PROVISO,
        Kind.QUALIFIER,
        Kind.RESTRICTION,
        Kind.VERB,
        Kind.QUESTION,
        Kind.PRONOUN,
        Kind.FIXED,
    ]
)
"""Of ties of these kinds, the answer says that they are torn: they change what is said, or break it."""

TIES: Mapping[Kind, float] = {
    Kind.NEGATION: 4 * HARD,
    Kind.QUANTITY: 2 * HARD,
    Kind.PREDICATE: HARD,
    Kind.CLAUSE: 3.0,
    Kind.VERB: 8.0,
    Kind.EXCEPTION: 12.0,
    Kind.CONDITION: 12.0,
    Kind.PROVISO: 0.5,
    Kind.QUALIFIER: 0.3,
    Kind.RESTRICTION: 4.0,
    Kind.QUESTION: 20.0,
    Kind.PRONOUN: 12.0,
    Kind.RELATIVE: 4.0,
    Kind.REFERENCE: 0.5,
    Kind.GOVERNOR: 2.0,
    Kind.COORDINATION: 3.0,
    Kind.CONJUNCTION: 3.0,
    Kind.FIXED: 18.0,
    Kind.SUBJECT: 3.0,
    Kind.AGREEMENT: 2.0,
    Kind.AUXILIARY: 12.0,
    Kind.COMPLEMENT: 1.0,
    Kind.OBJECT: 0.5,
    Kind.PREPOSITION: 3.0,
    Kind.STRANDED: 12.0,
    Kind.DETERMINER: 12.0,
    Kind.HEAD: 1.5,
    Kind.MARK: 3.0,
}
"""What tearing words apart costs at an exact length, in the units of the potentials.

The references of the development pairs tear the soft ties too, one in twenty-six. The prices are those at which
exact lengths score best on them, and higher where that costs nothing.
"""


@dataclass(frozen=True, slots=True)
class Prices:
    """What tearing each kind of tie costs; dropping a mark that set off what is kept on both sides; and "a" before a
    vowel or "an" before a consonant, which references that only delete do pay."""

    ties: Mapping[Kind, float]
    run_on: float
    article: float

    def of(self, ties: Iterable[Tie]) -> dict[Tie, float]:
        """The price of each of the ties."""
        return {tie: self.ties[tie.kind] for tie in ties}


def _raised(price: float, exceptions: Mapping[Kind, float]) -> dict[Kind, float]:
    """The soft ties at this price, with exceptions."""
    raised = {kind: usual if usual >= HARD else price for kind, usual in TIES.items()}
    return raised | dict(exceptions)


# At an exact length there is often no choice but among faults, and the references make theirs. The freer the length,
# the more grammar may decide it; within a range no reference says which, and a shorter sentence is at hand. At the
# natural length the words' own odds count too, so its scores are wider apart.
EXACT = Prices(TIES, run_on=1.5, article=1.0)
NATURAL = Prices(
    _raised(
        30.0,
        {
            Kind.CLAUSE: 9.0,
            Kind.HEAD: 12.0,
            Kind.OBJECT: 6.0,
            Kind.PROVISO: 12.0,
            Kind.AGREEMENT: 60.0,
            Kind.CONDITION: 60.0,
            Kind.EXCEPTION: 60.0,
        },
    ),
    run_on=10.0,
    article=20.0,
)
WITHIN_LIMITS = Prices(
    _raised(
        24.0,
        {
            Kind.CLAUSE: 60.0,
            Kind.HEAD: 12.0,
            Kind.OBJECT: 12.0,
            Kind.REFERENCE: 12.0,
            Kind.QUALIFIER: 12.0,
            Kind.MARK: 12.0,
            Kind.COMPLEMENT: 20.0,
            Kind.PROVISO: 8.0,
            Kind.CONDITION: 48.0,
            Kind.EXCEPTION: 48.0,
        },
    ),
    run_on=10.0,
    article=20.0,
)
