"""The embedded network: words in, scores out, by onnxruntime on a CPU.

The graph is made of exact sums of whole numbers and single correctly rounded operations (`training/exact.py`), and is
run as it stands: every processor and every version of the runtime gives the same scores, to the last bit.
"""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from laconic.annotate.graph_file import read_graph, with_output
from laconic.annotate.pieces import Encoded, Pieces
from laconic.arrays import Float32, Int64
from laconic.errors import ModelError
from laconic.storage import read_card, read_checked

REGISTERS = ("news", "spoken", "written", "general")
"""Whose compressions the network imitates: headline writers', broadcast annotators', print annotators', and those of
copy editors, who shorten any prose."""

WINDOW = 200
"""Word pieces the encoder sees at once; longer sentences are read in overlapping windows.

The encoder could see 510, but the scores of all spans take memory by the square: at 510, half a gigabyte.
"""

LONG = 100
"""Of sentences of more pieces than this, one is read at a time, so that threads do not multiply that memory."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the network says of one sentence of n words.

    Places run over start, words and end: 0, 1 … n, n + 1; the start doubles as the root of trees.

    - `tags[i]`: the number of word i's tag.
    - `gains[i, j]`: what the best phrase label of words i … j-1 is worth more than none; `labels` its number.
    - `arcs[m, h]`: score of the arc from place h to place m, up to n; `relations` its best relation.
    - `keep[i]`: log-odds that word i stays in a compression.
    - `follow[p, q]`: potential of place q coming next after place p in the compression; exp of their sum
      along a path from start to end is proportional to its probability.
    - `kept_arcs[m, h]`: score of the arc from h to m in the tree of a compression that keeps both.
    - `states[p]`: what the encoder makes of place p, whatever the register; of long sentences it is not known.
    """

    tags: Int64
    gains: Float32
    labels: Int64
    arcs: Float32
    relations: Int64
    keep: Float32
    follow: Float32
    kept_arcs: Float32
    states: Float32 | None = None


class Network:
    """The shipped graph with its inventory of pieces, tags, labels and relations."""

    def __init__(self, folder: Path) -> None:
        card = read_card(folder)
        graph = read_graph(folder, card)
        inventory = json.loads(bytes(read_checked(folder / "inventory.json", card.get("inventory_sha256"))))
        try:
            self.checksum: str = card["sha256"]
            self.tags: list[str] = inventory["tags"]
            self.labels: list[str] = inventory["labels"]
            self.relations: list[str] = inventory["relations"]
            self.pieces = Pieces({piece: number for number, piece in enumerate(inventory["vocabulary"])})
            self._reading_long = Lock()
            self.states: str = card["states"]
            self._session = open_session(with_output(graph, self.states))
        except ModelError as error:
            raise ModelError(f"{folder}: {error}") from None
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ModelError(
                f"{folder}: damaged, its card or inventory lacks what is needed ({error})"
            ) from None

    @staticmethod
    def shipped() -> Network:
        """The network that comes with laconic: one for the whole process, however many threads ask."""
        with _OPENING:
            if not _SHIPPED:
                _SHIPPED.append(Network(Path(str(resources.files("laconic"))) / "models" / "annotator"))
            return _SHIPPED[0]

    def read(self, words: tuple[str, ...], register: Float32) -> Scores:
        """All scores of a sentence of at least one word; `register` weighs the REGISTERS."""
        encoded = self.pieces.encode(words)
        if len(encoded.ids) <= WINDOW + 2:
            return self._run(encoded, register)
        return _stitched(
            len(words),
            [
                (start, end, self._run(self.pieces.encode(words[start:end]), register))
                for start, end in windows(encoded.first[1:-1], encoded.first[-1], WINDOW)
            ],
        )

    def _run(self, encoded: Encoded, register: Float32) -> Scores:
        inputs = {
            "ids": encoded.ids,
            "cases": encoded.cases,
            "first": encoded.first,
            "last": encoded.last,
            "domain": register,
        }
        with self._reading_long if len(encoded.ids) > LONG else nullcontext():
            return Scores(*self._session.run(None, inputs))


_OPENING = Lock()
_SHIPPED: list[Network] = []


def open_session(graph: bytes) -> Any:
    """A session of onnxruntime, loaded here and nowhere else, that runs a graph as it stands on one thread.

    A graph that the runtime refuses is a ModelError.
    """
    # Only before the import does this keep the runtime from making a device id and looking up its maker's host.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Sentences are shared out among threads; within one, a thread of its own is fastest.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Fused operations round in other places, and which are fused depends on the version.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # To plan which tensors may share memory takes half a second, six times as long as all the rest, and saves none.
    options.enable_mem_reuse = False
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's own have no base but this
        raise ModelError(f"onnxruntime cannot open the graph ({' '.join(str(error).split()):.120})") from None


def register_weights(register: str | tuple[float, ...]) -> Float32:
    """A register by name, or a mixture as one weight for each of REGISTERS."""
    if isinstance(register, str):
        if register not in REGISTERS:
            raise ModelError(f"no register {register!r}; known: {', '.join(REGISTERS)}")
        return np.array([name == register for name in REGISTERS], dtype=np.float32)
    if len(register) != len(REGISTERS):
        raise ModelError(
            f"a mixture needs {len(REGISTERS)} weights ({', '.join(REGISTERS)}), not {len(register)}"
        )
    weights = np.array(register, dtype=np.float32)
    if not np.isfinite(weights).all():
        raise ModelError(f"the weights of a mixture are numbers, not {register}")
    return weights


def windows(first: Int64, total: int, size: int) -> list[tuple[int, int]]:
    """Overlapping ranges of words of at most `size` pieces, each beginning two thirds into the one before."""
    count = len(first)
    bounds = np.append(first, total)
    found, start = [], 0
    while True:
        end = int(np.searchsorted(bounds, bounds[start] + size, side="right")) - 1
        end = min(max(end, start + 1), count)
        found.append((start, end))
        if end == count:
            return found
        start = max(start + 1, end - max(1, (end - start) // 3))


def _stitched(count: int, parts: list[tuple[int, int, Scores]]) -> Scores:
    """One set of scores from those of overlapping windows.

    A pair of words takes the scores of the window that holds it; where two do, of the later one from the
    middle of their overlap on. Pairs that no window holds are impossible: they score minus infinity.
    """
    places = count + 2
    stitched = Scores(
        tags=np.zeros(count, np.int64),
        gains=np.full((count + 1, count + 1), -np.inf, np.float32),
        labels=np.ones((count + 1, count + 1), np.int64),
        arcs=np.full((count + 1, count + 1), -np.inf, np.float32),
        relations=np.zeros((count + 1, count + 1), np.int64),
        keep=np.zeros(count, np.float32),
        follow=np.full((places, places), -np.inf, np.float32),
        kept_arcs=np.full((count + 1, count + 1), -np.inf, np.float32),
    )
    before = 0
    for start, end, scores in parts:
        middle = (start + before) // 2 if before else 0
        stitched.tags[middle:end] = scores.tags[middle - start :]
        stitched.keep[middle:end] = scores.keep[middle - start :]
        for name, offset, last in (
            ("gains", 0, end + 1),
            ("labels", 0, end + 1),
            ("arcs", 1, end + 1),
            ("relations", 1, end + 1),
            ("kept_arcs", 1, end + 1),
            ("follow", 1, end + 1),
        ):
            whole, part = getattr(stitched, name), getattr(scores, name)
            low, mid, old = start + offset, middle + offset, before + offset
            local = part[offset : offset + last - low, offset : offset + last - low]
            whole[mid:last, mid:last] = local[mid - low :, mid - low :]
            if old > low:
                whole[low:mid, old:last] = local[: mid - low, old - low :]
                whole[old:last, low:mid] = local[old - low :, : mid - low]
        # The root's arcs and the ways from the start and to the end.
        for name in ("arcs", "relations", "kept_arcs"):
            whole, part = getattr(stitched, name), getattr(scores, name)
            whole[middle + 1 : end + 1, 0] = part[middle - start + 1 :, 0]
        if not before:
            stitched.follow[0, 1 : end + 1] = scores.follow[0, 1:-1]
        if end == count:
            stitched.follow[middle + 1 : end + 1, -1] = scores.follow[middle - start + 1 : -1, -1]
        before = end
    return stitched
