"""Padded batches from the flat arrays that `prepare` wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset

LONGEST = 120  # words; longer training sentences are left out
FOLDS = 3
DOMAINS = 3
UNLABELLED = 4  # the source of sentences without a compression


def fold_of(rows: Any) -> Any:
    """The fold of sentences by number; neighbours, often of one document or source, stay together."""
    return rows // 300 % FOLDS


class Bundle:
    """Word types with their pieces, and named sets of sentences over them."""

    def __init__(self, path: Path) -> None:
        self.arrays = dict(np.load(path))
        self.start, self.end, self.unknown = (int(x) for x in self.arrays["special"])

    def set(self, name: str) -> dict[str, np.ndarray]:
        prefix = name + "/"
        return {key[len(prefix) :]: value for key, value in self.arrays.items() if key.startswith(prefix)}


def ragged(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Flat indices of the given rows of a ragged array, one row after the other, and the rows' lengths."""
    lengths = offsets[rows + 1] - offsets[rows]
    starts = np.repeat(offsets[rows] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return np.arange(lengths.sum()) + starts, lengths


def grouped(
    lengths: np.ndarray, rows: np.ndarray, budget: int, power: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Shuffled batches of similar length with about sum(length ** power) <= budget."""
    rows = rng.permutation(rows)
    batches: list[np.ndarray] = []
    for chunk in np.array_split(rows, max(1, len(rows) // 20_000)):
        order = chunk[np.argsort(lengths[chunk] + rng.random(len(chunk)), kind="stable")]
        start = 0
        while start < len(order):
            stop, longest = start, 0
            while stop < len(order):
                longest = max(longest, int(lengths[order[stop]]) + 2)
                if (stop - start + 1) * longest**power > budget and stop > start:
                    break
                stop += 1
            batches.append(order[start:stop])
            start = stop
    return [batches[k] for k in rng.permutation(len(batches))]


class Batches(IterableDataset):
    """An endless (or single, for evaluation) stream of padded batches of one set."""

    def __init__(
        self,
        bundle: Bundle,
        name: str,
        *,
        budget: int,
        power: int = 1,
        seed: int = 0,
        endless: bool = True,
        copies: np.ndarray | None = None,
        augment: bool = True,
        lines: int = 64,
        without_fold: int | None = None,
        by_fold: bool = False,
        transferred: float = 0.0,
    ) -> None:
        self.bundle, self.data = bundle, bundle.set(name)
        self.budget, self.power, self.seed, self.endless = budget, power, seed, endless
        self.augment, self.lines = augment, lines
        self.lengths = np.diff(self.data["offsets"])
        rows = np.flatnonzero(self.lengths <= LONGEST) if endless else np.arange(len(self.lengths))
        if without_fold is not None:
            rows = rows[fold_of(rows) != without_fold]
        self.rows = rows if copies is None else np.repeat(rows, copies[rows])
        self.by_fold, self.transferred = by_fold, transferred

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self.seed, 0 if worker is None else worker.id + 1])
        if not self.endless:
            order = np.argsort(self.lengths, kind="stable")
            for start in range(0, len(order), self.lines):
                yield self.batch(order[start : start + self.lines], rng)
            return
        folds = fold_of(self.rows)
        parts = [self.rows[folds == fold] for fold in range(FOLDS)] if self.by_fold else [self.rows]
        while True:
            groups = [g for part in parts for g in grouped(self.lengths, part, self.budget, self.power, rng)]
            for order in rng.permutation(len(groups)):
                yield self.batch(groups[order], rng)

    def batch(self, rows: np.ndarray, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        data, arrays = self.data, self.bundle.arrays
        at, lengths = ragged(data["offsets"], rows)
        count, width = len(rows), int(lengths.max()) + 2
        line = np.repeat(np.arange(count), lengths)
        column = np.arange(len(at)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        words, cases = data["words"][at].astype(np.int64), data["cases"][at].astype(np.int64)
        if self.augment:
            words, cases = self.altered(words, cases, at, line, count, rng)
        flat, pieces = ragged(arrays["type_offsets"], words)
        ids_flat = arrays["type_pieces"][flat].astype(np.int64)
        # Piece positions: 1 for [CLS], then the words of the sentence in order.
        before = np.cumsum(pieces) - pieces
        first_of_line = np.repeat(before[np.cumsum(lengths) - lengths], lengths)
        first_word = 1 + before - first_of_line
        total = np.bincount(line, weights=pieces, minlength=count).astype(np.int64)
        ids = np.zeros((count, int(total.max()) + 2), dtype=np.int64)
        case = np.zeros_like(ids)
        piece_line = np.repeat(line, pieces)
        piece_column = np.arange(len(ids_flat)) - np.repeat(before, pieces) + np.repeat(first_word, pieces)
        ids[:, 0] = self.bundle.start
        ids[np.arange(count), total + 1] = self.bundle.end
        ids[piece_line, piece_column] = ids_flat
        case[piece_line, piece_column] = np.repeat(cases, pieces)
        first = np.zeros((count, width), dtype=np.int64)
        last = np.zeros_like(first)
        first[line, column] = first_word
        last[line, column] = first_word + pieces - 1
        first[np.arange(count), lengths + 1] = total + 1
        last[np.arange(count), lengths + 1] = total + 1
        batch = {"ids": ids, "cases": case, "first": first, "last": last, "lengths": lengths, "rows": rows}
        for name in ("tags", "heads", "relations", "keep", "google_tags", "google_relations"):
            if name in data:
                padded = np.full((count, width), -100, dtype=np.int64)
                padded[line, column] = data[name][at]
                batch[name] = padded
        if "domain" in data:
            batch["domain"] = data["domain"][rows].astype(np.int64)
        if self.transferred:
            # What teachers alone label can be of any domain, and so is some of what has a label in its own.
            moved = (data["source"][rows] == UNLABELLED) | (rng.random(count) < self.transferred)
            batch["domain"] = np.where(moved, rng.integers(DOMAINS, size=count), batch["domain"])
            batch["keep"][moved] = -100
        if "weight" in data:
            batch["weight"] = data["weight"][rows].astype(np.float32)
        if "spans" in data:
            at_span, counts = ragged(data["span_offsets"], rows)
            chart = np.zeros((count, width - 1, width - 1), dtype=np.int64)
            span = data["spans"][at_span].astype(np.int64)
            chart[np.repeat(np.arange(count), counts), span[:, 0], span[:, 1]] = span[:, 2]
            batch["chart"] = chart
        return {key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in batch.items()}

    def altered(
        self,
        words: np.ndarray,
        cases: np.ndarray,
        at: np.ndarray,
        line: np.ndarray,
        count: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Random numbers for `##`, rare words of the same tag for `<unk>`, sometimes no or all capitals."""
        arrays = self.bundle.arrays
        numbers = words == arrays["number_mark"][0]
        words[numbers] = rng.choice(arrays["number_types"], size=int(numbers.sum()))
        unknown = np.flatnonzero(words == arrays["unknown_mark"][0])
        if len(unknown):
            tags = self.data["google_tags"][at[unknown]].astype(np.int64)
            known = np.maximum(tags, 0)
            low, high = (
                arrays["rare_offsets"][known],
                np.where(tags < 0, 0, arrays["rare_offsets"][known + 1]),
            )
            pick = low + (rng.random(len(unknown)) * (high - low)).astype(np.int64)
            words[unknown] = np.where(
                high > low, arrays["rare_types"][pick.clip(0, len(arrays["rare_types"]) - 1)], words[unknown]
            )
        dice = rng.random(count)[line]
        cases = np.where(dice < 0.12, 0, np.where(dice > 0.97, 2, cases))
        return words, cases


def stream(dataset: Batches, workers: int) -> Iterator[dict[str, torch.Tensor]]:
    """Batches made ahead by worker processes."""
    return iter(DataLoader(dataset, batch_size=None, num_workers=workers, prefetch_factor=8, pin_memory=True))
