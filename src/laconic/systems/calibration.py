"""Choosing what a word is worth, so that a system without a budget finds a good length by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from laconic.corpora.pair import Pair
from laconic.decode.forest_decoder import ForestDecoder
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.annotation import parsed_pairs


def best_price(
    open_decoder: Callable[[Sentence], ForestDecoder], pairs: Iterable[Pair], prices: Sequence[float]
) -> float:
    """The price, added for every kept word, at which the best compressions have the highest F1 on the pairs.

    F1 is over positions, averaged over the references that are deletions, then over the pairs; of equally good
    prices, the first is taken. One search for each sentence serves all prices.
    """
    totals = np.zeros(len(prices))
    for pair in parsed_pairs(pairs):
        gold = [set(kept) for kept in pair.kept if kept]
        if not gold:
            continue
        frontier = open_decoder(pair.source).frontier()
        lengths = np.arange(len(frontier.scores))
        best = [int(np.argmax(frontier.scores + price * lengths)) for price in prices]
        answers = {length: set(frontier.solution(length).kept) for length in set(best)}
        for place, length in enumerate(best):
            found = answers[length]
            totals[place] += np.mean([2 * len(found & kept) / (len(found) + len(kept)) for kept in gold])
    if not totals.any():
        raise LaconicError(
            "no pair to choose the price of a word on whose reference is made by deleting words"
        )
    return prices[int(np.argmax(totals))]
