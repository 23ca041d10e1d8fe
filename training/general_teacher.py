"""Teachers of general prose: larger encoders that learn from what was written, and label what was not compressed.

    python -m training.general_teacher --folder .cache/general --weights TEACHER.npz [--seeds 1 2 3] [--fold 0]

TEACHER is MPNet as `training.prepare` writes it; the folder is that of `training.general`. The teachers learn from all
pairs and all that was written outside the fold; their mean says of each general sentence without a compression how
surely its words are kept at each kind of length, and which path is best there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from training.general import THRESHOLDS, compression_loss, folds_of
from training.general_sentences import (
    LABELS,
    PAIR,
    REGISTERS,
    SENTENCES,
    Array,
    Inputs,
    Sentences,
    read_sentences,
)
from training.model import Network, Shape, best_paths_of_length
from training.steps import step
from training.vocabulary import unrounded
from training.written import KINDS

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SHARES = {"eighty": 0.8, "sixty": 0.6, "half": 0.5}
"""Of the words, at most, at each kind of length but the natural one."""
WORDS = 5000
PATH = 0.1
KEEP_WEIGHT = 1.0
"""What a word's own odds count beside those of paths."""


def batches(
    sentences: Sentences, inputs: Inputs, rows: Array, rng: np.random.Generator
) -> Iterator[tuple[Array, dict[str, Tensor]]]:
    """Shuffled rows of similar length with their pieces, padded."""
    for chosen in sentences.batches(rows, WORDS, rng):
        batch = sentences.batch(chosen, DEVICE)
        for place, name in enumerate(("ids", "cases", "first", "last")):
            width = max(len(inputs[row][place]) for row in chosen)
            padded = np.zeros((len(chosen), width), np.int64)
            for number, row in enumerate(chosen):
                padded[number, : len(inputs[row][place])] = inputs[row][place]
            batch[name] = torch.from_numpy(padded).to(DEVICE)
        yield chosen, batch


def scores(network: Network, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Each word's own score and those of neighbours on a path."""
    with torch.autocast(DEVICE.type, torch.bfloat16):
        states = network.words(batch["ids"], batch["cases"], batch["first"], batch["last"])
        keep, follow, _ = network.compression_scores(states, batch["register"], batch["valid"])
    return keep.float(), follow.float()


def teach(
    weights: Path, sentences: Sentences, inputs: Inputs, rows: Array, *, seed: int, epochs: int, rate: float
) -> tuple[Network, Tensor]:
    """A teacher after some passes over the rows, and the thresholds of the kinds."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    found = dict(np.load(weights))
    sizes = json.loads(str(found.pop("sizes")))
    start = {name: torch.from_numpy(value) for name, value in unrounded(found).items()}
    vocabulary, positions = len(start["pieces.weight"]), len(start["positions.weight"])
    shape = Shape(vocabulary, 1, 1, 1, 1, domains=REGISTERS + 1, positions=positions, **sizes)
    network = Network(shape, dropout=0.1, head_dropout=0.25)
    network.load_state_dict(network.state_dict() | start)
    network.to(DEVICE).train()
    offsets = nn.Parameter(torch.tensor(THRESHOLDS, device=DEVICE))
    encoder = [parameter for name, parameter in network.named_parameters() if name in start]
    heads = [parameter for name, parameter in network.named_parameters() if name not in start]
    adam = torch.optim.AdamW(
        [
            {"params": encoder, "lr": rate},
            {"params": heads, "lr": 10 * rate},
            {"params": [offsets], "lr": 100 * rate, "weight_decay": 0.0},
        ],
        weight_decay=0.01,
        betas=(0.9, 0.98),
    )
    total = epochs * len(sentences.batches(rows, WORDS, np.random.default_rng(0)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        adam, [group["lr"] for group in adam.param_groups], total_steps=total + 10, pct_start=0.1
    )
    for epoch in range(epochs):
        seen = 0.0
        for _, batch in batches(sentences, inputs, rows, rng):
            keep, follow = scores(network, batch)
            everyone = torch.ones(len(keep), device=DEVICE)
            loss = compression_loss(keep, follow, offsets, batch, everyone, PATH)
            seen += step(loss, adam, schedule, network.parameters())
        print(f"  teacher {seed}, pass {epoch + 1}: loss {seen:.1f}", flush=True)
    return network.eval(), offsets.detach()


@torch.no_grad()
def mean_scores(teachers: Sequence[Network], batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """What several teachers say on average."""
    keeps, follows = zip(*(scores(teacher, batch) for teacher in teachers), strict=True)
    return torch.stack(keeps).mean(0), torch.stack(follows).mean(0)


def best(keep: Tensor, follow: Tensor, lengths: Tensor, counts: Tensor, keep_weight: float) -> Tensor:
    """The best path of so many words."""
    steps = torch.arange(keep.shape[1], device=keep.device)[None]
    ends = steps == lengths[:, None] + 1
    scored = torch.where(ends[:, None, :], follow, follow + keep_weight * keep[:, None, :])
    return best_paths_of_length(scored, lengths + 1, counts)


def agreement(
    teachers: Sequence[Network],
    sentences: Sentences,
    inputs: Inputs,
    rows: Array,
    weight: float,
) -> list[float]:
    """F1 in percent with what was written, at its own length, for each kind."""
    shares: list[list[float]] = [[] for _ in range(PAIR)]
    for _, batch in batches(sentences, inputs, rows, np.random.default_rng(0)):
        keep, follow = mean_scores(teachers, batch)
        for kind in range(PAIR):
            told = (batch["keep"][kind] == 1).any(1).nonzero()[:, 0]
            if len(told):
                goal = (batch["keep"][kind][told] == 1).long()
                found = best(keep[told], follow[told], batch["lengths"][told], goal.sum(1), weight)
                shares[kind] += ((found * goal).sum(1) / goal.sum(1)).tolist()
    return [round(100 * float(np.mean(share)), 2) for share in shares]


def label(
    teachers: Sequence[Network],
    thresholds: Tensor,
    sentences: Sentences,
    inputs: Inputs,
    rows: Array,
) -> dict[str, Array]:
    """How surely each word is kept, [kinds, places], and the best paths, one row after the other."""
    offsets = torch.cat([torch.zeros(1, device=DEVICE), thresholds])[:PAIR]
    kept: dict[int, Array] = {}
    odds: dict[int, Array] = {}
    for chosen, batch in batches(sentences, inputs, rows, np.random.default_rng(0)):
        keep, follow = mean_scores(teachers, batch)
        lengths = batch["lengths"]
        steps = torch.arange(keep.shape[1], device=DEVICE)[None]
        words = (steps >= 1) & (steps <= lengths[:, None])
        counts = [((keep > 0) & words).sum(1), *((lengths * share).long() for share in SHARES.values())]
        paths = torch.stack(
            [best(keep, follow, lengths, count.clamp(min=1), KEEP_WEIGHT) for count in counts]
        )
        sure = (keep[None] + offsets[:, None, None]).sigmoid()
        for number, row in enumerate(chosen):
            size = int(lengths[number]) + 2
            kept[int(row)] = paths[:, number, :size].cpu().numpy().astype(np.int8)
            odds[int(row)] = sure[:, number, :size].cpu().numpy().astype(np.float16)
    return {
        "rows": rows,
        "keep": np.concatenate([kept[int(row)] for row in rows], 1),
        "odds": np.concatenate([odds[int(row)] for row in rows], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path(".cache/general"))
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--fold", type=int, default=0, help="of what was written, kept apart; -1: none")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument(
        "--rate", type=float, default=7e-5, help="of the encoder; heads learn ten times as fast"
    )
    given = parser.parse_args()
    sentences, inputs = read_sentences(given.folder / SENTENCES)
    told = sentences.told()
    general = sentences.register == REGISTERS
    written = np.flatnonzero(general & told[:PAIR].any(0))
    fold_of = folds_of(written, len(inputs))
    rows = np.flatnonzero(told.any(0) & ((fold_of != given.fold) | (given.fold < 0)))
    held = np.flatnonzero(fold_of == given.fold) if given.fold >= 0 else written
    print(f"{len(rows)} sentences to learn from, kinds {KINDS}", flush=True)
    teachers, thresholds = [], []
    for seed in given.seeds:
        network, offsets = teach(
            given.weights, sentences, inputs, rows, seed=seed, epochs=given.epochs, rate=given.rate
        )
        teachers.append(network)
        thresholds.append(offsets)
        for weight in (0.5, 1.0, 2.0):
            print(f"  teacher {seed}, keep {weight}:", agreement([network], sentences, inputs, held, weight))
    for weight in (0.5, 1.0, 2.0):
        print(f"  all, keep {weight}:", agreement(teachers, sentences, inputs, held, weight), flush=True)
    unlabelled = np.flatnonzero(general & ~told.any(0))
    mean = torch.stack(thresholds).mean(0)
    labels = label(teachers, mean, sentences, inputs, unlabelled)
    print(f"labelled {len(unlabelled)}, thresholds {mean.cpu().numpy().round(2)}", flush=True)
    np.savez_compressed(given.folder / LABELS, **labels)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
