"""The reader of whole answers says what its formula says, and is asked where a limit leaves a choice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis
from laconic.arrays import Float32
from laconic.budget import Budget
from laconic.decode.contract import Solution
from laconic.errors import LaconicError
from laconic.systems.default import reading as module
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.prices import WITHIN_LIMITS
from laconic.systems.default.reader import Opinion, Reader, Weights
from laconic.systems.default.reading import Reading
from laconic.systems.default.scoring import REGISTERS
from tests.systems.default.readings import analyses

STATES, SIZE, HIDDEN = 5, 3, 4
TORN = 20
"""A word that stands for something grave in the tests."""
LONG = (
    "The council, which met on Friday, approved the new budget after a long debate about the cost of the bridge, "
    "although two of its members had asked for more time to read it."
)


def random_reader(generator: np.random.Generator) -> Reader:
    def floats(*shape: int) -> Float32:
        return generator.normal(size=shape).astype(np.float32)

    return Reader(
        Weights(
            floats(STATES, 5 * SIZE), floats(4, SIZE), floats(SIZE, SIZE), floats(SIZE),
            floats(3 * SIZE + 8, HIDDEN), floats(HIDDEN), floats(HIDDEN), floats(1),
        )
    )  # fmt: skip


def with_states(analysis: Analysis, generator: np.random.Generator) -> Analysis:
    states = generator.normal(size=(len(analysis.sentence) + 2, STATES)).astype(np.float32)
    fields = {name: getattr(analysis.scores, name) for name in type(analysis.scores).__slots__}
    return Analysis(analysis.sentence, type(analysis.scores)(**fields | {"states": states}))


def said(reader: Reader, analysis: Analysis, kept: list[int], score: float, given_keep: float) -> float:
    """The formula, word by word, in full precision."""
    weights = reader.weights
    scores, heads = analysis.scores, analysis.sentence.heads
    assert scores.states is not None and heads is not None
    count = len(heads)
    word, before, behind, head, stays = np.split(scores.states.astype(np.float64) @ weights.sides, 5, axis=1)
    path = [0, *(one + 1 for one in kept), count + 1]
    steps = [float(scores.follow[left, right]) for left, right in pairwise(path)]
    seen = []
    for one in range(count):
        above = heads[one]
        fate = 2 * (one in kept) + (above < 0 or above in kept)
        total = word[one + 1] + weights.stays[fate] + head[above + 1]
        if one in kept:
            place = path.index(one + 1)
            total = total + stays[one + 1] + before[path[place - 1]] + behind[path[place + 1]]
        seen.append(np.maximum(0, np.maximum(0, total) @ weights.inner + weights.inner_bias))
    gone = [one for one in range(count) if one not in kept]
    pools = [sum((seen[one] for one in some), np.zeros(SIZE)) / 8 for some in (kept, gone)]
    odds = scores.keep.astype(np.float64)
    traits = [
        (score - sum(steps) - given_keep * odds[kept].sum()) / 10,
        len(kept) / count,
        sum(steps) / len(kept) / 2,
        max((odds[one] for one in gone), default=0.0) / 5,
        sum(max(0.0, odds[one]) for one in gone) / 10,
        len(kept) / 20,
        count / 20,
        min(steps) / 10,
    ]
    inputs = np.concatenate([*pools, np.max(seen, axis=0), traits])
    return float(
        np.maximum(0, inputs @ weights.outer + weights.outer_bias) @ weights.last + weights.last_bias[0]
    )


@given(analyses(), st.integers(0, 2**32 - 1), st.data())
def test_the_reader_says_what_its_formula_says(analysis: Analysis, seed: int, data: st.DataObject) -> None:
    generator = np.random.default_rng(seed)
    reader, analysis = random_reader(generator), with_states(analysis, generator)
    count = len(analysis.sentence)
    kept = sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1)))
    score = float(generator.normal())
    heads = analysis.sentence.heads
    assert heads is not None
    found = Opinion(reader, analysis.scores, heads, 0.75).log_odds(kept, score)
    assert found == pytest.approx(said(reader, analysis, kept, score, 0.75), rel=1e-4, abs=1e-3)


def test_a_reader_comes_back_as_it_was(tmp_path: Path) -> None:
    reader = random_reader(np.random.default_rng(1))
    reader.save(tmp_path)
    for mine, theirs in zip(Reader.load(tmp_path).weights, reader.weights, strict=True):
        assert mine.tobytes() == theirs.tobytes()


def reading_that_likes(
    liked: dict[int, float], monkeypatch: pytest.MonkeyPatch, analysis: Analysis
) -> Reading:
    """A reading whose reader likes solutions by the number of words they keep."""
    monkeypatch.setattr(Reading, "_opinion", object())
    monkeypatch.setattr(Reading, "_said", lambda _, solution: liked[len(solution.kept)])
    monkeypatch.setattr(Reading, "_grave", lambda _, kept: frozenset({TORN}.intersection(kept)))
    return Reading(analysis, REGISTERS["general"], WITHIN_LIMITS, for_readers=True)


def analysed(compressor: Compressor, text: str) -> Analysis:
    from laconic.text.tokenise import tokenise

    [found] = compressor._annotator.analyse([tokenise(text)], register="general")
    return found


@pytest.fixture
def analysis(compressor: Compressor) -> Analysis:
    return analysed(compressor, LONG)


def ending(words: int, last: int) -> Solution:
    return Solution(0.0, (*range(words - 1), last))


def test_what_is_liked_better_is_chosen(monkeypatch: pytest.MonkeyPatch, analysis: Analysis) -> None:
    last = len(analysis.sentence) - 1
    reading = reading_that_likes({3: -1.0, 4: -0.9, 5: 0.5, 6: 0.6}, monkeypatch, analysis)
    first, others = ending(3, last), [ending(words, last) for words in (4, 5, 6)]
    assert reading.preferred(first, iter(others)) is others[2]
    # A little better is not enough.
    assert reading.preferred(first, iter(others[:1])) is first


def test_nothing_is_looked_at_where_the_first_is_surely_liked(
    monkeypatch: pytest.MonkeyPatch, analysis: Analysis
) -> None:
    def none() -> Iterator[Solution]:
        raise AssertionError("looked at")
        yield

    reading = reading_that_likes({3: module.SURE}, monkeypatch, analysis)
    first = ending(3, len(analysis.sentence) - 1)
    assert reading.preferred(first, none()) is first


def test_a_full_stop_is_not_given_up(monkeypatch: pytest.MonkeyPatch, analysis: Analysis) -> None:
    last = len(analysis.sentence) - 1
    reading = reading_that_likes({3: -1.0, 4: 9.0, 5: 8.0}, monkeypatch, analysis)
    with_stop = ending(5, last)
    assert reading.preferred(ending(3, last), iter([ending(4, last - 1), with_stop])) is with_stop


def test_a_full_stop_within_quotes_is_not_given_up(
    monkeypatch: pytest.MonkeyPatch, compressor: Compressor
) -> None:
    analysis = analysed(compressor, f'"{LONG}"')
    last = len(analysis.sentence) - 1
    assert analysis.sentence.words[-2:] == (".", '"')
    reading = reading_that_likes({4: -1.0, 5: 9.0, 6: 8.0}, monkeypatch, analysis)
    first, with_both = Solution(0.0, (0, 1, last - 1, last)), Solution(0.0, (0, 1, 2, 3, last - 1, last))
    without_stop = Solution(0.0, (0, 1, 2, 3, last))
    assert reading.preferred(first, iter([without_stop, with_both])) is with_both


def test_an_answer_that_tears_less_is_not_given_up(
    monkeypatch: pytest.MonkeyPatch, analysis: Analysis
) -> None:
    last = len(analysis.sentence) - 1
    reading = reading_that_likes({3: -1.0, 4: 9.0, 5: 8.0}, monkeypatch, analysis)
    first, torn, sound = ending(3, last), Solution(0.0, (0, 1, TORN, last)), ending(5, last)
    assert reading.preferred(first, iter([torn, sound])) is sound
    # Where the first tears the same, it is no reason.
    assert reading.preferred(Solution(0.0, (0, TORN, last)), iter([torn, sound])) is torn


@pytest.mark.parametrize("budget", [Budget.at_most(9), Budget.at_most(60, unit="characters")])
def test_an_answer_within_an_upper_limit_is_read_whole(
    compressor: Compressor, budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def dislike(_: Opinion, kept: Sequence[int], score: float) -> float:
        asked.append((kept, score))
        return -math.inf

    monkeypatch.setattr(Opinion, "log_odds", dislike)
    fresh = compressor.with_manner()
    fresh.compress(LONG, budget)
    assert len(asked) > 1
    asked.clear()
    compressor.with_manner(register="news").compress(LONG, budget)
    fresh.compress(LONG, Budget.exactly(9))
    fresh.compress(LONG)
    assert not asked


def test_the_best_of_several_is_the_answer(compressor: Compressor) -> None:
    for budget in (Budget.at_most(9), Budget.at_most(75, unit="characters")):
        best, *others = compressor.k_best(LONG, 4, budget)
        assert best.text == compressor.compress(LONG, budget).text
        assert best.text not in {other.text for other in others}


def test_a_damaged_reader_is_refused(tmp_path: Path) -> None:
    random_reader(np.random.default_rng(2)).save(tmp_path)
    path = next(tmp_path.glob("inner*.gz"))
    path.write_bytes(path.read_bytes()[:-9] + bytes(9))
    with pytest.raises(LaconicError, match="inner"):
        Reader.load(tmp_path)
