"""The papers' tests of ratings: analysis of variance with Tukey's comparisons, paired t-tests, Wilcoxon's test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from laconic.metrics.significance import wilcoxon
from laconic.rating.distributions import f_tail, studentised_range_tail, t_tail


@dataclass(frozen=True, slots=True)
class Variance:
    """An analysis of variance: F, its degrees of freedom, and the chance of as large an F among equal systems."""

    f: float
    between: int
    within: int
    p: float
    error: float


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two systems: the difference of their means, and its p-values by each test; None where there are no pairs.

    `t` is Student's paired t-test after Holm's correction for all pairs of systems, as Yao et al. (2014) have it.
    """

    first: str
    second: str
    difference: float
    tukey: float | None
    t: float | None
    wilcoxon: float | None


def analysis_of_variance(groups: Sequence[Sequence[float]]) -> Variance | None:
    """The one-way analysis of variance; None where there are too few values, or all are equal."""
    arrays = [np.asarray(group, float) for group in groups if len(group)]
    count = sum(map(len, arrays))
    between, within = len(arrays) - 1, count - len(arrays)
    if between < 1 or within < 1:
        return None
    grand = np.concatenate(arrays).mean()
    explained = sum(len(group) * (group.mean() - grand) ** 2 for group in arrays) / between
    error = float(sum(((group - group.mean()) ** 2).sum() for group in arrays) / within)
    if error == 0:
        return None
    f = float(explained / error)
    return Variance(f, between, within, f_tail(f, between, within), error)


def contrasts(values: Mapping[str, Mapping[str, float]]) -> list[Contrast]:
    """All pairs of systems, from the mean rating of each text of each system."""
    variance = analysis_of_variance([list(of.values()) for of in values.values()])
    found = []
    for first, second in combinations(values, 2):
        one, two = values[first], values[second]
        difference = float(np.mean(list(one.values())) - np.mean(list(two.values())))
        tukey = None
        if variance is not None:
            # Tukey and Kramer: q = |difference| / √(MS/2 (1/n₁ + 1/n₂))
            scale = math.sqrt(variance.error / 2 * (1 / len(one) + 1 / len(two)))
            tukey = studentised_range_tail(abs(difference) / scale, len(values), variance.within)
        both = sorted(one.keys() & two.keys())
        paired = [one[name] for name in both], [two[name] for name in both]
        found.append(
            Contrast(
                first,
                second,
                difference,
                tukey,
                paired_t(*paired) if len(both) > 1 else None,
                wilcoxon(*paired) if both else None,
            )
        )
    return _corrected(found)


def paired_t(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of Student's t-test on paired values; 1 where all differences are 0."""
    differences = np.asarray(first, float) - np.asarray(second, float)
    spread = differences.std(ddof=1)
    if spread == 0:
        return 1.0 if differences[0] == 0 else 0.0
    t = float(differences.mean() / (spread / math.sqrt(len(differences))))
    return t_tail(t, len(differences) - 1)


def holm(chances: Sequence[float]) -> list[float]:
    """The p-values after Holm's correction, in their order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected = [0.0] * len(chances)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = highest
    return corrected


def _corrected(found: Sequence[Contrast]) -> list[Contrast]:
    """The same contrasts with t-tests corrected for their number."""
    tested = [place for place, each in enumerate(found) if each.t is not None]
    corrected = dict(zip(tested, holm([found[place].t or 0.0 for place in tested]), strict=True))
    return [
        Contrast(each.first, each.second, each.difference, each.tukey, corrected.get(place), each.wilcoxon)
        for place, each in enumerate(found)
    ]
