"""A reader of whole answers: how likely careful readers find grammar and meaning of a compression good.

What must stay together can be said tie by tie; whether what is left is worth saying shows only in the whole. The
reader sees every word of the source as the network does, whether it stays, whether its head does, and what now stands
beside it. Every operation is one of those that round alike everywhere, in a fixed order, so its opinion is the same to
the last bit on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from laconic.annotate.network import Scores
from laconic.arrays import Float32, Int64
from laconic.kernel import kernel
from laconic.storage import Content, open_model, write_model

KIND = "reader"
_SIDES = 5
"""What a word is to its answer: itself, the word before, the word behind, a head, and itself where it stays."""
_POOLS = 3
"""Kept words, deleted words, and the most striking ones."""
_TRAITS = 8
_MOST_SIZE = 1 << 12


class Weights(NamedTuple):
    """The reader's layers; inputs run down, outputs across."""

    sides: Float32  # [states, sides × size]
    stays: Float32  # [2 × word + head, size]
    inner: Float32  # [size, size]
    inner_bias: Float32
    outer: Float32  # [pools × size + traits, hidden]
    outer_bias: Float32
    last: Float32  # [hidden]
    last_bias: Float32  # [1]


class Reader:
    """Weights learnt from blind readings by language models, not people."""

    def __init__(self, weights: Weights) -> None:
        self.weights = Weights(*(np.ascontiguousarray(array, np.float32) for array in weights))

    @classmethod
    @cache
    def shipped(cls) -> Reader:
        """The reader that comes with laconic."""
        return cls.load(Path(__file__).parents[2] / "models" / KIND)

    def save(self, folder: Path) -> None:
        """Write all layers."""
        sizes = {
            "states": len(self.weights.sides),
            "size": len(self.weights.inner),
            "hidden": len(self.weights.last),
        }
        write_model(folder, KIND, Content(sizes, arrays=self.weights._asdict()))

    @classmethod
    def load(cls, folder: Path) -> Reader:
        """The reader that `save` wrote."""
        with open_model(folder, KIND) as stored:
            states, size, hidden = (
                stored.whole(name, low=1, high=_MOST_SIZE) for name in ("states", "size", "hidden")
            )
            shapes = {
                "sides": (states, _SIDES * size),
                "stays": (4, size),
                "inner": (size, size),
                "inner_bias": (size,),
                "outer": (_POOLS * size + _TRAITS, hidden),
                "outer_bias": (hidden,),
                "last": (hidden,),
                "last_bias": (1,),
            }
            return cls(Weights(*(stored.array(name, np.float32, shapes[name]) for name in Weights._fields)))


class Opinion:
    """What the reader makes of the compressions of one sentence."""

    def __init__(self, reader: Reader, scores: Scores, heads: Sequence[int], given_keep: float) -> None:
        assert scores.states is not None
        self._weights, self._scores, self._given_keep = reader.weights, scores, given_keep
        self._heads = np.array(heads, np.int64)
        self._sides = _sides(np.ascontiguousarray(scores.states, np.float32), reader.weights.sides)

    def log_odds(self, kept: Sequence[int], score: float) -> float:
        """That a compression with this score is good."""
        words = np.array(kept, np.int64)
        return float(
            _log_odds(
                words, score, self._given_keep, self._scores.keep, self._scores.follow, self._heads, self._sides,
                self._weights,
            )
        )  # fmt: skip


@kernel
def _sides(states: Float32, weights: Float32) -> Float32:
    """states · weights, row by row, so that sums run in one order."""
    count = len(states)
    found = np.zeros(
        (count + 1, weights.shape[1]), np.float32
    )  # a last row to be thrown away, where they are odd
    inputs, width = weights.shape
    four = inputs // 4 * 4
    for place in range(0, count, 2):
        row, state = found[place], states[place]
        next_row, next_state = found[place + 1], states[min(place + 1, count - 1)]
        # Two rows and four inputs at once, but one input after the other: sums and weights are loaded less often.
        for i in range(0, four, 4):
            for j in range(width):
                a, b, c, d = weights[i, j], weights[i + 1, j], weights[i + 2, j], weights[i + 3, j]
                sum_ = row[j] + state[i] * a
                sum_ = sum_ + state[i + 1] * b
                sum_ = sum_ + state[i + 2] * c
                row[j] = sum_ + state[i + 3] * d
                sum_ = next_row[j] + next_state[i] * a
                sum_ = sum_ + next_state[i + 1] * b
                sum_ = sum_ + next_state[i + 2] * c
                next_row[j] = sum_ + next_state[i + 3] * d
        for i in range(four, inputs):
            for j in range(width):
                row[j] += state[i] * weights[i, j]
                next_row[j] += next_state[i] * weights[i, j]
    return found[:count]


@kernel
def _log_odds(
    kept: Int64,
    score: float,
    given_keep: float,
    keep: Float32,
    follow: Float32,
    heads: Int64,
    sides: Float32,
    weights: Weights,
) -> float:
    """One word after the other.

    z[i] = relu(inner · relu(word[i] + head[h(i)] + stays + if i stays: kept[i] + before[p(i)] + behind[q(i)])), p and q
    being its neighbours in the answer; what is said is relu(outer · (Σ kept z, Σ deleted z, max z, traits)) · last.
    """
    count, size, zero = len(heads), len(weights.inner), np.float32(0)
    pooled = np.zeros(len(weights.outer), np.float32)
    stays = np.zeros(count + 2, np.bool_)
    before, behind = np.zeros(count + 2, np.int64), np.zeros(count + 2, np.int64)
    path, weakest, kept_odds, last = 0.0, np.inf, 0.0, 0
    for word in kept:
        stays[word + 1] = True
        before[word + 1], behind[last] = last, word + 1
        path += follow[last, word + 1]
        weakest = min(weakest, follow[last, word + 1])
        kept_odds += keep[word]
        last = word + 1
    behind[last] = count + 1
    path += follow[last, count + 1]
    weakest = min(weakest, follow[last, count + 1])
    worst, lost = -np.inf, 0.0
    inner, outer = np.zeros(size, np.float32), np.zeros(size, np.float32)
    for place in range(1, count + 1):
        head = heads[place - 1] + 1
        fate = 2 * int(stays[place]) + int(head <= 0 or stays[head])
        head = max(0, head)
        for j in range(size):
            value = sides[place, j] + weights.stays[fate, j] + sides[head, 3 * size + j]
            if stays[place]:
                value += sides[place, 4 * size + j]
                value += sides[before[place], size + j]
                value += sides[behind[place], 2 * size + j]
            inner[j] = max(zero, value)
        for j in range(size):
            outer[j] = weights.inner_bias[j]
        for i in range(size):
            value = inner[i]
            if value > zero:
                for j in range(size):
                    outer[j] += value * weights.inner[i, j]
        pool = 0 if stays[place] else size
        for j in range(size):
            value = max(zero, outer[j])
            pooled[pool + j] += value
            pooled[2 * size + j] = max(pooled[2 * size + j], value)
        if not stays[place]:
            worst = max(worst, keep[place - 1])
            lost += max(0.0, keep[place - 1])
    eighth = np.float32(0.125)
    for j in range(2 * size):
        pooled[j] *= eighth
    if len(kept) == count:
        worst = 0.0
    traits = (
        (score - path - given_keep * kept_odds) / 10,
        len(kept) / count,
        path / max(1, len(kept)) / 2,
        worst / 5,
        lost / 10,
        len(kept) / 20,
        count / 20,
        weakest / 10,
    )
    for trait in range(len(traits)):
        pooled[3 * size + trait] = traits[trait]
    hidden = np.empty(len(weights.outer_bias), np.float32)
    for j in range(len(hidden)):
        hidden[j] = weights.outer_bias[j]
    for i in range(len(pooled)):
        value = pooled[i]
        for j in range(len(hidden)):
            hidden[j] += value * weights.outer[i, j]
    said = weights.last_bias[0]
    for j in range(len(hidden)):
        said += max(zero, hidden[j]) * weights.last[j]
    return float(said)
