"""Loading the network, and stitching what it says of overlapping windows."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate import network as module
from laconic.annotate.graph_file import read_graph, write_graph
from laconic.annotate.network import Network, Scores, _stitched, register_weights, windows
from laconic.errors import ModelError
from laconic.storage import read_card, write_card
from laconic.text.tokenise import tokenise
from tests.annotate.conftest import SHIPPED
from tests.annotate.exact_graph import evaluate, violations
from tests.annotate.onnx_file import Graph, Node
from tests.annotate.onnx_file import read_graph as parse_graph


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
    assert part.states is None, "states of windows do not fit together"
    for name in set(Scores.__slots__) - {"states"}:
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


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("card.json", r"no model here \(card.json is missing\)"),
        ("inventory.json", "inventory.json: no such file; the model is incomplete"),
        ("network.onnx.packed", "network.onnx.packed: no such file; the model is incomplete"),
    ],
)
def test_a_missing_file_is_named(folder: Path, name: str, said: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelError, match=said):
        Network(folder)


def test_whatever_of_the_card_is_changed_it_is_damaged(folder: Path) -> None:
    content = (folder / "card.json").read_bytes()
    for place in range(0, len(content), 101):
        if content[place : place + 1].isalnum():
            changed = b"5" if content[place : place + 1] != b"5" else b"6"
            (folder / "card.json").write_bytes(content[:place] + changed + content[place + 1 :])
            with pytest.raises(ModelError, match=r"card\.json: damaged"):
                Network(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sha256": None}, "lacks what is needed"),
        ({"states": None}, "lacks what is needed"),
        ({"states": 5}, "lacks what is needed"),
        ({"states": "no such tensor"}, "onnxruntime cannot open the graph"),
    ],
)
def test_a_card_that_is_sealed_and_wrong_is_named(folder: Path, changes: dict[str, Any], said: str) -> None:
    card = read_card(folder) | changes
    write_card(folder, {name: value for name, value in card.items() if value is not None})
    with pytest.raises(ModelError, match=f"{folder}: .*{said}"):
        Network(folder)


def test_a_graph_that_the_runtime_refuses_is_named(folder: Path) -> None:
    write_card(folder, read_card(folder) | write_graph(folder, b"no graph" * 100))
    with pytest.raises(ModelError, match=f"{folder}: onnxruntime cannot open the graph"):
        Network(folder)


@pytest.mark.parametrize("name", ["card.json", "inventory.json", "network.onnx.packed"])
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
    with pytest.raises(ModelError, match=rf"{name}: damaged"):
        Network(folder)


def test_a_card_that_is_no_card_is_named(folder: Path) -> None:
    (folder / "card.json").write_text("[]")
    with pytest.raises(ModelError, match=r"card\.json: damaged, it holds no JSON object"):
        Network(folder)
    (folder / "card.json").write_text("{}")
    with pytest.raises(ModelError, match="its content is not what its checksum says"):
        Network(folder)


@pytest.mark.parametrize("holds", [None, True, 0, -5, 1.5, "1", 1 << 20, 1 << 25, 1 << 40])
def test_a_card_that_is_wrong_about_the_graph_is_named(folder: Path, holds: Any) -> None:
    card = read_card(folder)
    write_card(folder, card | {"graph": card["graph"] | {"holds": holds}})
    with pytest.raises(ModelError, match=r"network\.onnx\.packed: damaged"):
        Network(folder)


@pytest.mark.parametrize("size", [1, 2, 99_999, 100_000])
def test_a_graph_is_read_as_it_was_written(tmp_path: Path, size: int) -> None:
    graph = np.random.default_rng(size).normal(0, 20, size).astype(np.int8).tobytes()
    card = write_graph(tmp_path, graph)
    assert card["sha256"] == hashlib.sha256(graph).hexdigest()
    assert read_graph(tmp_path, card) == graph


def test_the_card_knows_the_graph_that_its_file_holds() -> None:
    card = json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))
    assert hashlib.sha256(read_graph(SHIPPED)).hexdigest() == card["sha256"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model here"):
        Network(tmp_path / "nowhere")


def test_the_card_says_what_a_card_must() -> None:
    card = json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))
    assert {"data", "base weights", "training", "computation", "evaluation", "dev scores"} <= set(card)
    assert all({"what", "licence", "sha256"} <= set(entry) for entry in card["data"].values())
    assert {"commands", "seeds", "options of the last run"} <= set(card["training"])
    assert all(0 < scores["shipped"] <= 100 for scores in card["dev scores"].values())


def test_the_package_stays_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 19 * 2**20


# -- one result on every machine -------------------------------------------------------------------

SENTENCES = (
    "Stop!",
    "The council on Tuesday plans to consider the matter.",
    "Police said that the man, who was 34, had been taken to hospital after he fell from a ladder in New York.",
    "«Ünïcödé» — 3,5 % of IT'S “odd” Words, e.g. hyper-parameterisation & c.",
)


SCORES = "ba0ae045997c1c3ec9e77f686ce923280e2b3a0b45a19d513eeee7194b9622cb"
"""The digest of their scores: here, what the network says is the point."""


def encoded(network: Network, words: tuple[str, ...], register: str) -> dict[str, np.ndarray]:
    row = network.pieces.encode(words)
    inputs = {"ids": row.ids, "cases": row.cases, "first": row.first, "last": row.last}
    return inputs | {"domain": register_weights(register)}


@pytest.fixture(scope="module")
def graph() -> Graph:
    return parse_graph(read_graph(SHIPPED))


@pytest.fixture(scope="module")
def terms(network: Network, graph: Graph) -> dict[str, int]:
    """Of how many numbers each sum is made: of a window's worth where that depends on the sentence."""
    inputs = encoded(network, ("Stop", "!"), "news")
    tensors, short = evaluate(graph, inputs), {len(inputs["ids"]), len(inputs["first"])}
    sizes = {
        node.outputs[0]: tensors[node.inputs[0]].shape[-1]
        for node in graph.nodes
        if node.kind in ("MatMul", "ReduceSum")
    }
    return {name: module.WINDOW + 2 if size in short else size for name, size in sizes.items()}


def test_every_operation_has_one_result(graph: Graph, terms: dict[str, int]) -> None:
    assert not list(violations(graph, longest=module.WINDOW + 2, terms=terms))


def test_nothing_longer_than_a_window_is_read(network: Network, graph: Graph) -> None:
    # The bounds of sums hold for a window; the table of positions ends with it.
    inputs = encoded(network, ("a",) * (module.WINDOW + 1), "news")
    with pytest.raises(Exception, match=r"Add|broadcast|dimension"):
        network._session.run(None, inputs)
    assert any(array.shape == (module.WINDOW + 2, 384) for array in graph.constants.values())


def first(graph: Graph, kind: str) -> Node:
    return next(node for node in graph.nodes if node.kind == kind)


def swapped(graph: Graph, old: Node, new: Node) -> Graph:
    return replace(graph, nodes=tuple(new if node is old else node for node in graph.nodes))


def with_kind(kind: str, other: str) -> Callable[[Graph], Graph]:
    return lambda graph: swapped(graph, first(graph, kind), replace(first(graph, kind), kind=other))


def without_limit(graph: Graph) -> Graph:
    limited = [node for node in graph.nodes if node.kind == "Clip"][1]
    return swapped(graph, limited, replace(limited, kind="Abs", inputs=limited.inputs[:1]))


def with_constant(
    change: Callable[[Graph], str], value: Callable[[np.ndarray], np.ndarray]
) -> Callable[[Graph], Graph]:
    def changed(graph: Graph) -> Graph:
        name = change(graph)
        return replace(graph, constants=graph.constants | {name: value(graph.constants[name])})

    return changed


def scale_of_codes(graph: Graph) -> str:
    maker = next(node for node in graph.nodes if first(graph, "QuantizeLinear").inputs[1] in node.outputs)
    return maker.inputs[1]


def weights(graph: Graph) -> str:
    return first(graph, "MatMulIntegerToFloat").inputs[1]


def with_bias(graph: Graph) -> Graph:
    product = first(graph, "MatMulIntegerToFloat")
    return swapped(graph, product, replace(product, inputs=(*product.inputs, "", product.inputs[3])))


@pytest.mark.parametrize(
    ("break_it", "why"),
    [
        (with_kind("QuantizeLinear", "DynamicQuantizeLinear"), "no exact operation"),
        (with_kind("MatMulIntegerToFloat", "MatMulInteger"), "no exact operation"),
        (with_kind("Relu", "Erf"), "no exact operation"),
        (with_kind("Relu", "Softmax"), "no exact operation"),
        (with_kind("Sqrt", "LayerNormalization"), "no exact operation"),
        (with_kind("Cast", "Sqrt"), "roots of float32"),
        (without_limit, "on no grid"),
        (with_bias, "bias added"),
        (with_constant(scale_of_codes, lambda _: np.float32(1 / 255)), "more than 7 bits"),  # type: ignore[arg-type, return-value]
        (with_constant(weights, lambda whole: whole.view(np.uint8)), "int8"),
        (with_constant(lambda graph: first(graph, "Clip").inputs[2], lambda limit: limit * 2), "on no grid"),
    ],
)  # fmt: skip
def test_the_law_can_be_broken(
    graph: Graph, terms: dict[str, int], break_it: Callable[[Graph], Graph], why: str
) -> None:
    found = list(violations(break_it(graph), longest=module.WINDOW + 2, terms=terms))
    assert any(why in one for one in found), found


@pytest.mark.parametrize("text", SENTENCES[:2])
def test_the_runtime_computes_what_the_graph_says(network: Network, graph: Graph, text: str) -> None:
    # Sums in whole numbers, and single operations by NumPy: whatever the processor, every bit is the same.
    words = tokenise(text).words
    tensors = evaluate(graph, encoded(network, words, "spoken"))
    scores = network.read(words, register_weights("spoken"))
    for name in Scores.__slots__:
        inner = network.states if name == "states" else name
        mine, theirs = tensors[inner], getattr(scores, name)
        assert mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes(), name
    codes = [tensors[node.outputs[0]] for node in graph.nodes if node.kind == "QuantizeLinear"]
    assert codes and max(one.max() for one in codes) == 127


def test_scores_are_the_same_on_every_machine(network: Network) -> None:
    total = hashlib.sha256()
    for text, register in zip(SENTENCES, ("news", "spoken", "written", "general"), strict=True):
        scores = network.read(tokenise(text).words, register_weights(register))
        for name in Scores.__slots__:
            total.update(getattr(scores, name).tobytes())
    assert total.hexdigest() == SCORES


def test_gelu_and_softmax_are_close_to_themselves() -> None:
    pytest.importorskip("onnx")
    from training import exact_operations as exact

    x = np.linspace(-12, 12, 20001)
    graph = exact.Graph()
    graph.rename(exact.gelu(graph, "x"), "y")
    found = computed(graph, (x * exact.GELU_UNIT).astype(np.float32)) / exact.GELU_UNIT
    wanted = x * np.array([0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x])
    assert np.abs(found - wanted).max() < 0.0013
    assert (found * exact.GELU_UNIT + exact.GELU_SHIFT > 0).all()

    logits = np.random.default_rng(0).normal(scale=4, size=(50, 30))
    graph = exact.Graph()
    graph.rename(exact.softmax(graph, "x"), "y")
    found = computed(graph, (logits / exact.LOGIT_UNIT).astype(np.float32))
    wanted = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    assert np.abs(found - wanted).max() < 5e-4


def computed(graph: Any, x: np.ndarray) -> np.ndarray:
    """What a graph of `training.exact_operations` makes of x."""
    from onnx import numpy_helper  # type: ignore[import-not-found]

    nodes = tuple(
        Node(
            node.op_type,
            tuple(node.input),
            tuple(node.output),
            {one.name: [one.i] if one.name == "keepdims" else list(one.ints) for one in node.attribute},
        )
        for node in graph.nodes
    )
    constants = {one.name: numpy_helper.to_array(one) for one in graph.initializers}
    return evaluate(Graph(nodes, constants), {"x": x})["y"].astype(np.float64)


# -- one network, offline --------------------------------------------------------------------------


def test_many_threads_load_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Slow(Network):
        def __init__(self, folder: Path) -> None:
            made.append(folder)
            sleep(0.05)

    monkeypatch.setattr(module, "_SHIPPED", [])
    monkeypatch.setattr(module, "Network", Slow)
    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(lambda _: Network.shipped(), range(64)))
    assert len(made) == 1 and len(set(map(id, found))) == 1


OFFLINE = """
import os, sys, time
def hook(event, arguments):
    if event.startswith("socket."):
        os.write(2, f"{event} {arguments}".encode()); os._exit(3)
sys.addaudithook(hook)
from laconic.annotate.annotator import annotate
print(next(iter(annotate(["The council on Tuesday plans to consider the matter."]))).tags)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        assert not target.startswith("socket:"), target
    time.sleep(0.02)
"""


def offline(home: Path, seconds: float, *before: str) -> subprocess.CompletedProcess[str]:
    """A process that annotates and lives on for so long, at home in an empty folder."""
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR")
    known = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    return subprocess.run(
        [*before, sys.executable, "-c", OFFLINE, str(seconds)],
        env=known | dict.fromkeys(names, str(home)),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open sockets")
def test_no_socket_is_opened_and_no_file_left(tmp_path: Path) -> None:
    done = offline(tmp_path, 2)
    assert done.returncode == 0, done.stderr
    assert not [path for path in tmp_path.rglob("*") if "laconic" not in path.parts]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="no strace")
def test_no_socket_is_opened_in_two_minutes(tmp_path: Path) -> None:
    calls, home = tmp_path / "calls", tmp_path / "home"
    home.mkdir()
    done = offline(home, 120, "strace", "-f", "-o", str(calls), "-e", "trace=socket,connect,sendto")
    assert done.returncode == 0, done.stderr
    assert not [line for line in calls.read_text().splitlines() if "(" in line and "+++" not in line]
    assert not [path for path in home.rglob("*") if "laconic" not in path.parts]


def test_the_runtime_is_imported_in_one_place_only() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in SHIPPED.parents[1].rglob("*.py")}
    found = [(path.name, source.count("import onnxruntime")) for path, source in sources.items()]
    assert [one for one in found if one[1]] == [("network.py", 1)]
    network_source = sources[Path(str(module.__file__))]
    assert network_source.index("ORT_DISABLE_TELEMETRY") < network_source.index("import onnxruntime")
