"""The losses of all tasks: against gold labels, and against an ensemble of teachers."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from training.batches import fold_of
from training.model import Network, edge_marginals, path_log_partition, path_score

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
    spoken_copies: int = 4
    written_copies: int = 8
    unlabelled_copies: int = 1  # of the sentences that only teachers label
    transferred: float = 0.2  # share of the pairs that teachers alone label, for a domain drawn at random
    gum_copies: int = 2  # of its trees and dependencies
    soft: float = 0.7  # share of the teachers in the losses of trees
    soft_keep: float = 0.8  # and in those of compression
    silver: int = 128  # sentences of each compression batch whose trees are also learnt from the teachers


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
    width = keep.shape[1]
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
    """The losses of one network, gold and soft, on the batches of each task.

    `parsers` teach tags and trees, `compressors` what to keep; a batch is taught all that its teachers know,
    whatever its own labels are: dependencies on sentences with gold phrases, phrases on those with gold heads.
    A batch of compressions is of one fold, and its compressors those that have not seen that fold: what a
    network says of pairs it has learnt by heart is no more than their noise. `free_compressors` have seen every
    pair, and also teach the lines without a reference of their register.
    """

    def __init__(
        self,
        options: Options,
        parsers: list[Network] | None = None,
        compressors: list[list[Network]] | None = None,
        free_compressors: list[Network] | None = None,
    ) -> None:
        self.options, self.parsers, self.compressors = options, parsers or [], compressors or []
        self.free_compressors = free_compressors or []

    def tree(self, network: Network, batch: Batch) -> Tensor:
        o, states = self.options, self.states(network, batch)
        tags, spans = network.tag_scores(states)[0], network.span_scores(states)
        chart = torch.where(span_mask(batch), batch["chart"], -100)
        logs = F.cross_entropy(
            spans.float().flatten(0, 2), chart.flatten(), ignore_index=-100, reduction="sum"
        )
        gold = o.tag * cross_entropy(tags, batch["tags"]) + o.span * logs / batch["lengths"].sum()
        if not self.parsers:
            return gold
        return (1 - o.soft) * gold + o.soft * self.soft_parse(network, batch, states, tags, spans)

    def dependency(self, network: Network, batch: Batch) -> Tensor:
        o, states = self.options, self.states(network, batch)
        arcs, dependents, heads = network.arc_scores(states)
        gold_heads = batch["heads"].clamp(min=0)
        rows = torch.arange(len(arcs), device=arcs.device)[:, None]
        relations = network.chosen_relation_scores(dependents, heads[rows, gold_heads])
        tags = network.tag_scores(states)[0]
        gold = o.arc * cross_entropy(masked_arcs(arcs, batch), batch["heads"])
        gold = gold + o.relation * cross_entropy(relations, batch["relations"])
        gold = batch["weight"].mean() * (gold + o.tag * cross_entropy(tags, batch["tags"]))
        if not self.parsers:
            return gold
        spans = network.span_scores(states)
        return (1 - o.soft) * gold + o.soft * self.soft_parse(network, batch, states, tags, spans)

    def soft_parse(
        self, network: Network, batch: Batch, states: Tensor, tags: Tensor, spans: Tensor
    ) -> Tensor:
        """Cross-entropy to the parsers' mean distributions of tags, phrases, heads, and relations to likely heads."""
        o, mask = self.options, word_mask(batch)
        with torch.no_grad():
            seen = [self.states(parser, batch) for parser in self.parsers]
            pairs = list(zip(self.parsers, seen, strict=True))
            tag_target = mean([p.tag_scores(s)[0].float().softmax(-1) for p, s in pairs])
            span_target = mean([p.span_scores(s).float().softmax(-1) for p, s in pairs])
            taught = [p.arc_scores(s) for p, s in pairs]
            arc_target = mean([masked_arcs(arcs, batch).softmax(-1) for arcs, _, _ in taught])
            chosen = torch.where(mask, arc_target.argmax(-1), 0)
            rows = torch.arange(len(chosen), device=chosen.device)[:, None]
            relation_target = mean(
                [
                    p.chosen_relation_scores(dependents, heads[rows, chosen]).float().softmax(-1)
                    for p, (_, dependents, heads) in zip(self.parsers, taught, strict=True)
                ]
            )
        arcs, dependents, heads = network.arc_scores(states)
        relations = network.chosen_relation_scores(dependents, heads[rows, chosen])
        span_terms = span_target * spans.float().log_softmax(-1)
        return (
            o.tag * soft_cross_entropy(tags, tag_target, mask)
            - o.span * (span_terms * span_mask(batch)[..., None]).sum() / batch["lengths"].sum()
            + o.arc * soft_cross_entropy(masked_arcs(arcs, batch), arc_target, mask)
            + o.relation * soft_cross_entropy(relations, relation_target, mask)
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
        labelled = (batch["keep"] >= 0).any(1)
        told = mask & labelled[:, None]
        surprise = torch.where(labelled, partition - path_score(follow, following), 0.0)
        loss = o.keep * (bits * told).sum() / told.sum().clamp(min=1)
        loss = loss + o.path * surprise.sum() / labelled.sum().clamp(min=1)
        tags, google_relations = network.tag_scores(states)
        if self.compressors:
            taught = self.soft_compression(batch, valid, keep, follow, partition)
            loss = (1 - o.soft_keep) * loss + o.soft_keep * taught
        if self.parsers:
            some = {key: value[: o.silver] for key, value in batch.items()}
            spans = network.span_scores(states[:, : o.silver])
            taught = self.soft_parse(network, some, states[:, : o.silver], tags[: o.silver], spans)
            loss = loss + o.soft * taught
        if o.kept_arc:
            loss = loss + o.kept_arc * self.kept_arc(network, batch, states, kept_arcs)
        loss = loss + o.google_relation * cross_entropy(google_relations, batch["google_relations"])
        return loss + o.google_tag * cross_entropy(tags, batch["google_tags"])

    def kept_arc(self, network: Network, batch: Batch, states: Tensor, kept_arcs: Tensor) -> Tensor:
        """The tree over the kept words is the network's own, each word under its nearest kept ancestor."""
        with torch.no_grad():
            arcs = masked_arcs(network.arc_scores(states)[0], batch)
            heads = torch.where(word_mask(batch), arcs.argmax(-1), 0)
            targets = torch.where(batch["keep"] == 1, climbed(heads, batch["keep"]), -100)
        allowed = batch["keep"] == 1
        allowed[:, 0] = True
        kept_arcs = masked_arcs(kept_arcs, batch).masked_fill(~allowed[:, None, :], float("-inf"))
        targets = torch.where(
            torch.isinf(kept_arcs.gather(2, targets.clamp(min=0)[..., None])[..., 0]), -100, targets
        )
        return cross_entropy(kept_arcs, targets)

    def soft_compression(
        self, batch: Batch, valid: Tensor, keep: Tensor, follow: Tensor, partition: Tensor
    ) -> Tensor:
        """Cross-entropy to the compressors' mean keep probabilities and mean path distribution.

        The latter is log Z(student) - sum over edges of (teachers' edge marginal) * follow(student).
        """
        o, mask, end = self.options, word_mask(batch), batch["lengths"] + 1
        keeps, edges = [], []
        teachers = self.compressors[int(fold_of(batch["rows"][:1]))]
        with torch.no_grad():
            for teacher in (*teachers, *self.free_compressors):
                k, f, _ = teacher.compression_scores(self.states(teacher, batch), batch["domain"], valid)
                keeps.append(k.float().sigmoid())
                edges.append(edge_marginals(f.float(), end))
            keep_target, edge_target = mean(keeps[: len(teachers)]), mean(edges[: len(teachers)])
            if self.free_compressors:
                seen = (batch["keep"] >= 0).any(1)
                keep_target = torch.where(seen[:, None], keep_target, mean(keeps))
                edge_target = torch.where(seen[:, None, None], edge_target, mean(edges))
        bits = F.binary_cross_entropy_with_logits(keep, keep_target, reduction="none")
        return (
            o.keep * (bits * mask).sum() / mask.sum()
            + o.path * (partition - (edge_target * follow).sum((1, 2))).mean()
        )

    @staticmethod
    def states(network: Network, batch: Batch) -> Tensor:
        return network.words(batch["ids"], batch["cases"], batch["first"], batch["last"])


def mean(tensors: list[Tensor]) -> Tensor:
    return torch.stack(tensors).mean(0)
