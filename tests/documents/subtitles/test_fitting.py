"""No cue beyond its limits unless the report names it, words in order, nothing lost but what was cut."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.documents.subtitles import NORMS, Norm, Subtitles, check, fit
from laconic.documents.subtitles.timestamps import write_clock
from laconic.errors import LaconicError
from laconic.systems.everything import Everything
from laconic.systems.truncate import Truncate
from tests.documents.subtitles import files


def film(*cues: tuple[str, float], pause: float = 0.1) -> str:
    """A SubRip file of texts, each shown for so many seconds, with pauses between them."""
    blocks, time = [], 1.0
    for number, (text, seconds) in enumerate(cues, 1):
        start, end = (write_clock(round(1000 * each), "00:00:00,000") for each in (time, time + seconds))
        blocks.append(f"{number}\n{start} --> {end}\n{text}\n")
        time += seconds + pause
    return "\n".join(blocks)


def texts(subtitles: str) -> list[str]:
    return [cue.text for cue in Subtitles.read(subtitles).file.cues]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"<[^<>]*>", "", text).lower())


def is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(word in rest for word in short)


def assert_lawful(source: str, norm: Norm, **options: object) -> None:
    found = fit(source, norm, **options)  # type: ignore[arg-type]
    named = {cue.number for cue in found.report.above}
    assert {cue.number for cue in check(found.text, norm).above} == named
    before, after = Subtitles.read(source).file, Subtitles.read(found.text).file
    assert len(before.cues) == len(after.cues)
    changed = {cue.number for cue in found.report.changed}
    for number, (old, new) in enumerate(zip(before.cues, after.cues, strict=True), 1):
        assert old.start == new.start
        if number not in changed:
            assert old == new
            continue
        assert is_subsequence(words(new.text), words(old.text))
        assert bool(words(old.text)) == bool(words(new.text))
        assert new.text.count("<i>") == new.text.count("</i>")
        assert re.findall(r"\[[^\[\]]*\]|♪", old.text) == re.findall(
            r"\[[^\[\]]*\]|♪", " ".join(new.text.split("\n"))
        )
        # What a speaker begins with stays.
        assert len(re.findall(r"^- ", old.text, re.MULTILINE)) == len(
            re.findall(r"^(?:<i>)?- ", new.text, re.MULTILINE)
        )
    # Between the cues nothing changes.
    assert re.sub(r"(?s)(-->[^\n]*\n).*?(?=\n\n\d|\Z)", r"\1", source) == re.sub(
        r"(?s)(-->[^\n]*\n).*?(?=\n\n\d|\Z)", r"\1", found.text
    ) or options.get("extend")


SAMPLE = "we all think that the old man never really saw her again on Friday because it rained"
WORDS = st.sampled_from(re.findall(r"\w+", SAMPLE))
PHRASES = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
MARKS = st.sampled_from(["", ",", ".", "?", "...", " –"])
SPEECH = st.tuples(PHRASES, MARKS).map("".join)
LINES = st.one_of(
    SPEECH,
    st.tuples(SPEECH, SPEECH).map(" ".join),
    SPEECH.map(lambda text: f"<i>{text}</i>"),
    SPEECH.map(lambda text: f"- {text}"),
    SPEECH.map(lambda text: f"JOHN: {text}"),
    SPEECH.map(lambda text: f"[sighs] {text}"),
    st.just("♪ la la la ♪"),
)
CUES = st.tuples(st.lists(LINES, min_size=1, max_size=3).map("\n".join), st.floats(0.2, 5.0))
NORM = st.builds(
    Norm,
    cps=st.floats(4, 30),
    line=st.integers(8, 45),
    lines=st.integers(1, 3),
    count_spaces=st.booleans(),
)


@given(st.lists(CUES, min_size=1, max_size=5), NORM, st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_laws_hold_whatever_is_said(cues: list[tuple[str, float]], norm: Norm, extend: bool) -> None:
    assert_lawful(film(*cues), norm, system=Truncate(), extend=extend)


@given(st.lists(CUES, min_size=1, max_size=4), NORM, st.booleans())
@settings(max_examples=10, deadline=None)
def test_the_laws_hold_for_the_default(cues: list[tuple[str, float]], norm: Norm, drop: bool) -> None:
    assert_lawful(film(*cues), norm, drop_sentences=drop)


def test_the_laws_can_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.documents.subtitles.norms.Norm.most_characters", lambda self, time: 10_000)
    source = film(("I was just wondering whether you might come", 0.5))
    found = fit(source).text
    monkeypatch.undo()
    assert check(found).above


def test_a_sentence_is_cut_over_its_cues_together() -> None:
    source = film(
        ("And then the old man with the very long\nwhite beard walked slowly down the hill", 1.5),
        ("towards the little village where his\nmother and his father had once lived.", 1.9),
    )
    found = fit(source)
    first, second = texts(found.text)
    assert not check(found.text).above and [cue.outcome for cue in found.report.cues] == ["shortened"] * 2
    # One sentence over both cues, not two: the second goes on where the first ends.
    assert (
        first.startswith("The") and not first.endswith(".") and second.endswith(".") and second[0].islower()
    )


def test_what_fits_is_not_touched_for_the_sake_of_its_neighbour() -> None:
    source = film(("I think, to be perfectly honest with you,", 1.0), ("that it was really very nice.", 3.0))
    found = fit(source)
    assert [cue.outcome for cue in found.report.cues] == ["shortened", "fits"]
    assert texts(found.text)[1] == "that it was really very nice."


def test_no_capital_is_put_into_a_cue_that_is_not_touched() -> None:
    source = film(("I am fine, thank you. And", 1.0), ("you are too, I think.", 3.0))
    first, second = texts(fit(source, cps=14).text)
    assert second == "you are too, I think."
    assert first.endswith("And")


def test_two_sentences_of_a_cue_share_what_they_give_up() -> None:
    source = film(("Well, of course I really know that. But you never actually told me so.", 2.0))
    [text] = texts(fit(source).text)
    assert text.count(".") == 2
    [text] = texts(
        fit(film(("Yes. I told you that already.", 0.9)), drop_sentences=True, keep="told you that").text
    )
    assert text == "I told you that."


def test_speakers_notes_and_names_stay() -> None:
    [text] = texts(
        fit(
            film(
                (
                    "- <i>Well, I really don't know.</i>\n- JOHN: [sighs] Oh, come on, you always say that.",
                    2.5,
                )
            )
        ).text
    )
    assert re.fullmatch(r"- <i>.*\w\.</i>\n- JOHN: \[sighs\] .*\w\.", text)


def test_lines_are_broken_at_constituents() -> None:
    def lines(text: str) -> list[str]:
        return texts(fit(film((text, 9.0))).text)[0].split("\n")

    assert lines("This is a perfectly fine sentence that only needs a new break.") == [
        "This is a perfectly fine sentence",
        "that only needs a new break.",
    ]
    assert lines("I have never in my life seen anything like the old house.")[0].split()[-1] not in (
        "the",
        "in",
        "my",
    )
    assert lines("No, I did not say that. You said so yourself last night!") == [
        "No, I did not say that.",
        "You said so yourself last night!",
    ]


def test_free_time_is_used_first_if_asked() -> None:
    source = film(("I told you so, and you know it.", 1.0), ("No.", 1.0), pause=1.0)
    found = fit(source, extend=True)
    assert [cue.outcome for cue in found.report.cues] == ["extended", "fits"]
    assert "00:00:01,000 --> 00:00:02,550" in found.text
    assert texts(found.text) == texts(source)
    close = film(("I told you so, and you know it.", 1.0), ("No.", 1.0), pause=0.2)
    found = fit(close, extend=True)
    assert found.report.cues[0].outcome == "shortened"
    assert found.report.cues[0].new_end == 2200 - 83


def test_what_cannot_be_met_is_left_as_it_is_and_named() -> None:
    source = film(
        ("♪ la la la la la la la ♪", 0.5), ("Unbelievable!", 0.2), ("Not this time, my friend.", 3.0)
    )
    found = fit(source)
    assert found.text == source
    song, word, _ = found.report.cues
    assert (
        song.reason
        == "24 characters in 0.5 s, where 10 can be read; what stands in it is not speech, and is kept"
    )
    assert (
        word.reason == "13 characters in 0.2 s, where 4 can be read; no cut of its sentences leaves so little"
    )
    assert found.report.summary == "3 cues: 2 above their limits"


def test_words_can_be_kept_and_kinds_protected() -> None:
    source = film(("We really met Sally Jones in Paris last Friday.", 1.6))
    assert "Friday" in texts(fit(source, keep="Friday").text)[0]
    assert "Sally Jones" in texts(fit(source, protect=["names"]).text)[0]


def test_capitals_are_read_as_words() -> None:
    [text] = texts(fit(film(("I THINK THAT YOU ARE PROBABLY RIGHT ABOUT IT.", 1.8))).text)
    assert text == text.upper()
    assert is_subsequence(words(text), words("I THINK THAT YOU ARE PROBABLY RIGHT ABOUT IT."))
    assert len(text) <= 36


def test_norms_have_names_numbers_and_sources() -> None:
    assert {"netflix", "netflix-children", "ted", "bbc"} <= set(NORMS)
    assert all(norm.source for norm in NORMS.values())
    assert check(files.SUBRIP, "ted", cps=5).norm.cps == 5
    with pytest.raises(LaconicError, match="known: netflix"):
        check(files.SUBRIP, "hbo")
    with pytest.raises(LaconicError, match="above 0"):
        check(files.SUBRIP, cps=0)
    with pytest.raises(LaconicError, match="at least 1"):
        check(files.SUBRIP, lines=0)


def test_spaces_count_or_not() -> None:
    source = film(("I do so!", 0.35))
    assert check(source).above
    assert not check(source, count_spaces=False).above


def test_the_report_is_a_table_too() -> None:
    report = fit(files.SUBRIP).report
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert len(rows) == 6
    assert rows[0]["outcome"] == "shortened"
    assert float(rows[0]["speed_before"]) == 39.0
    assert float(rows[0]["speed_after"]) <= 20
    assert rows[0]["cut"] and all(word in files.SUBRIP for word in rows[0]["cut"].replace("…", " ").split())
    assert report.text.splitlines()[-1] == report.summary
    assert repr(fit(files.SUBRIP)) == f"FittedSubtitles({report.summary})"


def test_a_system_that_cannot_cut_leaves_all_and_says_so() -> None:
    found = fit(files.SUBRIP, system=Everything())
    assert texts(found.text)[0] == texts(files.SUBRIP)[0]
    assert found.report.above
