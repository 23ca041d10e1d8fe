"""Entropy pruning (Stolcke 1998): leave out n-grams the model hardly misses, and stay normalised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Bool, Float64
from laconic.errors import LaconicError
from laconic.kernel import kernel
from laconic.ngram.model import Listing, NgramModel, assemble
from laconic.ngram.tables import Tables, log_probability
from laconic.ngram.vocabulary import BEGIN

_LEAST_MASS = 1e-7
"""Probability left over below this is rounding error of single precision: the context lists every word."""


def prune(model: NgramModel, threshold: float, *, history_probabilities: Float64 | None = None) -> NgramModel:
    """Leave out every n-gram whose loss alone would raise the perplexity by a factor below 1 + threshold.

    Leaving out w after h costs, with h' = h without its oldest word, b(h) the back-off weight and b'(h)
    the one it then needs,

        P(h) (p(w|h) (ln p(w|h) - ln p(w|h') - ln b'(h)) + (1 - sum_listed p(v|h)) (ln b(h) - ln b'(h))).

    N-grams that are the start of a longer one that stays are kept, longest orders decided first; then all
    back-off weights are computed anew. `history_probabilities` gives P(h) for each node that may have
    children; without it P(h) comes from the model itself by the chain rule, which Kneser-Ney's lower
    orders were not made for (Chelba et al. 2010): pass relative frequencies where they are known.
    """
    if not 0.0 <= threshold < 1.0:
        raise LaconicError(f"the threshold of pruning is at least 0 and below 1, not {threshold}")
    history = _chain_rule(model) if history_probabilities is None else history_probabilities
    if len(history) != len(model.tables.backoffs):
        raise LaconicError(
            f"{len(history)} history probabilities for {len(model.tables.backoffs)} possible histories"
        )
    kept: list[Bool] = [np.ones(model.offsets[1], dtype=np.bool_)]
    for order in range(model.order, 1, -1):
        needed = _has_kept_children(model, order, kept[1]) if order < model.order else None
        cost = _cost_of_leaving_out(model, order, history)
        keep = np.expm1(cost) >= threshold
        kept.insert(1, keep if needed is None else keep | needed)
    return with_fresh_backoffs(_restricted(model, kept))


def with_fresh_backoffs(model: NgramModel) -> NgramModel:
    """The same probabilities with the back-off weights that make every context sum to one.

    b(h) = (1 - sum_listed p(v|h)) / (1 - sum_listed p(v|h')), lower orders first; 1 where nothing is listed.
    """
    backoffs = np.zeros(len(model.tables.backoffs), dtype=np.float32)
    fresh = NgramModel(model.vocabulary, model.offsets, model.tables._replace(backoffs=backoffs))
    for order in range(2, model.order + 1):
        left, left_lower = _unlisted_mass(fresh, order)
        first, last = model.offsets[order - 2], model.offsets[order - 1]
        backoffs[first:last] = np.log(left) - np.log(left_lower)
    backoffs.setflags(write=False)
    return fresh


def _restricted(model: NgramModel, kept: list[Bool]) -> NgramModel:
    """The model without the n-grams that are not kept."""
    listings = []
    place = np.zeros(0, dtype=np.int64)
    for order, keep in enumerate(kept, start=1):
        first, last = model.offsets[order - 1], model.offsets[order]
        prefixes = np.zeros(last, np.int64) if order == 1 else place[_parents(model, order)]
        listings.append(
            Listing(
                prefixes=prefixes[keep],
                words=model.tables.words[first:last][keep],
                probabilities=model.tables.probabilities[first:last][keep],
                backoffs=model.tables.backoffs[first:last][keep] if order < model.order else np.zeros(0),
            )
        )
        place = np.cumsum(keep) - 1
    return assemble(model.vocabulary, listings)


def _parents(model: NgramModel, order: int) -> NDArray[np.int64]:
    """For each n-gram of one order, the place of its context among the n-grams of the order below."""
    first, last = model.offsets[order - 2], model.offsets[order - 1]
    return np.repeat(np.arange(last - first), np.diff(model.tables.children[first : last + 1]))


def _has_kept_children(model: NgramModel, order: int, kept_above: Bool) -> Bool:
    parents = _parents(model, order + 1)[kept_above]
    return np.bincount(parents, minlength=model.offsets[order] - model.offsets[order - 1]) > 0


def _probabilities(model: NgramModel, order: int) -> tuple[Float64, Float64]:
    """ln p(w|h) and ln p(w|h') of the n-grams of one order."""
    first, last = model.offsets[order - 1], model.offsets[order]
    own = model.tables.probabilities[first:last].astype(np.float64)
    return own, lower_log_probabilities(model.tables, model.ngrams(order))


def _unlisted_mass(model: NgramModel, order: int) -> tuple[Float64, Float64]:
    """For each context of `order` - 1 words: 1 - sum_listed p(v|h) and 1 - sum_listed p(v|h').

    Both are 1 for a context that lists every word that has a probability, whose weight is never used.
    """
    own, lower = _probabilities(model, order)
    contexts = model.offsets[order - 1] - model.offsets[order - 2]
    parents = _parents(model, order)
    left: Float64 = np.ones(contexts)
    left_lower: Float64 = np.ones(contexts)
    left -= np.bincount(parents, weights=np.exp(own), minlength=contexts)
    left_lower -= np.bincount(parents, weights=np.exp(lower), minlength=contexts)
    all_listed = left_lower < _LEAST_MASS
    left = np.where(all_listed, 1.0, np.maximum(left, _LEAST_MASS))
    left_lower = np.where(all_listed, 1.0, left_lower)
    return left, left_lower


def _cost_of_leaving_out(model: NgramModel, order: int, history: Float64) -> Float64:
    """The relative entropy between the model and itself without one n-gram, for each n-gram of one order."""
    own, lower = _probabilities(model, order)
    left, left_lower = _unlisted_mass(model, order)
    parents = _parents(model, order)
    first, last = model.offsets[order - 2], model.offsets[order - 1]
    log_backoff = np.log(left) - np.log(left_lower)
    new_log_backoff = np.log(left[parents] + np.exp(own)) - np.log(left_lower[parents] + np.exp(lower))
    costs: Float64 = history[first:last][parents] * (
        np.exp(own) * (own - lower - new_log_backoff)
        + left[parents] * (log_backoff[parents] - new_log_backoff)
    )
    return costs


def _chain_rule(model: NgramModel) -> Float64:
    """P(h) = p(h_1) p(h_2 | h_1) … of every node that may have children; 1 for `<s>`, which is given."""
    levels: list[Float64] = [np.zeros(0)]
    for order in range(1, model.order):
        own = np.exp(
            model.tables.probabilities[model.offsets[order - 1] : model.offsets[order]].astype(np.float64)
        )
        if order == 1:
            own[BEGIN] = 1.0
            levels.append(own)
        else:
            levels.append(levels[-1][_parents(model, order)] * own)
    return np.concatenate(levels)


@kernel
def lower_log_probabilities(tables: Tables, ngrams: NDArray[np.int32]) -> Float64:
    """ln p(w|h') of n-grams h w of at least two words, one a row, where h' is h without its oldest word."""
    length = ngrams.shape[1]
    values = np.empty(len(ngrams))
    for row in range(len(ngrams)):
        values[row] = log_probability(tables, ngrams[row], 1, length - 1, ngrams[row, length - 1])
    return values
