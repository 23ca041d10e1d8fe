"""The recurrences of the path model as one GPU kernel each: a sentence is a program, a word a step.

alpha[j] = log sum_{i<j} exp(alpha[i] + follow[i, j])
beta[i]  = log sum_{j>i} exp(follow[i, j] + beta[j]), 0 at the end

In PyTorch every word costs a handful of launches, which took most of the time of a training step.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit  # type: ignore[untyped-decorator]
def _alphas(columns, alphas, size, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    sentence = tl.program_id(0)
    here = tl.arange(0, BLOCK)
    alpha = tl.where(here == 0, 0.0, -float("inf"))
    for j in range(1, size):
        start = columns + (sentence * size + j) * size
        terms = alpha + tl.load(start + here, mask=here < j, other=-float("inf"))
        highest = tl.max(terms, 0)
        alpha = tl.where(here == j, highest + tl.log(tl.sum(tl.exp(terms - highest), 0)), alpha)
    tl.store(alphas + sentence * size + here, alpha, mask=here < size)


@triton.jit  # type: ignore[untyped-decorator]
def _betas(rows, ends, betas, size, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    sentence = tl.program_id(0)
    here = tl.arange(0, BLOCK)
    end = tl.load(ends + sentence)
    beta = tl.where(here == end, 0.0, -float("inf"))
    for step in range(1, end + 1):
        i = end - step
        start = rows + (sentence * size + i) * size
        terms = beta + tl.load(start + here, mask=(here > i) & (here <= end), other=-float("inf"))
        highest = tl.max(terms, 0)
        beta = tl.where(here == i, highest + tl.log(tl.sum(tl.exp(terms - highest), 0)), beta)
    tl.store(betas + sentence * size + here, beta, mask=here < size)


def alphas(follow: Tensor) -> Tensor:
    """alpha [B, N+2] of scores [B, i, j]."""
    batch, size = follow.shape[:2]
    found = torch.empty(batch, size, device=follow.device)
    _alphas[(batch,)](follow.transpose(1, 2).contiguous(), found, size, BLOCK=triton.next_power_of_2(size))
    return found


def betas(follow: Tensor, end: Tensor) -> Tensor:
    """beta [B, N+2] of scores [B, i, j] and the positions of the ends; minus infinity after the end."""
    batch, size = follow.shape[:2]
    found = torch.empty(batch, size, device=follow.device)
    _betas[(batch,)](follow.contiguous(), end, found, size, BLOCK=triton.next_power_of_2(size))
    return found
