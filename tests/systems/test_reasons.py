"""Reasons are true: what a word costs the other way is what enumerating all selections says."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from laconic.budget import Budget
from laconic.budgets import Request
from laconic.errors import LaconicError
from laconic.systems.decoding import DecodingSystem
from laconic.systems.default.compressor import Compressor
from laconic.systems.registry import open_system
from laconic.text.detokenise import standing
from laconic.text.tokenise import tokenise

SENTENCES = ["On Monday the old mayor did not resign.", "Tom, who sang, left early."]
LONG = "The council, which met on Tuesday, agreed to lower the fees."


@pytest.fixture(scope="module")
def compressor() -> Compressor:
    return Compressor(threads=1)


def enumerated(
    system: DecodingSystem, text: str, budget: Budget, pins: dict[str, Any]
) -> dict[tuple[int, ...], float]:
    """The score of every selection of words that meets a request and all stand, each with all words pinned."""
    sentence = tokenise(text)
    meeting = system.meeting(Request.of(sentence, budget, **pins))
    request = meeting.request
    found = {}
    for size in range(1, len(sentence) + 1):
        for kept in combinations(range(len(sentence)), size):
            if standing(sentence, kept) == kept and request.keep <= set(kept) <= set(meeting.allowed):
                solution = meeting.space.only(kept)
                if solution is not None and meeting.accepts(solution, request.least, request.most):
                    found[kept] = solution.score
    return found


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("default", Budget.exactly(4)),
        ("default", Budget.between(12, 24, unit="characters")),
        ("discriminative", Budget.exactly(5, unit="pieces")),
        ("markov", Budget.exactly(4)),
    ],
)
def test_the_cost_of_a_word_is_what_enumeration_says(
    compressor: Compressor, name: str, budget: Budget, text: str
) -> None:
    system = compressor if name == "default" else open_system(name)
    assert isinstance(system, DecodingSystem)
    pins = {"keep": ["left" if "left" in text else "mayor"], "drop": ()}
    scores = enumerated(system, text, budget, pins)
    explanation = system.explain(text, budget, **pins)
    assert explanation.compression.score == pytest.approx(max(scores.values()), abs=1e-6)
    for reason in explanation.reasons:
        if reason.why == "pinned":
            assert reason.kept and reason.word in pins["keep"]
            assert explanation.rival(reason.place) is None
            continue
        others = [score for kept, score in scores.items() if (reason.place in kept) != reason.kept]
        rival = explanation.rival(reason.place)
        if others:
            assert rival is not None and rival.cost == pytest.approx(
                max(scores.values()) - max(others), abs=1e-6
            )
            assert rival.cost >= -1e-6
        else:
            assert rival is None


def test_reasons_are_those_of_the_very_request(compressor: Compressor) -> None:
    budgets = [None, Budget.exactly(4), Budget.at_most(8)]
    for budget in budgets:
        explanation = compressor.explain(LONG, budget)
        answer = compressor.compress(LONG, budget)
        assert explanation.compression == answer
        assert [reason.place for reason in explanation.reasons if reason.kept] == list(answer.kept or ())
    costs = [compressor.explain(LONG, budget).rival(1).cost for budget in budgets]
    assert len(set(costs)) == 3


def test_ties_are_those_that_a_word_alone_would_tear(compressor: Compressor) -> None:
    explanation = compressor.explain(LONG, Budget.at_most(8))
    assert explanation.compression.text == "The council agreed to lower the fees."
    council, which = explanation.reasons[1], explanation.reasons[3]
    assert council.ties[0].torn == "a verb stands without its subject: 'agreed' without 'council'"
    assert which.ties[0].torn == "a subject stands without its verb: 'which' without 'met'"
    assert [tie.price for tie in council.ties] == sorted((tie.price for tie in council.ties), reverse=True)
    assert which.described(explanation.compression.sentence).startswith(
        "deleted with ', which met on Tuesday', acl:relcl of 'council'; with it alone, a subject stands without"
    )


def test_rivals_are_searched_when_they_are_asked_for_and_once() -> None:
    asked = []

    class Watched(Compressor):
        def compress(self, *arguments, **options):
            asked.append(options)
            return super().compress(*arguments, **options)

    explanation = Watched(threads=1).explain(LONG, Budget.at_most(8))
    assert len(asked) == 1
    assert explanation.rival(1) is explanation.rival(1)
    assert len(asked) == 2 and asked[1]["drop"] == {1}
    explanation.lines(most=3)
    assert len(asked) == 4
    assert "rival" not in explanation.to_dict(most=3)["words"][3]
    assert len(asked) == 4


def test_what_decides_without_a_search_is_said(compressor: Compressor) -> None:
    whole = compressor.explain("It fell.", Budget.at_most(9))
    assert {reason.why for reason in whole.reasons} == {"fits"} and whole.rival(0) is None
    dropped = compressor.explain("It fell again.", Budget.at_most(9), drop=["again"])
    assert [reason.why for reason in dropped.reasons] == ["fits", "fits", "pinned", "fits"]
    named = compressor.with_manner(protect=["names"]).explain(
        "On Monday Ana Reis resigned again.", Budget.at_most(4)
    )
    assert [reason.word for reason in named.reasons if reason.why == "protected"] == ["Monday", "Ana", "Reis"]
    gone = compressor.explain("It fell.", drop=[0, 1, 2])
    assert gone.reasons[0].under is None and gone.reasons[0].phrase == (0, 1, 2)


def test_systems_without_scores_have_rivals_only() -> None:
    explanation = open_system("truncate").explain("It fell again on Monday.", Budget.at_most(3))
    rival = explanation.rival(0)
    assert rival is not None and (rival.text, rival.cost, explanation.reasons[0].ties) == (
        "Fell again on",
        None,
        (),
    )


def test_rewriting_is_not_explained() -> None:
    from laconic.compression import Compression
    from laconic.systems.truncate import Truncate

    class Rewriter(Truncate):
        def compress(self, sentence, budget=None, *, keep=(), drop=()):
            return Compression(tokenise("It fell."), None, ("Sank",), "Sank")

    with pytest.raises(LaconicError, match="only deletions can be explained"):
        Rewriter().explain("It fell.")
