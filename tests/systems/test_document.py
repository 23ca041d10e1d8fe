"""A text under one budget: the knapsack is that of enumeration, and the budget holds on the joined text."""

from __future__ import annotations

import itertools
from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic.budget import Budget, TextCost, Unit
from laconic.budgets.documents import DROPPED, DocumentCompression
from laconic.budgets.lengths import Lengths, Outline
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.document import compress_document
from laconic.systems.truncate import Truncate
from laconic.text.split import split_sentences

TEXT = "The council met on Tuesday. It agreed to lower the fees, again. Nobody was surprised by that."
BYTES = TextCost(lambda text: len(text.encode()) // 2, "pairs of bytes")


class Beginnings(Truncate):
    """A system whose best compression of every length is the beginning, with scores made up from the words."""

    def lengths(
        self,
        sentence: Sentence,
        *,
        ratio: float | None = None,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        free = [word for word in range(len(sentence)) if word not in {*keep, *drop}]
        found = {}
        for count in range(0 if keep else 1, len(free) + 1):
            kept = sorted({*free[:count], *keep})
            score = -sum(len(sentence.words[word]) % 5 for word in range(len(sentence)) if word not in kept)
            found[len(kept)] = Compression.by_deletion(sentence, kept, score=float(score))
        outlines = {words: Outline(each.score or 0.0, each.kept or ()) for words, each in found.items()}
        return Lengths(outlines, found.get)


def value(document: DocumentCompression) -> float:
    """What the knapsack maximises."""
    total = 0.0
    for sentence, answer in zip(document.sentences, document.compressions, strict=True):
        best = max(option.score or 0.0 for option in Beginnings().frontier(sentence))
        total += best - DROPPED * len(sentence) if answer is None else answer.score or 0.0
    return total


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["words", "characters", BYTES]), st.integers(1, 100), st.booleans(), st.booleans())
def test_the_choice_is_that_of_enumeration(
    unit: Unit, amount: int, exact: bool, drop_sentences: bool
) -> None:
    budget = (Budget.exactly if exact else Budget.at_least)(amount, unit=unit)
    sentences = tuple(split_sentences(TEXT))
    options = [
        [*Beginnings().frontier(sentence), *([None] if drop_sentences else [])] for sentence in sentences
    ]
    total = budget.measure([word for sentence in sentences for word in sentence.words], TEXT)
    least, most = budget.limits(total)
    within = [
        document
        for choice in itertools.product(*options)
        for document in [DocumentCompression(sentences, choice)]
        if least <= budget.measure(document.words, document.text) <= most
    ]
    try:
        found = compress_document(Beginnings(), TEXT, budget, drop_sentences=drop_sentences)
    except InfeasibleBudget:
        assert not within
        return
    assert least <= budget.measure(found.words, found.text) <= most
    if within and not isinstance(unit, TextCost):
        assert value(found) == pytest.approx(max(map(value, within)))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["words", "characters", BYTES]), st.integers(3, 60))
def test_an_upper_limit_holds_and_is_used(unit: Unit, amount: int) -> None:
    budget = Budget.at_most(amount, unit=unit)
    try:
        found = compress_document(Beginnings(), TEXT, budget)
    except InfeasibleBudget as error:
        assert error.possible is not None and error.possible[0] > amount
        return
    assert budget.measure(found.words, found.text) <= amount


def test_sentences_keep_their_order_and_their_gaps() -> None:
    text = "It fell.\n\nIt rose again."
    whole = compress_document(Beginnings(), text, Budget.at_most(99))
    assert whole.text == text
    assert compress_document(Beginnings(), text, Budget.at_most(4)).text.startswith("It")
    dropped = compress_document(Beginnings(), text, Budget.at_most(4), drop=["It rose again."])
    assert dropped.compressions[1] is None
    kept = compress_document(Beginnings(), text, Budget.at_most(3), keep=["again"], drop_sentences=True)
    assert "again" in kept.text
    assert compress_document(Beginnings(), " \n ", Budget.at_most(3)).text == ""
    with pytest.raises(LaconicError, match="'London', to be kept or dropped, is not in the text"):
        compress_document(Beginnings(), text, keep=["London"])


def test_the_default_system_shortens_texts() -> None:
    for options in ({"words": 14}, {"characters": 60}, {"ratio": 0.6}, {"tokens": 40, "tokenizer": BYTES}):
        found = laconic.compress_text(TEXT, **options)
        assert len(found.compressions) == 3
        assert 0 < len(found.text) < len(TEXT)
    exact = laconic.compress_text(TEXT, Budget.exactly(50, unit="characters"))
    assert len(exact.text) == 50
    natural = laconic.compress_text(TEXT)
    assert natural.text and natural.notes == ()
