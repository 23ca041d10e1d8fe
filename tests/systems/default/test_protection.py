"""What belongs together is found in the tree, stays together, and is reported where it cannot."""

from __future__ import annotations

import pytest

from laconic.budget import Budget
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.protection import Kind, Tie, clashing_articles, ties
from laconic.text.tokenise import tokenise


def named(compressor: Compressor, text: str, kind: Kind) -> set[tuple[str, str]]:
    """The ties of one kind in a parsed text, by their words."""
    sentence = compressor.compress(text).sentence
    words = sentence.words
    return {
        (words[given], words[needed])
        for tie in ties(sentence)
        if tie.kind is kind
        for given in tie.given
        for needed in tie.needed[:1]
    }


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("The mayor did not resign on Monday.", Kind.NEGATION, ("resign", "not")),
        ("The mayor didn't resign on Monday.", Kind.NEGATION, ("did", "n't")),
        ("There is no evidence of a fire.", Kind.NEGATION, ("evidence", "no")),
        ("The firm refused to pay its workers.", Kind.NEGATION, ("pay", "refused")),
        ("He did not say that she had left.", Kind.NEGATION, ("left", "say")),
        ("Sales rose by 12 percent in March.", Kind.QUANTITY, ("12", "percent")),
        ("The firm paid $ 5 million in fines.", Kind.QUANTITY, ("5", "million")),
        ("More than 20 people came.", Kind.QUANTITY, ("20", "people")),
        ("The old mayor resigned.", Kind.PREDICATE, ("mayor", "resigned")),
        ("The old mayor resigned.", Kind.SUBJECT, ("resigned", "mayor")),
        ("They have left.", Kind.AUXILIARY, ("left", "have")),
        ("We left because it rained.", Kind.CONJUNCTION, ("rained", "because")),
        ("She bought a boat.", Kind.COMPLEMENT, ("bought", "boat")),
        ("She lives in Paris.", Kind.PREPOSITION, ("Paris", "in")),
        ("The council, which met today, agreed.", Kind.MARK, (",", ",")),
    ],
)
def test_ties_are_found(compressor: Compressor, text: str, kind: Kind, expected: tuple[str, str]) -> None:
    assert expected in named(compressor, text, kind)


def test_a_tie_is_torn_only_when_all_given_and_none_needed_are_kept() -> None:
    tie = Tie((0, 2), (1, 3), Kind.HEAD)
    assert tie.broken_by(frozenset({0, 2}))
    assert not tie.broken_by(frozenset({0}))
    assert not tie.broken_by(frozenset({0, 2, 3}))
    assert Tie((), (1,), Kind.CLAUSE).broken_by(frozenset({0}))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The mayor of the small town did not resign on Monday after a long meeting.", "not"),
        ("The old company never paid the 20 workers who were injured in the fire.", "never"),
        ("Nobody in the large audience could hear what the speaker said about the plan.", "Nobody"),
    ],
)
def test_a_negation_stays_at_every_length_that_keeps_what_it_denies(
    compressor: Compressor, text: str, word: str
) -> None:
    for compression in compressor.frontier(text):
        torn = [note for note in compression.notes if note.startswith(Kind.NEGATION.value)]
        assert not torn
        kept = frozenset(compression.kept or ())
        assert not any(
            tie.broken_by(kept) for tie in ties(compression.sentence) if tie.kind is Kind.NEGATION
        ), compression.text
    assert any(word in compression.words for compression in compressor.frontier(text))


def test_what_must_be_torn_is_reported(compressor: Compressor) -> None:
    sentence = tokenise("The mayor did not resign.")
    answer = compressor.compress(sentence, keep=[4], drop=[3])
    assert answer.notes == ("a negation is gone: 'resign' without 'not'",)
    assert compressor.compress(sentence, Budget.at_most(5)).notes == ()


def test_articles_clash_by_sound_not_by_letter() -> None:
    text = tokenise("an old violin a new hour an MP a big university")
    words = text.words
    assert {(words[left], words[right]) for left, right in clashing_articles(text)} >= {
        ("an", "violin"),
        ("a", "hour"),
    }
    assert ("a", "university") not in {(words[left], words[right]) for left, right in clashing_articles(text)}
