"""The best compression that tears nothing apart: the paths over words, each less the prices of the ties it breaks.

How they are searched is told where it is done, in `laconic.decode.branches`.
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
        found = self.decoder.tied_best_first(self.ties.arrays, self.searches, prices=asked, limit=limit)
        # Where there is none, the decoder says what is possible.
        yield next(found, None) or self.decoder.best(prices=prices, limit=limit)
        yield from found

    def outline(self, *, prices: ArrayLike | None = None) -> Frontier:
        """The best at every number of words with all ties ignored."""
        return self.decoder.frontier(prices=prices)

    def word_marginals(self, *, prices: ArrayLike | None = None) -> Float64:
        """The probability that each word is kept, ties ignored."""
        return self.decoder.word_marginals(prices=prices)
