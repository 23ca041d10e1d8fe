"""The default compressor as users meet it: lengths, manners, batches, long input, storage."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import laconic
from laconic.annotate.annotator import Analysis
from laconic.budget import Budget
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.later import at_hand
from laconic.sentence import Sentence
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.scoring import REGISTERS, Weights
from laconic.systems.registry import open_system
from laconic.systems.system import System
from laconic.text.tokenise import tokenise
from laconic.trees.dependency import check_heads
from tests.storage.crafting import craft

TEXT = (
    "The harbour council, which met behind closed doors on Thursday evening, finally agreed to lower the "
    "mooring fees that small boats pay each winter."
)


def test_it_is_the_default_system(compressor: Compressor) -> None:
    assert isinstance(compressor, System)
    assert isinstance(open_system(), Compressor)


def test_the_answer_has_text_trees_and_score(compressor: Compressor) -> None:
    answer = compressor.compress(TEXT)
    assert (
        answer.text
        == "The harbour council agreed to lower the mooring fees that small boats pay each winter."
    )
    assert answer.tree is not None and answer.tree.words == answer.words
    assert answer.heads is not None
    check_heads(answer.heads)
    assert answer.words[answer.heads.index(-1)] == "agreed"
    assert answer.score is not None and answer.notes == ()


def test_the_same_text_gets_the_same_answer(compressor: Compressor) -> None:
    budget = Budget.at_most(60, unit="characters")
    assert compressor.compress(TEXT, budget) == compressor.compress(tokenise(TEXT), budget)


def test_a_sentence_that_is_cut_again_is_read_once(
    compressor: Compressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = compressor.with_manner()
    read: list[object] = []
    analysed = fresh._annotator.analysed

    def counted(sentence: Sentence, **manner: Any) -> Analysis:
        read.append(sentence)
        return analysed(sentence, **manner)

    monkeypatch.setattr(fresh._annotator, "analysed", counted)
    for most in (60, 50, 40):  # in one register
        fresh.compress(TEXT, Budget.at_most(most, unit="characters"))
    assert len(read) == 1


def test_a_style_moves_the_natural_length(compressor: Compressor) -> None:
    counts = [
        len(compressor.with_manner(style=style).compress(TEXT).words) for style in ("terse", 0.5, 0.8, "safe")
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    styled = compressor.with_manner(style="terse").compress(TEXT, Budget.at_most(25, unit="pieces"))
    assert len(styled.words) == counts[0]  # the limit is not there to be used up


def test_a_register_has_its_own_length(compressor: Compressor) -> None:
    counts = {
        register: len(compressor.with_manner(register=register).compress(TEXT).words)
        for register in ("news", "spoken", "written")
    }
    assert counts["news"] < counts["written"] <= counts["spoken"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"register": "poetry"}, "no register 'poetry'"),
        ({"style": 2.0}, "a style is"),
        ({"style": "loud"}, "'loud'"),
    ],
)
def test_unknown_manners_are_refused(
    compressor: Compressor, options: dict[str, object], message: str
) -> None:
    with pytest.raises(LaconicError, match=message):
        compressor.with_manner(**options)  # type: ignore[arg-type]


def test_batches_come_in_order_whatever_the_threads(compressor: Compressor) -> None:
    texts = [TEXT, "It fell.", "Stocks rose sharply on Monday after the vote."] * 5
    expected = [compressor.compress(text, Budget.at_most(6, unit="pieces")).text for text in texts]
    threaded = Compressor(threads=3)
    assert [
        answer.text for answer in threaded.compress_all(texts, Budget.at_most(6, unit="pieces"))
    ] == expected
    assert [
        answer.text for answer in compressor.compress_all(texts, Budget.at_most(6, unit="pieces"))
    ] == expected


@pytest.mark.parametrize("count", [3, 5, 6, 8])
def test_plain_words_are_counted_as_a_word_processor_counts_them(compressor: Compressor, count: int) -> None:
    text = "The old council – it met on Monday – didn't lower the fees, sadly."
    answer = compressor.compress(text, Budget.exactly(count, unit="words"))
    assert len([piece for piece in answer.text.split() if piece != "–"]) == count


def test_one_of_many_that_cannot_be_so_short_is_an_error_or_left_as_it_is(compressor: Compressor) -> None:
    texts, half = ["It rained all day.", "Yes", "We left at noon."], Budget.at_most(ratio=0.5, unit="pieces")
    with pytest.raises(InfeasibleBudget, match="'Yes'"):
        list(compressor.compress_all(texts, half))
    answers = list(compressor.compress_all(texts, half, impossible="leave"))
    assert [answer.text for answer in answers] == ["It rained", "Yes", "We left"]
    assert [bool(answer.notes) for answer in answers] == [False, True, False]
    assert answers[1].notes[0].startswith("left as it is: no compression of 'Yes'")


def test_the_frontier_grows_word_by_word(compressor: Compressor) -> None:
    frontier = compressor.frontier(TEXT, keep=[2])
    assert [len(compression.words) for compression in frontier] == list(range(1, len(tokenise(TEXT)) + 1))
    for words, compression in enumerate(frontier, start=1):
        assert compression == compressor.compress(TEXT, Budget.exactly(words, unit="pieces"), keep=[2])
    assert all("council" in compression.words for compression in frontier)
    assert frontier[-1].text == TEXT


def test_the_k_best_differ_and_descend(compressor: Compressor) -> None:
    answers = compressor.k_best(TEXT, 5)
    assert answers[0] == compressor.compress(TEXT)
    assert len({answer.text for answer in answers}) == 5
    scores = [answer.score or 0.0 for answer in answers]
    assert scores == sorted(scores, reverse=True)
    limited = compressor.k_best(TEXT, 3, Budget.exactly(50, unit="characters"))
    assert {len(answer.text) for answer in limited} == {50}


@pytest.mark.parametrize("register", list(REGISTERS))
@pytest.mark.parametrize("budget", [Budget.exactly(1, unit="pieces"), Budget.at_most(1, unit="pieces")])
def test_one_word_is_a_word(compressor: Compressor, register: str, budget: Budget) -> None:
    line = "Nora Field, Aldermere News."
    answer = compressor.with_manner(register=register).compress(line, budget)
    assert len(answer.words) == 1 and answer.text.isalpha() and "no word is left" not in answer.notes


def test_punctuation_alone_is_an_answer_where_it_is_all_there_is(compressor: Compressor) -> None:
    answer = compressor.compress("It fell.", Budget.exactly(1, unit="pieces"), drop=[0, 1])
    assert (answer.words, answer.text, answer.notes) == ((".",), ".", ("no word is left",))


def test_within_a_limit_a_verb_rather_stands_with_its_object(compressor: Compressor) -> None:
    text = "The police found no sign that the window had been forced."
    assert compressor.compress(text, Budget.at_most(6, unit="pieces")).text == "The police found no sign."


def test_no_upper_limit_is_met_by_punctuation_alone(compressor: Compressor) -> None:
    text = "The defendant may not leave the country without permission until the trial has ended."
    for most in range(1, 12):
        assert any(map(str.isalpha, compressor.compress(text, Budget.at_most(most, unit="pieces")).text))


def test_a_register_can_be_emphasised(compressor: Compressor) -> None:
    told = {
        emphasis: Compressor(
            register="spoken", weights=replace(REGISTERS["spoken"], emphasis=emphasis), threads=1
        )
        for emphasis in (0.0, 1.6)
    }
    plain, strong = (len(told[emphasis].compress(TEXT).words) for emphasis in told)
    assert plain < strong  # of no register in particular, headlines prevail


def test_no_words_and_no_words_left(compressor: Compressor) -> None:
    assert compressor.compress("").text == compressor.compress(" \t").text == ""
    assert compressor.compress("It fell.", Budget.at_most(2, unit="pieces"), drop=[0, 1, 2]).words == ()
    for text, drop in (("", []), ("It fell.", [0, 1, 2])):
        with pytest.raises(InfeasibleBudget):
            compressor.compress(text, Budget.exactly(2, unit="pieces"), drop=drop)
    with pytest.raises(InfeasibleBudget, match=r"possible: 2$"):
        compressor.compress("It fell.", Budget.at_most(1, unit="characters"))
    assert compressor.frontier("") == ()


@pytest.mark.parametrize("unit", ["pieces", "characters"])
def test_long_sentences_meet_their_budget_too(compressor: Compressor, unit: str) -> None:
    long = Sentence.from_words(["The", "market", "fell", "again", ","] * 90)
    for budget in (
        Budget.exactly(201, unit=unit),  # type: ignore[arg-type]
        Budget.at_most(77, unit=unit),  # type: ignore[arg-type]
        Budget.at_most(2, unit="pieces"),
    ):
        answer = compressor.compress(long, budget, keep=[1])
        least, most = budget.limits(0)
        cost = budget.measure(answer.words, answer.text)
        assert least <= cost <= budget.most and most
        assert answer.kept is not None and 1 in answer.kept


def test_a_long_sentence_has_its_own_length_and_a_document_of_it_too(compressor: Compressor) -> None:
    long = "The market, which fell, rose again " * 40 + "."
    own = Budget.exactly(len(long), unit="characters")
    assert compressor.compress(long, own).text == long
    found = laconic.compress(f"It rained. {long}", Budget.exactly(101, unit="pieces"), system=compressor)
    assert sum(len(each.standing) for each in found.compressions) == 101


def test_a_sentence_of_thousands_of_words_is_shortened(compressor: Compressor) -> None:
    long = Sentence.from_words(["The", "market", "fell", "again", ","] * 220)
    assert len(compressor.compress(long, Budget.exactly(500, unit="pieces")).standing) == 500


def test_what_is_protected_is_not_dropped_with_its_sentence() -> None:
    text = "It rained all day. The council of Aberdeen met on Tuesday. Nobody came."
    guarded = Compressor(protect=["names"], threads=1)
    found = laconic.compress(text, words=5, system=guarded, drop_sentences=True)
    assert "Aberdeen" in found.text and "Tuesday" in found.text


def test_the_length_of_references_is_learnt_and_stored(compressor: Compressor, tmp_path: Path) -> None:
    source = tokenise(TEXT)
    pairs = [Pair.aligned("1", source, [source.words[:6]]), Pair.aligned("2", source, [source.words[:8]])]
    short = compressor.fit(pairs)
    assert short.register == "news" and short.weights is not None
    assert 4 <= len(short.compress(TEXT).words) <= 9
    assert compressor.fit([Pair.aligned("1", source, [source.words])]).register == "general"
    short.save(tmp_path)
    loaded = open_system(tmp_path)
    assert isinstance(loaded, Compressor)
    assert loaded.weights == short.weights
    assert loaded.compress(TEXT).text == short.compress(TEXT).text
    with pytest.raises(LaconicError, match="no sentence to learn"):
        compressor.fit([])


def test_training_chooses_whose_compressions_are_imitated_under_limits(compressor: Compressor) -> None:
    budget = Budget.exactly(9, unit="pieces")
    answers = {name: compressor.with_manner(register=name).compress(TEXT, budget) for name in REGISTERS}
    different = [
        name
        for name in REGISTERS
        if answers[name].text not in {answers[o].text for o in REGISTERS if o != name}
    ]
    assert different
    for name in different:
        fitted = compressor.fit([Pair.aligned("1", tokenise(TEXT), [answers[name].words])])
        assert fitted.register == name
        assert fitted.compress(TEXT, budget).text == answers[name].text


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("weights", {"pith": 1.0}, "`weights.path` must be a number"),
        ("weights", [], "`weights` must be an object"),
        ("style", [0.5], "damaged"),
        ("register", {}, "damaged"),
        ("protect", 3, "damaged"),
    ],
)
def test_damaged_settings_are_refused(tmp_path: Path, name: str, value: object, message: str) -> None:
    Compressor(weights=Weights(path=1.0), threads=1).save(tmp_path)
    craft(tmp_path, settings={name: value})
    with pytest.raises(ModelError, match=message):
        Compressor.load(tmp_path)


def test_answers_have_their_trees_when_asked_for(compressor: Compressor) -> None:
    answer = compressor.compress("The old mayor resigned on Monday.")
    assert at_hand(answer, "tree") is None and at_hand(answer.sentence, "tree") is None
    assert answer.tree is not None and answer.tree.words == answer.words
    assert answer.heads is not None and len(answer.heads) == len(answer.words)
    again: Any = pickle.loads(pickle.dumps(compressor.compress(answer.sentence)))  # noqa: S301
    assert (again.tree, again.heads) == (answer.tree, answer.heads)
