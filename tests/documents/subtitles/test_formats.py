"""Every format is read as it is meant, and written again byte for byte but for what was changed."""

from __future__ import annotations

import codecs
import html
import json
import re
from pathlib import Path

import pysubs2
import pytest

from laconic.documents.subtitles import Norm, Subtitles, fit
from laconic.errors import FormatError, LaconicError
from laconic.systems.truncate import Truncate
from tests.documents.subtitles import files

GENEROUS = Norm(cps=10_000, line=10_000, lines=100)
TEXTS = {
    "srt": files.SUBRIP,
    "vtt": files.WEBVTT,
    "ass": files.SUBSTATION,
    "ttml": files.TTML,
    "json": json.dumps(files.whisper(), indent=2),
}


_SAID = ["So,", "I", "really", "do", "think", "that", "we", "should", "go", "now."]
GOING = {
    "segments": [
        {
            "start": 0,
            "end": 1,
            "text": " ".join(_SAID),
            "words": [
                {"word": word, "start": place / 10, "end": place / 10 + 0.1}
                for place, word in enumerate(_SAID)
            ],
        }
    ]
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "marked"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_what_fits_comes_back_byte_for_byte(name: str, mark: bytes, newline: str, tmp_path: Path) -> None:
    content = mark + TEXTS[name].replace("\n", newline).encode()
    path = tmp_path / f"film.{name}"
    path.write_bytes(content)
    found = fit(path, GENEROUS)
    assert found.content == content
    assert not found.report.changed
    assert not found.report.above


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_mark(encoding: str) -> None:
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    content = mark + files.SUBRIP.encode(encoding)
    assert fit(content, GENEROUS).content == content


def test_another_encoding_must_be_named() -> None:
    content = "1\n00:00:01,000 --> 00:00:03,000\nCafé\n".encode("cp1252")
    with pytest.raises(FormatError, match="cp1252"):
        Subtitles.read(content)
    found = fit(Subtitles.read(content, encoding="cp1252"), GENEROUS)
    assert found.content == content


@pytest.mark.parametrize("name", ["srt", "vtt", "ass", "ttml"])
def test_times_and_texts_are_those_that_another_reader_finds(name: str) -> None:
    # It knows no times in frames, and no durations.
    text = TEXTS[name].replace("00:00:03:05", "00:00:03.2").replace("00:00:06:00", "00:00:06.0")
    text = text.replace("dur='2.5s'", "end='9.5s'")
    theirs = [event for event in pysubs2.SSAFile.from_string(text, format_=name) if not event.is_comment]
    ours = Subtitles.read(text).file
    assert len(ours.cues) == len(theirs)
    for cue, event in zip(ours.cues, theirs, strict=True):
        assert (cue.start, cue.end) == (event.start, event.end)
        if not event.is_drawing:
            visible = ours.markup.read(cue.text).visible.replace("\u00a0", " ")
            # Of WebVTT it reads notes with the cue before them, and entities and times within a cue as text.
            theirs_too = re.sub(r"<[\d:.]+>", "", html.unescape(event.plaintext)).partition("NOTE")[0]
            assert visible.split() == theirs_too.split()


def test_frames_and_durations_are_times_too() -> None:
    cues = Subtitles.read(files.TTML).file.cues
    assert [(cue.start, cue.end) for cue in cues[1:3]] == [(3200, 6000), (7000, 9500)]


@pytest.mark.parametrize("name", TEXTS)
def test_all_but_the_cut_cue_stays_as_it_was(name: str) -> None:
    text = TEXTS[name]
    found = fit(text, "netflix", only=[1])
    assert [cue.number for cue in found.report.changed] == [1]
    if name == "json":
        before, after = json.loads(text), json.loads(found.text)
        assert after["segments"][1] == before["segments"][1]
        assert after["segments"][0] | {"text": "", "words": []} == before["segments"][0] | {
            "text": "",
            "words": [],
        }
        return
    cue = Subtitles.read(text).file.cues[0]
    start = text.index(cue.text)
    behind = text[start + len(cue.text) :]
    assert found.text.startswith(text[:start])
    assert found.text.endswith(behind)
    assert len(found.text) < len(text)


def test_tags_go_with_their_words() -> None:
    found = fit(files.SUBSTATION, only=[1], system=Truncate()).text
    [line] = [line for line in found.splitlines() if "wondering" in line]
    assert line.endswith(r",,{\i1}I was just wondering{\i0} whether you might")
    found = fit(files.WEBVTT, only=[1], system=Truncate(), cps=10).text
    assert "\n<v Mary>I was <c.loud>just wondering</c><00:02.000>\n" in found
    text = "1\n00:00:01,000 --> 00:00:02,000\n<b>No</b>, <i>never</i> in <i>my life</i>\n"
    assert "\n<b>No</b>, <i>never</i>\n" in fit(text, system=Truncate(), cps=10).text


def test_a_drawing_is_no_text_and_karaoke_is_named() -> None:
    report = fit(files.SUBSTATION, only=[1]).report
    assert [cue.outcome for cue in report.cues] == ["shortened", "fits", "fits", "above"]
    assert "karaoke" in report.cues[3].reason


def test_words_of_a_transcript_keep_their_times() -> None:
    found = json.loads(fit(TEXTS["json"]).text)
    first = found["segments"][0]
    assert first["text"].split() == [word["word"] for word in first["words"]]
    assert len(first["words"]) < 12
    assert found["word_segments"] == first["words"]
    assert all(word in files.whisper()["word_segments"] for word in first["words"])
    [segment] = json.loads(fit(json.dumps(GOING)).text)["segments"]
    said = [word["word"] for word in segment["words"]]
    assert segment["text"].split() == said and len(said) < len(_SAID)
    before = {word["word"].strip(".,").casefold(): word for word in GOING["segments"][0]["words"]}  # type: ignore[attr-defined]
    for word in segment["words"]:
        assert word["start"] == before[word["word"].strip(".,").casefold()]["start"]
    assert (first["start"], first["end"]) == (1.0, 3.0)


def test_whispers_own_form_is_kept_and_what_is_no_longer_true_goes() -> None:
    spelt = ["So,", "I", "really", "do", "think", "that", "we", "should", "leave", "at", "10", "now."]
    words = [
        {"word": f" {word}", "start": 1 + place / 10, "end": 1.1 + place / 10, "probability": 0.9}
        for place, word in enumerate(spelt)
    ]
    del words[10]["start"], words[10]["end"]  # figures have no times in whisperX
    text = "".join(str(word["word"]) for word in words)
    segment = {
        "id": 0,
        "seek": 0,
        "start": 1.0,
        "end": 2.0,
        "text": text,
        "tokens": [407, 11],
        "words": words,
    }
    fits = {"id": 1, "seek": 0, "start": 2.0, "end": 9.0, "text": " It did.", "tokens": [1, 2]}
    given = {"text": f"{text} It did.", "segments": [segment, fits], "language": "en"}
    found = json.loads(fit(json.dumps(given)).text)
    cut, same = found["segments"]
    assert same == fits and "tokens" not in cut
    assert cut["text"] == "".join(word["word"] for word in cut["words"]) and len(cut["words"]) < len(words)
    assert found["text"] == cut["text"] + " It did."
    times = {(word.get("start"), word.get("end")) for word in words}
    assert all((word.get("start"), word.get("end")) in times for word in cut["words"])
    assert all(word["word"].startswith(" ") and word["probability"] == 0.9 for word in cut["words"])


def test_a_transcript_becomes_subtitles_with_lines() -> None:
    long = {
        "segments": [
            {"start": 0, "end": 9, "text": " This is a perfectly fine sentence that only needs a break."}
        ]
    }
    found = fit(json.dumps(long), to="srt")
    assert found.text == (
        "1\n00:00:00,000 --> 00:00:09,000\nThis is a perfectly fine sentence\nthat only needs a break.\n"
    )
    assert fit(json.dumps(long)).text == json.dumps(long)


@pytest.mark.parametrize("target", ["vtt", "ass", "ttml"])
def test_other_formats_are_written(target: str, tmp_path: Path) -> None:
    found = fit(files.SUBRIP, GENEROUS, to=tmp_path / f"film.{target}")
    assert found.format == target
    assert len(Subtitles.read(found.text).file.cues) == 6


def test_notes_and_entities_stay_out_of_other_formats() -> None:
    found = fit(files.WEBVTT, GENEROUS, to="srt").text
    assert found == (
        "1\n00:00:01,000 --> 00:00:03,000\nI was just wondering whether you & Tom\n"
        "might possibly want to come to our place\n\n"
        "2\n00:00:03,100 --> 01:00:06,000\nfor dinner on Friday night.\n"
    )


def test_other_formats_are_read(tmp_path: Path) -> None:
    path = tmp_path / "film.sub"
    path.write_text("{1}{1}25\n{25}{50}Hello there\n{75}{100}Good-bye\n")
    assert [cue.text for cue in Subtitles.read(path).file.cues] == ["Hello there", "Good-bye"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("just\nsome text", "name the format"),
        ('{"segments": [{"start": 1}]}\n', "segment 1 needs"),
        ('{"segments": 1\n', "not JSON"),
        ("<tt>\n<p begin='1s' end='x'>a</p></tt>", "'x' is no time"),
        ("<tt>\n<p>", "not well-formed"),
        ("<tt tickRate='0'>\n</tt>", "rates of frames"),
        ("<!DOCTYPE tt [<!ENTITY a 'b'>]>\n<tt/>", "document type"),
        ("[Events]\nDialogue: 0,0:00:01.00", "before the line that names"),
        ("[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00", "1 fields of 3"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        Subtitles.read(text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LaconicError, match="no such file"):
        fit(tmp_path / "film.srt")
    with pytest.raises(LaconicError, match="is a directory"):
        fit(tmp_path)
