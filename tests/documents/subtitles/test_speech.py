"""What is speech in a cue and what is not, and how sentences go on from one cue to the next."""

from __future__ import annotations

import pytest

from laconic.documents.subtitles import Subtitles
from laconic.documents.subtitles.composition import Script
from laconic.documents.subtitles.speech import parts_of
from tests.documents.subtitles.test_fitting import film


@pytest.mark.parametrize(
    ("visible", "speech", "fixed", "turns"),
    [
        ("Come in.\nSit down.", ["Come in.", "Sit down."], [], 1),
        ("- Come in.\n- No.", ["Come in.", "No."], ["- ", "- "], 2),
        ("-Come in.\n–No.", ["Come in.", "No."], ["-", "–"], 2),
        (">> Come in.", ["Come in."], [">> "], 1),
        ("JOHN: Come in.\nMARY ANN: No.", ["Come in.", "No."], ["JOHN:", "MARY ANN:"], 2),
        ("JOHN (on phone): Come in.", ["Come in."], ["JOHN (on phone):"], 1),
        ("- [sighs] JOHN: Come in.", ["Come in."], ["- ", "[sighs]", "JOHN:"], 1),
        ("I never [coughs] said that.", ["I never", "said that."], ["[coughs]"], 1),
        ("(laughs) Come in.", ["Come in."], ["(laughs)"], 1),
        ("Come in. (LAUGHS)", ["Come in."], ["(LAUGHS)"], 1),
        ("We met (in May) again.", ["We met (in May) again."], [], 1),
        ("♪ La la la\nla la ♪", [], ["♪ La la la", "la la ♪"], 1),
        ("# La la la #", [], ["# La la la #"], 1),
        ("No... -- and yet", ["No... -- and yet"], [], 1),
        ("-- and yet", ["-- and yet"], [], 1),
        ("It is 5:30. At 6: go.", ["It is 5:30. At 6: go."], [], 1),
        ("", [], [], 0),
    ],
)
def test_the_parts_of_a_cue(visible: str, speech: list[str], fixed: list[str], turns: int) -> None:
    parts = parts_of(visible)
    assert [visible[part.start : part.end] for part in parts if part.is_speech] == speech
    assert [visible[part.start : part.end] for part in parts if not part.is_speech] == fixed
    assert len({part.turn for part in parts}) == turns


def spoken(subtitles: str) -> list[tuple[str, tuple[int, ...]]]:
    file = Subtitles.read(subtitles).file
    script = Script.of(file.cues, [file.markup.read(cue.text) for cue in file.cues])
    return [(" ".join(each.sentence.words), each.cues) for each in script.sentences]


def test_sentences_go_on_over_cues_and_tags() -> None:
    assert spoken(film(("<i>We met</i>", 1), ("again\nlast May. And you", 1), ("left.", 1))) == [
        ("We met again last May .", (0, 1)),
        ("And you left .", (1, 2)),
    ]


def test_speakers_songs_and_pauses_end_sentences() -> None:
    cues = (("We met", 1), ("- again", 1), ("♪ la ♪", 1), ("and then", 1), ("JOHN: we left", 1))
    assert [words for words, _ in spoken(film(*cues))] == ["We met", "again", "and then", "we left"]
    assert [words for words, _ in spoken(film(("We met", 1), ("again", 1), pause=4))] == ["We met", "again"]


def test_a_note_does_not_end_a_sentence() -> None:
    assert spoken(film(("I never [coughs]", 1), ("said that.", 1))) == [("I never said that .", (0, 1))]


def test_what_has_no_stops_is_cut_at_cues() -> None:
    found = spoken(film(*(("and so we went on and on", 1),) * 30))
    assert max(len(words.split()) for words, _ in found) <= 60
    assert sum(len(words.split()) for words, _ in found) == 30 * 7


def test_words_stand_where_their_places_say() -> None:
    source = film(("<i>We & they</i> met\n- JOHN: [sighs] again, in", 1), ("May.", 1))
    file = Subtitles.read(source).file
    texts = [file.markup.read(cue.text) for cue in file.cues]
    for sentence in Script.of(file.cues, texts).sentences:
        for word, place in zip(sentence.sentence.words, sentence.places, strict=True):
            assert texts[place.cue].visible[place.start : place.end] == word
