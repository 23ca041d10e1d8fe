"""JSON is found in a text, and what only looks like it is not."""

from __future__ import annotations

import pytest

from laconic.documents.protected import json_spans


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('See {"a": 1} and ["b", "c"].', ['{"a": 1}', '["b", "c"]']),
        ('{"a": {"b": [1, {"c": 2}]}}', ['{"a": {"b": [1, {"c": 2}]}}']),
        ("a note [1], a set {x, y}, an end ]", []),
        ("{}", []),
        ('{"a": 1', []),
        ("[" * 5000, []),
    ],
)
def test_json_is_what_a_parser_takes(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in json_spans(text)] == found
