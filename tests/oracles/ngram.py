"""Brute-force twins of the n-gram model: dictionaries and definitions read aloud."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

Ngram = tuple[int, ...]
Values = dict[Ngram, tuple[float, float]]  # n-gram -> (probability, back-off weight), not logarithms

BEGIN = 1


def count(sentences: Sequence[Sequence[int]], order: int) -> Counter[Ngram]:
    """Occurrences of all n-grams of up to `order` words; sentences include their boundaries."""
    return Counter(
        tuple(sentence[start : start + length])
        for sentence in sentences
        for length in range(1, order + 1)
        for start in range(len(sentence) - length + 1)
    )


def adjusted_count(counts: Counter[Ngram], order: int, ngram: Ngram) -> int:
    """Occurrences at the highest order or at a sentence's begin, else how many words come before."""
    if len(ngram) == order or ngram[0] == BEGIN:
        return 0 if ngram == (BEGIN,) else counts[ngram]
    return sum(1 for longer in counts if len(longer) == len(ngram) + 1 and longer[1:] == ngram)


def modified_kneser_ney(
    sentences: Sequence[Sequence[int]],
    *,
    order: int,
    vocabulary_size: int,
    cut_offs: Sequence[int],
    discounts: Callable[[list[int]], Sequence[float]],
) -> Values:
    """Every listed n-gram with its interpolated probability and its back-off weight."""
    counts = count(sentences, order)
    adjusted = {ngram: adjusted_count(counts, order, ngram) for ngram in counts}
    by_order = {
        length: discounts([value for ngram, value in adjusted.items() if len(ngram) == length])
        for length in range(1, order + 1)
    }

    def listed(ngram: Ngram) -> bool:
        return len(ngram) == 1 or counts[ngram] >= cut_offs[len(ngram) - 2]

    def discount(ngram: Ngram) -> float:
        value = adjusted.get(ngram, 0)
        return 0.0 if value == 0 else by_order[len(ngram)][min(value, 3) - 1]

    def extensions(context: Ngram) -> list[Ngram]:
        return [ngram for ngram in counts if len(ngram) == len(context) + 1 and ngram[:-1] == context]

    def backoff(context: Ngram) -> float:
        total = sum(adjusted[ngram] for ngram in extensions(context))
        if total == 0:
            return 1.0
        return sum(discount(n) if listed(n) else adjusted[n] for n in extensions(context)) / total

    def probability(ngram: Ngram) -> float:
        if ngram == (BEGIN,):
            return 0.0
        *context, _ = ngram
        total = sum(adjusted[other] for other in extensions(tuple(context)))
        lower = probability(ngram[1:]) if context else 1.0 / (vocabulary_size - 1)
        return (adjusted.get(ngram, 0) - discount(ngram)) / total + backoff(tuple(context)) * lower

    listing = [(word,) for word in range(vocabulary_size)]
    listing += [ngram for ngram in counts if len(ngram) > 1 and listed(ngram)]  # type: ignore[misc]
    return {ngram: (probability(ngram), backoff(ngram) if len(ngram) < order else 1.0) for ngram in listing}


def conditional(values: Values, context: Sequence[int], word: int) -> float:
    """p(word | context) of a back-off model."""
    ngram = (*context, word)
    if ngram in values:
        return values[ngram][0]
    weight = values[tuple(context)][1] if tuple(context) in values else 1.0
    return weight * conditional(values, context[1:], word)


def fresh_backoffs(values: Values, order: int, vocabulary_size: int) -> Values:
    """The same probabilities with back-off weights that make every listed context sum to one."""
    result = {ngram: (probability, 1.0) for ngram, (probability, _) in values.items()}
    for length in range(1, order):
        for context in [ngram for ngram in values if len(ngram) == length]:
            unlisted = [word for word in range(vocabulary_size) if (*context, word) not in values]
            mass = 1.0 - sum(
                values[(*context, word)][0] for word in range(vocabulary_size) if word not in unlisted
            )
            lower = sum(conditional(result, context[1:], word) for word in unlisted)
            if len(unlisted) < vocabulary_size and lower > 1e-7:
                result[context] = (result[context][0], mass / lower)
    return result


def entropy_of_leaving_out(
    values: Values, ngram: Ngram, *, order: int, vocabulary_size: int, history_probability: float
) -> float:
    """P(h) sum_w p(w|h) (ln p(w|h) - ln q(w|h)), q the model without the n-gram, over all words w."""
    without = fresh_backoffs(
        {other: value for other, value in values.items() if other != ngram}, order, vocabulary_size
    )
    context = ngram[:-1]
    divergence = 0.0
    for word in range(vocabulary_size):
        own = conditional(values, context, word)
        if own > 0:
            divergence += own * (math.log(own) - math.log(conditional(without, context, word)))
    return history_probability * divergence


def prune(
    values: Values, threshold: float, *, order: int, vocabulary_size: int, history: dict[Ngram, float]
) -> Values:
    """Leave out what costs less than the threshold, longest n-grams first, contexts of what stays kept."""
    kept = dict(values)
    for length in range(order, 1, -1):
        for ngram in [ngram for ngram in values if len(ngram) == length]:
            is_context = any(len(other) == length + 1 and other[:-1] == ngram for other in kept)
            cost = entropy_of_leaving_out(
                values,
                ngram,
                order=order,
                vocabulary_size=vocabulary_size,
                history_probability=history[ngram[:-1]],
            )
            if not is_context and math.expm1(cost) < threshold:
                del kept[ngram]
    return fresh_backoffs(kept, order, vocabulary_size)
