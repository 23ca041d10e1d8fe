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
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from training.exact_operations import (
    EXACT32,
    EXACT64,
    FENCE_EPSILON,
    GELU_SHIFT,
    GELU_UNIT,
    GRID,
    HEADS,
    LEFT_STEP,
    LEFT_STEPS,
    LONGEST,
    NORM_EPSILON,
    RIGHT_STEP,
    RIGHT_STEPS,
    VALUE_UNIT,
    Array,
    Graph,
    Linear,
    Quantiser,
    attention,
    gelu,
    mapped,
    normalised,
    of_gelu,
    on_grid,
    positive,
    product,
    ranged,
    shifted_gelu,
    side_by_side,
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
