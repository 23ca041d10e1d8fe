"""A register of general prose for the compression branch, learnt on top of an encoder that stays as it is.

    python -m training.general prepare --data ../shared/data --folder .cache/general
    python -m training.general_teacher --folder .cache/general --weights TEACHER.npz
    python -m training.branch extract --quantised QUANTISED.onnx --branch .cache/general/start.npz
    python -m training.general train --folder .cache/general --branch .cache/general/start.npz --output .cache/general
    python -m training.branch export --quantised QUANTISED.onnx --branch BRANCH.npz … --output NETWORK.onnx

`prepare` encodes the sentences of which compressions were written (`training.written`), the general pairs that only
delete, general sentences without any, and pairs of the other registers. Teachers (`training.general_teacher`) say of
the sentences without any what they would keep. `train` reads all with the shipped graph, and moves the branch from its
present weights: on general prose towards what was written or is taught, on the other registers towards what it says
already.
`training.branch` takes the branch from the weights of `training.export`, which writes QUANTISED, and puts it back.

What was written for one sentence at several lengths is learnt as one order of its words with a threshold a kind;
of paths it is learnt which is best among those of its length, since how long one is, the request says.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from training.general_sentences import (
    LABELS,
    PAIR,
    REGISTERS,
    SENTENCES,
    Array,
    Sentences,
    prepare,
    read_sentences,
    with_states,
)
from training.losses import following_positions
from training.model import (
    Network,
    Shape,
    best_paths_of_length,
    edge_marginals,
    length_log_partition,
    path_log_partition,
    path_score,
)
from training.steps import step
from training.written import KINDS

SHOWN = ((1.0, 0.0, 0.0), (0.0, 1.6, 0.0), (0.0, 0.0, 1.6))
"""What the network is shown of each register in use."""
START = (0.3, 0.7, 0.7)
"""The mixture that general prose begins as."""
THRESHOLDS = (-0.5, -1.0, -1.5, 0.0)
"""Of the kinds but the first, and of pairs, at first."""
KIND_WEIGHTS = (*(1.0 for _ in KINDS), 0.5)
FOLDS = 5
OTHERS = 2000
"""So many sentences of each other register are enough to hold the branch to what it says of them."""


@dataclass(frozen=True)
class Options:
    """What a run can vary."""

    epochs: int = 12
    rate: float = 5e-4
    words: int = 6000
    path: float = 0.1
    old: float = 1.0
    taught: float = 0.5
    decay: float = 0.05
    dropout: float = 0.25
    seed: int = 1


def general_loss(network: Network, offsets: Tensor, batch: dict[str, Tensor], options: Options) -> Tensor:
    """The loss of general prose; what teachers alone say counts less."""
    x = batch["states"] + network.domains.weight[REGISTERS]
    keep, follow, _ = network.branch_scores(x, batch["valid"])
    weights = torch.where(batch["taught"], options.taught, 1.0)
    return compression_loss(keep.float(), follow.float(), offsets, batch, weights, options.path)


def compression_loss(
    keep: Tensor, follow: Tensor, offsets: Tensor, batch: dict[str, Tensor], weights: Tensor, path: float
) -> Tensor:
    """Of what is kept: each word's own odds, by the kind's threshold, and the path among those of its length."""
    thresholds = torch.cat([torch.zeros(1, device=keep.device), offsets])
    total = torch.zeros((), device=keep.device)
    steps = torch.arange(keep.shape[1], device=keep.device)[None]
    words = (steps >= 1) & (steps <= batch["lengths"][:, None])
    for kind, weight in enumerate(KIND_WEIGHTS):
        gold = batch["keep"][kind]
        rows = (gold >= 0).any(1).nonzero()[:, 0]
        if not len(rows):
            continue
        bits = F.binary_cross_entropy_with_logits(
            keep[rows] + thresholds[kind], batch["odds"][kind][rows], reduction="none"
        )
        each = weight * weights[rows]
        total = total + (each[:, None] * bits * words[rows].float()).sum() / 1000
        lengths, kept = batch["lengths"][rows], (gold[rows] == 1).long()
        z = length_log_partition(follow[rows], lengths + 1, kept.sum(1))
        surprise = z - path_score(follow[rows], following_positions(kept, lengths))
        total = total + path * (each * surprise).sum() / 100
    return total


def old_loss(network: Network, old: Network, batch: dict[str, Tensor]) -> Tensor:
    """On the other registers, and of arcs everywhere: what the branch said before."""
    shown = torch.tensor([*SHOWN, START], device=batch["states"].device)[batch["register"]]
    with torch.no_grad():
        keep0, follow0, arcs0 = old.branch_scores(
            batch["states"] + (shown @ old.domains.weight[:REGISTERS])[:, None], batch["valid"]
        )
    weights = torch.cat([shown, torch.zeros_like(shown[:, :1])], 1)
    general = batch["register"] == REGISTERS
    weights[general] = torch.tensor([0.0, 0.0, 0.0, 1.0], device=weights.device)
    keep, follow, arcs = network.branch_scores(
        batch["states"] + (weights @ network.domains.weight)[:, None], batch["valid"]
    )
    size = keep.shape[1]
    steps = torch.arange(size, device=keep.device)
    words = ((steps[None] >= 1) & (steps[None] <= batch["lengths"][:, None])).float()
    heads = (steps[None] <= batch["lengths"][:, None])[:, None, :]
    masked = [
        one.float()
        .masked_fill(~heads, -1e4)
        .masked_fill(torch.eye(size, dtype=torch.bool, device=keep.device)[None], -1e4)
        for one in (arcs, arcs0)
    ]
    terms = -(masked[1].softmax(-1) * masked[0].log_softmax(-1)).sum(-1)
    loss = 0.1 * (terms * words).sum() / 1000
    theirs = (~general).float()
    bits = F.binary_cross_entropy_with_logits(keep.float(), keep0.float().sigmoid(), reduction="none")
    loss = loss + (bits * words * theirs[:, None]).sum() / 1000
    end = batch["lengths"] + 1
    edges = edge_marginals(follow0.float(), end)
    surprise = path_log_partition(follow.float(), end) - (edges * follow.float()).sum((1, 2))
    return loss + 0.2 * (surprise * theirs).sum() / 100


def learn(
    sentences: Sentences, start: Network, rows: Array, options: Options, device: torch.device
) -> tuple[Network, Tensor]:
    """The branch after so many passes over the rows, averaged over the last of them, and the kinds' thresholds."""
    import copy

    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    network, old = (
        copy.deepcopy(start).to(device),
        copy.deepcopy(start).to(device).eval().requires_grad_(False),
    )
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = options.dropout
    for layer in network.compression:
        layer.attention_dropout = options.dropout
    branch = [
        parameter for name, parameter in network.named_parameters() if Network.is_of_branch(name)
    ]  # fmt: skip
    offsets = nn.Parameter(torch.tensor(THRESHOLDS, device=device))
    adam = torch.optim.AdamW(
        [
            {"params": [p for p in branch if p.ndim > 1], "weight_decay": options.decay},
            {"params": [p for p in branch if p.ndim < 2], "weight_decay": 0.0},
            {"params": [offsets], "weight_decay": 0.0, "lr": 10 * options.rate},
        ],
        lr=options.rate,
        betas=(0.9, 0.98),
    )
    average = {name: value.detach().clone() for name, value in network.state_dict().items()}
    total = options.epochs * len(sentences.batches(rows, options.words, np.random.default_rng(0)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        adam, [group["lr"] for group in adam.param_groups], total_steps=total + 10, pct_start=0.1
    )
    network.train()
    taken = 0
    for epoch in range(options.epochs):
        seen = 0.0
        for chosen in sentences.batches(rows, options.words, rng):
            batch = sentences.batch(chosen, device)
            general = torch.from_numpy(sentences.register[chosen] == REGISTERS).to(device)
            loss = options.old * old_loss(network, old, batch)
            if bool(general.any()):
                some = {
                    key: value[:, general] if key in ("keep", "odds") else value[general]
                    for key, value in batch.items()
                }
                loss = loss + general_loss(network, offsets, some, options)
            seen += step(loss, adam, schedule, branch)
            taken += 1
            decay = min(0.998, (1 + taken) / (10 + taken))
            with torch.no_grad():
                for name, value in network.state_dict().items():
                    average[name].lerp_(value, 1 - decay)
        if epoch % 5 == 4 or epoch == options.epochs - 1:
            print(
                f"  pass {epoch + 1}: loss {seen:.2f}, thresholds {offsets.detach().cpu().numpy().round(2)}",
                flush=True,
            )
    network.load_state_dict(average)
    return network.eval(), offsets.detach()


@torch.no_grad()
def agreement(
    network: Network,
    sentences: Sentences,
    rows: Array,
    device: torch.device,
    shown: Sequence[float],
    keep_weight: float,
) -> list[float]:
    """F1 in percent with what was written, at its own length, for each kind."""
    sums, counts = np.zeros(len(KINDS) + 1), np.zeros(len(KINDS) + 1)
    vector = torch.tensor(shown, device=device) @ network.domains.weight[: len(shown)]
    for chosen in sentences.batches(rows, 4000, np.random.default_rng(0)):
        batch = sentences.batch(chosen, device)
        keep, follow, _ = network.branch_scores(batch["states"] + vector, batch["valid"])
        scores = follow.float() + keep_weight * keep.float()[:, None, :]
        ends = torch.arange(scores.shape[1], device=device)[None] == batch["lengths"][:, None] + 1
        scores = torch.where(ends[:, None, :], follow.float(), scores)
        for kind in range(len(KINDS) + 1):
            gold = batch["keep"][kind]
            told = (gold == 1).any(1).nonzero()[:, 0]
            if len(told):
                goal = (gold[told] == 1).long()
                found = best_paths_of_length(scores[told], batch["lengths"][told] + 1, goal.sum(1))
                found[:, 0] = 0
                both = (found * goal).sum(1) / goal.sum(1)
                sums[kind] += float(both.sum())
                counts[kind] += len(told)
    return [round(100 * float(x), 2) for x in sums / np.maximum(1, counts)]


def told_apart(network: Network, old: Network, sentences: Sentences, device: torch.device) -> str:
    """On the other registers: how far the words' odds moved, on average."""
    rng, found = np.random.default_rng(3), []
    for register in range(REGISTERS):
        rows = rng.choice(np.flatnonzero(sentences.register == register), 200, replace=False)
        total, count = 0.0, 0
        vector = torch.tensor(SHOWN[register], device=device)
        with torch.no_grad():
            for chosen in sentences.batches(rows, 4000, rng):
                batch = sentences.batch(chosen, device)
                ours, theirs = (
                    one.branch_scores(
                        batch["states"] + vector @ one.domains.weight[:REGISTERS], batch["valid"]
                    )[0]
                    for one in (network, old)
                )
                mask = batch["valid"].float()
                total += float(((ours.sigmoid() - theirs.sigmoid()).abs() * mask).sum())
                count += int(mask.sum())
        found.append(f"{total / count:.4f}")
    return " ".join(found)


def train(
    folder: Path,
    graph: Path,
    branch: Path,
    output: Path,
    workers: int,
    settings: Sequence[str],
    folds: Sequence[int],
) -> None:
    """Learn with each setting without each of the folds (-1: with all), and say how well what was held out is met."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sentences = with_states(*read_sentences(folder / SENTENCES), folder, graph, workers)
    sentences = replace(sentences, states=sentences.states.to(device))
    told = sentences.told()
    written = np.flatnonzero((sentences.register == REGISTERS) & told[:PAIR].any(0))
    if (folder / LABELS).exists():
        sentences = sentences.with_labels(folder / LABELS)
    start = load_branch(branch)
    fold_of = folds_of(written, len(sentences.register))
    chosen = np.flatnonzero((sentences.register == REGISTERS) & sentences.told().any(0))
    for register in range(REGISTERS):
        rows = np.flatnonzero(sentences.register == register)
        chosen = np.concatenate([chosen, rows[:: max(1, len(rows) // OTHERS)]])
    old = start.to(device).eval()
    for shown in ((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), START):
        for weight in (0.0, 0.25, 0.5):
            print(
                "before",
                shown,
                weight,
                agreement(old, sentences, written[:800], device, shown, weight),
                flush=True,
            )
    for number, setting in enumerate(settings):
        given = dict(part.split("=") for part in setting.split(",") if part)
        options = Options(**{key: type(getattr(Options(), key))(value) for key, value in given.items()})
        for fold in folds:
            rows = chosen[(fold_of[chosen] != fold) | (fold < 0)]
            print(setting, "without fold", fold, flush=True)
            network, thresholds = learn(sentences, start, rows, options, device)
            held = np.flatnonzero(fold_of == fold) if fold >= 0 else written
            for weight in (0.0, 0.25, 0.5, 1.0):
                shares = agreement(network, sentences, held, device, (0, 0, 0, 1.0), weight)
                print(f"  keep {weight}: {shares}", flush=True)
            print(
                "  moved", told_apart(network, old, sentences, device), thresholds.cpu().numpy(), flush=True
            )
            state = {
                name: value.cpu().numpy().astype(np.float16) for name, value in network.state_dict().items()
            }
            named = {name: value for name, value in state.items() if Network.is_of_branch(name)}
            np.savez(output / f"branch-{number}-{'all' if fold < 0 else fold}.npz", **named)


def folds_of(written: Array, count: int) -> Array:
    """The fold of each sentence of which compressions were written; -1 for the others."""
    found = np.full(count, -1)
    found[written] = np.arange(len(written)) % FOLDS
    return found


def load_branch(path: Path) -> Network:
    found = dict(np.load(path))
    shape = Shape(**json.loads(str(found.pop("shape"))))
    network = Network(shape)
    network.load_state_dict(
        network.state_dict()
        | {name: torch.from_numpy(value.astype(np.float32)) for name, value in found.items()}
    )
    return network


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("prepare", "train"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/general"))
    parser.add_argument("--graph", type=Path, default=Path("src/laconic/models/annotator"))
    parser.add_argument("--branch", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folds", type=int, nargs="*", default=[-1])
    parser.add_argument("--set", nargs="*", default=[""])
    given = parser.parse_args()
    if given.what == "prepare":
        prepare(given.data, given.folder)
    else:
        train(
            given.folder,
            given.graph,
            given.branch,
            given.output,
            given.workers,
            given.set,
            given.folds,
        )


if __name__ == "__main__":
    main()
