import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.ngram.quantise import quantise


@given(seed=st.integers(0, 10_000), size=st.integers(0, 3000), scale=st.sampled_from([0.1, 3.0]))
@settings(max_examples=40, deadline=None)
def test_no_value_moves_by_more_than_half_a_step(seed, size, scale) -> None:
    values = (-np.random.default_rng(seed).gamma(2.0, scale, size)).astype(np.float32)
    values[: size // 7] = 0.0
    values[size // 7 : size // 5] = -np.inf
    codes, codebook = quantise(values)
    rounded = codebook[codes]
    exact = np.isinf(values) | (values == 0)
    assert np.array_equal(rounded[exact], values[exact])
    if size > 0:
        step = (values[~exact].max() - values[~exact].min()) / 253
        assert np.abs(rounded[~exact] - values[~exact]).max() <= step / 2 * (1 + 1e-4) + 1e-7
    assert codes.dtype == np.uint8
    assert codebook.shape == (256,)


def test_few_values_are_kept_exactly() -> None:
    values = np.random.default_rng(0).choice(np.linspace(-9, -1, 256).astype(np.float32), 5000)
    codes, codebook = quantise(values)
    assert np.array_equal(codebook[codes], values)
