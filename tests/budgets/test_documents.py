"""A text under one budget: the knapsack is that of enumeration, and the budget holds on the joined text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic.budget import Budget, TextCost, Unit
from laconic.budgets.cost_sets import Costs
from laconic.budgets.documents import meet_as_document, value_of_nothing
from laconic.budgets.lengths import Lengths, Outline
from laconic.budgets.parts import DocumentCompression, Part
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.truncate import Truncate
from laconic.text.split import split_sentences
from laconic.text.tokenise import tokenise

TEXT = "The council met on Tuesday. It agreed to lower the fees, again. Nobody was surprised by that."
BYTES = TextCost(lambda text: len(text.encode()) // 2, "pairs of bytes")


class Beginnings(Truncate):
    """A system whose best compression of every length is the beginning, with scores made up from the words."""

    def lengths(
        self,
        sentence: Sentence,
        *,
        ratio: float | None = None,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        free = [word for word in range(len(sentence)) if word not in {*keep, *drop}]
        found = {}
        for count in range(0 if keep else 1, len(free) + 1):
            kept = sorted({*free[:count], *keep})
            score = -sum(len(sentence.words[word]) % 5 for word in range(len(sentence)) if word not in kept)
            found[len(kept)] = Compression.by_deletion(sentence, kept, score=float(score))
        outlines = {words: Outline(each.score or 0.0, each.kept or ()) for words, each in found.items()}
        return Lengths(outlines, found.get)


def value(document: DocumentCompression) -> float:
    """What the knapsack maximises."""
    total = 0.0
    for part, answer in zip(document.parts, document.compressions, strict=True):
        outlines = Beginnings().lengths(part.sentence).outlines
        nothing = value_of_nothing(outlines, len(part.sentence))
        total += nothing if answer is None else answer.score or 0.0
    return total


def parts_of(leads: Sequence[str | None], fixed: str, droppable: bool) -> tuple[Part, ...]:
    """The sentences of the text: in blocks that begin where there is a lead, with something fixed before the last."""
    sentences = split_sentences(TEXT)
    return tuple(
        Part(
            sentence,
            droppable=droppable,
            lead=lead,
            fixed=fixed if number == len(sentences) - 1 and lead is not None else "",
        )
        for number, (sentence, lead) in enumerate(zip(sentences, leads, strict=True))
    )


leads = st.tuples(*(st.sampled_from([None, "\n\n", "\n- "]) for _ in range(3)))


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["pieces", "characters", "words", BYTES]),
    st.integers(1, 100),
    st.booleans(),
    st.booleans(),
    leads,
    st.sampled_from(["", " ", "\n# Next"]),
)
def test_the_choice_is_that_of_enumeration(
    unit: Unit, amount: int, exact: bool, drop_sentences: bool, leads: tuple[str | None, ...], fixed: str
) -> None:
    budget = (Budget.exactly if exact else Budget.at_least)(amount, unit=unit)
    parts = parts_of(leads, fixed, drop_sentences)
    options = [[*Beginnings().frontier(part.sentence), *([None] if drop_sentences else [])] for part in parts]
    whole = DocumentCompression(
        parts, tuple(Compression.by_deletion(part.sentence, range(len(part.sentence))) for part in parts)
    )
    least, most = budget.limits(budget.measure(whole.words, whole.text))
    within = [
        document
        for choice in itertools.product(*options)
        for document in [DocumentCompression(parts, choice)]
        if least <= budget.measure(document.words, document.text) <= most and any(choice)
    ]
    try:
        found = meet_as_document(Beginnings(), parts, budget)
    except InfeasibleBudget:
        assert not within
        return
    assert least <= budget.measure(found.words, found.text) <= most
    if within and unit in ("pieces", "characters"):
        assert value(found) == pytest.approx(max(map(value, within)))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["words", "pieces", "characters", BYTES]), st.integers(3, 60))
def test_an_upper_limit_holds_and_is_used(unit: Unit, amount: int) -> None:
    budget = Budget.at_most(amount, unit=unit)
    try:
        found = laconic.compress(TEXT, budget, system=Beginnings())
    except InfeasibleBudget as error:
        assert error.possible is not None and error.possible[0] > amount
        return
    assert budget.measure(tokenise(found.text).words, found.text) <= amount


def test_sentences_keep_their_order_and_their_gaps() -> None:
    text = "It fell.\n\nIt rose again."
    assert laconic.compress(text, words=99, system=Beginnings()).text == text
    assert laconic.compress(text, words=4, system=Beginnings()).text.startswith("It")
    dropped = laconic.compress(text, words=4, drop="It rose again.", system=Beginnings())
    assert [piece.compression is None for piece in dropped.sentences] == [False, True]
    assert dropped.text == "It fell."
    kept = laconic.compress(text, words=3, keep="again", drop_sentences=True, system=Beginnings())
    assert "again" in kept.text
    with pytest.raises(LaconicError, match="'London', to be kept or dropped, is not in the text"):
        laconic.compress(text, keep=["London"], system=Beginnings())


def test_a_block_that_is_gone_takes_its_mark_with_it() -> None:
    text = "Now:\n\n- It fell. It fell again, they said.\n- It rose.\n"
    found = laconic.compress(
        text, words=4, keep="Now:", drop=["It rose.", "It fell."], drop_sentences=True, system=Beginnings()
    )
    assert found.text == "Now:\n\n- It fell again\n"
    assert found.source == text


def test_the_default_system_shortens_texts() -> None:
    for options in ({"words": 14}, {"characters": 60}, {"ratio": 0.6}, {"tokens": 40, "tokenizer": BYTES}):
        found = laconic.compress(TEXT, **options)
        assert len(found.sentences) == 3
        assert 0 < len(found.text) < len(TEXT)
    assert len(laconic.compress(TEXT, characters="=50").text) == 50
    natural = laconic.compress(TEXT)
    assert natural.text and natural.notes == ()


class Promising(Beginnings):
    """The same, with outlines that promise more than is found, and a count of what is looked for."""

    searched = 0

    def lengths(self, sentence: Sentence, **options: Any) -> Lengths:
        lengths = super().lengths(sentence, **options)
        promised = {words: Outline(100.0 - words % 7, each.kept) for words, each in lengths.outlines.items()}

        def find(words: int) -> Compression | None:
            Promising.searched += 1
            return lengths.find(words)

        return Lengths(promised, find)

    def costs(self, sentence: Sentence, unit: Unit, **pins: Any) -> Costs:
        return Beginnings().costs(sentence, unit, **pins)


@pytest.mark.parametrize("budget", [Budget.at_most(200), Budget.exactly(150), Budget.at_most(ratio=0.4)])
def test_a_long_sentence_is_searched_at_few_of_its_lengths(budget: Budget) -> None:
    long = tokenise(", and ".join(["the old ferry sank again"] * 60) + ".")
    Promising.searched = 0
    found = meet_as_document(Promising(), [Part(long), Part(tokenise("It rained."))], budget)
    assert budget.measure((), found.text) <= budget.limits(361)[1]
    assert Promising.searched < 12


@pytest.mark.parametrize("unit", ["pieces", "words", "characters", BYTES], ids=str)
@pytest.mark.parametrize("most", [10**9, None])
def test_what_no_text_can_cost_takes_no_room(unit: Unit, most: int | None) -> None:
    with pytest.raises(InfeasibleBudget) as refused:
        laconic.compress(TEXT, Budget(10**9, most, unit), system="truncate")
    whole = Budget.at_most(1, unit=unit).measure(tokenise(TEXT).words, TEXT)
    assert refused.value.possible == (whole, whole)


@pytest.mark.parametrize("unit", [BYTES, "words"])
def test_what_is_called_possible_is_answered_and_all_else_refused(unit: Unit) -> None:
    refused: dict[int, tuple[int, int]] = {}
    answered = set()
    for amount in range(14):
        try:
            found = laconic.compress("We go. He came, too.", Budget.exactly(amount, unit=unit))
            answered.add(Budget.exactly(amount, unit=unit).measure((), found.text))
        except InfeasibleBudget as error:
            assert error.possible is not None
            refused[amount] = error.possible
    assert answered and refused and not answered & refused.keys()
    for amount, (below, above) in refused.items():
        nearest = [max((each for each in answered if each < amount), default=None)]
        nearest += [min((each for each in answered if each > amount), default=None)]
        known = [each for each in nearest if each is not None]
        assert (below, above) == (known[0], known[-1])


@pytest.mark.parametrize(
    "text", ["closed No. 9!  Very .b .", "So. It fell - a .b, , .", "Was it (U.S.)?  x . y , z ."]
)
@pytest.mark.parametrize("keep", [".", ","])
def test_marks_that_must_stay_stand_whatever_the_rest_makes_up_for(text: str, keep: str) -> None:
    wanted = sum(sentence.words.count(keep) for sentence in split_sentences(text))
    for amount in range(len(text)) if wanted else ():
        try:
            found = laconic.compress(text, Budget(amount, amount, len), keep=[keep])
        except InfeasibleBudget as error:
            assert error.possible is not None and amount not in error.possible
            continue
        standing = [word for each in found.compressions for word in each.standing]
        assert standing.count(keep) == wanted
        assert sum(map(len, standing)) == amount


@pytest.mark.parametrize("unit", [BYTES, "characters", "words"])
def test_protected_words_stay_however_short_the_text_must_be(unit: Unit) -> None:
    text = "He did not go to the old mill, she said. The boat to the north was never late in summer."
    answered = 0
    for amount in range(1, 30):
        try:
            found = laconic.compress(text, Budget.exactly(amount, unit=unit), protect=["negations"])
        except InfeasibleBudget:
            continue
        answered += 1
        assert "not" in found.text.lower() and "never" in found.text.lower()
    assert answered


def test_nothing_is_no_answer_where_a_mark_that_must_stay_cannot() -> None:
    text = "It fell. Ha .b was counted"  # without its first word, the second sentence would begin with a stop
    for amount in (0, 2, 40):
        with pytest.raises(InfeasibleBudget) as refused:
            laconic.compress(text, Budget.at_most(amount, unit=len), keep=[".", "counted"], drop=["Ha"])
        assert refused.value.possible is None


@pytest.mark.parametrize("text", ["Jan. 2031## ", "FOUND 20 ", "Dr. Osei found 20. It closed in Jan. 2031."])
def test_protected_words_stand_in_texts_that_are_measured_whole(text: str) -> None:
    bytes_ = laconic.TextCost(lambda text: len(text.encode()), "bytes")
    wanted = re.findall(r"\d+", text)
    for amount in range(len(text) + 1):
        try:
            found = laconic.compress(text, Budget.exactly(amount, unit=bytes_), protect=["numbers"])
        except InfeasibleBudget as error:
            assert error.possible is not None and amount not in error.possible
        else:
            assert re.findall(r"\d+", found.text) == wanted
            assert len(found.text) == amount


def test_a_text_with_a_mark_that_cannot_stay_is_refused_whatever_its_length() -> None:
    text = "It fell. She left (on Monday) again."
    for unit in ("pieces", "characters", len):
        with pytest.raises(InfeasibleBudget, match="of whatever length") as refused:
            laconic.compress(text, Budget.at_least(0, unit=unit), keep=["left ("], drop=[")"])
        assert refused.value.possible is None


def test_words_of_two_sentences_never_become_one() -> None:
    # A control character may end a sentence and is no white space: "tea" and "now" would be one word.
    sentences = [Sentence(("tea",), spaces=("\x00",)), Sentence(("now",), spaces=("",))]
    parts = tuple(map(Part, sentences))
    answers = tuple(Compression.by_deletion(sentence, (0,)) for sentence in sentences)
    assert DocumentCompression(parts, answers).text.split() == ["tea\x00", "now"]


def compressed(text: str, unit: str, amount: int | str, **options: Any) -> str:
    """The text at an amount of a unit by its name."""
    limit: dict[str, Any] = {unit: amount}
    return laconic.compress(text, **limit, **options).text


@pytest.mark.parametrize(
    "text", ["The old roof fell. The licence moved.", "- It fell.\n- It rose.\n", "It fell.\n\n", "It fell."]
)
@pytest.mark.parametrize("unit", ["words", "characters", "bytes", "septets"])
def test_what_meets_an_upper_limit_meets_every_higher_one(text: str, unit: str) -> None:
    nothing = text[len(text.rstrip()) :]
    answered: list[str] = []
    for most in range(8):
        try:
            found = compressed(text, unit, most, drop_sentences=True)
        except InfeasibleBudget as error:
            assert not answered and error.possible is not None
            assert error.possible[0] > len(nothing) > most
        else:
            answered.append(found)
    assert answered[0] == nothing
    assert answered[-1] != nothing
    with pytest.raises(InfeasibleBudget):
        compressed(text, unit, 0)


_CHARACTERS = ("characters", "bytes", "graphemes", "septets")  # of a text of ASCII all the same


def test_what_adds_up_is_answered_alike_whatever_it_is_called() -> None:
    text = "The council met on Tuesday. It agreed, after a long debate, to lower the fees.\n\nNobody knew. He left.\n"
    for amount in (19, 40, 63, len(text) - 1):
        found = {compressed(text, unit, f"={amount}") for unit in _CHARACTERS}
        assert len(found) == 1 and len(found.pop()) == amount


@pytest.mark.parametrize(
    "spelt", ["The café’s naïve chef fell, he said. It rained.", "The große Straße fell. It rose."]
)
def test_bytes_that_are_no_characters_are_counted_exactly(spelt: str) -> None:
    answered = refused = 0
    for amount in range(len(spelt.encode())):
        try:
            found = laconic.compress(spelt, bytes=f"={amount}")
        except InfeasibleBudget as error:
            refused += 1
            assert error.possible is not None and amount not in error.possible
        else:
            answered += 1
            assert len(found.text.encode()) == amount
    assert answered > 20 and refused


@pytest.mark.parametrize(
    "text", ["The old mayor did not resign on Monday.", "The mayor did not resign. It rained."]
)
def test_dear_units_are_counted_as_coarsely_as_can_be(text: str) -> None:
    def dear(word: str) -> int:
        return 30_000_000 * len(word)

    for letters in (10, 20):
        found = laconic.compress(text, Budget.exactly(30_000_000 * letters, unit=dear))
        assert found.text == laconic.compress(text, Budget.exactly(letters, unit=len)).text
    with pytest.raises(
        InfeasibleBudget, match="has exactly 300000001 cost; possible: 300000000 or 330000000"
    ):
        laconic.compress(text, Budget.exactly(300_000_001, unit=dear))


@pytest.mark.parametrize(
    "text", ["The old mayor did not resign on Monday.", "The mayor did not resign. It rained."]
)
@pytest.mark.parametrize("unit", [lambda word: 10**8 + len(word), TextCost(lambda text: 10**7 * len(text))])
def test_units_that_are_too_dear_are_refused(text: str, unit: Unit) -> None:
    with pytest.raises(LaconicError, match="use a coarser unit of cost"):
        laconic.compress(text, Budget.at_most(2 * 10**8, unit=unit))


class Refusing(Beginnings):
    """A system that cuts no sentence to what does not add up, and counts how many words it was asked to cut."""

    words = 0

    def compress(self, sentence: Any, budget: Budget | None = None, **pins: Any) -> Compression:
        if budget is not None:
            Refusing.words += len(sentence)
            raise InfeasibleBudget("no")
        return super().compress(sentence, budget, **pins)


def test_few_texts_are_measured_in_vain() -> None:
    sentences = split_sentences("The old ferry sank in the narrow river again on Monday, he said. " * 40)
    Refusing.words = 0
    odd = TextCost(lambda text: 2 * len(text), "twice the characters")
    with pytest.raises(InfeasibleBudget):
        meet_as_document(
            Refusing(), [Part(sentence) for sentence in sentences], Budget.exactly(1001, unit=odd)
        )
    assert 0 < Refusing.words < 200


class Unlisted(Beginnings):
    """The same, without saying that there is nothing else."""

    def costs(self, sentence: Sentence, unit: Unit, **pins: Any) -> Costs:
        return Beginnings().costs(sentence, unit, **pins)._replace(are_all=False)


@pytest.mark.parametrize(
    ("system", "words", "unit", "said"),
    [
        (Beginnings(), 9, "pieces", " has exactly 1 piece"),
        (Unlisted(), 9, "pieces", " was found that has exactly 1 piece"),
        (Beginnings(), 2, TextCost(lambda text: 3 * len(text)), " has exactly 1 token"),
        (Unlisted(), 2, TextCost(lambda text: 3 * len(text)), " was found that has exactly 1 token"),
        # Of so many texts not all are measured.
        (Beginnings(), 9, TextCost(lambda text: 3 * len(text)), " was found that has exactly 1 token"),
    ],
)
def test_only_who_knows_all_there_is_says_that_there_is_none(
    system: Beginnings, words: int, unit: Unit, said: str
) -> None:
    parts = [Part(tokenise(" ".join(["ferries"] * words))) for _ in range(2)]
    with pytest.raises(InfeasibleBudget, match=f"^no compression of the text's 2 sentences{said};"):
        meet_as_document(system, parts, Budget.exactly(1, unit=unit))
