"""Marks that set off a clause or a phrase are missed where they are gone, and only there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from laconic.systems.default.compressor import Compressor
from laconic.systems.default.punctuation import TORN, UNASKED, mark_ties, run_ons, torn_name
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


@pytest.mark.parametrize(
    ("text", "kept", "torn"),
    [
        # Where a phrase in front ends, its comma stays without what stood before it in commas.
        ("Despite a hint from Ann, who knew, the firm failed.", "Despite a hint , the firm failed .", set()),
        ("The firm, which Ann knew, failed.", "The firm , failed .", {TORN}),
        # Behind a conjunction only the phrase needs it.
        ("Ann fell and, as you know, she left.", "Ann fell and , she left .", {TORN}),
        ("The shop is shut, so could you call Ann?", "The shop is shut ?", {UNASKED}),
        ("The shop is shut, so could you call Ann?", "could you call ?", set()),
        ("The shop is shut, so why is Ann there?", "The shop is shut", set()),
        ("I came late, but who called Ann?", "I came late ?", {UNASKED}),
        ("I came late, but who called Ann?", "who called Ann ?", set()),
        ("You called Ann?", "You called ?", set()),
        ("Could you call Ann?", "Could you ?", set()),
        ("Call Ann or @harrow.com.", "Call @harrow . com .", set()),
        ("Call Ann or @harrow.com.", "Call Ann . com .", {torn_name()}),
        ("Call Ann.Ask Ben.", "Call Ann .", set()),
    ],
)
def test_a_mark_needs_what_it_is_for(compressor: Compressor, text: str, kept: str, torn: set[str]) -> None:
    sentence = compressor.compress(text).sentence
    places = frozenset(_last_places(sentence.words, kept.split()))
    assert {tie.torn for tie in mark_ties(SourceTree(sentence)) if tie.broken_by(places)} == torn


def _last_places(words: tuple[str, ...], wanted: list[str]) -> Iterator[int]:
    for place in reversed(range(len(words))):
        if wanted and words[place] == wanted[-1]:
            wanted.pop()
            yield place
