"""The last step of the export: the int8 graph, rebuilt of operations that have one result on every machine.

python -m training.exact QUANTISED.onnx NETWORK.onnx

The trained int8 weights and their scales stay as they are; what is computed around them is written so that every
operation is either an exact sum of integers or a single correctly rounded one of IEEE 754. Then neither the order of
a sum nor a fused multiplication and addition nor the width of a register can change a bit.

- Activations are quantised row by row to 7 bits, so that of two products of uint8 and int8 not even the sum leaves
  16 bits: 2 * 127 * 128 < 2 ** 15. Processors without an instruction for such products add pairs with saturation.
  Scales of their own for every row make up for the bit.
- Numbers that are summed are first rounded to a grid, by adding and taking away 1.5 * 2 ** 23 of its steps. Sums of
  whole steps are exact while they stay below 2 ** 24 steps in float32 and 2 ** 53 in float64; limits keep them there.
- Functions are made of sums and products: exp is (1 + u + u * u / 2) ** 64, GELU a polynomial.
- Roots are taken in float64: in float32 some runtimes approximate them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
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

# -- the trained numbers ---------------------------------------------------------------------------


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


class Trained:
    """The weights of a graph as `training.export.quantise` leaves it."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
        self._maps = {
            node.output[0].removesuffix("/MatMul_output_0_output_quantized").strip("/"): node.input[1]
            for node in model.graph.node
            if node.op_type == "MatMulInteger"
        }
        # Weights of the layers for each task, softmax taken; named by number in the order of layers, then of tasks.
        mixes = sorted(
            (name for name in self._arrays if name.startswith("onnx::Mul_") and not self._arrays[name].shape),
            key=lambda name: int(name.rpartition("_")[2]),
        )
        self.mixes = np.array([float(self._arrays[name]) for name in mixes]).reshape(-1, 4)
        assert np.allclose(self.mixes.sum(0), 1, atol=1e-3)

    def array(self, name: str) -> Array:
        return self._arrays[f"network.{name}"].astype(np.float64)

    def linear(self, path: str, name: str | None = None) -> Linear:
        """The map at a path of the graph; its bias, if any, goes by the module's name."""
        source = self._maps[path].removesuffix("_quantized")
        assert not self._arrays[f"{source}_zero_point"].any()
        name = name or path.replace("/", ".")
        weight = self._arrays[f"{source}_quantized"]
        bias = self._arrays.get(f"network.{name}.bias", np.zeros(weight.shape[1]))
        inverse = self._arrays.get(f"network.{name.removesuffix('.linear')}.inverse")
        return Linear(
            weight,
            self._arrays[f"{source}_scale"].astype(np.float64),
            bias.astype(np.float64),
            None if inverse is None else inverse.astype(np.float64),
        )

    def projection(self, name: str) -> Linear:
        return self.linear(f"{name}/{name}.0", f"{name}.0")

    def table(self, name: str) -> tuple[Array, float]:
        """An embedding's whole numbers, zero point taken away, and their scale."""
        numbers = self._arrays[f"network.{name}.weight_quantized"].astype(np.int64)
        zero = self._arrays[f"network.{name}.weight_zero_point"].astype(np.int64)
        return numbers - zero, self._arrays[f"network.{name}.weight_scale"].astype(np.float64)


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


class Annotator:
    """The annotator's graph, block by block."""

    def __init__(self, trained: Trained) -> None:
        self.trained = trained
        self.graph = Graph()
        self.hidden = len(trained.array("embedding_norm.weight"))

    def _norm(self, x: str, name: str, step: float, plus: float | Array = 0.0) -> str:
        scale, shift = (self.trained.array(f"{name}.{part}") for part in ("weight", "bias"))
        return normalised(self.graph, on_grid(self.graph, x, step, GRID, plus), scale, shift, NORM_EPSILON)

    def embedded(self, pieces: str) -> str:
        graph, trained = self.graph, self.trained
        graph.place = "embedding"
        numbers, scale = trained.table("pieces")
        lowest = numbers.min()
        table = graph.constant(numbers - lowest, np.uint8)
        known = graph.multiply(graph.narrow(graph.op("Gather", table, "ids")), float(scale))
        positions, position_scale = trained.table("positions")
        places = positions[:LONGEST] * position_scale + lowest * scale
        cases, case_scale = trained.table("cases")
        x = graph.add(known, graph.first(graph.constant(places), pieces))
        x = graph.add(x, graph.op("Gather", graph.constant(cases * case_scale), "cases"))
        return self._norm(x, "embedding_norm", 2.0**-16)

    def layer(self, name: str, x: str, quantiser: Quantiser) -> str:
        """A post-norm transformer layer."""
        graph = self.graph
        graph.place = name
        to_pointers, attended, to_wide, to_narrow = (
            self.trained.linear(f"{name}/{part}")
            for part in ("query_key_value/linear", "attended", "widen/linear", "narrow/linear")
        )
        attended = Linear(attended.weight, attended.scale * VALUE_UNIT, attended.bias)
        pointed = quantiser.signed(graph.multiply(x, to_pointers.inverse))
        mixed = ranged(graph, attention(graph, pointed, to_pointers, self.hidden // HEADS))
        added = graph.add(product(graph, mixed, attended), x)
        x = self._norm(added, f"{name}.attention_norm", 2.0**-13, attended.bias)

        wide = mapped(graph, quantiser.signed(graph.multiply(x, to_wide.inverse)), to_wide.times(GELU_UNIT))
        active = ranged(graph, graph.multiply(gelu(graph, wide), to_narrow.inverse / GELU_UNIT))
        added = graph.add(product(graph, active, to_narrow), x)
        return self._norm(added, f"{name}.output_norm", 2.0**-12, to_narrow.bias)

    def words(self, pieces: str) -> list[str]:
        """The encoder's layers mixed for each of the four tasks, word by word."""
        graph = self.graph
        x = self.embedded(pieces)
        quantiser = Quantiser(graph, pieces)
        mixed = ""
        for depth, shares in enumerate(self.trained.mixes):
            x = self.layer(f"layers.{depth}", x, quantiser)
            graph.place = f"words.{depth}"
            # A word is the mean of its first and last piece.
            both = graph.add(graph.op("Gather", x, "first"), graph.op("Gather", x, "last"))
            part = graph.multiply(both, shares[:, None, None] / 2)
            mixed = graph.add(mixed, part) if mixed else part
        graph.rename(x, "encoded")
        tasks = graph.op("Split", mixed, graph.integers(1, 1, 1, 1), outputs=4, axis=0)
        return [graph.reshape(one, -1, self.hidden) for one in tasks]

    def tags(self, words: str, quantiser: Quantiser) -> str:
        graph = self.graph
        graph.place = "tags"
        scores = mapped(graph, quantiser.signed(words), self.trained.linear("tag"))
        return graph.op("ArgMax", graph.slice(scores, 1, -1), axis=-1, keepdims=0)

    def spans(self, words: str, places: str) -> tuple[str, str]:
        """What the best label of each span is worth, and its number.

        The normalised difference of two fences g has the deviation |g[j] - g[i]|, from the product of all fences with
        all; only spans that begin before they end are scored, in an order that does not depend on the sentence.
        """
        graph, trained = self.graph, self.trained
        graph.place = "spans"
        fence, label = trained.linear("fence"), trained.linear("label")
        half, size = self.hidden // 2, len(label.weight)
        left = graph.slice(graph.slice(words, 0, -1), 0, half, 1)
        right = graph.slice(graph.slice(words, 1, LONGEST), half, self.hidden, 1)
        beside = graph.op("Concat", left, right, axis=-1)
        count = graph.op("Sub", places, graph.integers(1))
        fences = product(graph, Quantiser(graph, count).signed(beside), fence)
        fences = on_grid(graph, fences, 2.0**-12, GRID, fence.bias)
        mean = graph.op("Mul", graph.sum(graph.wide(fences)), graph.constant(1 / size, np.float64))
        fences = on_grid(graph, graph.subtract(fences, graph.narrow(mean)), 2.0**-12)
        assert size * GRID**2 < EXACT64
        wide = graph.wide(fences)
        squares = graph.sum(graph.square(wide))
        products = graph.op("MatMul", wide, graph.op("Transpose", wide, perm=[1, 0]))
        apart = graph.op("Add", squares, graph.op("Transpose", squares, perm=[1, 0]))
        apart = graph.op("Sub", apart, graph.op("Add", products, products))
        apart = graph.op("Sqrt", graph.op("Add", apart, graph.constant(size * FENCE_EPSILON, np.float64)))

        ends, starts = np.tril_indices(LONGEST, -1)  # all pairs with an end below 2, below 3 …
        total = graph.op(
            "Div", graph.op("Mul", count, graph.op("Sub", count, graph.integers(1))), graph.integers(2)
        )
        start, end = (graph.first(graph.constant(one, np.int32), total) for one in (starts, ends))
        count32 = graph.cast(count, TensorProto.INT32)
        where = graph.op("Add", graph.op("Mul", start, count32), end)
        deviation = graph.op("GatherElements", graph.reshape(graph.narrow(apart), -1), where)
        scaled = graph.multiply(fences, trained.array("fence_norm.weight") * math.sqrt(size))
        difference = graph.op("Sub", graph.op("Gather", scaled, end), graph.op("Gather", scaled, start))
        standard = graph.op("Div", difference, graph.reshape(deviation, -1, 1))
        features = positive(graph, graph.add(standard, trained.array("fence_norm.bias")))
        none, some = graph.split(mapped(graph, features, label), 1, label.weight.shape[1] - 1)
        gains = graph.subtract(graph.maximum(some), graph.reshape(none, -1))
        labels = graph.op("Add", graph.op("ArgMax", some, axis=-1, keepdims=0), graph.integers(1))
        square = graph.op("Concat", count, count, axis=0)
        cells = graph.op("Mul", count, count)
        outputs = []
        for values, kind in ((gains, np.float32), (labels, np.int64)):
            blank = graph.op("ConstantOfShape", cells, value=numpy_helper.from_array(np.zeros(1, kind)))
            outputs.append(graph.op("Reshape", graph.op("ScatterElements", blank, where, values), square))
        return outputs[0], outputs[1]

    def biaffine(self, name: str, left: str, right: str) -> str:
        """left U right + u left + v right, of what `shifted_gelu` returns; v right is taken as part of U's products."""
        graph, trained = self.graph, self.trained
        bilinear, of_left, of_right = (
            trained.linear(f"{name}/{part}") for part in ("bilinear", "left", "right")
        )
        size = len(bilinear.weight)
        assert size * GRID**2 < EXACT64
        with_right = Linear(bilinear.weight, bilinear.scale, of_right.weight[:, 0] * of_right.scale)
        both = side_by_side(of_gelu(with_right).times(1 / GELU_UNIT), of_gelu(of_left))
        pairs = on_grid(graph, product(graph, positive(graph, left), both), 2.0**-14, GRID, both.bias)
        pairs, alone = graph.split(pairs, size, 1)
        right = on_grid(graph, right, 2.0**-16, GRID, -GELU_SHIFT)
        right = graph.op("Transpose", graph.wide(right), perm=[1, 0])
        return graph.add(graph.narrow(graph.op("MatMul", graph.wide(pairs), right)), alone)

    def arcs(self, words: str) -> tuple[str, str]:
        """Scores of arcs, and the number of each arc's best relation."""
        graph, trained = self.graph, self.trained
        graph.place = "arcs"
        names = ("arc_dependent", "arc_head", "relation_dependent", "relation_head")
        maps = [trained.projection(name) for name in names]
        heads = graph.slice(words, 0, -1)  # the end is no word
        rows = graph.op("Shape", heads, end=1)
        both = mapped(graph, Quantiser(graph, rows).signed(heads), side_by_side(*maps).times(GELU_UNIT))
        parts = graph.split(shifted_gelu(graph, both), *(one.weight.shape[1] for one in maps))
        arcs = self.biaffine("arc", parts[0], parts[1])
        graph.place = "relations"
        relation, bias = trained.linear("relation"), trained.linear("relation_bias")
        size, count = bias.weight.shape
        # Features first, relations last, so that the best of them is sought along rows.
        order = np.arange(count * size).reshape(count, size).T.ravel()
        relation, bias = of_gelu(relation.columns(order)).times(1 / GELU_UNIT), of_gelu(bias)
        assert LEFT_STEPS * RIGHT_STEPS * size < EXACT32
        dependents = positive(graph, parts[2])
        features = on_grid(graph, product(graph, dependents, relation), LEFT_STEP, LEFT_STEPS, relation.bias)
        alone = mapped(graph, dependents, bias)
        right = on_grid(graph, parts[3], RIGHT_STEP, RIGHT_STEPS, -GELU_SHIFT)
        scores = graph.op("MatMul", right, graph.reshape(features, -1, size, count))
        scores = graph.add(scores, graph.reshape(alone, -1, 1, count))
        return arcs, graph.op("ArgMax", scores, axis=-1, keepdims=0)

    def register(self) -> str:
        """The weighted sum of the registers' vectors, one after the other."""
        graph = self.graph
        numbers, scale = self.trained.table("domains")
        count = len(numbers)
        weighted = graph.multiply(graph.reshape("domain", count, 1), numbers * scale)
        rows = graph.op("Split", weighted, graph.integers(*[1] * count), outputs=count, axis=0)
        total: str = rows[0]
        for row in rows[1:]:
            total = graph.add(total, row)
        return total

    def compression(self, words: str, places: str, quantiser: Quantiser) -> tuple[str, str, str]:
        """Log-odds of keeping each word, potentials of what follows what, and arcs among kept words."""
        graph, trained = self.graph, self.trained
        graph.place = "register"
        y = self.layer("compression.0", graph.add(words, self.register()), quantiser)
        graph.place = "compression"
        maps = [
            trained.projection(name)
            for name in ("follow_left", "follow_right", "kept_dependent", "kept_head")
        ]
        sizes = [one.weight.shape[1] for one in maps]
        everything = side_by_side(*(one.times(GELU_UNIT) for one in maps), trained.linear("keep"))
        projected, keep = graph.split(mapped(graph, quantiser.signed(y), everything), sum(sizes), 1)
        keep = graph.slice(graph.reshape(keep, -1), 1, -1)
        parts = graph.split(shifted_gelu(graph, projected), *sizes)
        graph.place = "follow"
        distances, scale = trained.table("distance")
        steps = np.arange(LONGEST)
        gaps = np.clip(steps - steps[:, None], 0, len(distances) - 1)
        table = graph.constant((distances * scale)[gaps, 0])
        follow = graph.add(self.biaffine("follow", parts[0], parts[1]), graph.first(table, places, (0, 1)))
        graph.place = "kept_arcs"
        kept = self.biaffine("kept_arc", graph.slice(parts[2], 0, -1), graph.slice(parts[3], 0, -1))
        return keep, follow, kept

    def model(self) -> onnx.ModelProto:
        """The whole graph, with the inputs and outputs of `training.export`."""
        graph = self.graph
        pieces, places = graph.op("Shape", "ids"), graph.op("Shape", "first")
        for_tags, for_spans, for_arcs, for_keep = self.words(pieces)
        graph.place = "words"
        quantiser = Quantiser(graph, places)
        found = {"tags": self.tags(for_tags, quantiser)}
        found["gains"], found["labels"] = self.spans(for_spans, places)
        found["arcs"], found["relations"] = self.arcs(for_arcs)
        found["keep"], found["follow"], found["kept_arcs"] = self.compression(for_keep, places, quantiser)
        graph.place = ""
        for name, tensor in found.items():
            graph.rename(tensor, name)
        inputs: dict[str, str | int] = {
            "ids": "pieces",
            "cases": "pieces",
            "first": "places",
            "last": "places",
        }
        inputs["domain"] = len(self.trained.table("domains")[0])
        outputs = {
            "tags": ["words"], "gains": ["fences"] * 2, "labels": ["fences"] * 2, "arcs": ["rooted"] * 2,
            "relations": ["rooted"] * 2, "keep": ["words"], "follow": ["places"] * 2, "kept_arcs": ["rooted"] * 2,
        }  # fmt: skip
        whole = ("tags", "labels", "relations")
        model = helper.make_model(
            helper.make_graph(
                graph.nodes,
                "annotator",
                [
                    helper.make_tensor_value_info(
                        name, TensorProto.FLOAT if name == "domain" else TensorProto.INT64, [size]
                    )
                    for name, size in inputs.items()
                ],
                [
                    helper.make_tensor_value_info(
                        name, TensorProto.INT64 if name in whole else TensorProto.FLOAT, shape
                    )
                    for name, shape in outputs.items()
                ],
                graph.initializers,
            ),
            opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
            producer_name="laconic",
        )
        model.ir_version = 8  # what the oldest allowed runtime reads
        return model


def make_exact(quantised: onnx.ModelProto) -> onnx.ModelProto:
    """The graph of `training.export.quantise`, rebuilt of exact operations."""
    return Annotator(Trained(quantised)).model()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("quantised", type=Path)
    parser.add_argument("network", type=Path)
    given = parser.parse_args()
    given.network.write_bytes(make_exact(onnx.load(str(given.quantised))).SerializeToString())


if __name__ == "__main__":
    main()
