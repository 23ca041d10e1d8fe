import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import ModelError
from laconic.ngram.kneser_ney import EstimationOptions, estimate
from laconic.ngram.storage import load, save
from tests.ngram.corpora import sentences


@pytest.fixture
def model():
    generator = np.random.default_rng(3)
    corpus = [[f"w{word}" for word in generator.zipf(1.4, size=9) if word < 300] for _ in range(600)]
    return estimate(corpus, EstimationOptions(order=3))


@given(corpus=sentences, order=st.integers(1, 4), bits=st.sampled_from([8, 32]))
@settings(max_examples=30, deadline=None)
def test_round_trip(corpus, order, bits, tmp_path_factory):
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


def test_the_folding_is_stored(tmp_path):
    save(estimate([["1990"]], EstimationOptions(folding="news")), tmp_path)
    assert load(tmp_path).vocabulary.id("1850") == 3


def test_large_arrays_are_mapped_not_read(model, tmp_path):
    save(model, tmp_path)
    tables = load(tmp_path).tables
    assert all(isinstance(array.base, np.memmap) for array in tables)


def test_one_byte_a_value_is_smaller_and_nearly_as_good(model, tmp_path):
    save(model, tmp_path / "32")
    save(model, tmp_path / "8", bits=8)
    sizes = {
        bits: sum(file.stat().st_size for file in (tmp_path / bits).glob("*.npy")) for bits in ("8", "32")
    }
    assert sizes["8"] < 0.7 * sizes["32"]
    text = [["w1", "w2", "w7"], ["w3", "w1"]]
    exact, rounded = model.perplexity(text).perplexity, load(tmp_path / "8").perplexity(text).perplexity
    assert rounded == pytest.approx(exact, rel=0.02)


def test_saving_over_another_model_leaves_nothing_of_it(model, tmp_path):
    save(model, tmp_path, bits=8)
    save(estimate([["a"]]), tmp_path)
    assert not (tmp_path / "codebooks.npy").exists()
    assert load(tmp_path).vocabulary.words[3:] == ("a",)


def test_a_write_that_was_stopped_leaves_no_model(model, tmp_path, monkeypatch):
    save(model, tmp_path)

    def full_disk(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(np, "save", full_disk)
    with pytest.raises(OSError, match="no space"):
        save(estimate([["a"]]), tmp_path)
    with pytest.raises(ModelError, match=r"holds no model\.json"):
        load(tmp_path)


def rewrite_header(folder, **changes):
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def rewrite_array(folder, name, change):
    path = folder / f"{name}.npy"
    array = np.load(path).copy()
    np.save(path, change(array))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "model.json").write_text("{"), r"model\.json: damaged"),
        (lambda f: (f / "model.json").write_text("[]"), r"model\.json: damaged"),
        (lambda f: rewrite_header(f, format="other"), "not the header"),
        (lambda f: rewrite_header(f, bits=7), "not the header"),
        (lambda f: rewrite_header(f, order=2), "not the header"),
        (lambda f: rewrite_header(f, folding="upper"), "folding"),
        (lambda f: (f / "vocabulary.txt").unlink(), "no such file"),
        (lambda f: (f / "vocabulary.txt").write_text("<unk>\n<s>\n</s>\n"), "3 words in vocabulary"),
        (lambda f: (f / "words.npy").unlink(), r"words\.npy is missing"),
        (lambda f: (f / "words.npy").write_bytes(b"no array"), r"words\.npy: damaged"),
        (
            lambda f: (f / "words.npy").write_bytes((f / "words.npy").read_bytes()[:200]),
            r"words\.npy: damaged",
        ),
        (lambda f: rewrite_array(f, "backoffs", lambda a: a[:-1]), r"backoffs\.npy: holds float32"),
        (lambda f: rewrite_array(f, "probabilities", lambda a: a.astype(np.float64)), "asks for float32"),
        (lambda f: rewrite_array(f, "children", lambda a: a[::-1]), "do not ascend"),
        (lambda f: rewrite_array(f, "children", lambda a: a + 10_000_000), "do not ascend"),
    ],
)
def test_damage_is_named(model, tmp_path, damage, message):
    save(model, tmp_path)
    damage(tmp_path)
    with pytest.raises(ModelError, match=message):
        load(tmp_path)


def test_pickles_are_never_loaded(model, tmp_path):
    save(model, tmp_path)
    np.save(tmp_path / "words.npy", np.array([{"code": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match="damaged"):
        load(tmp_path)


def test_only_8_and_32_bits_exist(model, tmp_path):
    with pytest.raises(ModelError, match="8 or 32"):
        save(model, tmp_path, bits=16)  # type: ignore[arg-type]
