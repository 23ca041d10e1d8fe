"""Repairing the large set's shifted masks with a network that has learnt what is likely."""

from __future__ import annotations

import numpy as np
import torch
from training.batches import LONGEST, Batches, Bundle
from training.losses import Losses, valid_positions
from training.model import Network


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
