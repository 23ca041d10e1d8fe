"""The distributions of F, t and the studentised range, which tests of ratings need: tails, no tables."""

from __future__ import annotations

import math

import numpy as np

_STEPS = 400  # of a continued fraction, which needs far fewer
_NODES = 160  # of a Gauss-Legendre sum


def beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method).

    >>> round(beta_share(2.0, 3.0, 0.5), 4)
    0.6875
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly, and here the other tail's does not
        return 1.0 - beta_share(b, a, 1.0 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1.0 / max(1.0 - (a + b) * x / (a + 1), tiny)
    total = d
    for m in range(1, _STEPS):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / (1.0 + part * d or tiny)
            c = 1.0 + part / c or tiny
            total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * total / a


def f_tail(value: float, between: float, within: float) -> float:
    """P(F > value) with so many degrees of freedom between and within groups."""
    return beta_share(within / 2, between / 2, within / (within + between * value)) if value > 0 else 1.0


def t_tail(value: float, freedom: float) -> float:
    """P(|t| > |value|), two-sided.

    >>> round(t_tail(2.262, 9), 3)
    0.05
    """
    return beta_share(freedom / 2, 0.5, freedom / (freedom + value * value))


def studentised_range_tail(value: float, groups: int, freedom: float) -> float:
    """P(Q > value): the range of so many normal means, in units of an estimate with `freedom` degrees of freedom.

    P(Q ≤ q) = ∫ f(s) k ∫ φ(z) [Φ(z) − Φ(z − q s)]^(k−1) dz ds, where s² is χ² over its degrees of freedom; both
    integrals are Gauss-Legendre sums (Tukey 1953).

    >>> round(studentised_range_tail(3.877, 3, 10), 3)
    0.05
    """
    if value <= 0:
        return 1.0
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    spread = 8.0 / math.sqrt(2 * freedom)
    low, high = max(0.0, 1.0 - spread), 1.0 + max(spread, 8.0 / freedom)
    s = low + (high - low) * (nodes + 1) / 2
    constant = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)
    density = np.exp(constant + (freedom - 1) * np.log(s) - freedom * s * s / 2) * weights * (high - low) / 2
    z = 8.0 * nodes
    inner = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * weights * 8.0
    between = _normal(z)[None, :] - _normal(z[None, :] - value * s[:, None])
    below = groups * (inner * between ** (groups - 1)).sum(axis=1)
    return float(min(1.0, max(0.0, 1.0 - density @ below / density.sum())))


_normal = np.vectorize(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)), otypes=[float])
"""Φ, the share of the normal distribution below a value."""
