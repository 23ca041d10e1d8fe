"""Train the network on all tasks at once, alone or with an ensemble of earlier networks as its teachers.

python -m training.train --bundle B.npz --start W.npz --output run1 --seed 1 [--set epochs=8 ...] [--teachers run1/network.npz ...]
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.batches import LONGEST, Batches, Bundle, stream
from training.model import (
    Network,
    Shape,
    best_paths,
    best_paths_of_length,
    edge_marginals,
    path_log_partition,
    path_score,
)

Batch = dict[str, Tensor]


@dataclass(frozen=True)
class Options:
    """Everything that a run can vary."""

    steps: int = 8000
    compression_words: int = 8000  # words a batch
    tree_cells: int = 60_000  # chart cells a batch
    dependency_words: int = 2000
    rate: float = 2e-4
    head_rate: float = 1e-3
    warm_up: float = 0.06
    decay: float = 0.01
    average: float = 0.9995  # of the weights, exponentially
    dropout: float = 0.1
    head_dropout: float = 0.33
    compression_layers: int = 1
    path: float = 0.1
    keep: float = 1.0
    kept_arc: float = 0.1
    tag: float = 0.5
    google_tag: float = 0.1
    google_relation: float = 0.2
    span: float = 0.5
    arc: float = 0.5
    relation: float = 0.3
    compression: float = 1.0  # 0 switches a task off
    trees: float = 1.0
    dependencies: float = 1.0
    google_copies: int = 4  # of the 8,000 clean cased pairs
    spoken_copies: int = 5
    written_copies: int = 12
    repair_at: int = 0  # step at which shifted masks of the 200K are repaired; 0: given masks
    soft: float = 0.6  # share of the teachers in each loss
    silver: int = 64  # sentences of each compression batch whose trees are also learnt from the teachers


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--start", type=Path, nargs="+", required=True, help="MiniLM, or networks to average")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", nargs="*", default=[], metavar="OPTION=VALUE")
    parser.add_argument("--teachers", nargs="*", type=Path, default=[])
    parser.add_argument("--minutes", type=float, default=60, help="stop the schedule in time for this limit")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--unscored", action="store_true", help="save the network without evaluating it")
    return parser.parse_args()


def options_from(settings: list[str]) -> Options:
    types = {field.name: field.type for field in fields(Options)}
    values = dict(setting.split("=") for setting in settings)
    return replace(Options(), **{k: (int if types[k] == "int" else float)(v) for k, v in values.items()})


def shape_of(bundle: Bundle, compression_layers: int) -> Shape:
    sizes = {
        k: int(v)
        for k, v in zip(
            ("vocabulary", "tags", "labels", "relations", "google_relations"), bundle.arrays["sizes"]
        )
    }
    return Shape(**sizes, compression_layers=compression_layers)


def build(shape: Shape, options: Options, start: list[Path]) -> Network:
    """A fresh network on MiniLM's weights, or the mean of networks trained before."""
    network = Network(shape, options.dropout, options.head_dropout)
    if "shape" in np.load(start[0]).files:
        states = [load(path).state_dict() for path in start]
        network.load_state_dict({name: mean([state[name] for state in states]) for name in states[0]})
        return network
    state = network.state_dict()
    for name, value in np.load(start[0]).items():
        state[name] = torch.from_numpy(value.astype(np.float32))
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


def save(network: Network, path: Path) -> None:
    arrays = {k: v.detach().cpu().to(torch.float16).numpy() for k, v in network.state_dict().items()}
    np.savez(path, shape=np.array(json.dumps(asdict(network.shape))), **arrays)


# -- losses ----------------------------------------------------------------------------------------


def valid_positions(batch: Batch) -> Tensor:
    """[B, N+2]: start, words and end."""
    width = batch["first"].shape[1]
    return torch.arange(width, device=batch["lengths"].device)[None] <= batch["lengths"][:, None] + 1


def cross_entropy(scores: Tensor, gold: Tensor) -> Tensor:
    return F.cross_entropy(
        scores.float().flatten(0, -2), gold.flatten(), ignore_index=-100, reduction="sum"
    ) / ((gold >= 0).sum().clamp(min=1))


def soft_cross_entropy(scores: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    logs = scores.float().log_softmax(-1)
    terms = torch.where(target > 0, target * logs, 0.0).sum(-1)
    return -(terms * mask).sum() / mask.sum().clamp(min=1)


def masked_arcs(arcs: Tensor, batch: Batch) -> Tensor:
    """Arc scores with impossible heads (the end, padding, the word itself) at minus infinity."""
    width = arcs.shape[1]
    steps = torch.arange(width, device=arcs.device)
    heads = steps[None] <= batch["lengths"][:, None]
    arcs = arcs.float().masked_fill(~heads[:, None, :], float("-inf"))
    return arcs.masked_fill(torch.eye(width, dtype=torch.bool, device=arcs.device)[None], float("-inf"))


def word_mask(batch: Batch) -> Tensor:
    steps = torch.arange(batch["first"].shape[1], device=batch["lengths"].device)[None]
    return (steps >= 1) & (steps <= batch["lengths"][:, None])


def span_mask(batch: Batch) -> Tensor:
    """[B, N+1, N+1]: fences i < j within the sentence."""
    fences = torch.arange(batch["first"].shape[1] - 1, device=batch["lengths"].device)
    inside = fences[None] <= batch["lengths"][:, None]
    return inside[:, None, :] & (fences[None, :, None] < fences[None, None, :])


def following_positions(keep: Tensor, lengths: Tensor) -> Tensor:
    """following[b, i]: the next kept position after i (the end included) if i is the start or kept, else -1."""
    batch, width = keep.shape
    steps = torch.arange(width, device=keep.device)
    on_path = (keep == 1) | (steps[None] == lengths[:, None] + 1)
    candidates = torch.where(on_path, steps[None], width * 2)
    later = torch.flip(torch.cummin(torch.flip(candidates, [1]), 1).values, [1])
    following = torch.cat([later[:, 1:], torch.full_like(later[:, :1], width * 2)], 1)
    starts = (keep == 1) | (steps[None] == 0)
    return torch.where(starts & (following < width), following, -1)


def climbed(heads: Tensor, keep: Tensor) -> Tensor:
    """For each position the nearest kept ancestor (0, the root, counts as kept)."""
    kept = keep == 1
    kept[:, 0] = True
    for _ in range(12):
        heads = torch.where(kept.gather(1, heads), heads, heads.gather(1, heads))
    return torch.where(kept.gather(1, heads), heads, 0)


class Losses:
    """The losses of one network, gold and soft, on the batches of each task."""

    def __init__(self, options: Options, teachers: list[Network]) -> None:
        self.options, self.teachers = options, teachers

    def tree(self, network: Network, batch: Batch) -> Tensor:
        o, states = self.options, self.states(network, batch)
        tags, _ = network.tag_scores(states)
        spans = network.span_scores(states)
        chart = torch.where(span_mask(batch), batch["chart"], -100)
        logs = F.cross_entropy(
            spans.float().flatten(0, 2), chart.flatten(), ignore_index=-100, reduction="sum"
        )
        gold = o.tag * cross_entropy(tags, batch["tags"]) + o.span * logs / batch["lengths"].sum()
        if not self.teachers:
            return gold
        return (1 - o.soft) * gold + o.soft * self.soft_tree(batch, tags, spans)

    def soft_tree(self, batch: Batch, tags: Tensor, spans: Tensor) -> Tensor:
        o, mask, words = self.options, span_mask(batch), batch["lengths"].sum()
        with torch.no_grad():
            all_states = [self.states(teacher, batch) for teacher in self.teachers]
            tag_target = mean(
                [t.tag_scores(s)[0].float().softmax(-1) for t, s in zip(self.teachers, all_states)]
            )
            span_target = mean(
                [t.span_scores(s).float().softmax(-1) for t, s in zip(self.teachers, all_states)]
            )
        span_loss = -(span_target * spans.float().log_softmax(-1) * mask[..., None]).sum() / words
        return o.tag * soft_cross_entropy(tags, tag_target, word_mask(batch)) + o.span * span_loss

    def dependency(self, network: Network, batch: Batch) -> Tensor:
        o, states = self.options, self.states(network, batch)
        arcs, dependents, heads = network.arc_scores(states)
        arcs = masked_arcs(arcs, batch)
        gold_heads = batch["heads"].clamp(min=0)
        rows = torch.arange(len(arcs), device=arcs.device)[:, None]
        relations = network.chosen_relation_scores(dependents, heads[rows, gold_heads])
        tags, _ = network.tag_scores(states)
        weight = batch["weight"].mean()
        gold = o.arc * cross_entropy(arcs, batch["heads"]) + o.relation * cross_entropy(
            relations, batch["relations"]
        )
        gold = weight * (gold + o.tag * cross_entropy(tags, batch["tags"]))
        if not self.teachers:
            return gold
        return (1 - o.soft) * gold + o.soft * self.soft_dependency(batch, arcs, relations, gold_heads, rows)

    def soft_dependency(
        self, batch: Batch, arcs: Tensor, relations: Tensor, chosen: Tensor, rows: Tensor
    ) -> Tensor:
        o, mask = self.options, word_mask(batch)
        arc_targets, relation_targets = [], []
        with torch.no_grad():
            for teacher in self.teachers:
                a, d, h = teacher.arc_scores(self.states(teacher, batch))
                arc_targets.append(masked_arcs(a, batch).softmax(-1))
                relation_targets.append(
                    teacher.chosen_relation_scores(d, h[rows, chosen]).float().softmax(-1)
                )
        return o.arc * soft_cross_entropy(arcs, mean(arc_targets), mask) + o.relation * soft_cross_entropy(
            relations, mean(relation_targets), mask
        )

    def compression(self, network: Network, batch: Batch) -> Tensor:
        o, states = self.options, self.states(network, batch)
        valid = valid_positions(batch)
        keep, follow, kept_arcs = network.compression_scores(states, batch["domain"], valid)
        keep, follow = keep.float(), follow.float()
        mask, end = word_mask(batch), batch["lengths"] + 1
        gold_keep = batch["keep"].clamp(min=0).float()
        following = following_positions(batch["keep"], batch["lengths"])
        partition = path_log_partition(follow, end)
        bits = F.binary_cross_entropy_with_logits(keep, gold_keep, reduction="none")
        loss = o.keep * (bits * mask).sum() / mask.sum()
        loss = loss + o.path * (partition - path_score(follow, following)).mean()
        if self.teachers:
            loss = (1 - o.soft) * loss + o.soft * self.soft_compression(batch, valid, keep, follow, partition)
            loss = loss + o.soft * self.silver(
                network, {k: v[: o.silver] for k, v in batch.items()}, states[:, : o.silver]
            )
        with torch.no_grad():
            arcs = masked_arcs(network.arc_scores(states)[0], batch)
            heads = torch.where(mask, arcs.argmax(-1), 0)
            targets = torch.where(batch["keep"] == 1, climbed(heads, batch["keep"]), -100)
        allowed = batch["keep"] == 1
        allowed[:, 0] = True
        kept_arcs = masked_arcs(kept_arcs, batch).masked_fill(~allowed[:, None, :], float("-inf"))
        targets = torch.where(
            torch.isinf(kept_arcs.gather(2, targets.clamp(min=0)[..., None])[..., 0]), -100, targets
        )
        loss = loss + o.kept_arc * cross_entropy(kept_arcs, targets)
        if "google_tags" in batch:
            tags, relations = network.tag_scores(states)
            loss = loss + o.google_relation * cross_entropy(relations, batch["google_relations"])
            loss = loss + o.google_tag * cross_entropy(tags, batch["google_tags"])
        return loss

    def soft_compression(
        self, batch: Batch, valid: Tensor, keep: Tensor, follow: Tensor, partition: Tensor
    ) -> Tensor:
        """Cross-entropy to the teachers' mean keep probabilities and mean path distribution.

        The latter is log Z(student) - sum over edges of (teachers' edge marginal) * follow(student); a
        teacher's edge marginals are the gradient of its log Z.
        """
        o, mask, end = self.options, word_mask(batch), batch["lengths"] + 1
        keeps, edges = [], []
        for teacher in self.teachers:
            with torch.no_grad():
                k, f, _ = teacher.compression_scores(self.states(teacher, batch), batch["domain"], valid)
            keeps.append(k.float().sigmoid())
            edges.append(edge_marginals(f.float(), end))
        bits = F.binary_cross_entropy_with_logits(keep, mean(keeps), reduction="none")
        return (
            o.keep * (bits * mask).sum() / mask.sum()
            + o.path * (partition - (mean(edges) * follow).sum((1, 2))).mean()
        )

    def silver(self, network: Network, batch: Batch, states: Tensor) -> Tensor:
        """The teachers' trees of sentences without gold trees."""
        tags, _ = network.tag_scores(states)
        arcs, dependents, heads = network.arc_scores(states)
        arcs = masked_arcs(arcs, batch)
        rows = torch.arange(len(arcs), device=arcs.device)[:, None]
        chosen = torch.where(word_mask(batch), arcs.detach().argmax(-1), 0)
        relations = network.chosen_relation_scores(dependents, heads[rows, chosen])
        return self.soft_tree(batch, tags, network.span_scores(states)) + self.soft_dependency(
            batch, arcs, relations, chosen, rows
        )

    @staticmethod
    def states(network: Network, batch: Batch) -> Tensor:
        return network.words(batch["ids"], batch["cases"], batch["first"], batch["last"])


def mean(tensors: list[Tensor]) -> Tensor:
    return torch.stack(tensors).mean(0)


# -- the noise of the large set --------------------------------------------------------------------


@torch.no_grad()
def repair_shifts(network: Network, bundle: Bundle, device: torch.device, gain: float = 6.0) -> int:
    """Undo, in place, the shift of masks of sentences that lost a token.

    A mask shifted from word p on is read as keep'[i] = keep[i] for i < p, keep[i + 1] for i >= p, and the
    last word kept. The p of highest likelihood under the network is taken if it gains `gain` nats.
    """
    data = bundle.arrays
    count = 0
    network.eval()
    offsets = data["compression/offsets"]
    for batch in Batches(bundle, "compression", budget=0, endless=False, lines=512):
        rows = batch["rows"].numpy()
        if int(batch["lengths"].max()) > LONGEST:
            continue
        batch = {k: v.to(device) for k, v in batch.items()}
        with torch.autocast(device.type, torch.bfloat16):
            keep, _, _ = network.compression_scores(
                Losses.states(network, batch), batch["domain"], valid_positions(batch)
            )
        logits = keep.float().cpu().numpy()
        for line, row in enumerate(rows):
            size = int(offsets[row + 1] - offsets[row])
            if data["compression/source"][row] != 0 or size < 6:
                continue
            z = logits[line, 1 : size + 1]
            mask = data["compression/keep"][offsets[row] : offsets[row + 1]]
            shifted = np.append(mask[1:], 1)
            given, moved = -np.logaddexp(0, np.where(mask, -z, z)), -np.logaddexp(0, np.where(shifted, -z, z))
            total = np.append(0, np.cumsum(given))[:-1] + np.cumsum(moved[::-1])[::-1]
            p = int(total.argmax())
            if total[p] - given.sum() > gain:
                mask[p:] = shifted[p:]
                count += 1
    network.train()
    return count


# -- evaluation ------------------------------------------------------------------------------------


def f1(found: np.ndarray, gold: np.ndarray) -> float:
    return 2 * (found & gold).sum() / max(1, found.sum() + gold.sum())


@torch.no_grad()
def evaluate(network: Network, bundle: Bundle, device: torch.device) -> dict[str, float]:
    """Dev scores without the decoders of the product: spans and heads are taken one by one."""
    network.eval()
    scores: dict[str, float] = {}
    names = sorted({key.split("/")[0] for key in bundle.arrays if key.startswith("dev-")})
    for name in names:
        rows: dict[str, list[float]] = {}
        for batch in Batches(bundle, name, budget=0, endless=False, augment=False):
            batch = {k: v.to(device) for k, v in batch.items()}
            with torch.autocast(device.type, torch.bfloat16):
                states = Losses.states(network, batch)
                if "keep" in batch:
                    keep, follow, _ = network.compression_scores(
                        states, batch["domain"], valid_positions(batch)
                    )
                tags = network.tag_scores(states)[0]
                if "chart" in batch:
                    spans = network.span_scores(states)
                if "heads" in batch:
                    arcs, dependents, heads = network.arc_scores(states)
            words = word_mask(batch)
            if "tags" in batch:
                right = (tags.argmax(-1) == batch["tags"])[words]
                rows.setdefault("tags", []).extend(right.cpu().tolist())
            if "chart" in batch:
                mask = span_mask(batch)
                found, gold = spans.argmax(-1)[mask], batch["chart"][mask]
                counts = [(found == gold)[gold > 0].sum(), (found > 0).sum(), (gold > 0).sum()]
                rows.setdefault("spans", []).append([float(c) for c in counts])  # type: ignore[arg-type]
            if "heads" in batch:
                chosen = masked_arcs(arcs, batch).argmax(-1)
                lines = torch.arange(len(chosen), device=device)[:, None]
                relation = network.chosen_relation_scores(
                    dependents.float(), heads.float()[lines, chosen]
                ).argmax(-1)
                attached = (chosen == batch["heads"])[words]
                rows.setdefault("uas", []).extend(attached.cpu().tolist())
                rows.setdefault("las", []).extend(
                    (attached & (relation == batch["relations"])[words]).cpu().tolist()
                )
            if "keep" in batch:
                end = batch["lengths"] + 1
                gold = batch["keep"] == 1
                length = gold.sum(1)
                answers = {
                    "threshold": (keep > 0) & words,
                    "path": best_paths(follow.float(), end) == 1,
                    "path+keep": best_paths(follow.float() + keep.float()[:, None, :], end) == 1,
                    "gold-length path": best_paths_of_length(follow.float(), end, length) == 1,
                    "gold-length path+keep": best_paths_of_length(
                        follow.float() + keep.float()[:, None, :], end, length
                    )
                    == 1,
                }
                for label, answer in answers.items():
                    for found, want in zip(answer.cpu().numpy(), gold.cpu().numpy()):
                        rows.setdefault(f"{label} F1", []).append(f1(found, want))
                        rows.setdefault(f"{label} exact", []).append(float((found == want).all()))
        for key, values in rows.items():
            if key == "spans":
                hit, found, gold = np.sum(values, axis=0)
                scores[f"{name} span F1"] = 200 * hit / (found + gold)
            else:
                scores[f"{name} {key}"] = 100 * float(np.mean(values))
    network.train()
    return scores


# -- the loop --------------------------------------------------------------------------------------


def optimiser(network: Network, options: Options) -> torch.optim.Optimizer:
    encoder = ("pieces", "positions", "layers", "embedding_norm")
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        groups.setdefault((name.split(".")[0] in encoder, parameter.ndim > 1), []).append(parameter)
    return torch.optim.AdamW(
        [
            {"params": members, "lr": options.rate if old else options.head_rate, "weight_decay": options.decay if matrix else 0.0}
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
    # cuDNN's attention compiles a plan for every new shape of a batch, which costs more than the step itself.
    torch.backends.cuda.enable_cudnn_sdp(False)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    bundle = Bundle(given.bundle)
    network = build(shape_of(bundle, options.compression_layers), options, given.start).to(device)
    torch.manual_seed(given.seed)
    teachers = [load(path).to(device).eval().requires_grad_(False) for path in given.teachers]
    averaged = {name: value.detach().clone() for name, value in network.state_dict().items()}
    losses = Losses(options, teachers)
    adam = optimiser(network, options)
    given.output.mkdir(parents=True, exist_ok=True)
    log = (given.output / "log.txt").open("w")

    def say(message: str) -> None:
        print(f"[{given.output.name} {time.time() - began:5.0f}s] {message}", flush=True)
        print(message, file=log, flush=True)

    def sources() -> list[tuple[object, object]]:
        copies = np.array([1, options.google_copies, options.spoken_copies, options.written_copies])
        copies = copies[bundle.arrays["compression/source"]]
        tasks: list[tuple[object, object]] = []
        if options.compression:
            data = Batches(
                bundle, "compression", budget=options.compression_words, seed=given.seed, copies=copies
            )
            tasks.append((losses.compression, stream(data, given.workers)))
        if options.trees:
            tasks.append(
                (
                    losses.tree,
                    stream(Batches(bundle, "tree", budget=options.tree_cells, power=2, seed=given.seed), 1),
                )
            )
        if options.dependencies:
            data = Batches(bundle, "dependency", budget=options.dependency_words, seed=given.seed)
            tasks.append((losses.dependency, stream(data, 1)))
        return tasks

    tasks = sources()
    say(f"options {options} seed {given.seed} teachers {len(teachers)}")
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
        if options.repair_at and step == options.repair_at:
            say(f"repaired {repair_shifts(network, bundle, device)} shifted masks")
            tasks = sources()
        adam.zero_grad(set_to_none=True)
        for index, (loss_of, batches) in enumerate(tasks):
            batch = {key: value.to(device, non_blocking=True) for key, value in next(batches).items()}  # type: ignore[call-overload]
            with torch.autocast(device.type, torch.bfloat16):
                loss = loss_of(network, batch)  # type: ignore[operator]
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
