"""The best compression that tears nothing apart: branch and bound over broken ties, each node one exact search.

A search space is the set of compressions that agree with some pins. Its best compression, ties ignored, is
one run of the decoder and bounds all of it from above. Where that compression breaks a tie, the space is
split into disjoint parts: one of the given words is dropped; or all are kept and one of the needed words
too; or the tie stays broken, at its price. Nodes are opened from the highest bound down, so the first
compression without an open tie is the best of all. Then it alone is taken out of its space, and the search
goes on to the next best.

Any compression, less the price of all it breaks, bounds the best from below. So most parts need not be
searched in full: the decoder is narrowed to what can reach that bound, and a part in which nothing does is
put off until nothing better is left. All of that is one kernel (`laconic.decode.branches`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from laconic.arrays import Float64
from laconic.decode.contract import Frontier, Limit, Solution
from laconic.decode.path import PathDecoder
from laconic.systems.default.tie import PricedTies


@dataclass(frozen=True, slots=True)
class TiedDecoder:
    """All compressions of a decoder, each less the prices of the ties it breaks.

    After so many `searches`, runs of the decoder, the best compression known is taken as it is.
    """

    decoder: PathDecoder
    ties: PricedTies
    searches: int = 600
    counts_gaps: ClassVar[bool] = True

    def best(self, *, prices: ArrayLike | None = None, limit: Limit | None = None) -> Solution:
        """The compression of highest score."""
        return next(self.best_first(prices=prices, limit=limit))

    def best_first(
        self, *, prices: ArrayLike | None = None, limit: Limit | None = None
    ) -> Iterator[Solution]:
        """The compressions from the best down, until so many searches are made."""
        asked = None if prices is None else np.asarray(prices, np.float64)
        found = self.decoder.tied_best_first(self.ties.clauses(), self.searches, prices=asked, limit=limit)
        # Where there is none, the decoder says what is possible.
        yield next(found, None) or self.decoder.best(prices=prices, limit=limit)
        yield from found

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """The best at every number of words with all ties ignored."""
        return self.decoder.frontier(prices=prices)

    def word_marginals(self, *, prices: ArrayLike | None = None) -> Float64:
        """The probability that each word is kept, ties ignored."""
        return self.decoder.word_marginals(prices=prices)
