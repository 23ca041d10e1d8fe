"""Reasons for any text: the answer of `compress` with the same options, and rivals to the same request."""

from __future__ import annotations

from typing import Any

import pytest

import laconic
from laconic.documents.explain import explain

TEXT = "The council, which met on Tuesday, agreed to lower the fees. Nobody had expected it at all."


@pytest.mark.parametrize(
    "options",
    [
        {"words": 12},
        {"words": 5, "per": "sentence"},
        {"characters": 60, "drop_sentences": True},
        {"like": "broadcast", "keep": "Tuesday"},
        {"words": 6, "protect": "negations"},
        {"words": 3, "system": "truncate"},
        {"words": "=99", "impossible": "nearest"},
    ],
)
def test_the_answer_is_that_of_compress(options: dict[str, Any]) -> None:
    explained = explain(TEXT, **options)
    assert explained.compressed == laconic.compress(TEXT, **options)
    assert [each and each.compression for each in explained.sentences] == [
        piece.compression for piece in explained.compressed.sentences
    ]


def test_sentences_that_share_a_limit_have_rivals_that_share_it() -> None:
    explained = explain(TEXT, words=10)
    first = explained.sentences[0]
    assert first is not None
    council = laconic.compress(TEXT, words=10, drop=[(4, 11)])
    rival = first.rival(1)
    assert rival is not None and rival.text == council.text
    scores = [
        sum(each.score or 0.0 for each in text.compressions) for text in (explained.compressed, council)
    ]
    assert rival.cost == pytest.approx(scores[0] - scores[1])


def test_with_limits_for_each_sentence_rivals_are_of_one() -> None:
    explained = explain(TEXT, words=5, per="sentence")
    rival = explained.sentences[1].rival(0)
    assert rival is not None and "council" not in rival.text
    assert rival.text == laconic.compress("Nobody had expected it at all.", words=5, drop="Nobody").text


def test_all_forms_say_the_same() -> None:
    explained = explain(TEXT, words=5, per="sentence", keep="fees")
    record = explained.to_dict()
    words = [word for sentence in record["sentences"] for word in sentence["words"]]
    assert [word["word"] for word in words if word["why"] == "pinned"] == ["fees"]
    html, lines = explained.html(), explained.lines()
    assert html == explained._repr_html_() and html.count("<tr>") == len(words) + 2
    assert len(lines) == len(words) + 2 + sum(len(each["notes"]) for each in record["sentences"])
    for word in words:
        if (rival := word.get("rival")) is not None:
            assert f"{rival['cost']:.2f}" in html and any(rival["text"] in line for line in lines)


def test_a_text_has_so_many_rivals_in_all() -> None:
    record = explain(TEXT, words=5, per="sentence").to_dict(most=16)
    assert ["rival" in word for word in record["sentences"][1]["words"]] == [
        True,
        True,
        False,
        False,
        False,
        False,
        False,
    ]


def test_dropped_sentences_are_named() -> None:
    explained = explain(TEXT, words=6, drop_sentences=True)
    [gone] = [place for place, found in enumerate(explained.sentences) if found is None]
    source = explained.compressed.sentences[gone].source
    assert f"=> (dropped) {source}" in explained.lines()
    assert f"<del>{source}</del>" in explained.html()
    assert explained.to_dict()["sentences"][gone] == {"source": source, "text": ""}
