"""From the network's scores to the potentials of the search: the few weights that are tuned by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.annotate.network import Scores
from laconic.errors import LaconicError
from laconic.systems.default.tie import Kind, Tie

Float64 = NDArray[np.float64]

FAR = -30.0
"""The score of neighbours and arcs between words too far apart for the network to have seen them together."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each of the network's opinions counts.

    `emphasis` is how much of what sets the register apart the network is shown: at 1 as much as in training.

    `path` weighs the potentials of words that follow each other in the compression, `keep` the log-odds of
    each word by itself (`given_keep` where a budget sets the length), `arc` the log-probability of each kept
    word's head among all words; without weight on arcs the search is one over paths. `bias` is added for every
    kept word: it sets the length that is natural when there is no budget.
    """

    path: float = 1.0
    keep: float = 0.0
    given_keep: float = 0.0
    bias: float = 0.0
    arc: float = 0.0
    emphasis: float = 1.0

    def at_given_length(self) -> Weights:
        """The weights when a budget sets the length.

        On headlines held to the reference's length the path by itself is the better judge; broadcast and
        print, of which the network has seen few, gain from the words' own odds.
        """
        return replace(self, keep=self.given_keep, bias=0.0)


class Potentials(NamedTuple):
    """What the decoders add up: arc[head, word], bigram[word, next word] and a price for each kept word."""

    arc: Float64
    bigram: Float64
    prices: Float64


REGISTERS: Mapping[str, Weights] = {
    "news": Weights(keep=2.0, bias=0.45, arc=0.02),
    "spoken": Weights(keep=2.0, given_keep=0.25, bias=-2.1, arc=0.02, emphasis=1.6),
    "written": Weights(keep=2.0, given_keep=0.25, bias=-1.2, arc=0.01, emphasis=1.6),
}
"""The weights chosen on development pairs, for each of the network's registers.

F1 is highest where nearly everything stays; the biases of broadcast and print give half a point and one for a length
that is nearer to that of the references.
"""

STYLES: Mapping[str, float] = {"terse": 0.0, "balanced": 0.5, "safe": 1.0}
"""Names for how much is kept when no budget says it."""

STYLE_BIAS = 6.0
"""What the extreme styles take from, or add to, the score of every kept word."""

JUNCTION = 20.0
"""The price of keeping punctuation that detokenising takes away again: only pins make it worth paying."""

RUN_ON, FREE_RUN_ON = 1.5, 10.0
"""The price of dropping a mark that set off what is kept on both sides, at an exact length and otherwise."""

ARTICLE, FREE_ARTICLE = 1.0, 20.0
"""The price of "a" before a vowel and "an" before a consonant, which references that only delete do pay."""

NATURAL_STRICTNESS, LIMIT_STRICTNESS = 3.0, 4.0
"""How many times as much soft ties cost at the natural length, and within a range of lengths.

At an exact length there is often no choice but among faults, and the references make theirs: there the prices
are as they stand. The freer the length, the more grammar may decide it.
"""

HARD = 100.0
"""Ties of this price or more are torn only where nothing else is possible."""

NOTED = 6.0
"""Of ties of this price or more, the answer says that they are torn."""

TIES: Mapping[Kind, float] = {
    Kind.NEGATION: 4 * HARD,
    Kind.QUANTITY: 2 * HARD,
    Kind.PREDICATE: HARD,
    Kind.CLAUSE: 3.0,
    Kind.VERB: 8.0,
    Kind.EXCEPTION: 12.0,
    Kind.CONDITION: 12.0,
    Kind.RESTRICTION: 4.0,
    Kind.QUESTION: 10.0,
    Kind.PRONOUN: 12.0,
    Kind.RELATIVE: 4.0,
    Kind.REFERENCE: 0.5,
    Kind.GOVERNOR: 2.0,
    Kind.COORDINATION: 3.0,
    Kind.CONJUNCTION: 3.0,
    Kind.FIXED: 6.0,
    Kind.SUBJECT: 3.0,
    Kind.AUXILIARY: 4.0,
    Kind.COMPLEMENT: 1.0,
    Kind.OBJECT: 0.5,
    Kind.PREPOSITION: 3.0,
    Kind.DETERMINER: 4.0,
    Kind.HEAD: 1.5,
    Kind.MARK: 3.0,
}
"""What tearing words apart costs, in the units of the potentials.

The references of the development pairs tear the soft ties too, one in thirty. The prices are those at which
exact lengths score best on them, and higher where that costs nothing.
"""


NATURAL_TIES: Mapping[Kind, float] = {Kind.COMPLEMENT: 12.0, Kind.REFERENCE: 9.0}
"""At the natural length these cost so much."""

LIMIT_TIES: Mapping[Kind, float] = {
    Kind.CLAUSE: 30.0,
    Kind.SUBJECT: 20.0,
    Kind.AUXILIARY: 20.0,
    Kind.COORDINATION: 20.0,
    Kind.GOVERNOR: 20.0,
    Kind.COMPLEMENT: 20.0,
    Kind.PREPOSITION: 20.0,
    Kind.REFERENCE: 8.0,
    Kind.OBJECT: 12.0,
    Kind.HEAD: 12.0,
}
"""Within a range of lengths these cost so much: no reference says which, and a shorter sentence is at hand."""


def style_bias(style: float | str) -> float:
    """What a style, by name or from 0 (terse) to 1 (safe), adds to the score of every kept word."""
    value = STYLES.get(style) if isinstance(style, str) else style
    if value is None or not 0 <= value <= 1:
        raise LaconicError(f"a style is {', '.join(STYLES)} or a number from 0 to 1, not {style!r}")
    return STYLE_BIAS * (2.0 * value - 1.0)


def tie_prices(ties: Iterable[Tie], strictness: float = 1.0) -> dict[Tie, float]:
    """The price of tearing each of the ties, the soft ones that many times their own."""
    prices = {kind: price if price >= HARD else strictness * price for kind, price in TIES.items()}
    if strictness >= LIMIT_STRICTNESS:
        prices |= LIMIT_TIES
    elif strictness >= NATURAL_STRICTNESS:
        prices |= NATURAL_TIES
    return {tie: prices[tie.kind] for tie in ties}


def potentials(scores: Scores, weights: Weights) -> Potentials:
    """The potentials of one sentence; score = Σ arc + Σ bigram + Σ prices over what a compression keeps."""
    follow = scores.follow.astype(np.float64)
    bigram = np.where(np.isneginf(follow), FAR, follow) * weights.path
    prices = weights.keep * scores.keep.astype(np.float64) + weights.bias
    return Potentials(weights.arc * _head_log_probabilities(scores), bigram, prices)


def _head_log_probabilities(scores: Scores) -> Float64:
    # log softmax over h of kept_arcs[m, h], no word being its own head; then [head, dependent].
    logits = scores.kept_arcs.astype(np.float64)
    np.fill_diagonal(logits, -np.inf)
    logits[0, 0] = 0.0  # the root has no head; its row is not read, but must be a number
    logits -= logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return np.maximum(logits.T, FAR)
