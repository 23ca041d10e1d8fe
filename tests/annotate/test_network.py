"""Loading the network, and stitching what it says of overlapping windows."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate import network as module
from laconic.annotate.network import Network, Scores, _stitched, register_weights, windows
from laconic.errors import ModelError
from laconic.text.tokenise import tokenise
from tests.annotate.conftest import SHIPPED


def firsts(sizes: list[int]) -> tuple[np.ndarray, int]:
    """Where the words of so many pieces begin, behind [CLS], and where the last ends."""
    ends = np.cumsum([1, *sizes])
    return ends[:-1], int(ends[-1])


@given(st.lists(st.integers(1, 12), min_size=1, max_size=300), st.integers(100, 250))
def test_windows_cover_overlap_and_fit(sizes: list[int], size: int) -> None:
    found = windows(*firsts(sizes), size)
    assert (found[0][0], found[-1][1]) == (0, len(sizes))
    assert all(sum(sizes[start:end]) <= size and start < end for start, end in found)
    for (start, end), (after, further) in pairwise(found):
        assert start < after <= end < further
        # At most a third is read twice, and where a window holds several words some of it is.
        assert end - after <= max(1, (end - start) // 3)
        assert after < end or end - start == 1


def global_scores(count: int, generator: np.random.Generator) -> Scores:
    def floats(*shape: int) -> np.ndarray:
        return generator.normal(size=shape).astype(np.float32)

    places = count + 1
    return Scores(
        tags=generator.integers(0, 50, count),
        gains=floats(places, places),
        labels=generator.integers(1, 40, (places, places)),
        arcs=floats(places, places),
        relations=generator.integers(0, 40, (places, places)),
        keep=floats(count),
        follow=floats(count + 2, count + 2),
        kept_arcs=floats(places, places),
    )


def part_of(scores: Scores, start: int, end: int, count: int) -> Scores:
    """What a network that scores every pair alike, whatever the window, says of the words start … end - 1."""
    fences = np.arange(start, end + 1)
    rooted = np.array([0, *range(start + 1, end + 1)])
    places = np.array([*rooted, count + 1])
    return Scores(
        tags=scores.tags[start:end],
        gains=scores.gains[np.ix_(fences, fences)],
        labels=scores.labels[np.ix_(fences, fences)],
        arcs=scores.arcs[np.ix_(rooted, rooted)],
        relations=scores.relations[np.ix_(rooted, rooted)],
        keep=scores.keep[start:end],
        follow=scores.follow[np.ix_(places, places)],
        kept_arcs=scores.kept_arcs[np.ix_(rooted, rooted)],
    )


@settings(max_examples=60)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=40), st.integers(4, 20), st.integers(0, 2**32 - 1))
def test_stitching_keeps_what_a_window_holds(sizes: list[int], size: int, seed: int) -> None:
    count = len(sizes)
    whole = global_scores(count, np.random.default_rng(seed))
    ranges = windows(*firsts(sizes), size)
    found = _stitched(count, [(start, end, part_of(whole, start, end, count)) for start, end in ranges])

    def held(low: int, high: int) -> bool:
        return any(start <= low and high <= end for start, end in ranges)

    assert np.array_equal(found.tags, whole.tags) and np.array_equal(found.keep, whole.keep)
    for low in range(count):
        for high in range(low + 1, count + 1):
            inside = held(low, high)
            assert found.gains[low, high] == (whole.gains[low, high] if inside else -np.inf)
            assert not inside or found.labels[low, high] == whole.labels[low, high]
    for one in range(1, count + 1):
        for name in ("arcs", "kept_arcs", "relations"):
            assert getattr(found, name)[one, 0] == getattr(whole, name)[one, 0], name
        for other in range(1, count + 1):
            inside = held(min(one, other) - 1, max(one, other))
            for name in ("arcs", "kept_arcs", "follow"):
                expected = getattr(whole, name)[one, other] if inside else -np.inf
                assert getattr(found, name)[one, other] == expected, name
            assert not inside or found.relations[one, other] == whole.relations[one, other]
        first, last = ranges[0][1], ranges[-1][0]
        assert found.follow[0, one] == (whole.follow[0, one] if one <= first else -np.inf)
        assert np.isfinite(found.follow[one, -1]) <= (one > last)
    # There is a way through: some path, some dependency tree.
    assert np.isfinite(found.follow[count, -1])


def test_one_window_changes_nothing(network: Network) -> None:
    words, news = (
        ("The", "council", "plans", "to", "consider", "the", "matter", "."),
        register_weights("news"),
    )
    whole = network.read(words, news)
    part = _stitched(len(words), [(0, len(words), whole)])
    for name in Scores.__slots__:
        mine, theirs = getattr(part, name), getattr(whole, name)
        if name in ("arcs", "kept_arcs", "relations"):  # nothing is a head of the root
            mine, theirs = mine[1:], theirs[1:]
        if name == "follow":  # no way leads to the start, from the end, or past all words
            mine, theirs = mine[1:-1, 1:], theirs[1:-1, 1:]
        assert np.array_equal(mine, theirs), name


def test_windows_agree_where_context_is_ample(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (
        *tokenise("The council plans to consider the matter on Tuesday, and the mayor agrees.").words,
    ) * 4
    news = register_weights("news")
    whole = network.read(words, news)
    monkeypatch.setattr(module, "WINDOW", 40)
    read = network.read(words, news)
    assert np.mean(read.tags == whole.tags) > 0.9
    assert np.isneginf(read.gains[0, len(words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "annotator"))


@pytest.mark.parametrize("name", ["card.json", "inventory.json", "network.onnx"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}: cannot be read .*; reinstall laconic"):
        Network(folder)


@pytest.mark.parametrize("name", ["card.json", "inventory.json", "network.onnx"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_file_is_named(folder: Path, name: str, damage: str) -> None:
    content = bytearray((folder / name).read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[len(content) // 3] ^= 0xFF
    else:
        content.clear()
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{name}: damaged .*; reinstall laconic"):
        Network(folder)


def test_a_card_that_is_no_card_is_named(folder: Path) -> None:
    (folder / "card.json").write_text("[]")
    with pytest.raises(ModelError, match=r"card\.json: damaged \(no JSON object\)"):
        Network(folder)
    (folder / "card.json").write_text("{}")
    with pytest.raises(ModelError, match="its checksum is not the card's"):
        Network(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        Network(tmp_path / "nowhere")


def test_the_card_says_what_a_card_must() -> None:
    card = json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))
    assert {"data", "base weights", "training", "evaluation", "dev scores"} <= set(card)
    assert all({"what", "licence", "sha256"} <= set(entry) for entry in card["data"].values())
    assert {"commands", "seeds", "options of the last run"} <= set(card["training"])
    for name, scores in card["dev scores"].items():
        assert 0 < scores["shipped"] <= 100
        # Rounding to int8 costs less than 0.3 points of any score but the noisy exact matches.
        assert "exact" in name or scores["full precision"] - scores["shipped"] < 0.3, name


def test_the_package_stays_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 24 * 2**20
