"""One step of learning, as all that learn by batches take it."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

STEEPEST = 2.0
"""The length of the gradient at most."""


def step(loss: Tensor, optimiser: Optimizer, schedule: LRScheduler, clipped: Iterable[nn.Parameter]) -> float:
    """Move all parameters against the gradient, that of some not too far; returns the loss."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(clipped, STEEPEST)
    optimiser.step()
    schedule.step()
    return float(loss.detach())
