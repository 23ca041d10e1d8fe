import itertools

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.metrics.significance import confidence_interval, paired_bootstrap, resampled_means, wilcoxon
from tests.oracles import significance as oracle

stats = pytest.importorskip("scipy.stats")

CHANCE = np.random.default_rng(7)
FIRST = CHANCE.uniform(0, 1, 80).tolist()
SECOND = [value + step for value, step in zip(FIRST, CHANCE.normal(-0.005, 0.1, 80), strict=True)]


def test_resampled_means_have_the_moments_of_the_bootstrap() -> None:
    means = resampled_means(FIRST, generator=np.random.default_rng(1), samples=20_000)
    assert means.mean() == pytest.approx(np.mean(FIRST), abs=0.002)
    assert means.std() == pytest.approx(np.std(FIRST) / np.sqrt(len(FIRST)), rel=0.03)


def test_interval_equals_that_of_scipy() -> None:
    ours = confidence_interval(FIRST, generator=np.random.default_rng(1), samples=20_000)
    theirs = stats.bootstrap(
        (FIRST,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_interval_skips_undefined_values() -> None:
    with_gaps = [None, *FIRST, None]
    assert confidence_interval(with_gaps, generator=np.random.default_rng(3)) == confidence_interval(
        FIRST, generator=np.random.default_rng(3)
    )


def test_paired_p_equals_resampling_sentence_by_sentence() -> None:
    ours, (low, high) = paired_bootstrap(FIRST, SECOND, generator=np.random.default_rng(1), samples=20_000)
    assert ours == pytest.approx(oracle.paired_p(FIRST, SECOND, seed=2, samples=20_000), abs=0.01)
    assert 0.01 < ours < 0.5  # a case in which the test could have gone wrong either way
    assert low < np.mean(FIRST) - np.mean(SECOND) < high


def test_equal_systems_do_not_differ() -> None:
    p, interval = paired_bootstrap(FIRST, FIRST, generator=np.random.default_rng(1), samples=100)
    assert (p, interval) == (1.0, (0.0, 0.0))
    assert wilcoxon(FIRST, FIRST) == 1.0


def test_a_constant_gain_is_as_significant_as_can_be() -> None:
    better = [value + 0.5 for value in FIRST]
    p, _ = paired_bootstrap(better, FIRST, generator=np.random.default_rng(1), samples=999)
    assert p == 1 / 1000
    assert wilcoxon(better, FIRST) < 1e-10


def test_p_values_of_equal_systems_are_uniform() -> None:
    generator = np.random.default_rng(11)
    trials = []
    for _ in range(400):
        first, second = generator.normal(size=(2, 60)).tolist()
        trials.append(paired_bootstrap(first, second, generator=generator, samples=200)[0])
    assert np.mean(np.array(trials) < 0.1) == pytest.approx(0.1, abs=0.05)


def test_wilcoxon_by_hand() -> None:
    # Differences 1 2 3 4 5, all positive: W = 15, and 2 of the 32 sign patterns are as extreme.
    assert wilcoxon([1, 2, 3, 4, 5], [0, 0, 0, 0, 0]) == pytest.approx(2 / 32)


@pytest.mark.parametrize("count", [1, 2, 7, 13, 50, 51, 80, 2000])
def test_wilcoxon_equals_that_of_scipy(count: int) -> None:
    generator = np.random.default_rng(count)
    for shift in (0.0, 0.2, 1.0):
        differences = generator.normal(shift, 1.0, count)
        ours = wilcoxon(differences.tolist(), [0.0] * count)
        assert ours == pytest.approx(stats.wilcoxon(differences).pvalue, rel=1e-9)


@pytest.mark.parametrize("count", [5, 9, 13, 200])
def test_wilcoxon_with_ties_and_equal_pairs_equals_that_of_scipy(count: int) -> None:
    generator = np.random.default_rng(count)
    for least in (-3, -2, 0):  # the last has no difference below zero
        differences = generator.integers(least, 5, count)
        ours = wilcoxon(differences.tolist(), [0] * count)
        assert ours == pytest.approx(stats.wilcoxon(differences).pvalue, rel=1e-9)


def test_wilcoxon_with_ties_is_exact_where_scipy_approximates() -> None:
    differences = np.random.default_rng(3).integers(-3, 5, 16)
    signs = np.array(list(itertools.product((0, 1), repeat=16)))
    ranks = stats.rankdata(np.abs(differences[differences != 0]))
    sums = signs[:, : len(ranks)] @ ranks
    observed = ranks[differences[differences != 0] > 0].sum()
    expected = 2 * min(np.mean(sums <= observed), np.mean(sums >= observed))
    assert wilcoxon(differences.tolist(), [0] * 16) == pytest.approx(min(1.0, expected))


def test_the_same_seed_gives_the_same_answer_in_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resampled_means(FIRST, generator=np.random.default_rng(5), samples=50)
    monkeypatch.setattr("laconic.metrics.significance._DRAWS_AT_ONCE", 7 * len(FIRST))
    chunks = resampled_means(FIRST, generator=np.random.default_rng(5), samples=50)
    assert chunks == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda chance: resampled_means([], generator=chance, samples=9), "cannot resample 0 values"),
        (lambda chance: resampled_means([1.0], generator=chance, samples=0), "1 values 0 times"),
        (
            lambda chance: confidence_interval([1.0], generator=chance, confidence=95),
            "between 0 and 1, not 95",
        ),
        (lambda chance: paired_bootstrap([1.0], [], generator=chance), "in pairs, not 1 and 0"),
        (lambda _: wilcoxon([1.0], []), "in pairs, not 1 and 0"),
    ],
)
def test_mistakes_are_named(act, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        act(np.random.default_rng(0))
