"""What holds for every system and every unit: each length is met, or no text has it, shown by enumeration."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from itertools import combinations, islice

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import laconic
from laconic.budget import Budget, TextCost, Unit
from laconic.compression import Compression
from laconic.decode.contract import Limit
from laconic.decode.decoder import ShapeDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.decoding import DecodingSystem
from laconic.systems.registry import SYSTEMS, open_system
from laconic.systems.system import System
from laconic.text.detokenise import detokenise
from laconic.text.tokenise import tokenise

TEXTS = [
    "The mayor (a Whig) fell.",
    "Rain fell, and we left.",
    "“Go,” she told 20 men.",
    "It isn't so – yet.",
]
QUOTED = "He called it “a sad day”."
TOKENS = TextCost(lambda text: len(text.encode()) // 3 + text.count("e"), "tokens")


def letters(word: str) -> int:
    """A cost for each word that can be 0."""
    return sum(map(str.isalpha, word))


UNITS: dict[str, Unit] = {
    "words": "words",
    "characters": "characters",
    "letters": letters,
    "pieces": "pieces",
    "tokens": TOKENS,
}
DELETING = [
    *("default", "dependency", "discriminative", "markov", "noisy-channel", "ngram"),
    *("bayesian", "em", "variational"),
]
JOINT = ["joint-lm", "joint-discriminative"]
SELECTIVE = [*JOINT, "ilp"]  # those that can keep some selections of words only
BASELINES = ["truncate", "everything"]
FORESTS = ["markov", "bayesian", "em", "variational"]
COUNTS_SPACES = ["default", "dependency", "discriminative", "ngram"]

Case = tuple[str, frozenset[int], frozenset[int]]
"""A sentence, the words that must stay and those that must go."""

FIXED: list[Case] = [
    (TEXTS[1], frozenset({2}), frozenset({3})),
    (TEXTS[0], frozenset(), frozenset()),
    (TEXTS[2], frozenset(), frozenset({0})),
    (TEXTS[3], frozenset(), frozenset()),
]


@cache
def sentence_of(text: str) -> Sentence:
    [sentence] = annotated([tokenise(text)])
    return sentence


@st.composite
def cases(draw: st.DrawFn, *, most: int) -> Case:
    """A sentence of at most so many words, of which some may be pinned."""
    words = st.sampled_from(
        ["the", "old", "mayor", "fell", "fell,", "it", "isn't", "in", "May", "and", "(5)", "“No”"]
    )
    text = " ".join(draw(st.lists(words, min_size=3, max_size=most))) + draw(st.sampled_from([".", "", "!"]))
    text = text[0].upper() + text[1:]
    sentence = tokenise(text)
    assume(len(sentence) <= most)
    fates = [draw(st.sampled_from("?????kd")) for _ in sentence.words]
    says = [any(map(str.isalnum, word)) for word in sentence.words]
    assume(any(fate != "d" and speaks for fate, speaks in zip(fates, says, strict=True)))
    keep, drop = (frozenset(place for place, fate in enumerate(fates) if fate == each) for each in "kd")
    return text, keep, drop


@cache
def opened(name: str) -> System:
    return open_system(name)


@cache
def selections(text: str, keep: frozenset[int], drop: frozenset[int]) -> list[tuple[tuple[int, ...], str]]:
    """All selections of words that stand in their text and say something, with the text."""
    sentence = sentence_of(text)
    allowed = [word for word in range(len(sentence)) if word not in drop]
    found = []
    for size in range(1, len(allowed) + 1):
        for kept in combinations(allowed, size):
            written, repairs = detokenise(sentence, kept)
            stands = all(repair.kind == "capitalised" for repair in repairs)
            if keep <= set(kept) and stands and (keep or any(map(str.isalnum, written))):
                found.append((kept, written))
    return found


def cost_of(unit: Unit, sentence: Sentence, kept: tuple[int, ...], text: str) -> int:
    return Budget.at_least(0, unit=unit).measure([sentence.words[word] for word in kept], text)


def nearest(costs: set[int], amount: int) -> tuple[int, int]:
    below, above = ([c for c in costs if c < amount], [c for c in costs if c > amount])
    return (max(below) if below else min(above)), (min(above) if above else max(below))


def recount(unit: Unit, answer: Compression) -> int:
    """The cost of an answer, its words cut anew out of its text."""
    if unit == "pieces":
        return len(tokenise(answer.text))
    return Budget.at_least(0, unit=unit).measure(tokenise(answer.text).words, answer.text)


def standing_cost(unit: Unit, answer: Compression) -> int:
    """The cost of an answer by the words that stand in it."""
    return Budget.at_least(0, unit=unit).measure(answer.standing, answer.text)


def existing(name: str, case: Case) -> list[tuple[tuple[str, ...], str]]:
    """What there is to be answered, by enumeration: the words and the text; of baselines nothing is known."""
    text, keep, drop = case
    sentence, system = sentence_of(text), opened(name)
    if name in BASELINES:
        return []
    if name in DELETING:
        return [
            (tuple(sentence.words[word] for word in kept), written)
            for kept, written in selections(text, keep, drop)
        ]
    assert isinstance(system, DecodingSystem)
    space = system.search_space(sentence)
    if name in SELECTIVE:
        allowed = [word for word in range(len(sentence)) if word not in drop]
        sizes = range(1, len(allowed) + 1)
        every = (set(kept) for size in sizes for kept in combinations(allowed, size))
        found = [space.only(tuple(sorted(kept))) for kept in every if keep <= kept]
    else:
        assert isinstance(space.decoder, ShapeDecoder)
        prices = [
            math.inf if word in keep else -math.inf if word in drop else 0.0 for word in range(len(sentence))
        ]
        found = []
        with suppress(InfeasibleBudget):
            found = [*space.decoder.k_best(5000, prices=prices)]
    texts = [(set(each.kept), space.written(each)) for each in found if each is not None]
    return [
        (each.standing, each.text)
        for kept, each in texts
        if (keep or any(map(str.isalnum, each.text))) and not keep & (kept - set(each.kept or kept))
    ]


def check_every_amount(name: str, unit: Unit, case: Case) -> None:
    """Every amount is met if something has it, and else refused with the nearest two that are met."""
    text, keep, drop = case
    system, sentence = opened(name), sentence_of(text)
    exact = {Budget.at_least(0, unit=unit).measure(*each) for each in existing(name, case)}
    cost = (
        standing_cost if name == "transducer" else recount
    )  # where new words are glued, they may be cut otherwise
    answered: set[int] = set()
    refused: dict[int, tuple[int, int] | None] = {}
    for amount in range(max(exact, default=len(text) + 1) + 2):
        try:
            answer = system.compress(sentence, Budget.exactly(amount, unit=unit), keep=keep, drop=drop)
        except InfeasibleBudget as refusal:
            refused[amount] = refusal.possible
        else:
            answered.add(amount)
            assert cost(unit, answer) == amount
            if answer.kept is not None:
                assert keep <= set(answer.kept) and not drop & set(answer.kept)
            assert all(sentence.words[word].casefold() in answer.text.casefold() for word in keep)
    assert exact <= answered, "what exists is answered"
    if name not in BASELINES and name != "transducer":  # whose language model has a beam: more may be found
        assert answered <= exact
    for amount, possible in refused.items():
        assert possible == (nearest(answered, amount) if answered else None), amount


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_length_is_met_or_truly_refused(name: str, unit: str) -> None:
    @settings(max_examples=2)
    @example(FIXED[0])
    @given(cases(most=6))
    def check(case: Case) -> None:
        check_every_amount(name, UNITS[unit], case)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_length_of_many_sentences_is_met_or_truly_refused(name: str, unit: str) -> None:
    @settings(max_examples=40)
    @given(cases(most=11 if name in SELECTIVE else 8))
    def check(case: Case) -> None:
        check_every_amount(name, UNITS[unit], case)

    for case in FIXED[1:]:
        check_every_amount(name, UNITS[unit], case)
    check()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("joint-lm", "The bank cut its rate in March, and it may do."),
        ("joint-discriminative", "The bank cut its rate in March, and it may do."),
        ("ilp", "The bank cut its rate in March, and it may do so again."),
        ("transducer", "Stocks fell again on Monday in the capital of the country."),
        ("transducer", "The mayor resigned on Monday in May."),
    ],
)
def test_longer_sentences_are_refused_as_truly(name: str, text: str) -> None:
    check_every_amount(name, "characters", (text, frozenset(), frozenset()))


def score(system: DecodingSystem, sentence: Sentence, kept: tuple[int, ...], budget: Budget | None) -> float:
    from laconic.budgets import Request

    space = system.meeting(Request.of(sentence, budget, (), ())).space
    found = space.only(kept)
    assert found is not None
    return space.worth(found)


def by_cost(text: str, unit: Unit) -> dict[int, list[tuple[int, ...]]]:
    """The selections of words that are texts, by what these cost."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for kept, written in selections(text, frozenset(), frozenset()):
        found.setdefault(cost_of(unit, sentence_of(text), kept, written), []).append(kept)
    return found


@pytest.mark.parametrize("unit", ["pieces", "words", "letters", "characters"])
@pytest.mark.parametrize("name", [*COUNTS_SPACES, *FORESTS])
def test_no_text_of_the_same_length_is_better(name: str, unit: str) -> None:
    # Words of the text are promised where no "n't" is parted from its verb, as it then counts for one more. Searches
    # of forests count no spaces: beside quotes they look at a hundred texts, and of most grammars that is too few.
    system = opened(name)
    assert isinstance(system, DecodingSystem)
    is_promised = unit != "characters" or name in (*COUNTS_SPACES, "markov")
    cost = UNITS[unit]
    for text in (TEXTS[1], QUOTED) if is_promised else TEXTS[1:2]:
        sentence = sentence_of(text)
        for amount, rivals in by_cost(text, cost).items():
            budget = Budget.exactly(amount, unit=cost)
            best = max(score(system, sentence, kept, budget) for kept in rivals)
            found = system.compress(sentence, budget)
            assert found.score is not None
            assert found.score >= best - 1e-6  # more, where it keeps a mark in vain that costs nothing


@pytest.mark.parametrize(("text", "best"), [("“We won!” she said.", "Won."), ("(We won) she said.", "Won.")])
def test_a_word_behind_a_mark_counts_as_one(text: str, best: str) -> None:
    assert opened("markov").compress(text, Budget.exactly(1)).text == best


def test_a_search_that_counts_no_spaces_finds_words_that_were_glued_to_a_quote() -> None:
    budget = Budget.exactly(12, unit="characters")
    assert (
        opened("markov").compress(QUOTED, budget).text == "He called a."
    )  # not "He it a day.", of less score


@pytest.mark.parametrize("name", [*DELETING, *JOINT, "ilp", "transducer"])
def test_every_decoder_answers_one_contract(name: str) -> None:
    system, sentence = opened(name), sentence_of(TEXTS[1])
    assert isinstance(system, DecodingSystem)
    decoder, prices = system.decoder(sentence), [0.0] * len(sentence)
    prices[0] = math.inf  # "Rain" stays
    found = list(islice(decoder.best_first(prices=prices), 20))
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(decoder.best(prices=prices).score)
    if name != "transducer":  # which may write other words beside those that it keeps
        assert len({each.kept for each in found}) == len(found) > (name not in JOINT)  # two may meet at once
    outline = decoder.outline(prices=prices).scores
    for words in range(2, len(sentence)):
        with suppress(InfeasibleBudget):
            best = decoder.best(prices=prices, limit=Limit(words, words))
            assert outline[words] >= best.score - 1e-6
    likely = decoder.word_marginals(prices=prices)
    assert likely[0] == pytest.approx(1.0) and (likely >= 0.0).all() and (likely <= 1.0).all()
    assert decoder.counts_gaps == (name in COUNTS_SPACES)


@pytest.mark.parametrize("name", [*DELETING, "truncate"])
def test_no_best_are_too_few_to_ask_for(name: str) -> None:
    with pytest.raises(LaconicError, match="k must be at least 1, not 0"):
        opened(name).k_best(sentence_of(TEXTS[1]), 0)


def check_the_k_best(name: str, text: str, unit: Unit | None) -> None:
    """The six best answers, of all lengths or of one, are the best of all texts."""
    system, sentence = opened(name), sentence_of(text)
    assert isinstance(system, DecodingSystem)
    lengths: dict[Budget | None, list[tuple[int, ...]]] = {}
    if unit is None:
        # With marks that lose their reason, too: a text is worth what the best words are that make it.
        sizes = range(1, len(sentence) + 1)
        lengths[None] = [kept for size in sizes for kept in combinations(range(len(sentence)), size)]
    else:
        # No more is promised than what stands among as many words: a mark that is kept in vain counts as one.
        lengths.update((Budget.exactly(cost, unit=unit), kept) for cost, kept in by_cost(text, unit).items())
    for budget, every in lengths.items():
        worth: dict[str, float] = {}
        for kept in every:
            written, own = detokenise(sentence, kept)[0], score(system, sentence, kept, budget)
            if any(map(str.isalnum, written)):
                worth[written] = max(own, worth.get(written, own))
        answers = system.k_best(sentence, 6, budget)
        assert len({answer.text for answer in answers}) == len(answers)
        best = sorted(worth.values(), reverse=True)[:6]
        assert [worth[answer.text] for answer in answers] == pytest.approx(best, abs=1e-6)


def check_alternatives(name: str, text: str, unit: Unit | None) -> None:
    """Of those that give fewer: each alternative exists and meets the limit, no text twice."""
    system, sentence = opened(name), sentence_of(text)
    exist = existing(name, (text, frozenset(), frozenset()))
    least = (len(text) if unit == "characters" else len(sentence)) // 2
    budget = None if unit is None else Budget.at_least(least, unit=unit)
    answers = system.k_best(sentence, 6, budget) if exist else ()
    texts = [answer.text for answer in answers]
    assert len(set(texts)) == len(texts) and set(texts) <= {written for _, written in exist}
    assert budget is None or all(budget.measure(each.standing, each.text) >= least for each in answers)


FEWER = {
    **dict.fromkeys(JOINT, "what the two met on the way"),
    "ilp": "eight after the best",
    **dict.fromkeys(["transducer", "noisy-channel"], "what a beam holds"),
}
FEWER_IN_CHARACTERS = {
    **FEWER,
    "noisy-channel": "the best of each cost, as it weighs length itself",
    "ngram": "the best of each cost, as it weighs length itself",
    **dict.fromkeys(FORESTS, "the best hundred of about the cost, as forests count no spaces"),
}
"""Whose alternatives are fewer than there are, and which they are; so docs/the-one-idea.md says."""


def check_every_question(name: str, text: str) -> None:
    """The k best are those of enumeration, and the frontier is what every length by itself gives."""
    units: list[Unit | None] = [None, "pieces", "characters"]
    for unit in units:
        if name in (FEWER_IN_CHARACTERS if unit == "characters" else FEWER):
            check_alternatives(name, text, unit)
        elif name not in BASELINES:  # which have one answer
            check_the_k_best(name, text, unit)
    system, sentence = opened(name), sentence_of(text)
    by_length = {len(answer.standing): answer.text for answer in system.frontier(sentence)}
    for words in range(1, len(sentence) + 1):
        budget = Budget.exactly(words, unit="pieces")
        if words in by_length:
            assert system.compress(sentence, budget).text == by_length.pop(words)
        else:
            with pytest.raises(InfeasibleBudget):
                system.compress(sentence, budget)
    assert not by_length


@pytest.mark.parametrize("name", SYSTEMS)
def test_alternatives_and_the_frontier_are_those_of_enumeration(name: str) -> None:
    @settings(max_examples=2)
    @example((TEXTS[1], frozenset(), frozenset()))
    @example((TEXTS[2], frozenset(), frozenset()))
    @given(cases(most=6))
    def check(case: Case) -> None:
        check_every_question(name, case[0])

    check()


@pytest.mark.parametrize("name", [*FORESTS, "noisy-channel"])
def test_without_many_marks_the_alternatives_of_forests_are_those_of_enumeration(name: str) -> None:
    check_the_k_best(name, TEXTS[1], "pieces")
    check_the_k_best(name, TEXTS[1], None if name == "noisy-channel" else "characters")


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_alternatives_and_the_frontier_of_many_sentences_are_those_of_enumeration(name: str) -> None:
    @settings(max_examples=40)
    @given(cases(most=8))
    def check(case: Case) -> None:
        check_every_question(name, case[0])

    check()


@pytest.mark.parametrize("name", ["discriminative", "markov", "truncate"])
def test_texts_and_streams_come_in_and_reasons_go_out(name: str) -> None:
    system = opened(name)
    answers = list(system.compress_all(TEXTS, Budget.at_most(6, unit="pieces")))
    assert [answer.text for answer in answers] == [
        system.compress(text, Budget.at_most(6, unit="pieces")).text for text in TEXTS
    ]
    left = list(system.compress_all(["No.", TEXTS[0]], Budget.exactly(7, unit="pieces"), impossible="leave"))
    assert left[0].text == "No." and left[0].notes
    reasons = system.explain(TEXTS[0], Budget.at_most(6, unit="pieces")).reasons
    assert [reason.word for reason in reasons] == list(answers[0].sentence.words)
    assert [reason.place for reason in reasons if reason.kept] == list(answers[0].kept or ())


@pytest.mark.parametrize("unit", ["pieces", "characters", "letters"])
@pytest.mark.parametrize("name", ["discriminative", "default"])
def test_a_text_has_every_length_that_its_sentences_have_together(name: str, unit: str) -> None:
    sentences, cost = [TEXTS[1], "It isn't so."], UNITS[unit]
    text = " ".join(sentences)
    each = [
        {
            cost_of(cost, sentence_of(part), kept, written)
            for kept, written in selections(part, frozenset(), frozenset())
        }
        for part in sentences
    ]
    gap = 1 if unit == "characters" else 0
    costs = {first + second + gap for first in each[0] for second in each[1]}
    for amount in range(min(costs) - 2, max(costs) + 2):
        try:
            found = laconic.compress(text, Budget.exactly(amount, unit=cost), system=opened(name))
        except InfeasibleBudget as refusal:
            assert amount not in costs
            assert refusal.possible == nearest(costs, amount)
        else:
            words = [word for part in found.compressions for word in tokenise(part.text).words]
            assert Budget.at_least(0, unit=cost).measure(words, found.text) == amount


def test_a_range_without_a_whole_number_is_refused_with_its_neighbours() -> None:
    sentence = sentence_of(TEXTS[1])
    budget = Budget.between(0.5, 0.55, relative=True, unit="pieces")  # 3.5 to 3.85 of 7 words
    for name in DELETING:
        with pytest.raises(InfeasibleBudget) as refusal:
            opened(name).compress(sentence, budget)
        assert refusal.value.possible == (3, 4)


@pytest.mark.parametrize("name", [*DELETING, *JOINT])
def test_pins_do_not_change_the_score_of_what_they_allow(name: str) -> None:
    answer = opened(name).compress(sentence_of(TEXTS[1]))
    pinned = opened(name).compress(sentence_of(TEXTS[1]), keep=answer.kept or ())
    assert pinned.score == pytest.approx(answer.score)


def test_pins_do_not_change_the_scores_of_rewritings() -> None:
    system, sentence = opened("transducer"), sentence_of("The old mayor fell, they said on Monday.")
    answer = system.compress(sentence)
    assert answer.kept is not None
    assert system.compress(sentence, keep=answer.kept).score == pytest.approx(answer.score)


def test_a_pinned_mark_stands_in_the_text_or_is_refused() -> None:
    sentence = sentence_of(TEXTS[1])  # the comma is word 2
    for name in DELETING:
        answer = opened(name).compress(sentence, keep=[2])
        assert "," in answer.text
        with pytest.raises(InfeasibleBudget):  # nothing to stand behind
            opened(name).compress(sentence, keep=[2, 6], drop=[0, 1])
