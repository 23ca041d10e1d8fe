"""Raw or cut into words: found out from the texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpora.cutting import load_pairs, tokeniser_for
from laconic.corpora.pairs import split_at_spaces
from laconic.text.tokenise import tokenise

RAW = [
    "Stocks fell on Monday.",
    "Mr. Lee, who didn't vote, left - at noon.",
    'She said: "It\'s late!"',
    "Why not?",
    "The U.S. team won 3-1 (again).",
]


def test_raw_texts_are_found_out() -> None:
    for text in RAW:
        assert tokeniser_for([text]) is tokenise


def test_texts_that_are_cut_are_found_out() -> None:
    for text in RAW:
        assert tokeniser_for([" ".join(tokenise(text).words)]) is split_at_spaces


@given(st.lists(st.sampled_from(RAW), min_size=1, max_size=9))
def test_most_texts_decide(texts: list[str]) -> None:
    cut = [" ".join(tokenise(text).words) for text in texts]
    assert tokeniser_for([*texts, cut[0]]) is tokenise
    assert tokeniser_for([*cut, *cut, texts[0]]) is split_at_spaces


@pytest.mark.parametrize("texts", [[], ["Headlines without marks"], ["", " "]])
def test_where_nothing_tells_both_cut_alike(texts: list[str]) -> None:
    found = tokeniser_for(texts)
    assert [found(text).words for text in texts] == [tokenise(text).words for text in texts]


def test_lines_with_tokens_are_cut_as_they_say(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    tokens = {
        "tokens": ["Stocks", "fell", "on", "Monday."],
        "keep": [1, 1, 0, 0],
        "source": "Stocks fell on Monday.",
    }
    path.write_text(json.dumps(tokens))
    assert load_pairs(path)[0].source.words == ("Stocks", "fell", "on", "Monday.")


def test_a_raw_file_and_the_same_cut_have_the_same_pairs(tmp_path: Path) -> None:
    found = []
    for name, write in (("raw", str), ("cut", lambda text: " ".join(tokenise(text).words))):
        path = tmp_path / name
        lines = [{"source": write(text), "target": write(text[: text.rindex(" ")])} for text in RAW]
        path.write_text("\n".join(map(json.dumps, lines)))
        found.append([(pair.source.words, pair.references, pair.kept) for pair in load_pairs(path)])
    assert found[0] == found[1]


def test_the_capital_of_a_new_first_word_is_no_rewriting(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    source = "In May, the old choir sang again."
    path.write_text(
        json.dumps(
            {"source": source, "targets": ["The choir sang.", "They sang.", "In May, the choir sang."]}
        )
    )
    [pair] = load_pairs(path)
    assert pair.kept == ((3, 5, 6, 8), None, (0, 1, 2, 3, 5, 6, 8))
    assert pair.references[0] == ("the", "choir", "sang", ".") and pair.references[1] == ("They", "sang", ".")
