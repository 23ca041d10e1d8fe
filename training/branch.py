"""The compression branch of a quantised network: taken out to be learnt further, and put back.

    python -m training.branch extract --quantised QUANTISED.onnx --branch START.npz
    python -m training.branch export --quantised QUANTISED.onnx --branch BRANCH.npz [MORE.npz …] --output FOLDER

Of several branches the mean is put back. QUANTISED is what `training.export` writes before its last step. What is put
back may have one register more; encoder, tags and trees stay what they are to the last bit.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import torch
from training.exact import Annotator, Trained
from training.exact_operations import Array, Linear
from training.general import START
from training.general_sentences import REGISTERS
from training.model import Network, Shape

from laconic.annotate.graph_file import write_graph
from laconic.storage import read_card, write_card

LINEAR = {
    **{
        f"compression.0.{part}": f"compression.0/{part}/linear"
        for part in ("query_key_value", "widen", "narrow")
    },
    "compression.0.attended": "compression.0/attended",
    "keep": "keep",
    **{
        f"{name}.0": f"{name}/{name}.0"
        for name in ("follow_left", "follow_right", "kept_head", "kept_dependent")
    },
    **{
        f"{name}.{part}": f"{name}/{part}"
        for name in ("follow", "kept_arc")
        for part in ("bilinear", "left", "right")
    },
}
"""The branch's maps, by their names in the network and their paths in the graph."""


def branch_of(trained: Trained, registers: int) -> Network:
    """The branch of a quantised network, in floating point, with general prose as one register more."""
    hidden = len(trained.array("embedding_norm.weight"))
    shape = Shape(1, 1, 1, 1, 1, domains=registers + 1, layers=1, hidden=hidden, positions=1)
    network = Network(shape, dropout=0.1, head_dropout=0.1)
    numbers, scale = trained.table("domains")
    domains = numbers[:registers] * scale
    general = numbers[registers] * scale if len(numbers) > registers else np.array(START) @ domains
    state = {"domains.weight": np.vstack([domains, general])}
    for name, path in LINEAR.items():
        linear = trained.linear(path, name if name.endswith(".0") else None)
        inverse = np.ones(len(linear.weight)) if linear.inverse is None else linear.inverse
        state[f"{name}.weight"] = (inverse[:, None] * linear.weight * linear.scale).T
        if f"{name}.bias" in network.state_dict():
            state[f"{name}.bias"] = linear.bias
    for name in ("compression.0.attention_norm", "compression.0.output_norm"):
        state |= {f"{name}.{part}": trained.array(f"{name}.{part}") for part in ("weight", "bias")}
    numbers, scale = trained.table("distance")
    state["distance.weight"] = numbers * scale
    network.load_state_dict(
        network.state_dict()
        | {name: torch.from_numpy(np.asarray(value, np.float32)) for name, value in state.items()}
    )
    return network


class Moved(Trained):
    """The weights of a quantised graph, those of the branch replaced."""

    def __init__(self, model: onnx.ModelProto, branch: dict[str, Array]) -> None:
        super().__init__(model)
        self._branch = branch
        self._names = {path: name for name, path in LINEAR.items()}

    def array(self, name: str) -> Array:
        return self._branch[name].astype(np.float64) if name in self._branch else super().array(name)

    def linear(self, path: str, name: str | None = None) -> Linear:
        old = super().linear(path, name)
        if path not in self._names:
            return old
        ours = self._names[path]
        weight = self._branch[f"{ours}.weight"].astype(np.float64).T
        if old.inverse is not None:
            weight = weight / old.inverse[:, None]
        scale = np.abs(weight).max(0) / 127
        bias = self._branch.get(f"{ours}.bias", old.bias)
        return Linear(np.rint(weight / scale).astype(np.int8), scale, bias.astype(np.float64), old.inverse)

    def table(self, name: str) -> tuple[Array, float]:
        if f"{name}.weight" not in self._branch:
            return super().table(name)
        weight = self._branch[f"{name}.weight"].astype(np.float64)
        scale = float(np.abs(weight).max() / 127)
        return np.rint(weight / scale).astype(np.int64), scale


def words_of_branch(model: onnx.ModelProto) -> str:
    """The tensor that the registers' vector is added to: the `states` of a network's card."""
    last = [node for node in model.graph.node if node.name.startswith("register/Add")][-1]
    name: str = last.input[0]
    return name


def extract(quantised: Path, output: Path) -> None:
    """The branch of a quantised graph as float16."""
    network = branch_of(Trained(onnx.load(str(quantised))), REGISTERS)
    arrays = {
        name: value.numpy().astype(np.float16)
        for name, value in network.state_dict().items()
        if Network.is_of_branch(name)
    }
    np.savez_compressed(output, shape=np.array(json.dumps(asdict(network.shape))), **arrays)


def export(quantised: Path, branches: Sequence[Path], output: Path) -> None:
    """Put the exact graph with a new branch, the mean of those given, into the folder of a network."""
    found = [dict(np.load(branch)) for branch in branches]
    mean = {name: np.mean([one[name].astype(np.float64) for one in found], axis=0) for name in found[0]}
    model = Annotator(Moved(onnx.load(str(quantised)), mean)).model()
    card = read_card(output) | write_graph(output, model.SerializeToString())
    write_card(output, card | {"states": words_of_branch(model)})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("extract", "export"))
    parser.add_argument("--quantised", type=Path, required=True)
    parser.add_argument("--branch", type=Path, nargs="+", required=True)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    if given.what == "extract":
        extract(given.quantised, given.branch[0])
    else:
        export(given.quantised, given.branch, given.output)


if __name__ == "__main__":
    main()
