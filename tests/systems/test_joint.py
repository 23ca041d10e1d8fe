"""Two systems together: their scores add up, bounds hold against enumeration, every budget is met."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest

from laconic.budget import Budget
from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.contract import Limit
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.decode.path import PathDecoder
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.sentence import Sentence
from laconic.storage import Content, write_model
from laconic.systems.annotation import annotated
from laconic.systems.dependency import Discriminative
from laconic.systems.joint import Joint, JointDiscriminative, JointLm, joint_of
from laconic.systems.ngram import Ngram
from laconic.systems.registry import open_system
from laconic.systems.transducer.system import TreeTransducer
from laconic.text.tokenise import tokenise

NAMES = ["joint-lm", "joint-discriminative", "joint:markov+ngram"]
TEXT = "The old mayor fell, they said."


def sentence_of(text: str) -> Sentence:
    [sentence] = annotated([tokenise(text)])
    return sentence


@cache
def opened(name: str) -> Joint:
    system = open_system(name)
    assert isinstance(system, Joint)
    return system


def pins(kept: tuple[int, ...], words: int) -> np.ndarray:
    prices = np.full(words, -np.inf)
    prices[list(kept)] = np.inf
    return prices


@pytest.mark.parametrize("name", NAMES)
def test_bounds_and_certificates_hold_against_enumeration(name: str) -> None:
    system, sentence = opened(name), sentence_of(TEXT)
    words = len(sentence)
    first, second = (each.deletion_space(sentence) for each in (system.first, system.second))
    truth: dict[tuple[int, ...], float] = {}
    for size in range(1, words + 1):
        for kept in combinations(range(words), size):
            try:
                own, other = (space.decoder.best(prices=pins(kept, words)) for space in (first, second))
            except InfeasibleBudget:
                continue
            assert own.kept == other.kept == kept
            price = first.word_price + system.weight * second.word_price
            truth[kept] = own.score + system.weight * other.score + price * size
    for length in (None, *range(1, words + 1)):
        allowed = {kept: score for kept, score in truth.items() if length in (None, len(kept))}
        limit = None if length is None else Limit(length, length)
        found = system.agreement(sentence, limit)
        optimum = max(allowed.values())
        assert found.bound >= optimum - 1e-6
        assert found.solution.score == pytest.approx(allowed[found.solution.kept], abs=1e-6)
        if found.certified:
            assert found.solution.score == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_every_budget_is_met(name: str) -> None:
    system, sentence = opened(name), sentence_of(TEXT)
    for words in range(1, len(sentence) + 1):
        assert len(system.compress(sentence, Budget.exactly(words, unit="pieces")).standing) == words
    for characters in (12, 20, 26):
        found = system.compress(sentence, Budget.at_most(characters, unit="characters"))
        assert 0 < len(found.text) <= characters
    assert "they" in system.compress(sentence, keep=[5]).text.lower()
    assert [len(each.standing) for each in system.frontier(sentence)] == list(range(1, len(sentence) + 1))


def test_the_transducer_and_its_language_model_are_its_own_objective() -> None:
    """Joint decoding of the two halves never finds less than the beam's best deletion."""
    system = opened("joint-lm")
    sentence = sentence_of("The council, which met on Tuesday, lowered the fees by a third.")
    whole = system.first
    assert isinstance(whole, TreeTransducer)
    beam = whole.decoder(sentence).best(prices=np.full(len(sentence), whole.word_price))
    found = system.agreement(sentence)
    assert beam.derivation is not None
    if beam.derivation.symbols() == beam.kept:
        assert found.bound >= beam.score - 1e-3
        if found.certified:
            assert found.solution.score >= beam.score - 1e-3


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "It rained again in May.",
        "The council, which met on Tuesday, lowered the fees.",
        "Prices rose sharply and the bank closed two offices.",
    ],
)
def test_the_forest_intersected_with_ngrams_is_never_above_the_bound_and_is_what_a_certificate_says(
    text: str,
) -> None:
    """Against an exact joint search: every state of the language model at every node, no beam."""
    system, sentence = opened("joint-lm"), sentence_of(text)
    transducer = system.first
    assert isinstance(transducer, TreeTransducer) and isinstance(system.second, Ngram)
    space = transducer.transduction(sentence).deletions()
    exact = NgramForestDecoder(
        space.forest,
        system.second.language,
        words=len(sentence),
        symbol_ids=system.second.language.vocabulary.ids(space.symbols),
        weight=system.weight,
        beam=None,
    )
    prices = np.full(len(sentence), transducer.word_price)
    certified = 0
    for length in (None, *range(2, len(sentence), 2)):
        limit = None if length is None else Limit(length, length)
        optimum = exact.best(prices=prices, limit=limit).score
        found = system.agreement(sentence, limit)
        assert found.solution.score <= optimum + 1e-4 <= found.bound + 2e-4
        if found.certified:
            certified += 1
            assert found.solution.score == pytest.approx(optimum, abs=1e-4)
    assert certified


def test_a_budget_that_the_two_cannot_meet_together_is_refused() -> None:
    """The first can only keep 2 words or all, the second only 3."""

    @dataclass(frozen=True, eq=False)
    class Sizes(Ngram):
        allowed: tuple[int, ...] = ()

        def decoder(self, sentence: Sentence) -> PathDecoder:
            words = len(sentence)
            bigram = np.full((words + 2, words + 2), -np.inf)
            for size in self.allowed:
                path = (0, *range(1, size + 1), words + 1)
                bigram[path[:-1], path[1:]] = 0.0
            return PathDecoder(bigram)

        def search_space(self, sentence: Sentence) -> SearchSpace:
            return SearchSpace(sentence, self.decoder(sentence), selective=True)

    sentence = sentence_of(TEXT)
    system = Joint(Sizes(allowed=(2, len(sentence))), Sizes(allowed=(3,)))
    with pytest.raises(InfeasibleBudget, match="exactly 3 pieces"):
        system.compress(sentence, Budget.exactly(3, unit="pieces"))
    with pytest.raises(InfeasibleBudget):
        system.compress(sentence)


def test_a_refusal_of_a_long_sentence_claims_no_more_than_was_searched() -> None:
    sentence = sentence_of(" ".join([TEXT] * 13))
    assert len(sentence) > 100
    with pytest.raises(
        InfeasibleBudget,
        match="was found that has exactly 0 words: transducer and ngram agree on none that was found",
    ) as refused:
        open_system("joint-lm").compress(sentence, Budget.exactly(0))
    assert refused.value.possible is not None
    assert open_system("joint-lm").compress(sentence, Budget.exactly(refused.value.possible[1])).text


def test_a_refusal_says_that_there_is_none_where_all_was_looked_at() -> None:
    sentence = "The bank cut its rate in March, and it may do."
    with pytest.raises(
        InfeasibleBudget, match=r"no compression of \S.* has exactly 2 .*: transducer has none;"
    ):
        opened("joint-lm").compress(sentence, Budget.exactly(2, unit="characters"))


def test_what_only_deletes_is_left_of_a_system_that_rewrites() -> None:
    system, sentence = open_system("transducer"), sentence_of(TEXT)
    assert isinstance(system, TreeTransducer)
    for solution in islice(system.deletion_space(sentence).decoder.best_first(), 50):
        assert solution.derivation is not None
        assert solution.derivation.symbols() == solution.kept


def test_a_joint_system_survives_the_disk(tmp_path: Path) -> None:
    system = Joint(open_system("markov"), Ngram(order=2), weight=0.25, rounds=20)  # type: ignore[arg-type]
    system.save(tmp_path / "both")
    loaded = open_system(tmp_path / "both")
    assert isinstance(loaded, Joint) and (loaded.weight, loaded.rounds) == (0.25, 20)
    assert loaded.compress(TEXT).text == system.compress(TEXT).text


def pairs() -> list[Pair]:
    """Adjectives go."""
    sources = ["The old man left .", "The new town grew .", "A tall boy fell .", "The red car stopped ."]
    return [
        Pair.aligned(
            str(number), Sentence.from_words(source.split()), [source.split()[:1] + source.split()[2:]]
        )
        for number, source in enumerate(sources)
    ]


def test_both_learn_from_pairs_and_the_weight_is_that_of_the_transducer(tmp_path: Path) -> None:
    system = JointLm().fit(pairs())
    assert isinstance(system.first, TreeTransducer)
    assert system.weight == system.first.language_weight() != opened("joint-lm").weight
    system.save(tmp_path / "both")
    assert open_system(tmp_path / "both").compress(TEXT).text == system.compress(TEXT).text


def test_the_discriminative_part_learns_too_and_the_weight_stays(tmp_path: Path) -> None:
    system = JointDiscriminative(weight=0.5).fit(pairs())
    assert isinstance(system.second, Discriminative) and system.weight == 0.5
    system.save(tmp_path / "both")
    loaded = open_system(tmp_path / "both")
    assert isinstance(loaded, JointDiscriminative) and loaded.weight == 0.5
    for words in (2, 4):
        answer = loaded.compress("The old dog slept .", Budget.exactly(words, unit="pieces"))
        assert (
            answer.text == system.compress("The old dog slept .", Budget.exactly(words, unit="pieces")).text
        )


def test_shipped_joint_systems_are_made_of_the_shipped_parts(tmp_path: Path) -> None:
    for name, kind in (("joint-lm", Ngram), ("joint-discriminative", Discriminative)):
        system = opened(name)
        assert isinstance(system.first, TreeTransducer) and isinstance(system.second, kind)
    lm = opened("joint-lm")
    assert isinstance(lm.first, TreeTransducer) and lm.weight == lm.first.language_weight()
    settings = {"weight": 1.0, "rounds": 50, "scale": 1.0, "first": "../elsewhere", "second": "ngram"}
    write_model(tmp_path, "joint-lm", Content(settings))
    with pytest.raises(ModelError, match="`first` must be one of default"):
        open_system(tmp_path)


def test_what_cannot_be_joined_is_refused() -> None:
    with pytest.raises(LaconicError, match="of two systems, A"):
        joint_of("ngram")
    with pytest.raises(LaconicError, match="'truncate' searches nothing"):
        open_system("joint:truncate+ngram")
    with pytest.raises(LaconicError, match="weight of the second system"):
        Joint(Ngram(), Ngram(), weight=0.0)
