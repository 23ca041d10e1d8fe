"""What is lost between two kept neighbours: features of the words dropped there, and of their places in both trees.

After McDonald (2006). Every such feature holds for a rectangle of pairs (i, j): that word k is dropped, for i < k < j;
that its head h is dropped with it, for i < min(h, k) and max(h, k) < j; that a constituent is dropped whole and its
parent is not, for the constituent's rectangle less its parent's. So the features of all pairs are as many as the nodes
of the trees, scores are a sum over rectangles, and sums over pairs are found by their corners: O(n²) for all pairs.

Positions are as in `attributes`. Features of a dropped word alone are those of kept words with the other sign, and so
are not here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from laconic.arrays import Float32, Float64, Int32
from laconic.kernel import kernel
from laconic.learn.interface import FeatureVector, Weights
from laconic.systems.dependency.attributes import Reading, in_bins, symbol
from laconic.trees.transform import bare_label

Rectangle = tuple[int, int, int, int]
"""The pairs (i, j) with first <= i < second and third <= j < fourth."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Features that hold for rectangles of pairs: row r of `rectangles` has `features[r]` with `values[r]`."""

    words: int
    rectangles: Int32
    features: Int32
    values: Float32

    def score(self, weights: Weights) -> Float64:
        """The score [i, j] of every pair."""
        return _spread(self.rectangles, self.values * weights[self.features], self.words + 2)

    def total(self, pairs: Float64) -> FeatureVector:
        """The features of pairs [i, j] that stand there so often, such as those of a path, or their probabilities."""
        below = np.zeros((self.words + 3, self.words + 3))
        below[1:, 1:] = pairs.cumsum(axis=0).cumsum(axis=1)
        first, second, third, fourth = self.rectangles.T
        often = below[second, fourth] - below[first, fourth] - below[second, third] + below[first, third]
        return FeatureVector.of(self.features, self.values * often)


def evidence(reading: Reading, bits: int) -> Evidence:
    """The evidence of a sentence, its features hashed into 2^bits."""
    found = [each for each in _named(reading) if _holds_anything(each[0])]
    shift = np.uint64(64 - bits)
    return Evidence(
        len(reading.words),
        np.array([rectangle for rectangle, _, _ in found], np.int32).reshape(-1, 4),
        np.array([symbol(name) >> shift for _, name, _ in found], np.int32),
        np.array([value for _, _, value in found], np.float32),
    )


def _holds_anything(rectangle: Rectangle) -> bool:
    return rectangle[0] < rectangle[1] and rectangle[2] < rectangle[3]


def _named(reading: Reading) -> Iterator[tuple[Rectangle, str, float]]:
    for rectangle, kind, names in (*_heads(reading), *_runs(reading)):
        for name in names:
            yield rectangle, f"dropped {kind} {name}", 1.0
    yield from _constituents(reading)


def _heads(reading: Reading) -> Iterator[tuple[Rectangle, str, tuple[str, ...]]]:
    """What becomes of each arc whose dependent or head is dropped."""
    end = len(reading.words) + 1
    sizes, depths = (in_bins(numbers).tolist() for numbers in (reading.sizes, reading.depths))
    for k in range(1, end):
        h = int(reading.heads[k])
        label, tag, head_tag = reading.labels[k], reading.tags[k], reading.tags[h]
        arc = (
            f"label {label}",
            f"tag {tag}",
            f"tags {tag} {head_tag}",
            f"label tag {label} {tag}",
            f"label head {label} {head_tag}",
            f"label size {label} {sizes[k]}",
            f"label depth {label} {depths[k]}",
        )
        if h == 0:
            continue
        low, high = min(h, k), max(h, k)
        yield (0, low, high + 1, end + 1), "with its head", arc
        if h < k:
            yield (h, h + 1, k + 1, end + 1), "after its head", arc
            yield (h + 1, k, k + 1, end + 1), "far after its head", arc
            yield (0, h, k, k + 1), "head before", arc  # k is kept, its head is not
        else:
            yield (0, k, h, h + 1), "before its head", arc
            yield (0, k, k + 1, h), "far before its head", arc
            yield (k, k + 1, h + 1, end + 1), "head after", arc


def _runs(reading: Reading) -> Iterator[tuple[Rectangle, str, tuple[str, ...]]]:
    """Tags that are dropped side by side; whether any verb or negation is."""
    end, tags = len(reading.words) + 1, reading.tags
    for k in range(1, end):
        for size in (2, 3):
            if k + size <= end:
                yield (0, k, k + size, end + 1), "run", (" ".join(tags[k : k + size]),)
    for kind in ("verb", "negation"):
        before = 0  # the first of its kind behind the kept word stands for all
        for k in reading.verbs if kind == "verb" else reading.negations:
            yield (before, k, k + 1, end + 1), kind, ("",)
            before = k


def _constituents(reading: Reading) -> Iterator[tuple[Rectangle, str, float]]:
    """Phrases and words that are dropped whole, the largest alone; phrases that lose their begin or their end."""
    tree, end = reading.tree, len(reading.words) + 1
    labels = [bare_label(label) for label in tree.labels]
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(tree.parents):
        children.setdefault(parent, []).append(node)
    for node, parent in enumerate(tree.parents):
        first, last = tree.starts[node] + 1, tree.ends[node]
        if parent < 0 or (first, last) == (tree.starts[parent] + 1, tree.ends[parent]):
            continue  # the whole sentence, or one that its parent stands for
        family, label = children[parent], labels[node]
        place = family.index(node)
        left = labels[family[place - 1]] if place else "none"
        right = labels[family[place + 1]] if place + 1 < len(family) else "none"
        size = int(in_bins(np.array([last + 1 - first]))[0])
        whole = (0, first, last + 1, end + 1)
        parents = (0, tree.starts[parent] + 1, tree.ends[parent] + 1, end + 1)
        for name in (
            label,
            f"in {label} {labels[parent]}",
            f"left {label} {labels[parent]} {left}",
            f"right {label} {labels[parent]} {right}",
            f"size {label} {size}",
            f"edge {label} {'first' if not place else 'last' if right == 'none' else 'inner'}",
        ):
            yield whole, f"constituent {name}", 1.0
            yield parents, f"constituent {name}", -1.0
        for lost, broken in (
            ("begin", (0, first, first + 1, last + 1)),
            ("end", (first, last, last + 1, end + 1)),
        ):
            yield broken, f"constituent loses its {lost} {label}", 1.0
            yield broken, f"constituent loses its {lost} {label} {labels[parent]}", 1.0


@kernel
def _spread(rectangles: Int32, scores: Float64, side: int) -> Float64:
    # Each rectangle begins at its first corner and is taken back behind its last ones; sums along both axes fill it.
    corners = np.zeros((side + 1, side + 1))
    for row in range(len(rectangles)):
        first, second, third, fourth = rectangles[row]
        corners[first, third] += scores[row]
        corners[second, third] -= scores[row]
        corners[first, fourth] -= scores[row]
        corners[second, fourth] += scores[row]
    for i in range(side):
        total = 0.0
        for j in range(side):
            total += corners[i, j]
            corners[i, j] = total + (corners[i - 1, j] if i else 0.0)
    return corners[:side, :side].copy()
