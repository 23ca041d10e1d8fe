"""Marks that set off a clause or a phrase are missed where they are gone, and only there."""

from __future__ import annotations

import pytest

from laconic.systems.default.compressor import Compressor
from laconic.systems.default.punctuation import run_ons
from laconic.systems.default.source_tree import SourceTree


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("The train was late, nobody complained.", "late", "nobody"),
        ("The shop is closed; the owner has retired.", "closed", "retired"),
        ("Is it far? We should leave now.", "far", "should"),
        ("Ana Reis, a former teacher, won the seat.", "Reis", "teacher"),
        ("When the rain stopped, the game went on.", "stopped", "game"),
        ("Prices will rise, the minister said.", "rise", "minister"),
    ],
)
def test_clauses_and_phrases_set_off_stay_so(
    compressor: Compressor, text: str, left: str, right: str
) -> None:
    sentence = compressor.compress(text).sentence
    found = run_ons(SourceTree(sentence))
    assert found[sentence.words.index(left), sentence.words.index(right)]


def test_within_a_clause_and_after_a_conjunction_nothing_is_missed(compressor: Compressor) -> None:
    sentence = compressor.compress("The train was late, and nobody on the platform complained.").sentence
    words = sentence.words
    found = run_ons(SourceTree(sentence))
    assert not found[words.index("train"), words.index("late")]
    assert not found[words.index("nobody"), words.index("complained")]
    assert not found[words.index("and"), words.index("complained")]
    assert not found[words.index(","), : len(words)].any()
    assert found[words.index("complained"), len(words)] and not found[len(words) - 1, len(words)]
