"""Train the network on all tasks at once or some, alone or with earlier networks as its teachers.

python -m training.train --bundle B.npz --start W.npz --output run1 --seed 1 [--set steps=8000 …]
python -m training.train … --parsers run1/network.npz run2/network.npz --compressors run3/network.npz
python -m training.train … --branch --compressors run3/network.npz --free-compressors run4/network.npz
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from training.batches import FOLDS, Batches, Bundle, stream
from training.losses import Batch, Losses, Options, mean
from training.model import Network, Shape
from training.scoring import evaluate
from training.vocabulary import unrounded


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument(
        "--start", type=Path, nargs="+", required=True, help="MiniLM, MPNet, or networks to average"
    )
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", nargs="*", default=[], metavar="OPTION=VALUE")
    parser.add_argument("--parsers", nargs="*", type=Path, default=[], help="teachers of tags and trees")
    parser.add_argument(
        "--compressors",
        nargs="*",
        type=Path,
        default=[],
        help="teachers of compression, as many a fold, fold by fold",
    )
    parser.add_argument(
        "--free-compressors",
        nargs="*",
        type=Path,
        default=[],
        help="teachers that have seen every pair, for what has no reference of its register",
    )
    parser.add_argument(
        "--branch",
        action="store_true",
        help="train what compression alone uses; encoder and trees stay as they are",
    )
    parser.add_argument("--without-fold", type=int, help="leave this third of the compressions out")
    parser.add_argument("--minutes", type=float, default=60, help="stop the schedule in time for this limit")
    parser.add_argument("--workers", type=int, default=2, help="processes that make batches, each task")
    parser.add_argument("--unscored", action="store_true", help="save the network without evaluating it")
    return parser.parse_args()


def options_from(settings: list[str]) -> Options:
    types = {field.name: field.type for field in fields(Options)}
    values = dict(setting.split("=") for setting in settings)
    return replace(Options(), **{k: (int if types[k] == "int" else float)(v) for k, v in values.items()})


def build(bundle: Bundle, options: Options, start: list[Path]) -> Network:
    """A fresh network on the weights of an encoder, or the mean of networks trained before."""
    first = dict(np.load(start[0]))
    if "shape" in first:
        earlier = mean_network(start)
        network = Network(earlier.shape, options.dropout, options.head_dropout)
        network.load_state_dict(earlier.state_dict())
        return network
    names = ("vocabulary", "tags", "labels", "relations", "google_relations")
    inventory = {name: int(size) for name, size in zip(names, bundle.arrays["sizes"], strict=True)}
    encoder = json.loads(str(first.pop("sizes", "{}")))
    shape = Shape(**inventory, **encoder, compression_layers=options.compression_layers)
    network = Network(shape, options.dropout, options.head_dropout)
    state = network.state_dict()
    for name, value in unrounded(first).items():
        state[name] = torch.from_numpy(value)
    for extra in range(
        shape.compression_layers
    ):  # the compression layer starts as a copy of the encoder's last
        for name in list(state):
            if name.startswith(f"compression.{extra}."):
                state[name] = state[
                    name.replace(f"compression.{extra}.", f"layers.{shape.layers - 1}.")
                ].clone()
    network.load_state_dict(state)
    return network


def load(path: Path) -> Network:
    with np.load(path) as saved:
        shape = Shape(**json.loads(str(saved["shape"])))
        network = Network(shape)
        network.load_state_dict(
            {k: torch.from_numpy(saved[k].astype(np.float32)) for k in saved.files if k != "shape"}
        )
    return network


def mean_network(paths: list[Path]) -> Network:
    """The network whose weights are the mean of those of networks trained before."""
    network, states = load(paths[0]), [load(path).state_dict() for path in paths]
    network.load_state_dict({name: mean([state[name] for state in states]) for name in states[0]})
    return network


def save(network: Network, path: Path) -> None:
    arrays = {k: v.detach().cpu().to(torch.float16).numpy() for k, v in network.state_dict().items()}
    np.savez(path, shape=np.array(json.dumps(asdict(network.shape))), **arrays)


def freeze_all_but_branch(network: Network) -> None:
    """Leave only what compression alone uses to be learnt; the rest answers as it will in use."""
    for name, part in network.named_children():
        if name not in Network.BRANCH:
            part.requires_grad_(False).eval()


def optimiser(network: Network, options: Options) -> torch.optim.Optimizer:
    encoder = ("pieces", "positions", "relative", "layers", "embedding_norm")
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        groups.setdefault((name.split(".")[0] in encoder, parameter.ndim > 1), []).append(parameter)
    return torch.optim.AdamW(
        [
            {
                "params": members,
                "lr": options.rate if old else options.head_rate,
                "weight_decay": options.decay if matrix else 0.0,
            }
            for (old, matrix), members in groups.items()
        ],
        betas=(0.9, 0.98), fused=torch.cuda.is_available(),
    )  # fmt: skip


def main() -> None:
    given = arguments()
    began = time.time()
    options = options_from(given.set)
    torch.manual_seed(
        0
    )  # all runs start alike, so that their weights can be averaged; data and dropout differ
    # Batches rarely have the same shape twice, and cuDNN may build a plan of its attention for every new one.
    torch.backends.cuda.enable_cudnn_sdp(False)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    bundle = Bundle(given.bundle)
    network = build(bundle, options, given.start).to(device)
    if given.branch:
        freeze_all_but_branch(network)
    torch.manual_seed(given.seed)
    parsers, compressors, free = (
        [load(path).to(device).eval().requires_grad_(False) for path in paths]
        for paths in (given.parsers, given.compressors, given.free_compressors)
    )
    averaged = {name: value.detach().clone() for name, value in network.state_dict().items()}
    each = len(compressors) // FOLDS
    by_fold = [compressors[k * each : (k + 1) * each] for k in range(FOLDS if each else 0)]
    losses = Losses(options, parsers, by_fold, free)
    adam = optimiser(network, options)
    given.output.mkdir(parents=True, exist_ok=True)
    log = (given.output / "log.txt").open("w")

    def say(message: str) -> None:
        print(f"[{given.output.name} {time.time() - began:5.0f}s] {message}", flush=True)
        print(message, file=log, flush=True)

    def source(name: str, budget: int, copies: list[int], *, power: int = 1) -> Iterator[Batch]:
        taught = name == "compression" and bool(compressors)
        data = Batches(
            bundle,
            name,
            budget=budget,
            power=power,
            seed=given.seed,
            copies=np.array(copies)[bundle.arrays[f"{name}/source"]],
            without_fold=given.without_fold,
            by_fold=taught,
            transferred=options.transferred if taught else 0.0,
        )
        return stream(data, given.workers)

    tasks: list[tuple[Callable[[Network, Batch], Tensor], Iterator[Batch]]] = []
    if options.compression:
        unlabelled = options.unlabelled_copies if compressors else 0
        copies = [1, options.google_copies, options.spoken_copies, options.written_copies, unlabelled]
        tasks.append((losses.compression, source("compression", options.compression_words, copies)))
    if options.trees:
        copies = [options.gum_copies, 1, 1, 1]
        tasks.append((losses.tree, source("tree", options.tree_cells, copies, power=2)))
    if options.dependencies:
        copies = [options.gum_copies, 1, 1]
        tasks.append((losses.dependency, source("dependency", options.dependency_words, copies)))
    say(f"options {options} seed {given.seed} teachers {len(parsers)}, {len(compressors)}, {len(free)}")
    progress, step, running = 0.0, 0, np.zeros(len(tasks))
    loop_began = time.time()
    while progress < 1.0:
        # The schedule follows steps or, where that would come too late, the clock.
        clock = (time.time() - loop_began) / (given.minutes * 60 - (loop_began - began))
        progress = max(step / options.steps, clock)
        warm = min(1.0, progress / options.warm_up)
        factor = warm * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
        for group in adam.param_groups:
            group.setdefault("full", group["lr"])
            group["lr"] = group["full"] * factor
        adam.zero_grad(set_to_none=True)
        for index, (loss_of, batches) in enumerate(tasks):
            batch = {key: value.to(device, non_blocking=True) for key, value in next(batches).items()}
            with torch.autocast(device.type, torch.bfloat16):
                loss = loss_of(network, batch)
            loss.backward()
            if step % 100 == 0:
                running[index] = float(loss.detach())
        norm = nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        adam.step()
        decay = min(options.average, (1 + step) / (10 + step))
        with torch.no_grad():
            state = network.state_dict()
            torch._foreach_lerp_([averaged[k] for k in state], list(state.values()), 1 - decay)
        if step % 500 == 0 or step == 50:
            say(
                f"step {step} progress {progress:.2f} losses {np.round(running, 4)} gradient {float(norm):.2f}"
            )
        step += 1
    network.load_state_dict(averaged)
    save(network, given.output / "network.npz")
    scores = {} if given.unscored else evaluate(network, bundle, device)
    (given.output / "scores.json").write_text(
        json.dumps({"options": asdict(options), "steps": step, "scores": scores}, indent=1)
    )
    for name, value in scores.items():
        say(f"{name:45s} {value:.2f}")


if __name__ == "__main__":
    main()
