"""The law of graphs that have one result on every machine, and their meaning by NumPy.

Every operation must be an exact sum of whole numbers or a single correctly rounded one of IEEE 754. `violations` says
from the graph alone where that does not hold; `evaluate` computes a graph without the runtime, sums in whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.annotate.onnx_file import Graph, Node

Array = NDArray[Any]

MOVES = {
    "Reshape", "Transpose", "Slice", "Gather", "GatherElements", "ScatterElements", "Split", "Concat", "Shape",
    "ConstantOfShape",
}  # fmt: skip
SINGLE = {"Add", "Sub", "Mul", "Div", "Relu", "Clip", "Abs", "ReduceMax", "ReduceMin", "ArgMax", "Cast"}
"""One rounding at most, or none; of equals, ArgMax takes the first."""

FLOAT, DOUBLE = 1, 11
MAGIC = 1.5 * 2**23
MOST_CODE, LEAST_WEIGHT = 127, 128
EXACT = {np.float32: 2**24, np.float64: 2**53}


class Law:
    """What is known of the tensors of a graph."""

    def __init__(self, graph: Graph, longest: int, terms: Mapping[str, int]) -> None:
        self._constants = graph.constants
        self._longest, self._terms = longest, terms
        self._makers = {name: node for node in graph.nodes for name in node.outputs}
        self._doubles = {name for name, array in graph.constants.items() if array.dtype == np.float64}
        for node in graph.nodes:
            double = (
                node.attributes["to"] == [DOUBLE] if node.kind == "Cast" else node.inputs[0] in self._doubles
            )
            if double:
                self._doubles.update(node.outputs)

    def violation(self, node: Node) -> str | None:
        """Why a node may have another result elsewhere; None if it may not."""
        if node.kind in MOVES | SINGLE:
            return None
        if node.kind == "Sqrt":
            return None if node.inputs[0] in self._doubles else "some runtimes approximate roots of float32"
        if node.kind == "QuantizeLinear":
            return None if self._codes(node) is not None else "codes may have more than 7 bits"
        if node.kind == "MatMulIntegerToFloat":
            return self._of_codes(node)
        if node.kind in ("MatMul", "ReduceSum"):
            return self._of_floats(node)
        return "no exact operation"

    def _maker(self, name: str, *through: str) -> Node | None:
        node = self._makers.get(name)
        while node is not None and node.kind in through:
            node = self._makers.get(node.inputs[0])
        return node

    def _kinds(self, name: str, *kinds: str) -> list[Node] | None:
        """The nodes of these kinds that lead to a tensor, last first, each the first input of the next."""
        found = []
        for kind in kinds:
            node = self._makers.get(name)
            if node is None or node.kind != kind:
                return None
            found.append(node)
            name = node.inputs[0]
        return found

    def _constant(self, name: str) -> Array | None:
        return self._constants.get(name)

    # -- products of codes ---------------------------------------------------------------------------

    def _codes(self, node: Node) -> int | None:
        """The zero point of codes that are at most 127 whatever is quantised."""
        x, scale, *zeros = node.inputs
        for kinds, zero in ((("Mul", "ReduceMax", "Abs"), 64), (("Mul", "Relu", "ReduceMax"), 0)):
            found = self._kinds(scale, *kinds)
            if found is None or found[-1].inputs[0] != x or node.attributes.get("axis") != [0]:
                continue
            share = self._constant(found[0].inputs[1])
            if share is None or round(1 / float(share)) + zero > MOST_CODE:
                return None
            if not zeros:
                return zero if zero == 0 else None
            table = self._maker(zeros[0])
            known = self._constant(table.inputs[0]) if table is not None and table.kind == "Slice" else None
            return zero if known is not None and set(known.tolist()) == {zero} else None
        return None

    def _of_codes(self, node: Node) -> str | None:
        codes, weight, one, scale, *zeros = node.inputs
        maker, numbers = self._maker(codes), self._constant(weight)
        if maker is None or maker.kind != "QuantizeLinear" or self._codes(maker) is None:
            return "codes may have more than 7 bits, and sums of pairs saturate"
        if numbers is None or numbers.dtype != np.int8 or self._constant(scale) is None:
            return "weights are no constants of int8"
        if self._constant(one) is None or float(self._constants[one]) != 1.0 or len(zeros) > 1:
            return "scaled twice, or a bias added in the same step"
        if (self._constants[zeros[0]].item() if zeros else 0) != self._codes(maker):
            return "another zero point than the codes'"
        return (
            None
            if 2 * LEAST_WEIGHT * MOST_CODE < 2**15 and len(numbers) * 2**15 < 2**31
            else "too many terms"
        )

    # -- sums of numbers on a grid -------------------------------------------------------------------

    def _grid(self, name: str) -> tuple[float, float] | None:
        """The step of the grid that a tensor is on, and the most steps of a number."""
        node = self._maker(name, *MOVES, "Cast")
        if node is None:
            return None
        if node.kind == "Mul" and node.inputs[0] == node.inputs[1]:
            found = self._grid(node.inputs[0])
            return found and (found[0] ** 2, found[1] ** 2)
        limits = None
        if node.kind == "Clip":
            limits = [self._constant(one) for one in node.inputs[1:]]
            node = self._maker(node.inputs[0])
        step = self._step(node)
        if step is None or node is None:
            return None
        if limits is None:
            most = self._most(self._makers[node.inputs[0]].inputs[0])
            return most and (step, most / step)  # type: ignore[return-value]
        low, high = (float(one) for one in limits if one is not None)
        steps = high / step
        return (step, steps) if low == -high and steps == int(steps) < 2**22 else None

    def _step(self, node: Node | None) -> float | None:
        """The step to which (x + c) - m rounds: m is 1.5 * 2 ** 23 of them, and c - m whole steps."""
        if (
            node is None
            or node.kind != "Sub"
            or (added := self._kinds(node.outputs[0], "Sub", "Add")) is None
        ):
            return None
        plus, magic = self._constant(added[1].inputs[1]), self._constant(node.inputs[1])
        if plus is None or magic is None or magic.size != 1:
            return None
        step = float(magic) / MAGIC
        whole = (plus.astype(np.float64) - float(magic)) / step
        return step if frexp(step)[0] == 0.5 and (whole == np.rint(whole)).all() else None

    def _most(self, name: str) -> float | None:
        """The most that a number can be, of softmax's powers."""
        node = self._makers.get(name)
        if node is None:
            return None
        if node.kind == "Mul" and node.inputs[0] == node.inputs[1]:
            most = self._most(node.inputs[0])
            return most and most**2 * (1 + 2**-23)
        if node.kind == "Add" and (constant := self._constant(node.inputs[1])) is not None:
            most = self._most(node.inputs[0])
            return most and (most + float(constant)) * (1 + 2**-23)
        if node.kind == "Relu":
            return self._most(node.inputs[0])
        if node.kind == "Sub":  # x - (max x - c)
            found = self._kinds(node.inputs[1], "Sub", "ReduceMax")
            if found is not None and found[1].inputs[0] == node.inputs[0]:
                return float(self._constants[found[0].inputs[1]]) + 2**-18  # of numbers below 2 ** 5
        return None

    def _of_floats(self, node: Node) -> str | None:
        kind = np.float64 if node.inputs[0] in self._doubles else np.float32
        terms = self._terms[node.outputs[0]]
        if node.kind == "ReduceSum":
            found = self._grid(node.inputs[0])
            largest = found and found[1] * terms
        elif (rows := self._shares(node.inputs[0])) is not None:
            right = self._grid(node.inputs[1])
            largest = right and rows * right[1]
        else:
            left, right = (self._grid(one) for one in node.inputs)
            largest = left and right and left[1] * right[1] * terms
        if not largest:
            return "a sum of numbers that are on no grid"
        return None if largest <= EXACT[kind] else f"sums of up to {largest:.0f} steps"

    def _shares(self, name: str) -> float | None:
        """The most steps that a row of shares, x / sum x rounded, can have together."""
        node = self._maker(name)
        step = self._step(node)
        shares = step and node and self._kinds(node.outputs[0], "Sub", "Add", "Div")
        if not step or not shares:
            return None
        total = self._makers[shares[2].inputs[1]]
        whole = total.kind == "ReduceSum" and total.inputs[0] == shares[2].inputs[0]
        return 1 / step + self._longest / 2 + 1 if whole else None


def violations(graph: Graph, *, longest: int, terms: Mapping[str, int]) -> Iterator[str]:
    """Each operation that may have another result elsewhere, and why; `terms`: of how many a sum is made."""
    law = Law(graph, longest, terms)
    for node in graph.nodes:
        why = law.violation(node)
        if why is not None:
            yield f"{node.outputs[0]}: {node.kind}: {why}"


# -- the meaning of a graph ------------------------------------------------------------------------


def evaluate(graph: Graph, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """All tensors of a graph by NumPy: single operations as they come, sums in whole numbers."""
    known = dict(graph.constants) | dict(inputs)
    for node in graph.nodes:
        found = _result(node, [known[name] for name in node.inputs])
        known.update(zip(node.outputs, found if isinstance(found, list) else [found], strict=True))
    return known


def _result(node: Node, given: list[Array]) -> Any:
    kind, attributes = node.kind, node.attributes
    x = given[0]
    if kind in ("Add", "Sub", "Mul", "Div"):
        if kind == "Div" and x.dtype == np.int64:
            return x // given[1]
        function = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[kind]
        return function(x, given[1])
    if kind == "Clip":
        return np.clip(x, given[1], given[2])
    if kind == "Relu":
        return np.maximum(x, x.dtype.type(0))
    if kind in ("Abs", "Sqrt"):
        return (np.abs if kind == "Abs" else np.sqrt)(x)
    if kind in ("ReduceMax", "ReduceMin", "ReduceSum"):
        keep = attributes["keepdims"] == [1]
        if kind == "ReduceSum":
            return (_whole(x).sum(-1, keepdims=keep) * _step_of(x)).astype(x.dtype)
        return (x.max if kind == "ReduceMax" else x.min)(-1, keepdims=keep)
    if kind == "ArgMax":
        return x.argmax(-1)
    if kind == "Cast":
        return x.astype({FLOAT: np.float32, DOUBLE: np.float64, 6: np.int32}[attributes["to"][0]])
    if kind == "QuantizeLinear":
        zero = given[2][:, None].astype(np.int64) if len(given) > 2 else 0
        return np.clip(np.rint(x / given[1][:, None]).astype(np.int64) + zero, 0, 255).astype(np.uint8)
    if kind == "MatMulIntegerToFloat":
        zero = int(given[4]) if len(given) > 4 else 0
        return ((x.astype(np.float64) - zero) @ given[1].astype(np.float64)).astype(np.float32) * given[3]
    if kind == "MatMul":
        return (np.matmul(_whole(x), _whole(given[1])) * (_step_of(x) * _step_of(given[1]))).astype(x.dtype)
    return _moved(node, given)


def _step_of(x: Array) -> float:
    """The largest power of two that all numbers are whole multiples of."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    whole = (fraction * 2.0**53).astype(np.int64)
    steps = np.ldexp((whole & -whole).astype(np.float64), exponent - 53)
    return float(steps[steps > 0].min(initial=1.0))


def _whole(x: Array) -> Array:
    """x in steps: whole numbers, whose sums below 2 ** 53 float64 adds exactly in any order."""
    return x.astype(np.float64) / _step_of(x)


def _moved(node: Node, given: list[Array]) -> Any:
    x, attributes = given[0], node.attributes
    if node.kind == "Reshape":
        return x.reshape(given[1])
    if node.kind == "Transpose":
        return x.transpose(attributes["perm"])
    if node.kind == "Shape":
        return np.array(x.shape[: attributes.get("end", [None])[0]], np.int64)
    if node.kind == "Concat":
        return np.concatenate(given, _axis(node))
    if node.kind == "ConstantOfShape":
        return np.zeros(x)  # its type becomes that of what is scattered over it
    if node.kind in ("Gather", "GatherElements"):  # the latter of one dimension
        return x[given[1]]
    if node.kind == "ScatterElements":
        scattered = x.astype(given[2].dtype)
        scattered[given[1]] = given[2]
        return scattered
    if node.kind == "Slice":
        cuts = [slice(None)] * x.ndim
        for start, end, axis in zip(*(one.tolist() for one in given[1:4]), strict=True):
            cuts[axis] = slice(start, end)
        return x[tuple(cuts)]
    assert node.kind == "Split", node.kind
    return np.split(x, np.cumsum(given[1])[:-1], _axis(node))


def _axis(node: Node) -> int:
    axis: int = node.attributes["axis"][0]
    return axis - 2**64 if axis >= 2**63 else axis
