"""The network's graph on disk, a fifth smaller than it is, and yet soon read.

Most weights are small: the lower halves of their bytes are anything, the upper halves are nearly always the same few
numbers. So all lower halves are stored as they are, two to a byte, and behind them the upper halves compressed, which
takes half as long to undo as if all was compressed, and saves nearly as much.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from laconic.errors import ModelError
from laconic.files import write_whole
from laconic.storage import LARGE, expanded, read_card, read_checked

NAME = "network.onnx.packed"

_BLOCK = 1 << 16  # bytes that stay near the processor


def write_graph(folder: Path, graph: bytes) -> dict[str, Any]:
    """Write a graph into a folder; returns what the card must say of it."""
    count = _pairs(len(graph))
    halves = np.zeros(2 * count, np.uint8)
    halves[: len(graph)] = np.frombuffer(graph, np.uint8)
    # Byte i is paired with byte i + count.
    first, second = halves[:count], halves[count:]
    lower = first & 15 | second << 4
    upper = first >> 4 | second & 240
    packing = zlib.compressobj(9, wbits=31, memLevel=9, strategy=zlib.Z_HUFFMAN_ONLY)
    content = lower.tobytes() + packing.compress(upper.tobytes()) + packing.flush()
    with write_whole(folder / NAME) as stream:
        stream.write(content)
    return {
        "sha256": hashlib.sha256(graph).hexdigest(),
        "graph": {"sha256": hashlib.sha256(content).hexdigest(), "holds": len(graph)},
    }


def read_graph(folder: Path, card: dict[str, Any] | None = None) -> bytes:
    """The graph of a folder, whose card may be known.

    Nothing is expanded before the file is known to be what the card says.
    """
    path = folder / NAME
    entry = (read_card(folder) if card is None else card).get("graph")
    entry = entry if isinstance(entry, dict) else {}
    content = read_checked(path, entry.get("sha256"))
    size = entry.get("holds")
    if type(size) is not int or not 0 < size <= LARGE or len(content) <= _pairs(size):
        raise ModelError(f"{path}: damaged, it does not hold {size!r:.60} bytes as its card says")
    count = _pairs(size)
    try:
        upper = np.frombuffer(expanded(content[count:], count), np.uint8)
    except ValueError as error:
        raise ModelError(f"{path}: damaged ({error})") from None
    lower = np.frombuffer(content, np.uint8, count)
    graph = np.empty((2, count), np.uint8)
    np.left_shift(upper, 4, out=graph[0])
    np.bitwise_and(upper, 240, out=graph[1])
    for start in range(0, count, _BLOCK):
        block = slice(start, start + _BLOCK)
        graph[0, block] |= lower[block] & 15
        graph[1, block] |= lower[block] >> 4
    return graph.ravel()[:size].tobytes()


def with_output(graph: bytes, tensor: str) -> bytes:
    """A graph that returns an inner tensor, too, after all it returns: messages behind one another are merged."""
    name = tensor.encode()
    named = bytes([0x0A, len(name)]) + name  # ValueInfoProto.name
    output = bytes([0x62, len(named)]) + named  # GraphProto.output
    return graph + bytes([0x3A, len(output)]) + output  # ModelProto.graph


def _pairs(size: int) -> int:
    return -(-size // 2)
