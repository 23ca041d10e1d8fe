"""The texts that deletion can leave, and what they cost, are those of enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.budget import Budget, Unit
from laconic.budgets.cost_sets import bits_of, highest_within
from laconic.budgets.counting import Counting
from laconic.budgets.texts import Texts
from laconic.compression import Compression
from laconic.errors import nearest_possible
from laconic.text.prefixes import Prefix, Writer
from laconic.text.tokenise import tokenise
from tests.systems.default.readings import random_sentence


def letters(word: str) -> int:
    """A cost for each word that can be 0."""
    return sum(map(str.isalpha, word))


UNITS: list[Unit] = ["pieces", "characters", "words", letters]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from(UNITS))
def test_costs_and_best_texts_are_those_of_enumeration(seed: int, words: int, unit: Unit) -> None:
    generator = np.random.default_rng(seed)
    sentence = random_sentence(generator, words)
    fate = generator.choice(["free", "free", "free", "keep", "drop"], size=len(sentence))
    keep, drop = (frozenset(np.flatnonzero(fate == name).tolist()) for name in ("keep", "drop"))
    allowed = [word for word in range(len(sentence)) if word not in drop]
    worth = generator.normal(size=len(sentence)).tolist()
    has_words = any(any(map(str.isalnum, sentence.words[word])) for word in allowed)
    best: dict[int, float] = {}
    for size in range(1, len(allowed) + 1):
        for kept in combinations(allowed, size):
            answer = Compression.by_deletion(sentence, kept)
            speaks = keep or not has_words or any(map(str.isalnum, answer.text))
            if keep <= set(kept) and answer.standing == answer.words and speaks:
                cost = Budget.at_least(0, unit=unit).measure(answer.words, answer.text)
                best[cost] = max(best.get(cost, -np.inf), sum(worth[word] for word in kept))
    counting = Counting.as_people_do(sentence) if unit == "words" else Counting.of(sentence, unit)
    texts = Texts(sentence, keep, drop, counting)
    assert bits_of(texts.costs()) == sorted(best)
    found = {}
    for kept in texts.best(worth, 0, max(best, default=0)):
        answer = Compression.by_deletion(sentence, kept)
        assert answer.standing == answer.words
        found[Budget.at_least(0, unit=unit).measure(answer.words, answer.text)] = sum(
            worth[word] for word in kept
        )
    assert sorted(found) == sorted(best)
    assert all(abs(found[cost] - best[cost]) < 1e-9 for cost in best)


@given(st.sets(st.integers(0, 40)), st.integers(0, 45), st.integers(0, 45))
def test_the_nearest_costs_are_those_below_and_above(costs: set[int], least: int, most: int) -> None:
    bits = sum(1 << cost for cost in costs)
    below, above = [c for c in costs if c < least], [c for c in costs if c > most]
    sides = [*([max(below)] if below else []), *([min(above)] if above else [])]
    assert nearest_possible(bits_of(bits), least, most) == ((sides[0], sides[-1]) if sides else None)
    inside = [cost for cost in costs if least <= cost <= most]
    assert highest_within(bits, least, most) == (max(inside) if inside else None)


def test_a_mark_follows_texts_that_are_alike_but_once(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    follows = Writer.follows

    def counted(writer: Writer, prefix: Prefix, word: int) -> Prefix | None:
        nonlocal steps
        steps += 1
        return follows(writer, prefix, word)

    monkeypatch.setattr(Writer, "follows", counted)
    sentence = tokenise("The ferry, as a rule, left; " * 40 + "it did.")
    Texts(sentence, frozenset(), frozenset(), Counting.of(sentence, "characters")).costs()
    assert len(sentence) == 363
    assert steps < 30 * len(sentence)
