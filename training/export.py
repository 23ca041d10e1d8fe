"""Turn a trained network into the files that ship: an int8 ONNX graph, its inventory and a card.

python -m training.export --network NETWORK.npz --inventory INVENTORY.json --output src/laconic/models/annotator
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn
from training.model import FAR, Network
from training.train import load


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
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--inventory", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--full", type=Path, help="also keep the full-precision graph here")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    network = load(given.network)
    with tempfile.TemporaryDirectory() as folder:
        full = given.full or Path(folder) / "full.onnx"
        export(network, full)
        quantise(full, given.output / "network.onnx")
    inventory = json.loads(given.inventory.read_text())
    (given.output / "inventory.json").write_text(
        json.dumps(inventory, ensure_ascii=True, separators=(",", ":"))
    )
    # The rest of the card is written by hand, its scores by experiments.annotator.
    card_file = given.output / "card.json"
    card = json.loads(card_file.read_text()) if card_file.exists() else {}
    for key, name in (("sha256", "network.onnx"), ("inventory_sha256", "inventory.json")):
        card[key] = hashlib.sha256((given.output / name).read_bytes()).hexdigest()
    card_file.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n")
    graph = onnx.load(str(given.output / "network.onnx"))
    print(
        sum(1 for _ in graph.graph.node),
        "nodes,",
        (given.output / "network.onnx").stat().st_size / 2**20,
        "MiB",
    )


if __name__ == "__main__":
    main()
