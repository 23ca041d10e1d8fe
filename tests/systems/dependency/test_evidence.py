"""What is lost between two words: rectangles say of every pair what a look at the dropped words says."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.sentence import Sentence
from laconic.systems.dependency.attributes import Reading
from laconic.systems.dependency.evidence import Evidence, evidence
from laconic.trees.transform import bare_label
from tests.oracles.compression_features import bin_of, coarse, number
from tests.systems.dependency.sentences import PRODUCTION, annotated_sentences, compressions

BITS = 20


def named(names: Counter[str]) -> Counter[int]:
    found: Counter[int] = Counter()
    for name, value in names.items():
        found[number(name) >> (64 - BITS)] += value
    return Counter({feature: value for feature, value in found.items() if value})


def literal(sentence: Sentence, i: int, j: int) -> Counter[int]:
    """The features of the pair (i, j), by looking at every dropped word and every constituent."""
    count = len(sentence)
    dropped = set(range(i + 1, j))
    tags, labels = ["<start>", *sentence.tags, "<end>"], ["<start>", *sentence.relations]  # type: ignore[misc]
    heads = [-1, *(head + 1 for head in sentence.heads)]
    found: Counter[str] = Counter()

    def above(k: int) -> list[int]:
        return [] if k <= 0 else [heads[k], *above(heads[k])]

    for k in range(1, count + 1):
        h = heads[k]
        if h == 0:
            continue
        if k in dropped:
            if h in dropped:
                fate = "with its head"
            elif h < k:
                fate = "after its head" if h == i else "far after its head"
            else:
                fate = "before its head" if h == j else "far before its head"
        elif h in dropped and k in (i, j):
            fate = "head after" if k == i else "head before"
        else:
            continue
        size = sum(k in above(other) for other in range(1, count + 1))
        depth = sum(1 for _ in above(k))
        label, tag = labels[k], tags[k]
        for name in (
            f"label {label}",
            f"tag {tag}",
            f"tags {tag} {tags[h]}",
            f"label tag {label} {tag}",
            f"label head {label} {tags[h]}",
            f"label size {label} {bin_of(size)}",
            f"label depth {label} {bin_of(depth)}",
        ):
            found[f"dropped {fate} {name}"] += 1
    for size in (2, 3):
        for k in sorted(dropped):
            if k + size <= j:
                found[f"dropped run {' '.join(tags[k : k + size])}"] += 1
    if any(coarse(tags[k]) == "VB" for k in dropped):
        found["dropped verb "] += 1
    if any(sentence.words[k - 1] in ("not", "n't") for k in dropped):
        found["dropped negation "] += 1
    tree = sentence.tree
    for node, parent in enumerate(tree.parents):
        words = set(range(tree.starts[node] + 1, tree.ends[node] + 1))
        if parent < 0 or len(words) == tree.ends[parent] - tree.starts[parent]:
            continue
        around = set(range(tree.starts[parent] + 1, tree.ends[parent] + 1))
        label, over = bare_label(tree.labels[node]), bare_label(tree.labels[parent])
        family = [child for child, its in enumerate(tree.parents) if its == parent]
        place = family.index(node)
        left = bare_label(tree.labels[family[place - 1]]) if place else "none"
        right = bare_label(tree.labels[family[place + 1]]) if node != family[-1] else "none"
        edge = "first" if not place else "last" if node == family[-1] else "inner"
        if words <= dropped and not around <= dropped:
            for name in (
                label,
                f"in {label} {over}",
                f"left {label} {over} {left}",
                f"right {label} {over} {right}",
                f"size {label} {bin_of(len(words))}",
                f"edge {label} {edge}",
            ):
                found[f"constituent {name}"] += 1
        for lost, broken in (
            ("begin", j in words and min(words) in dropped),
            ("end", i in words and max(words) in dropped),
        ):
            if broken:
                found[f"constituent loses its {lost} {label}"] += 1
                found[f"constituent loses its {lost} {label} {over}"] += 1
    return named(found)


def of_pair(between: Evidence, i: int, j: int) -> Counter[int]:
    pairs = np.zeros((between.words + 2,) * 2)
    pairs[i, j] = 1.0
    vector = between.total(pairs)
    return Counter(dict(zip(vector.features.tolist(), vector.values.tolist(), strict=True)))


def check(sentence: Sentence) -> None:
    between = evidence(Reading(sentence), BITS)
    weights = np.random.default_rng(0).normal(size=1 << BITS)
    scores = between.score(weights)
    for i in range(len(sentence) + 1):
        for j in range(i + 1, len(sentence) + 2):
            expected = literal(sentence, i, j)
            assert of_pair(between, i, j) == expected
            total = sum(weights[feature] * value for feature, value in expected.items())
            assert scores[i, j] == pytest.approx(total, abs=1e-5)


def test_a_written_sentence() -> None:
    check(PRODUCTION)


@given(annotated_sentences())
@settings(max_examples=40, deadline=None)
def test_every_pair_of_any_sentence(sentence: Sentence) -> None:
    check(sentence)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_a_path_has_the_features_of_its_pairs(data: st.DataObject) -> None:
    sentence = data.draw(annotated_sentences())
    kept, _ = data.draw(compressions(len(sentence)))
    between = evidence(Reading(sentence), BITS)
    path = [0, *(word + 1 for word in kept), len(sentence) + 1]
    pairs = np.zeros((len(sentence) + 2,) * 2)
    pairs[path[:-1], path[1:]] = 1.0
    expected: Counter[int] = Counter()
    for i, j in pairwise(path):
        expected.update(literal(sentence, i, j))
    vector = between.total(pairs)
    found = dict(zip(vector.features.tolist(), vector.values.tolist(), strict=True))
    assert found == pytest.approx({feature: value for feature, value in expected.items() if value})


def test_what_is_adjacent_lost_nothing() -> None:
    between = evidence(Reading(PRODUCTION), BITS)
    assert not any(of_pair(between, i, i + 1) for i in range(len(PRODUCTION) + 1))
