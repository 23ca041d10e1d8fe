import mmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import ModelError
from laconic.ngram.kneser_ney import EstimationOptions, estimate
from laconic.ngram.storage import load, save
from laconic.storage import checked, model_folder, open_model
from tests.ngram.corpora import sentences
from tests.storage.crafting import content_of, craft


@pytest.fixture
def model():
    generator = np.random.default_rng(3)
    corpus = [[f"w{word}" for word in generator.zipf(1.4, size=9) if word < 300] for _ in range(600)]
    return estimate(corpus, EstimationOptions(order=3))


@given(corpus=sentences, order=st.integers(1, 4), bits=st.sampled_from([8, 32]))
@settings(max_examples=30, deadline=None)
def test_round_trip(corpus, order, bits, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("model")
    model = estimate(corpus, EstimationOptions(order=order))
    save(model, folder, bits=bits)
    again = load(folder)
    assert again.vocabulary == model.vocabulary
    assert again.offsets == model.offsets
    for ours, theirs in zip(model.tables, again.tables, strict=True):
        # These models are so small that 256 codes hold all their values.
        assert np.array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
        assert not theirs.flags.writeable


def test_the_folding_is_stored(tmp_path: Path) -> None:
    save(estimate([["1990"]], EstimationOptions(folding="news")), tmp_path)
    assert load(tmp_path).vocabulary.id("1850") == 3


def test_large_arrays_are_mapped_not_read(model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked, "LARGE", 2000)
    monkeypatch.setattr(model_folder, "LARGE", 2000)
    save(model, tmp_path)
    assert "words.npy" in {path.name for path in tmp_path.iterdir()}
    again = load(tmp_path)
    assert isinstance(again.tables.words.base.base.obj, mmap.mmap)
    assert again.score_sentence(["w1", "w2"]) == model.score_sentence(["w1", "w2"])


def test_one_byte_a_value_is_smaller_and_nearly_as_good(model, tmp_path: Path) -> None:
    save(model, tmp_path / "32")
    save(model, tmp_path / "8", bits=8)
    sizes = {
        bits: sum(file.stat().st_size for file in (tmp_path / bits).glob("*.npy.gz")) for bits in ("8", "32")
    }
    assert sizes["8"] < 0.7 * sizes["32"]
    text = [["w1", "w2", "w7"], ["w3", "w1"]]
    exact, rounded = model.perplexity(text).perplexity, load(tmp_path / "8").perplexity(text).perplexity
    assert rounded == pytest.approx(exact, rel=0.02)


def test_saving_over_another_model_leaves_nothing_of_it(model, tmp_path: Path) -> None:
    save(model, tmp_path, bits=8)
    save(estimate([["a"]]), tmp_path)
    assert not list(tmp_path.glob("codebooks*"))
    assert load(tmp_path).vocabulary.words[3:] == ("a",)


def crafted(name, change):
    return lambda content: {"arrays": {name: change(content.arrays[name])}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: {"settings": {"bits": 7}}, "`bits` must be a whole number of at least 8"),
        (lambda _: {"settings": {"bits": True}}, "`bits` must be"),
        (lambda _: {"settings": {"folding": "upper"}}, "`folding` must be one of none, news"),
        (lambda _: {"settings": {"offsets": [0, 3.0]}}, "`offsets` must be ascending"),
        (lambda _: {"settings": {"offsets": [0] * 5000}}, "`offsets` must be ascending"),
        (lambda _: {"lines": {"vocabulary": ["<unk>", "<s>", "</s>"]}}, "start with 0 and 3, the words"),
        (lambda _: {"lines": {"vocabulary": ["<unk>"]}}, "a vocabulary starts with"),
        (crafted("backoffs", lambda a: a[:-1]), r"`backoffs` must be an array of float32\[\d+\]"),
        (crafted("probabilities", lambda a: a.astype(np.float64)), "must be an array of float32"),
        (crafted("probabilities", lambda a: a * np.float32(np.nan)), "`probabilities` must be"),
        (crafted("words", lambda a: a + np.uint16(60_000)), "`words` must be an array of uint16.* at most"),
        (crafted("children", lambda a: a[::-1]), "`children` must be an array that ascends"),
        (crafted("children", lambda a: a + np.int32(10_000_000)), "`children` must be an array that ascends"),
    ],
)
def test_kernels_never_see_what_they_would_not_survive(model, tmp_path: Path, change, message: str) -> None:
    save(model, tmp_path)
    with open_model(tmp_path, "n-gram") as stored:
        content = content_of(stored)
    craft(tmp_path, **change(content))
    with pytest.raises(ModelError, match=message):
        load(tmp_path)


def test_only_8_and_32_bits_exist(model, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="8 or 32"):
        save(model, tmp_path, bits=16)  # type: ignore[arg-type]
