"""The network that is trained: a small BERT encoder and the heads of the annotator.

Positions in every word-level tensor run over [start, word 1 … word N, end]: the start (the encoder's
[CLS]) doubles as the root of dependency trees, the end (its [SEP]) closes the path of kept words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

CASES = 4  # lower or caseless, Title, UPPER, miXed
FAR = 40  # distances between kept neighbours are told apart up to here
NEAR, REACH = 8, 128  # relative positions: told apart one by one up to here, by their logarithm up to there


@dataclass(frozen=True)
class Shape:
    """Sizes of the network; saved with every checkpoint."""

    vocabulary: int
    tags: int
    labels: int
    relations: int
    google_relations: int
    domains: int = 3
    hidden: int = 384
    layers: int = 6
    heads: int = 12
    feed_forward: int = 1536
    positions: int = 512
    relative: int = 0  # buckets of relative positions, shared by all layers; 0 for an encoder without
    span: int = 256
    arc: int = 256
    relation: int = 96
    follow: int = 192
    compression_layers: int = 1


class Layer(nn.Module):
    """One post-norm transformer layer, as in BERT."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query_key_value = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.attended = nn.Linear(shape.hidden, shape.hidden)
        self.attention_norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.widen = nn.Linear(shape.hidden, shape.feed_forward)
        self.narrow = nn.Linear(shape.feed_forward, shape.hidden)
        self.output_norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.attention_dropout = dropout

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        qkv = self.query_key_value(x).view(batch, length, 3, self.heads, hidden // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        if torch.onnx.is_in_onnx_export():
            weights = (query @ key.transpose(-1, -2)) * (1.0 / math.sqrt(hidden // self.heads)) + bias
            mixed = weights.softmax(-1) @ value
        else:
            dropout = self.attention_dropout if self.training else 0.0
            mixed = F.scaled_dot_product_attention(query, key, value, bias.to(query.dtype), dropout_p=dropout)
        mixed = mixed.transpose(1, 2).reshape(batch, length, hidden)
        x = self.attention_norm(x + self.dropout(self.attended(mixed)))
        return self.output_norm(x + self.dropout(self.narrow(F.gelu(self.widen(x)))))


class Mix(nn.Module):
    """A learned weighted mean of the encoder's layers."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        start = torch.zeros(layers)
        start[-1] = 2.0
        self.logits = nn.Parameter(start)

    def forward(self, layers: Tensor) -> Tensor:
        return torch.einsum("l,lbnh->bnh", self.logits.softmax(0).to(layers.dtype), layers)


def projection(inputs: int, outputs: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.GELU(), nn.Dropout(dropout))


class Biaffine(nn.Module):
    """score[b, x, y] = left[x] U right[y] + u left[x] + v right[y]."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.bilinear = nn.Linear(size, size, bias=False)
        nn.init.normal_(self.bilinear.weight, std=1.0 / size)
        self.left = nn.Linear(size, 1)
        self.right = nn.Linear(size, 1, bias=False)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        pairs = self.bilinear(left) @ right.transpose(1, 2)
        return pairs + self.left(left) + self.right(right).transpose(1, 2)


class Network(nn.Module):
    """Pieces in, all scores out."""

    BRANCH = (
        "keep_mix", "domains", "compression", "keep", "follow_left", "follow_right", "follow", "distance",
        "kept_head", "kept_dependent", "kept_arc",
    )  # fmt: skip
    """The parts that compression alone uses."""

    @classmethod
    def is_of_branch(cls, name: str) -> bool:
        """Whether a weight, by its name, is of the branch on top of an encoder and its mixture that stay."""
        part = name.partition(".")[0]
        return part in cls.BRANCH and part != "keep_mix"

    def __init__(self, shape: Shape, dropout: float = 0.1, head_dropout: float = 0.33) -> None:
        super().__init__()
        self.shape = shape
        hidden = shape.hidden
        self.pieces = nn.Embedding(shape.vocabulary, hidden)
        self.positions = nn.Embedding(shape.positions, hidden)
        self.relative = nn.Embedding(shape.relative, shape.heads) if shape.relative else None
        self.cases = nn.Embedding(CASES, hidden)
        nn.init.zeros_(self.cases.weight)
        self.embedding_norm = nn.LayerNorm(hidden, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))

        self.tag_mix = Mix(shape.layers)
        self.span_mix = Mix(shape.layers)
        self.arc_mix = Mix(shape.layers)
        self.keep_mix = Mix(shape.layers)

        self.tag = nn.Linear(hidden, shape.tags)
        self.google_relation = nn.Linear(hidden, shape.google_relations)  # auxiliary, training only

        self.fence = nn.Linear(hidden, shape.span)
        self.fence_norm = nn.LayerNorm(shape.span)
        self.label = nn.Linear(shape.span, shape.labels)

        self.arc_head = projection(hidden, shape.arc, head_dropout)
        self.arc_dependent = projection(hidden, shape.arc, head_dropout)
        self.arc = Biaffine(shape.arc)
        self.relation_head = projection(hidden, shape.relation, head_dropout)
        self.relation_dependent = projection(hidden, shape.relation, head_dropout)
        self.relation = nn.Linear(shape.relation, shape.relations * shape.relation, bias=False)
        nn.init.normal_(self.relation.weight, std=1.0 / shape.relation)
        self.relation_bias = nn.Linear(shape.relation, shape.relations)

        self.domains = nn.Embedding(shape.domains, hidden)
        nn.init.normal_(self.domains.weight, std=0.02)
        self.compression = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.compression_layers))
        self.keep = nn.Linear(hidden, 1)
        self.follow_left = projection(hidden, shape.follow, head_dropout)
        self.follow_right = projection(hidden, shape.follow, head_dropout)
        self.follow = Biaffine(shape.follow)
        self.distance = nn.Embedding(FAR + 1, 1)
        nn.init.zeros_(self.distance.weight)
        self.kept_head = projection(hidden, shape.follow, head_dropout)
        self.kept_dependent = projection(hidden, shape.follow, head_dropout)
        self.kept_arc = Biaffine(shape.follow)

    # -- encoder ---------------------------------------------------------------------------------

    def words(self, ids: Tensor, cases: Tensor, first: Tensor, last: Tensor) -> Tensor:
        """Word-level states of all layers [L, B, N+2, H]; piece 0 is padding in `ids`."""
        bias = torch.where(ids == 0, float("-inf"), 0.0)[:, None, None, :]
        steps = torch.arange(ids.shape[1], device=ids.device)
        if self.relative is not None:
            buckets = relative_buckets(steps[None, :] - steps[:, None], self.shape.relative)
            bias = bias + self.relative(buckets).permute(2, 0, 1)[None]
        x = self.pieces(ids) + self.positions(steps)[None] + self.cases(cases)
        x = self.dropout(self.embedding_norm(x))
        # A word is the mean of its first and last piece; as a product, whose gradient is a product too.
        pool = ((first[..., None] == steps).to(x.dtype) + (last[..., None] == steps).to(x.dtype)) * 0.5
        states = []
        for layer in self.layers:
            x = layer(x, bias)
            states.append(pool.to(x.dtype) @ x)
        return torch.stack(states)

    # -- heads -----------------------------------------------------------------------------------

    def tag_scores(self, states: Tensor) -> tuple[Tensor, Tensor]:
        x = self.dropout(self.tag_mix(states))
        return self.tag(x), self.google_relation(x)

    def span_scores(self, states: Tensor) -> Tensor:
        """Label scores [B, N+1, N+1, labels] of the span between two fences; label 0 is 'no constituent'."""
        x = self.dropout(self.span_mix(states))
        half = x.shape[-1] // 2
        fences = self.fence(torch.cat([x[:, :-1, :half], x[:, 1:, half:]], -1))
        spans = F.relu(self.fence_norm(fences[:, None, :, :] - fences[:, :, None, :]))
        return self.label(self.dropout(spans))

    def arc_scores(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Scores [B, dependent, head] over all positions, and relation features of dependents and heads."""
        x = self.dropout(self.arc_mix(states))
        arcs = self.arc(self.arc_dependent(x), self.arc_head(x))
        return arcs, self.relation_dependent(x), self.relation_head(x)

    def relation_scores(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Relation scores [B, dependent, relation, head] for all pairs."""
        left = self.relation(dependents).unflatten(-1, (self.shape.relations, self.shape.relation))
        return left @ heads.transpose(1, 2)[:, None] + self.relation_bias(dependents)[..., None]

    def chosen_relation_scores(self, dependents: Tensor, chosen: Tensor) -> Tensor:
        """Relation scores [B, dependent, relation] for the features of one given head of each dependent."""
        left = self.relation(dependents).unflatten(-1, (self.shape.relations, self.shape.relation))
        return (left @ chosen[..., None])[..., 0] + self.relation_bias(dependents)

    def compression_scores(
        self, states: Tensor, domain: Tensor, valid: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """keep [B, N+2], follow [B, i, j], arcs over kept words [B, dependent, head]."""
        return self.branch_scores(self.keep_mix(states) + self.domains(domain)[:, None, :], valid)

    def branch_scores(self, x: Tensor, valid: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What `compression_scores` says of words that were told their register."""
        bias = torch.where(valid, 0.0, float("-inf"))[:, None, None, :]
        for layer in self.compression:
            x = layer(x, bias)
        x = self.dropout(x)
        keep = self.keep(x)[..., 0]
        follow = self.follow(self.follow_left(x), self.follow_right(x))
        steps = torch.arange(x.shape[1], device=x.device)
        gaps = (steps[None, :] - steps[:, None]).clamp(0, FAR)
        follow = follow + self.distance(gaps)[..., 0][None]
        return keep, follow, self.kept_arc(self.kept_dependent(x), self.kept_head(x))


def relative_buckets(offsets: Tensor, buckets: int) -> Tensor:
    """The bucket of each key's offset from its query: half of the buckets for each side, as in MPNet."""
    half = buckets // 2
    distance = offsets.abs()
    far = NEAR + (distance.clamp(min=1) / NEAR).log() / math.log(REACH / NEAR) * (half - NEAR)
    bucket = torch.where(distance < NEAR, distance, far.long().clamp(max=half - 1))
    return bucket + half * (offsets > 0)


def alphas(follow: Tensor) -> Tensor:
    """alpha[j] = log sum_{i<j} exp(alpha[i] + follow[i, j])."""
    if follow.is_cuda:
        from training import path_kernels

        return path_kernels.alphas(follow)
    columns = follow.transpose(1, 2).contiguous()
    alpha = torch.full(follow.shape[:2], -torch.inf)
    alpha[:, 0] = 0.0
    for j in range(1, follow.shape[1]):
        alpha[:, j] = torch.logsumexp(alpha[:, :j] + columns[:, j, :j], 1)
    return alpha


def betas(follow: Tensor, end: Tensor) -> Tensor:
    """beta[i] = log sum_{j>i} exp(follow[i, j] + beta[j]), 0 at the end and minus infinity after it."""
    if follow.is_cuda:
        from training import path_kernels

        return path_kernels.betas(follow, end)
    size = follow.shape[1]
    steps = torch.arange(size)
    at_end = torch.where(steps[None] == end[:, None], 0.0, -torch.inf)
    beta = at_end.clone()
    for i in range(size - 2, -1, -1):
        value = torch.logsumexp(follow[:, i, i + 1 :] + beta[:, i + 1 :], 1)
        beta[:, i] = torch.where(i < end, value, at_end[:, i])
    return beta


class _PathPartition(torch.autograd.Function):
    """log Z of the paths, differentiated by hand: the gradient is the edges' marginals."""

    @staticmethod
    def forward(ctx: Any, follow: Tensor, end: Tensor) -> Tensor:
        alpha = alphas(follow)
        total = alpha.gather(1, end[:, None])[:, 0]
        ctx.save_for_backward(follow, end, alpha, total)
        return total

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        follow, end, alpha, total = ctx.saved_tensors
        return gradient[:, None, None] * _edge_marginals(follow, end, alpha, total), None


def _edge_marginals(follow: Tensor, end: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    steps = torch.arange(follow.shape[1], device=follow.device)
    logs = alpha[:, :, None] + follow + betas(follow, end)[:, None, :] - total[:, None, None]
    on_path = (steps[:, None] < steps[None, :])[None] & (steps[None, None, :] <= end[:, None, None])
    return torch.where(on_path, logs, -torch.inf).exp()


def path_log_partition(follow: Tensor, end: Tensor) -> Tensor:
    """log Z over all paths from the start to `end` [B]."""
    total: Tensor = _PathPartition.apply(follow, end)
    return total


@torch.no_grad()
def edge_marginals(follow: Tensor, end: Tensor) -> Tensor:
    """The probability [B, i, j] that j follows i on a path drawn from exp(score) / Z."""
    alpha = alphas(follow)
    return _edge_marginals(follow, end, alpha, alpha.gather(1, end[:, None])[:, 0])


def length_log_partition(follow: Tensor, end: Tensor, length: Tensor) -> Tensor:
    """log of the sum over the paths from the start to `end` with length[b] words of exp of their scores.

    alpha[j, m] = log sum_{i<j} exp(alpha[i, m - 1] + follow[i, j]).
    """
    batch, size = follow.shape[:2]
    most = int(length.max()) + 1
    low = -1e9
    first = torch.full((batch, most + 1), low, device=follow.device)
    first[:, 0] = 0.0
    alphas = [first]
    for j in range(1, size):
        terms = torch.stack(alphas, 1)[:, :, :-1] + follow[:, :j, j, None]
        here = torch.logsumexp(terms, 1)
        alphas.append(torch.cat([torch.full_like(first[:, :1], low), here], 1))
    table = torch.stack(alphas, 1)
    rows = torch.arange(batch, device=follow.device)
    return table[rows, end, length + 1]


def path_score(follow: Tensor, following: Tensor) -> Tensor:
    """The score of a path; following[b, i] is the position kept next after i, or -1 where i is not on the path."""
    steps = follow.gather(2, following.clamp(min=0)[..., None])[..., 0]
    return torch.where(following >= 0, steps, 0.0).sum(1)


def best_paths(follow: Tensor, end: Tensor) -> Tensor:
    """Kept positions [B, N+2] (0/1, boundaries excluded) of the best path of any length."""
    batch, size = follow.shape[:2]
    alphas, backs = [torch.zeros_like(follow[:, 0, 0])], [torch.zeros_like(end)]
    for j in range(1, size):
        best, back = (torch.stack(alphas, 1) + follow[:, :j, j]).max(1)
        alphas.append(best)
        backs.append(back)
    back = torch.stack(backs, 1)
    kept = torch.zeros(batch, size, dtype=torch.long, device=follow.device)
    rows = torch.arange(batch, device=follow.device)
    here = end.clone()
    for _ in range(size):
        here = back[rows, here]
        kept[rows, here] = 1
    kept[:, 0] = 0
    return kept


def best_paths_of_length(follow: Tensor, end: Tensor, length: Tensor) -> Tensor:
    """Kept positions [B, N+2] of the best path with exactly length[b] words."""
    batch, size = follow.shape[:2]
    most = int(length.max()) + 1
    table = torch.full((batch, size, most + 1), float("-inf"), device=follow.device)
    table[:, 0, 0] = 0.0
    backs = torch.zeros(batch, size, most + 1, dtype=torch.long, device=follow.device)
    for j in range(1, size):
        best, back = (table[:, :j, :-1] + follow[:, :j, j, None]).max(1)
        table[:, j, 1:] = best
        backs[:, j, 1:] = back
    kept = torch.zeros(batch, size, dtype=torch.long, device=follow.device)
    rows = torch.arange(batch, device=follow.device)
    here, left = end.clone(), length + 1
    for _ in range(size):
        here = backs[rows, here, left]
        left = (left - 1).clamp(min=0)
        kept[rows, here] = 1
    kept[:, 0] = 0
    return kept
