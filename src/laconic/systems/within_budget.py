"""Asking a decoder for the best compression that meets a request, measured on the final text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from laconic.budget import TextCost
from laconic.compression import Compression
from laconic.decode.contract import Decoder, Floats, Limit, Solution
from laconic.errors import InfeasibleBudget
from laconic.sentence import Sentence
from laconic.systems.request import Request
from laconic.trees.transform import restrict

# Repairs and spacing make the final text a little longer or shorter than its words add up to.
_SLACK = 6
_MORE = 100  # compressions to try when the best of no cost has a text that fits

Value = Callable[[float, int], float]


def by_score(score: float, words: int) -> float:  # noqa: ARG001  (the contract of values)
    """What a compression is worth: its score, whatever its length."""
    return score


def best_within(
    open_decoder: Callable[[Sentence], Decoder],
    request: Request,
    *,
    value: Value = by_score,
    word_price: float = 0.0,
    write: Callable[[Solution], Compression] | None = None,
) -> Compression:
    """The compression of most value that keeps to the request; `word_price` is added for every kept word.

    The value is a function of score and number of words that rises with the score. For words, and for costs
    of words, the answer is exact. Costs of the final text, such as characters, are estimated word by word
    for the search: then the best compression at every estimate is written, measured, and taken only if its
    text fits. What cannot be met raises `InfeasibleBudget`. `write` makes the compression of a solution;
    without it, the solution is a deletion.
    """
    sentence, budget = request.sentence, request.budget
    if len(request.drop) == len(sentence):
        nothing = Compression.by_deletion(sentence, ())
        if request.least > request.cost(nothing):
            raise request.refusal((0, 0))
        return nothing
    decoder = open_decoder(sentence)
    prices = np.full(len(sentence), word_price, dtype=np.float64)
    prices[list(request.keep)] = np.inf
    prices[list(request.drop)] = -np.inf
    # A demanded word adds no price, whatever the compression.
    owed = word_price * len(request.keep)

    def worth(solution: Solution) -> float:
        return value(solution.score + owed, len(solution.kept))

    def written(solution: Solution) -> Compression:
        return _written(request, solution, owed) if write is None else write(solution)

    if budget is None and value is by_score:
        return written(decoder.best(prices=prices))
    unit = "words" if budget is None else budget.unit
    if unit == "words":
        frontier = decoder.frontier(prices=prices)
        lengths = np.flatnonzero(frontier.scores > -np.inf)
        within = [m for m in lengths.tolist() if request.least <= m <= request.most]
        if not within:
            raise request.refusal((int(lengths[0]), int(lengths[-1])))
        best = max(within, key=lambda m: value(float(frontier.scores[m]) + owed, m))
        return written(frontier.solution(best))
    assert budget is not None
    if callable(unit):
        costs, slack = [budget.measure((word,), word) for word in sentence.words], 0
    else:
        costs, slack = _estimates(request), _SLACK
    frontier = decoder.frontier(prices=prices, costs=costs)
    possible = np.flatnonzero(frontier.scores > -np.inf).tolist()
    near = [cost for cost in possible if request.least - slack <= cost <= request.most + slack]
    found = _best_that_fits(request, map(frontier.solution, near), worth, written)
    if found is None and slack:
        # Estimates mislead: look at the best near the limits, then at the best of all.
        limit = Limit(max(0, request.least - slack), request.most + slack, tuple(costs))
        for limited in (limit, None):
            others = _more(decoder, prices, limited)
            found = found or _best_that_fits(request, others, worth, written)
    if found is None:
        ends = [request.cost(written(frontier.solution(cost))) for cost in possible]
        raise request.refusal((min(ends), max(ends)))
    return found


def _best_that_fits(
    request: Request,
    solutions: Iterable[Solution],
    worth: Callable[[Solution], float],
    written: Callable[[Solution], Compression],
) -> Compression | None:
    for solution in sorted(solutions, key=worth, reverse=True):
        compression = written(solution)
        if request.least <= request.cost(compression) <= request.most:
            return compression
    return None


def _more(decoder: Decoder, prices: Floats, limit: Limit | None) -> Sequence[Solution]:
    try:
        return decoder.k_best(_MORE, prices=prices, limit=limit)
    except InfeasibleBudget:
        return ()


def _estimates(request: Request) -> list[int]:
    """What each word with the space behind it adds to the cost of the text, on its own."""
    sentence, budget = request.sentence, request.budget
    assert budget is not None
    if isinstance(budget.unit, TextCost):
        return [max(0, budget.unit.count(word)) for word in sentence.words]
    return [len(word) + bool(space) for word, space in zip(sentence.words, sentence.spaces, strict=True)]


def _written(request: Request, solution: Solution, owed: float) -> Compression:
    sentence = request.sentence
    tree = None if sentence.tree is None else restrict(sentence.tree, solution.kept)
    return Compression.by_deletion(sentence, solution.kept, score=solution.score + owed, tree=tree)
