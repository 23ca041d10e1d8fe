"""Every linguistic constraint has a sentence that needs it; budgets and constraints are met together or refused."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np
import pytest

from laconic.budget import Budget, TextCost
from laconic.corpora.pair import Pair
from laconic.decode.constrained import ConstrainedPath
from laconic.decode.contract import Limit
from laconic.decode.path import PathDecoder
from laconic.decode.programme import Programme
from laconic.errors import InfeasibleBudget, LaconicError, ModelError
from laconic.sentence import Sentence
from laconic.storage import Content, write_model
from laconic.systems.annotation import annotated
from laconic.systems.dependency import Discriminative
from laconic.systems.ilp import KINDS, Ilp, constraints_of
from laconic.systems.ngram import Ngram
from laconic.systems.registry import open_system
from laconic.systems.truncate import Truncate
from laconic.text.tokenise import tokenise
from tests.fuzz.texts import ADJECTIVES, NOUNS, VERBS, long_sentence


def parsed(text: str, tags: str, heads: list[int], relations: str) -> Sentence:
    return Sentence.from_words(text.split()).annotated(
        tags=tags.split(), heads=heads, relations=relations.split()
    )


MAYOR = parsed("the old mayor fell", "DT JJ NN VBD", [2, 2, 3, -1], "det amod nsubj root")
SAW = parsed("dogs saw cats", "NNS VBD NNS", [1, -1, 1], "nsubj root obj")
IN_TOWN = parsed("it fell in town", "PRP VBD IN NN", [1, -1, 3, 1], "nsubj root case obl")
NOT = parsed("he did not fall", "PRP VBD RB VB", [3, 3, 3, -1], "nsubj aux advmod root")
HIS = parsed("his dog fell", "PRP$ NN VBD", [1, 2, -1], "nmod:poss nsubj root")
AND = parsed("cats and dogs fell", "NNS CC NNS VBD", [3, 2, 0, -1], "nsubj cc conj root")
THAT = parsed("he said that dogs fell", "PRP VBD IN NNS VBD", [1, -1, 4, 4, 1], "nsubj root mark nsubj ccomp")

NEEDS = [
    # the kind, the sentence, what the scores want, what the constraint makes of it
    ("modifier", MAYOR, {1: 3.0, 2: -1.0, 3: 1.0}, {1, 2, 3}),
    ("argument", SAW, {0: 2.0, 1: 2.0, 2: -1.0}, {0, 1, 2}),
    ("argument", IN_TOWN, {0: 1.0, 1: 1.0, 2: -1.0, 3: 2.0}, {0, 1, 2, 3}),
    ("negation", NOT, {0: 1.0, 1: 1.0, 2: -1.0, 3: 3.0}, {0, 1, 2, 3}),
    ("possessive", HIS, {0: -1.0, 1: 2.0, 2: 1.0}, {0, 1, 2}),
    ("coordination", AND, {0: 2.0, 1: -1.0, 2: 2.0, 3: 1.0}, {0, 1, 2, 3}),
    ("coordination", AND, {0: 2.0, 1: 1.0, 2: -0.5, 3: 1.0}, {0, 1, 2, 3}),
    ("subordinate clause", THAT, {0: 1.0, 1: 1.0, 2: -1.0, 3: 1.0, 4: 1.0}, {0, 1, 2, 3, 4}),
    ("subordinate clause", THAT, {0: 1.0, 1: 1.0, 2: 1.0, 3: -1.5, 4: -1.5}, {0, 1}),
    ("at least one verb", MAYOR, {0: 1.0, 1: 1.0, 2: 1.0, 3: -1.0}, {0, 1, 2, 3}),
]


def best(sentence: Sentence, worth: dict[int, float], kinds: tuple[str, ...]) -> set[int]:
    """The words that are worth most under constraints of some kinds."""
    row = [0.0, *(worth.get(word, -1.0) for word in range(len(sentence))), 0.0]
    decoder = PathDecoder(np.tile(row, (len(sentence) + 2, 1)))
    constraints = constraints_of(sentence, kinds)
    path = ConstrainedPath(decoder.ngrams(), len(sentence), constraints, likely=lambda prices: prices)
    return set(path.best().kept)


@pytest.mark.parametrize(("kind", "sentence", "worth", "expected"), NEEDS)
def test_every_constraint_has_a_sentence_that_needs_it(kind, sentence, worth, expected) -> None:
    assert best(sentence, worth, ()) != expected
    assert best(sentence, worth, (kind,)) == expected


def test_all_kinds_have_a_sentence() -> None:
    assert {kind for kind, *_ in NEEDS} == set(KINDS)


def test_constraints_and_budgets_are_met_together_or_refused_by_name() -> None:
    system = Ilp(Ngram(order=2, significance=1.0))
    text = "The old mayor of the town said on Monday that he resigned."
    found = system.compress(text, Budget.at_most(8, unit="pieces"))
    assert len(found.standing) <= 8
    assert "mayor" in found.text or "he" in found.text
    with pytest.raises(InfeasibleBudget, match=r"exactly 1 piece.*: the constraint"):
        system.compress(text, Budget.exactly(1, unit="pieces"))
    with pytest.raises(InfeasibleBudget, match=r"rule out every compression; possible: 6") as refusal:
        system.compress("closed", Budget.at_most(3, unit=len))
    assert refusal.value.possible == (6, 6)
    assert len(system.compress(text).standing) >= 5


def test_an_amount_between_two_multiples_of_what_all_words_cost_is_refused() -> None:
    budget = Budget.exactly(4, unit=lambda word: 3 * any(map(str.isalpha, word)))
    with pytest.raises(InfeasibleBudget) as refused:
        open_system("ilp").compress("The dam broke on Monday.", budget)
    assert refused.value.possible is not None and all(each % 3 == 0 for each in refused.value.possible)


def test_without_a_budget_constraints_come_before_the_usual_length() -> None:
    system = Ilp(Ngram(order=2, significance=1.0), ratio=0.9)
    answer = system.compress(AND, drop=["and"])
    assert len(answer.words) == 2  # of the two conjuncts one, and its verb
    with pytest.raises(InfeasibleBudget, match=r"of whatever length, can be had.*the constraint 'modifier'"):
        Ilp(system.objective, ("modifier",)).compress(MAYOR, keep=["old"], drop=["mayor"])


def test_the_discriminative_objective_without_constraints_is_its_own_path() -> None:
    discriminative = open_system("discriminative")
    system = Ilp(discriminative, ())  # type: ignore[arg-type]
    text = "The old mayor of the town said on Monday that he resigned."
    for words in (4, 7, 9):
        one, other = (
            each.compress(text, Budget.exactly(words, unit="pieces")) for each in (system, discriminative)
        )
        assert one.score == pytest.approx(other.score, abs=1e-5)


def test_trigrams_without_constraints_are_those_of_the_path() -> None:
    sentence = Sentence.from_words(["The", "mayor", "said", "on", "Monday", "he", "quit", "."])
    ngram = Ngram(significance=0.5)
    for length in (2, 4, 6):
        one = Ilp(ngram, ()).decoder(sentence).best(limit=Limit(length, length))
        other = ngram.decoder(sentence).best(limit=Limit(length, length))
        assert one.score == pytest.approx(other.score, abs=1e-6)


def test_it_survives_the_disk(tmp_path: Path) -> None:
    system = Ilp(Ngram(order=2, significance=0.5), ("modifier", "negation"), 0.5)
    system.save(tmp_path / "ilp")
    loaded = open_system(tmp_path / "ilp")
    assert isinstance(loaded, Ilp)
    assert (loaded.kinds, loaded.ratio, loaded.objective.order) == (("modifier", "negation"), 0.5, 2)


@pytest.mark.parametrize("objective", [Ngram(order=2, significance=1.0), Discriminative()])
def test_it_learns_from_pairs_and_survives_the_disk(
    objective: Ngram | Discriminative, tmp_path: Path
) -> None:
    sources = [f"The {word} man left today ." for word in ("old", "new", "tall", "red", "poor", "young")]
    pairs = [
        Pair.aligned(str(number), Sentence.from_words(source.split()), [["The", "man", "left", "."]])
        for number, source in enumerate(sources)
    ]
    system = Ilp(objective).fit(pairs)
    assert system.ratio == pytest.approx(4 / 6)
    system.save(tmp_path / "ilp")
    loaded = open_system(tmp_path / "ilp")
    assert isinstance(loaded, Ilp) and type(loaded.objective) is type(objective)
    for budget in (None, Budget.at_most(5, unit="pieces"), Budget.at_most(20, unit="characters")):
        answer = loaded.compress("The old dog slept today .", budget)
        assert answer.text == system.compress("The old dog slept today .", budget).text


@pytest.mark.parametrize("kinds", [None, "modifier", ["taste"], [["modifier"]], 3])
def test_stored_kinds_that_there_are_not_are_refused(kinds: object, tmp_path: Path) -> None:
    write_model(tmp_path, "ilp", Content({"kinds": kinds, "ratio": 0.5}))
    with pytest.raises(ModelError, match="`kinds` must be a list of some of modifier"):
        open_system(tmp_path)


def test_a_stored_objective_that_is_no_path_is_refused(tmp_path: Path) -> None:
    Ilp(Ngram()).save(tmp_path / "ilp")
    Truncate().save(tmp_path / "ilp" / "objective")
    with pytest.raises(LaconicError, match="an objective of 'truncate' is no path"):
        open_system(tmp_path / "ilp")


def test_faults_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LaconicError, match="no constraint 'taste'"):
        constraints_of(MAYOR, ("taste",))
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(LaconicError, match=r"pip install 'laconic\[ilp\]'"):
        Ilp().compress("It fell again.")


def test_programmes_are_few_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = []
    maximised = Programme.maximised

    def counted(programme: Programme, *arguments: object, **options: object) -> object:
        variables.append(len(programme))
        return maximised(programme, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Programme, "maximised", counted)
    sentence = tokenise(long_sentence(Random(3), 25, 25))
    ngrams = len(Ilp().objective.decoder(sentence).ngrams())
    assert ngrams > 3000
    Ilp().compress(sentence, Budget.at_most(len(sentence) // 2, unit="pieces"))
    assert sum(variables) < ngrams
    variables.clear()
    with pytest.raises(
        InfeasibleBudget
    ) as refusal:  # offers what there is, for which every length is looked at
        Ilp().compress(sentence, Budget.exactly(3, unit=TextCost(lambda text: len(text.encode()), "bytes")))
    assert refusal.value.possible is not None
    assert len(variables) < 2 * len(sentence) and sum(variables) < ngrams


@pytest.mark.parametrize("seed", ["101/0", "101/1"])
def test_whyever_the_solver_stops_early_what_it_found_is_taken(seed: str) -> None:
    found = Ilp().compress(
        tokenise(long_sentence(Random(seed), 101, 101)), Budget.at_most(60, unit="characters")
    )
    assert 0 < len(found.text) <= 60


@pytest.mark.parametrize("unit", ["pieces", "characters"])
def test_a_long_sentence_takes_few_programmes_and_is_told_to_be_unproven(
    unit: Literal["pieces", "characters"], monkeypatch: pytest.MonkeyPatch
) -> None:
    solved = []
    maximised = Programme.maximised

    def counted(*arguments: object, **options: object) -> object:
        solved.append(True)
        return maximised(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Programme, "maximised", counted)
    sentence = tokenise(long_sentence(Random(3), 110, 110))
    [parsed] = annotated([sentence])
    budget = Budget.exactly(60 if unit == "pieces" else 301, unit=unit)
    try:
        found = Ilp().compress(sentence, budget)
    except InfeasibleBudget as refused:
        assert refused.possible is not None
        found = Ilp().compress(sentence, Budget.exactly(refused.possible[0], unit=unit))
    assert any("not proven" in note for note in found.notes)
    kept = set(found.kept or ())
    for rule in constraints_of(parsed):
        assert rule.low <= sum(value for word, value in rule.terms if word in kept) <= rule.high
    assert 1 <= len(solved) <= 8


def test_the_solver_writes_nothing_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    words = " ".join([*NOUNS, *ADJECTIVES, *VERBS]).split()
    random = Random("list")
    sentence = tokenise(", ".join(random.choice(words) for _ in range(390)) + ".")
    Ilp().compress(sentence, Budget.at_most(len(sentence.text) // 2, unit="characters"))
    assert capfd.readouterr() == ("", "")
