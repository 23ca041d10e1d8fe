"""Dev scores during training, without the decoders of the product."""

from __future__ import annotations

import numpy as np
import torch
from training.batches import Batches, Bundle
from training.losses import Losses, masked_arcs, span_mask, valid_positions, word_mask
from training.model import Network, best_paths, best_paths_of_length


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
                    for found, want in zip(answer.cpu().numpy(), gold.cpu().numpy(), strict=True):
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
