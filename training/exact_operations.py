"""Operations of graphs that have one result on every machine: whole sums, numbers on grids, functions made of products.

Why they are as they are is told in `training.exact`, which makes the network of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]

LONGEST = 202
"""Pieces or places of a window: the tables that the graph cuts to size end here, so that nothing longer runs."""

EXACT32, EXACT64 = 2**24, 2**53
GRID = 2**22 - 1
"""The most steps that rounding by 1.5 * 2 ** 23 of them can place."""

HEADS = 12
NORM_EPSILON, FENCE_EPSILON = 1e-12, 1e-5

# -- linear maps -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Linear:
    """y = (x * inverse) @ (weight * scale) + bias, with whole weights of int8."""

    weight: Array  # int8 [inputs, outputs]
    scale: Array  # [outputs]
    bias: Array  # [outputs]
    inverse: Array | None = None  # [inputs]

    def times(self, factor: float | Array) -> Linear:
        return Linear(self.weight, self.scale * factor, self.bias * factor, self.inverse)

    def shifted(self, amount: float | Array) -> Linear:
        """The same map of inputs that are larger by `amount` (before `inverse`)."""
        inverse = np.ones(len(self.weight)) if self.inverse is None else self.inverse
        lost = (amount * inverse) @ self.weight.astype(np.float64) * self.scale
        return Linear(self.weight, self.scale, self.bias - lost, self.inverse)

    def columns(self, order: Array) -> Linear:
        return Linear(self.weight[:, order], self.scale[order], self.bias[order], self.inverse)


def side_by_side(*maps: Linear) -> Linear:
    """Maps of one input as one."""
    return Linear(
        np.concatenate([one.weight for one in maps], 1),
        np.concatenate([one.scale for one in maps]),
        np.concatenate([one.bias for one in maps]),
    )


# -- writing a graph -------------------------------------------------------------------------------


class Graph:
    """Nodes and constants in the order they are asked for; a tensor is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self.initializers: list[onnx.TensorProto] = []
        self.place = ""

    def op(self, kind: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: Any) -> Any:
        stem = f"{self.place}/{kind}_{len(self.nodes)}"
        names = [stem] if outputs == 1 else [f"{stem}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=stem, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value: Any, kind: type[np.generic] = np.float32) -> str:
        array = np.asarray(value, dtype=kind)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = f"constant_{len(self._constants)}"
            self.initializers.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def integers(self, *values: int) -> str:
        return self.constant(values, np.int64)

    def rename(self, tensor: str, name: str) -> None:
        """Another name for the output of a node."""
        for node in self.nodes:
            for names in (node.input, node.output):
                for number, known in enumerate(names):
                    if known == tensor:
                        names[number] = name

    # Names for what is done often.

    def add(self, left: str, right: str | float | Array) -> str:
        return self.op("Add", left, right if isinstance(right, str) else self.constant(right))

    def subtract(self, left: str, right: str | float) -> str:
        return self.op("Sub", left, right if isinstance(right, str) else self.constant(right))

    def multiply(self, left: str, right: str | float | Array) -> str:
        return self.op("Mul", left, right if isinstance(right, str) else self.constant(right))

    def square(self, x: str) -> str:
        return self.op("Mul", x, x)

    def cast(self, x: str, kind: int) -> str:
        return self.op("Cast", x, to=kind)

    def wide(self, x: str) -> str:
        return self.cast(x, TensorProto.DOUBLE)

    def narrow(self, x: str) -> str:
        return self.cast(x, TensorProto.FLOAT)

    def reshape(self, x: str, *shape: int) -> str:
        return self.op("Reshape", x, self.integers(*shape))

    def slice(self, x: str, start: int, end: int, axis: int = 0) -> str:
        return self.op("Slice", x, self.integers(start), self.integers(end), self.integers(axis))

    def first(self, x: str, count: str, axes: Sequence[int] = (0,)) -> str:
        """The first `count` of x along each axis."""
        ends = count if len(axes) == 1 else self.op("Concat", *[count] * len(axes), axis=0)
        return self.op("Slice", x, self.integers(*[0] * len(axes)), ends, self.integers(*axes))

    def split(self, x: str, *sizes: int) -> list[str]:
        parts: list[str] = self.op("Split", x, self.integers(*sizes), outputs=len(sizes), axis=-1)
        return parts

    def sum(self, x: str) -> str:
        return self.op("ReduceSum", x, self.integers(-1), keepdims=1)

    def maximum(self, x: str, *, keep: bool = False) -> str:
        return self.op("ReduceMax", x, axes=[-1], keepdims=int(keep))


# -- numbers on a grid -----------------------------------------------------------------------------


def rounded(graph: Graph, x: str, step: float, plus: float | Array = 0.0) -> str:
    """x + plus in whole steps; `plus` is rounded to them first."""
    magic = 1.5 * 2**23 * step
    return graph.subtract(graph.add(x, np.rint(np.asarray(plus) / step) * step + magic), magic)


def limited(graph: Graph, x: str, limit: float) -> str:
    return graph.op("Clip", x, graph.constant(-limit), graph.constant(limit))


def on_grid(graph: Graph, x: str, step: float, steps: int = GRID, plus: float | Array = 0.0) -> str:
    """x + plus in whole steps, of which there are at most so many."""
    return limited(graph, rounded(graph, x, step, plus), steps * step)


# -- products of whole numbers ---------------------------------------------------------------------


@dataclass(frozen=True)
class Codes:
    """Rows of x in 7 bits: x is scale * (codes - zero) + lowest, but for rounding."""

    codes: str
    scale: str  # [rows, 1]
    zero: int = 0
    lowest: str | None = None  # [rows, 1]


class Quantiser:
    """Rows of numbers to 7 bits, each with a scale of its own."""

    def __init__(self, graph: Graph, rows: str) -> None:
        self._graph = graph
        middles = graph.constant(np.full(LONGEST, 64), np.uint8)
        self._middles = graph.first(middles, rows)

    def signed(self, x: str) -> Codes:
        """Codes 1 … 127 about 64."""
        scale = _scale(self._graph, self._graph.maximum(self._graph.op("Abs", x)), 63)
        codes = self._graph.op("QuantizeLinear", x, scale, self._middles, axis=0)
        return Codes(codes, self._graph.reshape(scale, -1, 1), 64)


def positive(graph: Graph, x: str) -> Codes:
    """Codes 0 … 127 of what is not below nought; what is becomes nought."""
    scale = _scale(graph, graph.op("Relu", graph.maximum(x)), 127)
    return Codes(graph.op("QuantizeLinear", x, scale, axis=0), graph.reshape(scale, -1, 1))


def ranged(graph: Graph, x: str) -> Codes:
    """Codes 0 … 127 from the lowest of each row to its highest."""
    lowest = graph.op("ReduceMin", x, axes=[-1], keepdims=1)
    codes = positive(graph, graph.subtract(x, lowest))
    return Codes(codes.codes, codes.scale, lowest=lowest)


def _scale(graph: Graph, largest: str, codes: int) -> str:
    # The largest of a row gets the last code: x / scale exceeds `codes` by no more than rounding takes back. In a row
    # of noughts the scale is nought, and whatever the codes, so is the product.
    return graph.multiply(largest, 1 / codes)


def product(graph: Graph, x: Codes, linear: Linear) -> str:
    """x @ weight * scale, without the bias. Multiplied by one and no bias added, the sum is rounded in one way only."""
    inputs = [
        x.codes,
        graph.constant(linear.weight, np.int8),
        graph.constant(1.0),
        graph.constant(linear.scale),
    ]
    if x.zero:
        inputs.append(graph.constant(x.zero, np.uint8))
    sums = graph.op("MatMulIntegerToFloat", *inputs, domain="com.microsoft")
    total = graph.multiply(sums, x.scale)
    if x.lowest:
        weight = linear.weight.astype(np.int64).sum(0) * linear.scale
        total = graph.add(total, graph.multiply(x.lowest, weight))
    return total


def mapped(graph: Graph, x: Codes, linear: Linear) -> str:
    return graph.add(product(graph, x, linear), linear.bias)


# -- functions -------------------------------------------------------------------------------------

# Phi(x) - 1/2 = sum of c[i] u ** (2 i + 1), u = x / 3.4 held to -1 … 1: x * Phi(x) within 0.0012 everywhere.
PHI = (1.33911869, -2.33415316, 2.99269566, -2.10577929, 0.60811811)
PHI_END = 3.4
LEADING = PHI[-1] ** (1 / 9)
GELU_UNIT = LEADING / PHI_END
"""GELU is computed of its argument times this, which makes the polynomial's leading coefficient one."""
GELU_SHIFT = 0.1715 * GELU_UNIT
"""What GELU needs added, in that unit, so that it is never below nought."""


def gelu(graph: Graph, x: str) -> str:
    """x * Phi(x / unit), of x in GELU's unit."""
    held = limited(graph, x, LEADING)
    square = graph.square(held)
    coefficients = [PHI[i] / LEADING ** (2 * i + 1) for i in range(4)]
    total = square
    for coefficient in coefficients[:0:-1]:
        total = graph.multiply(graph.add(total, coefficient), square)
    total = graph.multiply(graph.add(total, coefficients[0]), held)
    return graph.multiply(graph.add(total, 0.5), x)


def shifted_gelu(graph: Graph, x: str) -> str:
    return graph.add(gelu(graph, x), GELU_SHIFT)


def of_gelu(linear: Linear) -> Linear:
    """The map of what `shifted_gelu` returns that `linear` is of GELU."""
    return Linear(linear.weight, linear.scale / GELU_UNIT, linear.bias).shifted(GELU_SHIFT)


def normalised(graph: Graph, x: str, scale: Array, shift: Array, epsilon: float) -> str:
    """Layer normalisation of x, which is on a grid of at most 2 ** 22 steps.

    The sums are exact: 384 squares of 2 ** 22 steps are below 2 ** 53. With S and Q the sums of the n numbers and of
    their squares, the deviation is sqrt(n Q - S S) / n; the n is part of `scale`.
    """
    size = len(scale)
    assert size * GRID**2 < EXACT64
    wide = graph.wide(x)
    total, squares = graph.sum(wide), graph.sum(graph.square(wide))
    spread = graph.op(
        "Sub", graph.op("Mul", squares, graph.constant(size, np.float64)), graph.op("Mul", total, total)
    )
    spread = graph.op("Sqrt", graph.op("Add", spread, graph.constant(size * size * epsilon, np.float64)))
    mean = graph.narrow(graph.op("Mul", total, graph.constant(1 / size, np.float64)))
    standard = graph.op("Div", graph.subtract(x, mean), graph.narrow(spread))
    return graph.add(graph.multiply(standard, scale * size), shift)


# exp(d) = (1 + u + u * u / 2) ** 64 = ((u + 1) ** 2 / 2 + 1 / 2) ** 64 of u = d / 64. Logits come in the unit
# 64 sqrt 2, in which the square needs no factor; below u = -1 the base stays 1/2.
SQUARINGS = 6
LOGIT_UNIT = 2**SQUARINGS * math.sqrt(2)
WEIGHT_STEP, SHARE_STEP = 2.0**-16, 2.0**-14
assert LONGEST / WEIGHT_STEP < EXACT32


def softmax(graph: Graph, logits: str) -> str:
    """Shares in whole steps of 2 ** -14 of the last axis, of logits in their unit."""
    highest = graph.subtract(graph.maximum(logits, keep=True), math.sqrt(0.5))
    base = graph.op("Relu", graph.subtract(logits, highest))
    power = graph.add(graph.square(base), 0.5)
    for _ in range(SQUARINGS):
        power = graph.square(power)
    weights = rounded(graph, power, WEIGHT_STEP)
    return rounded(graph, graph.op("Div", weights, graph.sum(weights)), SHARE_STEP)


# -- the network -----------------------------------------------------------------------------------

# Queries and keys are held to -16 … 16 and values to -8 … 8, all in 724 steps: 32 products of queries and keys are
# below 2 ** 24, as is a value's share, since the shares of a row sum to 2 ** 14 steps and at most half a step for each.
STEP, STEPS = 2.0**-10, 724
POINTER_UNIT, VALUE_UNIT = 16 / (STEPS * STEP), 8 / (STEPS * STEP)
assert (1 / SHARE_STEP + LONGEST / 2 + 1) * STEPS < EXACT32
# Relations: 96 products of features of a word and of its head.
LEFT_STEP, LEFT_STEPS = 2.0**-5, 512
RIGHT_STEP, RIGHT_STEPS = 2.0**-8, 340


def attention(graph: Graph, x: Codes, linear: Linear, size: int) -> str:
    """Softmax of queries by keys, by values, in units of VALUE_UNIT: [rows, hidden] from the map of all three."""
    hidden = size * HEADS
    assert STEPS**2 * size < EXACT32
    # A query by a key is the logit in softmax's unit.
    query_unit = math.sqrt(size) * LOGIT_UNIT / POINTER_UNIT
    units = np.repeat([1 / query_unit, 1 / POINTER_UNIT, 1 / VALUE_UNIT], hidden)
    linear = linear.times(units)
    rows = on_grid(graph, product(graph, x, linear), STEP, STEPS, linear.bias)
    parts = graph.op("Transpose", graph.reshape(rows, -1, 3, HEADS, size), perm=[1, 2, 0, 3])
    queries, keys, values = graph.op("Split", parts, graph.integers(1, 1, 1), outputs=3, axis=0)
    shares = softmax(graph, graph.op("MatMul", queries, graph.op("Transpose", keys, perm=[0, 1, 3, 2])))
    mixed = graph.op("Transpose", graph.op("MatMul", shares, values), perm=[0, 2, 1, 3])
    return graph.reshape(mixed, -1, hidden)
