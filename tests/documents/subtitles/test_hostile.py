"""Whatever a file holds, it is read or refused with a reason, and written again as it was."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from laconic.documents.subtitles import Norm, fit
from laconic.documents.subtitles.markup import PLAIN, SUBRIP, SUBSTATION, TTML, WEBVTT, Markup, Piece
from laconic.documents.subtitles.reading import READERS
from laconic.errors import LaconicError
from laconic.systems.truncate import Truncate
from tests.documents.subtitles import files

FRAGMENTS = st.sampled_from(
    [
        *(
            "\n",
            "\r\n",
            "\r",
            "\n\n",
            " ",
            "1",
            "42",
            "00:00:01,000 --> 00:00:02,000",
            "00:01.0 --> 00:02.5",
            "-->",
        ),
        *(
            "WEBVTT",
            "NOTE",
            "[Events]",
            "Format: Start, End, Text",
            "Dialogue: 0:00:01.00,0:00:02.00,",
            "{\\i1}",
        ),
        *(
            "<i>",
            "</i>",
            "<",
            ">",
            "&amp;",
            "&",
            "- ",
            "JOHN: ",
            "[",
            "]",
            "♪",
            "so it is, he said. ",
            "No!",
            "\\N",
        ),
        *(
            "<tt>",
            "</tt>",
            "<p begin='1s' end='2s'>",
            "</p>",
            "<br/>",
            "é",
            "\u2028",
            "\x00",
            '{"segments": [',
            "]}",
        ),
        '{"start": 0, "end": 1, "text": "No, not again."}',
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=25).map("".join)


@pytest.mark.parametrize("name", sorted(READERS))
@given(text=st.one_of(TEXTS, st.text(max_size=60)))
@settings(max_examples=60, deadline=None)
def test_everything_is_read_or_refused(name: str, text: str) -> None:
    try:
        file = READERS[name](text)
    except LaconicError:
        return
    assert file.edited({}) == text
    for cue in file.cues:
        assert cue.text in text or name == "json"


@given(text=TEXTS.map(lambda text: f"1\n00:00:01,000 --> 00:00:01,600\n{text}"))
@example(text="1\n00:00:01,000 --> 00:00:01,600\nUnbelievablyUnbelievable!\n")
@settings(max_examples=60, deadline=None)
def test_everything_that_is_read_is_fitted(text: str) -> None:
    found = fit(text, Norm(cps=20, line=20), system=Truncate())
    again = fit(found.text, Norm(cps=20, line=20), system=Truncate())
    assert not again.report.changed
    assert again.text == found.text


MARKUPS = {"plain": PLAIN, "srt": SUBRIP, "vtt": WEBVTT, "ass": SUBSTATION, "ttml": TTML}


@pytest.mark.parametrize("markup", MARKUPS.values(), ids=MARKUPS)
@given(raw=TEXTS)
@settings(max_examples=60, deadline=None)
def test_what_is_visible_stands_in_the_text(markup: Markup, raw: str) -> None:
    text = markup.read(raw)
    assert len(text.visible) == len(text.origins)
    covered = [*text.origins, *((0, 0) for _ in text.tags)]
    assert sum(high - low for low, high in covered) + sum(len(tag.raw) for tag in text.tags) == len(raw)
    if text.visible:
        written = text.written([Piece(0, len(text.visible), text.visible, "")], "\n")
        assert markup.read(written).visible == text.visible
        assert text.tags or written == raw


def test_tags_that_hold_nothing_go() -> None:
    text = SUBRIP.read("<b>No</b>, <i>not</i> <i>again</i>!")
    pieces = [Piece(0, 2, "No", ""), Piece(8, 13, "again", " "), Piece(13, 14, "!", "")]
    assert text.written(pieces, "\n") == "<b>No</b> <i>again</i>!"


def test_a_capital_keeps_its_tags() -> None:
    text = SUBRIP.read("<i>so</i> it <b>is</b>")
    assert text.written([Piece(3, 5, "It", ""), Piece(6, 8, "is", " ")], "\n") == "It <b>is</b>"


@pytest.mark.parametrize("text", [files.SUBRIP, files.WEBVTT, files.SUBSTATION, files.TTML])
def test_fitting_twice_changes_nothing_more(text: str) -> None:
    once = fit(text).text
    assert fit(once).text == once
