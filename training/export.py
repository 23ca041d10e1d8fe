"""Turn a trained network into the files that ship: an int8 ONNX graph of exact operations, its inventory and a card.

python -m training.export --network NETWORK.npz [NETWORK.npz …] --bundle BUNDLE.npz --inventory INVENTORY.json \\
    --output src/laconic/models/annotator

Of several networks (stages of one run), the mean of their weights ships; with `--branch`, what compression alone uses
is taken from another.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn
from training.batches import Batches, Bundle
from training.branch import words_of_branch
from training.exact import make_exact
from training.losses import Losses, valid_positions
from training.model import FAR, Network
from training.train import load, mean_network

from laconic.annotate.graph_file import NAME, write_graph
from laconic.storage import read_card, write_card

KEEP = 0.3
"""What is added to the log-odds of keeping a word, for F1: found on the clean Google training pairs."""


class Smoothed(nn.Module):
    """A linear map whose inputs are divided by `scale` first, and its weights multiplied by it."""

    def __init__(self, linear: nn.Linear, scale: Tensor) -> None:
        super().__init__()
        self.linear = linear
        self.linear.weight.data *= scale
        self.register_buffer("inverse", 1 / scale)

    def forward(self, x: Tensor) -> Tensor:
        scaled: Tensor = self.linear(x * self.inverse)
        return scaled


def smooth(network: Network, bundle: Bundle, *, sentences: int = 128, share: float = 0.9) -> None:
    """Move outliers among the activations into the weights, as SmoothQuant does.

    Activations get one int8 scale for a whole sentence, weights one a column: a feature that is always large
    would leave the others few steps. Feature j is divided by max |x_j| ^ share / max |w_j| ^ (1 - share), the
    maxima taken over sentences of each training set; the map stays the same but for rounding.
    """
    highest: dict[str, Tensor] = {}

    def watch(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def see(_: nn.Module, inputs: tuple[Tensor, ...], __: Tensor) -> None:
            seen = inputs[0].abs().flatten(0, -2).amax(0)
            highest[name] = torch.maximum(highest[name], seen) if name in highest else seen

        return see

    hooks = [
        module.register_forward_hook(watch(name))
        for name, module in network.named_modules()
        if name.rpartition(".")[2] in ("query_key_value", "widen", "narrow")
    ]
    generator = np.random.default_rng(0)
    for task in ("compression", "tree", "dependency"):
        data = Batches(bundle, task, budget=0, endless=False)
        short = np.flatnonzero(data.lengths < 50)
        batch = data.batch(generator.choice(short, sentences, replace=False), generator)
        with torch.no_grad():
            states = Losses.states(network, batch)
            network.compression_scores(
                states, torch.zeros(sentences, dtype=torch.long), valid_positions(batch)
            )
    for hook in hooks:
        hook.remove()
    for name, values in highest.items():
        parent, _, last = name.rpartition(".")
        linear = network.get_submodule(name)
        assert isinstance(linear, nn.Linear)
        weights = linear.weight.data.abs().amax(0)
        scale = values.clamp(min=1e-4) ** share / weights.clamp(min=1e-4) ** (1 - share)
        setattr(network.get_submodule(parent), last, Smoothed(linear, scale / scale.mean()))


class SingleSentence(nn.Module):
    """The network for one sentence, without padding, with the choices that need no chart already made.

    One sentence at a time, because int8 activations are scaled by the range of the whole input: in a batch,
    one sentence's scores would depend on its neighbours.
    """

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, ids: Tensor, cases: Tensor, first: Tensor, last: Tensor, domain: Tensor
    ) -> tuple[Tensor, ...]:
        net = self.network
        steps = torch.arange(ids.shape[0])
        x = net.embedding_norm(net.pieces(ids) + net.positions(steps) + net.cases(cases))[None]
        bias = torch.zeros(1, 1, 1, 1)
        mixes = [mix.logits.softmax(0) for mix in (net.tag_mix, net.span_mix, net.arc_mix, net.keep_mix)]
        mixed: list[Tensor] = []
        for depth, layer in enumerate(net.layers):
            x = layer(x, bias)
            words = (x[:, first] + x[:, last]) * 0.5
            for task, weights in enumerate(mixes):
                mixed[task : task + 1] = [
                    words * weights[depth] if depth == 0 else mixed[task] + words * weights[depth]
                ]
        for_tags, for_spans, for_arcs, for_keep = mixed

        tags = net.tag(for_tags)[0, 1:-1].argmax(-1)
        half = for_spans.shape[-1] // 2
        fences = net.fence(torch.cat([for_spans[:, :-1, :half], for_spans[:, 1:, half:]], -1))
        spans = net.label(torch.relu(net.fence_norm(fences[0, None, :, :] - fences[0, :, None, :])))
        best, label = spans[..., 1:].max(-1)
        gains = best - spans[..., 0]
        heads = for_arcs[:, :-1]  # the end is no word
        arcs = net.arc(net.arc_dependent(heads), net.arc_head(heads))[0]
        relations = net.relation_scores(net.relation_dependent(heads), net.relation_head(heads))[0].argmax(1)

        y = for_keep + (domain @ net.domains.weight)[None, None]
        for layer in net.compression:
            y = layer(y, bias)
        keep = net.keep(y)[0, 1:-1, 0]
        places = torch.arange(y.shape[1])
        gaps = (places[None, :] - places[:, None]).clamp(0, FAR)
        follow = net.follow(net.follow_left(y), net.follow_right(y))[0] + net.distance(gaps)[..., 0]
        inner = y[:, :-1]
        kept_arcs = net.kept_arc(net.kept_dependent(inner), net.kept_head(inner))[0]
        return tags, gains, label + 1, arcs, relations, keep, follow, kept_arcs


INPUTS = ("ids", "cases", "first", "last", "domain")
OUTPUTS = ("tags", "gains", "labels", "arcs", "relations", "keep", "follow", "kept_arcs")


def export(network: Network, path: Path) -> None:
    """Write the full-precision graph."""
    module = SingleSentence(network).eval()
    pieces, words = 9, 7
    sample = (
        torch.arange(2, 2 + pieces), torch.zeros(pieces, dtype=torch.long), torch.arange(words), torch.arange(words),
        torch.tensor([1.0, 0.0, 0.0]),
    )  # fmt: skip
    torch.onnx.export(
        module, sample, str(path), input_names=list(INPUTS), output_names=list(OUTPUTS), opset_version=17, dynamo=False,
        dynamic_axes={"ids": {0: "pieces"}, "cases": {0: "pieces"}, "first": {0: "places"}, "last": {0: "places"}},
    )  # fmt: skip


def quantise(source: Path, target: Path) -> None:
    """Weights to int8, one scale a column; activations are quantised as they come."""
    quantize_dynamic(
        str(source), str(target), per_channel=True, weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gemm", "Gather"], extra_options={"MatMulConstBOnly": True},
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", type=Path, nargs="+", required=True)
    parser.add_argument("--branch", type=Path, help="the network whose compression branch is taken")
    parser.add_argument(
        "--bundle", type=Path, required=True, help="whose sentences show the activations' ranges"
    )
    parser.add_argument("--inventory", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--full", type=Path, help="also keep the full-precision graph here")
    parser.add_argument("--quantised", type=Path, help="also keep here what the last step is made of")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    network = mean_network(given.network).eval()
    if given.branch:
        other = load(given.branch)
        for part in Network.BRANCH:
            setattr(network, part, getattr(other.eval(), part))
    with torch.no_grad():
        network.keep.bias += KEEP
    if given.full:
        export(network, given.full)
    smooth(network, Bundle(given.bundle))
    with tempfile.TemporaryDirectory() as folder:
        smoothed = Path(folder) / "smoothed.onnx"
        export(network, smoothed)
        quantised = Path(folder) / "quantised.onnx"
        quantise(smoothed, quantised)
        if given.quantised:
            given.quantised.write_bytes(quantised.read_bytes())
        exact = make_exact(onnx.load(str(quantised)))
    inventory = json.loads(given.inventory.read_text())
    (given.output / "inventory.json").write_text(
        json.dumps(inventory, ensure_ascii=True, separators=(",", ":"))
    )
    # The rest of the card is written by hand, its scores by experiments.annotator.
    card = read_card(given.output) if (given.output / "card.json").exists() else {}
    card |= write_graph(given.output, exact.SerializeToString())
    card["states"] = words_of_branch(exact)
    card["inventory_sha256"] = hashlib.sha256((given.output / "inventory.json").read_bytes()).hexdigest()
    write_card(given.output, card)
    print(len(exact.graph.node), "nodes,", (given.output / NAME).stat().st_size / 2**20, "MiB")


if __name__ == "__main__":
    main()
