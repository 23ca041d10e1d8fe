"""What faults cost: torn ties, run-ons; and how much more, the freer the length is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from laconic.systems.default.clauses import ODDS, coordination_ties, main_verb_tie, predicate_ties
from laconic.systems.default.learnt_ties import LearntTies
from laconic.systems.default.protections import Protection, protecting_ties
from laconic.systems.default.punctuation import mark_ties
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import PricedTies, listed

JUNCTION = 20.0
"""The price of keeping punctuation that detokenising takes away again: only pins make it worth paying."""

NOTED = 2.5
"""Of what people tear less often than this, in log-odds, the answer says that it is torn."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a fault costs in the units of the scores.

    `log_odds` is what one of the log-odds of learnt ties and of soft protections is worth; the first `free` of a part's
    cost nothing, since the scores of words say what is worth keeping. `mark` is the price of half
    a pair of marks, `fragment` that of no main verb, `run_on` of dropping a mark that set off what is kept on both
    sides, `hard` of what is torn only where nothing else is possible.
    """

    log_odds: float
    mark: float
    fragment: float
    run_on: float
    hard: float = 100.0
    free: float = 0.0

    def of(self, tree: SourceTree, learnt: LearntTies) -> PricedTies:
        """The ties of a sentence with their prices."""
        others = chain(
            ((tie, self.log_odds * ODDS) for tie in chain(coordination_ties(tree), predicate_ties(tree))),
            ((tie, self.mark) for tie in mark_ties(tree)),
            ((tie, self.fragment) for tie in main_verb_tie(tree)),
            ((tie, self._of_row(row)) for tie, row in protecting_ties(tree)),
        )
        return PricedTies(
            learnt.ties(tree, free=self.free, log_odds=self.log_odds), listed(others), len(tree)
        )

    def _of_row(self, row: Protection) -> float:
        return self.hard if row.price is None else self.log_odds * row.price


# At an exact length there is often no choice but among faults; who imitates a register makes those of its references,
# which mind less than readers do. The freer the length, the more grammar may decide it; within a range no reference
# says which, and a shorter sentence is at hand. At the natural length the words' own odds count too, so its scores are
# wider apart.
LIKE_REFERENCES = Prices(log_odds=0.2, mark=3.0, fragment=3.0, run_on=1.5)
EXACT = Prices(log_odds=1.5, mark=4.0, fragment=10.0, run_on=4.0)
NATURAL = Prices(log_odds=3.0, mark=30.0, fragment=30.0, run_on=20.0)
WITHIN_LIMITS = Prices(log_odds=3.0, mark=12.0, fragment=60.0, run_on=10.0, free=0.5)
