"""Posts are as long as their networks say."""

from __future__ import annotations

import pytest

from laconic.units.posts import count_mastodon, count_x

ADDRESS = "https://example.org/a/way?with=more#and"


@pytest.mark.parametrize("count", [count_mastodon, count_x])
@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("plain words", 11),
        (f"See {ADDRESS}", 27),
        (f"See {ADDRESS}.", 28),
        (f"({ADDRESS}), {ADDRESS}!", 51),
        ("http://a.eu", 23),
        ("example.org", 11),
        ("“quoted” – it’s", 15),
    ],
)
def test_links_cost_the_same_however_long(count, text: str, length: int) -> None:
    assert count(text) == length


@pytest.mark.parametrize(
    ("text", "mastodon", "x"),
    [
        ("日本語", 3, 6),
        ("and so on…", 10, 11),
        ("👩‍👩‍👧", 1, 2),
        ("🇫🇷", 1, 2),
        ("👍🏽👍", 2, 4),
        ("1️⃣", 1, 2),
        ("Ελλάδα", 6, 6),
        ("@ada@example.org hello", 10, 22),
        ("ada@example.org", 15, 15),
    ],
)
def test_other_characters(text: str, mastodon: int, x: int) -> None:
    assert (count_mastodon(text), count_x(text)) == (mastodon, x)
