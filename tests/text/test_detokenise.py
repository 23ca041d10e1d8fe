"""Kept words are written as their author would have written them, and nothing is mended in silence."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laconic.sentence import Sentence
from laconic.text.detokenise import Repair, detokenise, removed_words, standing
from laconic.text.tokenise import tokenise


def keep(text: str) -> tuple[str, tuple[Repair, ...]]:
    """Detokenise what is not between ~ and ~ in the text: `keep("a ~b~ c")` drops b."""
    parts = text.split("~")
    sentence = tokenise("".join(parts))
    deleted, position = set(), 0
    for number, part in enumerate(parts):
        if number % 2:
            deleted |= set(range(position, position + len(part)))
        position += len(part)
    kept, position = [], len(sentence.lead)
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        if position not in deleted:
            kept.append(index)
        position += len(word) + len(space)
    return detokenise(sentence, kept)


EXAMPLES = [
    # Spacing.
    ("The man~, a baker~, left.", "The man, left."),
    ("It fell ~by 5~.", "It fell."),
    ("It  rose\u00a0by ~about~ $5 ~or so~ (or 5%)!", "It  rose\u00a0by $5 (or 5%)!"),
    ("It cost $~6.5~ million", "It cost $ million"),
    ("He came—~late,~ I think—in", "He came—I think—in"),
    ("tokenised ~text~ , as stored .", "tokenised , as stored ."),
    ("John ~Smith~'s dog ~does~n't bark", "John's dog n't bark"),
    ("He said, ~it~'s", "He said, 's"),
    ("You can~not~ go; I ~can~not", "You can go; I not"),
    ("'t~is~ so", "'t so"),
    # Punctuation that meets.
    ("Relations are good~, he~, ~she said~.", "Relations are good."),
    ("Apples, ~pears,~ plums", "Apples, plums"),
    ("Apples, ~pears~; ~plums~, nuts", "Apples; nuts"),
    ("Good, ~it was~ -- he ~said~, left.", "Good -- he, left."),
    ("He left. ~She stayed~.", "He left."),
    ("Did he? ~She stayed~.", "Did he?"),
    ("He works for Acme Inc. ~of Ohio~.", "He works for Acme Inc."),
    ("~Now~, he left", "He left"),
    ("~Then he ...~ — and she (~he~, too) left", "And she (too) left"),
    ("I left, ~he said~", "I left"),
    ("(to the park~, and home~, ~too~)", "(to the park)"),
    # Quotes and brackets.
    ("He ~said “~go”.", "He go."),
    ("He said “go~” to us~.", "He said go."),
    ('"Go~," he said, "~now."', '"Go now."'),
    ("“Go~ there~,” he ~said~.", "“Go,” he."),
    ("“Go,” ~he said~.", "“Go”."),
    ("“Go!” ~he said~.", "“Go!”"),
    ("The man (~a baker~) left [~now~].", "The man left."),
    ("He ~said~ ``~no~'' then", "He then"),
    ("The man (– ~a baker~) left.", "The man left."),
    ("The ~workers~' rights and the bosses' ~dues~", "The rights and the bosses'"),
    ("the ~'big'~ 'small' one", "the 'small' one"),
    # The capital.
    ("~On Monday~ it rained.", "It rained."),
    ("“~On Monday~ it rained.”", "“It rained.”"),
    ("~the day~ it rained", "it rained"),
    ("~Sales of~ iPhones fell", "iPhones fell"),
    ("~Her~ will.i.am and ~Mr.~ de Gaulle", "will.i.am and de Gaulle"),
    ("~Mr.~ de Gaulle left", "De Gaulle left"),
    ("~He did~n't go", "n't go"),
    ("~A~ ßtrange 1 word", "ßtrange 1 word"),
    # Nothing but punctuation.
    ("~It fell~.", "."),
    ("~Yes~, ~it fell~.", "."),
    ("“~Go~,” ~he said~.", "."),
]


@pytest.mark.parametrize(("marked", "expected"), EXAMPLES)
def test_writes_what_is_left(marked: str, expected: str) -> None:
    assert keep(marked)[0] == expected


def test_reports_every_repair_with_its_place() -> None:
    text, repairs = keep("~On Monday~, he (~the boss~) said “go,~” and left~.")
    assert text == "He said go."
    assert [(repair.kind, repair.where, repair.what) for repair in repairs] == [
        ("removed leading punctuation", 2, ","),
        ("capitalised", 3, "he"),
        ("removed empty pair", 4, "("),
        ("removed empty pair", 7, ")"),
        ("removed unpaired mark", 9, "“"),
        ("removed doubled punctuation", 11, ","),
    ]
    assert keep("It fell, ~we said~")[1] == (Repair("removed trailing punctuation", 2, ","),)


def test_keeps_the_authors_own_oddities() -> None:
    for text in (", so it began", "He left ,. then", "a,,b", "( )", "“Go", "It ended,", "Inc.. of"):
        sentence = tokenise(f"{text} now or never")
        # Dropping a word far away must not mend what was there before.
        kept = [index for index in range(len(sentence)) if index != len(sentence) - 2]
        assert detokenise(sentence, kept) == (f"{text} now never", ())


def test_nothing_kept_is_nothing() -> None:
    assert detokenise(tokenise("It fell."), []) == ("", ())
    assert detokenise(tokenise(""), []) == ("", ())


any_text = st.text(st.characters(exclude_categories=()), max_size=40)
tokens = st.sampled_from(
    [
        "The",
        "iPhone",
        "it",
        "'s",
        "n't",
        "Inc.",
        ",",
        ";",
        "--",
        ".",
        "?",
        "“",
        "”",
        "(",
        ")",
        '"',
        "'",
        "$",
        "5",
        "%",
        "...",
        "’",
    ]
)
odd_english = st.lists(st.tuples(tokens, st.sampled_from(["", " ", " ", "\n"])), max_size=14).map(
    lambda pairs: Sentence(tuple(word for word, _ in pairs), tuple(space for _, space in pairs), lead=" ")
)


@st.composite
def deletions(draw: st.DrawFn) -> tuple[Sentence, list[int]]:
    sentence = draw(odd_english | any_text.map(tokenise))
    return sentence, [index for index in range(len(sentence)) if draw(st.booleans())]


@given(deletions())
def test_what_is_written_is_what_was_kept_less_the_reported_repairs(case: tuple[Sentence, list[int]]) -> None:
    sentence, kept = case
    text, repairs = detokenise(sentence, kept)
    assert [repair.where for repair in repairs] == sorted({repair.where for repair in repairs})
    assert all(repair.where in kept and sentence.words[repair.where] == repair.what for repair in repairs)
    by_place = {repair.where: repair.kind for repair in repairs}
    expected = ""
    for index in kept:
        word = sentence.words[index]
        kind = by_place.get(index)
        if kind is None:
            expected += word
        elif kind == "capitalised":
            assert word[0].islower()
            expected += word[0].upper() + word[1:]
    gaps = set("".join(sentence.spaces)) | {" "}
    assert "".join(c for c in text if c not in gaps) == "".join(c for c in expected if c not in gaps)


@given(deletions())
@example((Sentence(("”", "“", ";", "”", ")"), (" ", " ", " ", "", "  ")), [0, 1, 2, 3]))
def test_what_stands_is_written_as_it_was(case: tuple[Sentence, list[int]]) -> None:
    sentence, kept = case
    text, _ = detokenise(sentence, kept)
    again, repairs = detokenise(sentence, standing(sentence, kept))
    assert again == text
    assert not removed_words(repairs)


@given(deletions())
def test_spacing_is_taken_from_the_author(case: tuple[Sentence, list[int]]) -> None:
    sentence, kept = case
    text, _ = detokenise(sentence, kept)
    runs = set(re.findall(r"\s+", text)) - set(re.findall(r"\s+", sentence.text))
    assert runs <= {" "}
    assert text == text.strip() or any(word != word.strip() for word in sentence.words)


@given(odd_english | any_text.map(tokenise))
def test_keeping_everything_gives_the_text_back(sentence: Sentence) -> None:
    text, repairs = detokenise(sentence, range(len(sentence)))
    assert repairs == ()
    tail = sentence.spaces[-1] if sentence.words else ""
    assert sentence.lead + text + tail == sentence.text or not sentence.words


@given(deletions())
def test_no_mark_stands_where_only_deletion_put_it(case: tuple[Sentence, list[int]]) -> None:
    sentence, kept = case
    removed = {repair.where for repair in detokenise(sentence, kept)[1] if repair.kind != "capitalised"}
    written = [index for index in kept if index not in removed]
    if not any(char.isalnum() for index in kept for char in sentence.words[index]):
        assert bool(written) == bool(kept)
        return
    separators, stops = {",", ";", "--"}, {".", "?", "..."}
    if written:
        assert written[0] == 0 or sentence.words[written[0]] not in separators | stops
        assert written[-1] == len(sentence) - 1 or sentence.words[written[-1]] not in separators
    for left, right in pairwise(written):
        if right > left + 1 and sentence.words[left] in separators:
            assert sentence.words[right] not in separators | stops | {")"}
        if right > left + 1 and sentence.words[left] in stops:
            assert sentence.words[right] not in separators | stops
