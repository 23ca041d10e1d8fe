"""An ONNX file read as the messages of protocol buffers that it is, since tests have no package for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 11: np.float64}
"""The types of tensors by their numbers."""


@dataclass(frozen=True)
class Node:
    """An operation: its kind, the names of its inputs and outputs, its whole numbers."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Graph:
    """The operations in their order, and the constants by name."""

    nodes: tuple[Node, ...]
    constants: dict[str, NDArray[Any]]


def read_graph(content: bytes) -> Graph:
    """The graph of a model."""
    graph = next(value for number, value in _fields(content) if number == 7)
    nodes = tuple(_node(value) for number, value in _fields(graph) if number == 1)
    return Graph(nodes, dict(_tensor(value) for number, value in _fields(graph) if number == 5))


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    place = 0

    def whole() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(message):
        number, wire = divmod(whole(), 8)
        if wire == 0:
            yield number, whole()
        else:
            size = {1: 8, 5: 4}.get(wire) or whole() if wire != 2 else whole()
            yield number, message[place : place + size]
            place += size


def _node(message: bytes) -> Node:
    found: dict[int, list[Any]] = {}
    for number, value in _fields(message):
        found.setdefault(number, []).append(value)
    names = {number: tuple(value.decode() for value in found.get(number, ())) for number in (1, 2)}
    return Node(found[4][0].decode(), names[1], names[2], dict(map(_attribute, found.get(5, ()))))


def _attribute(message: bytes) -> tuple[str, Any]:
    name, values = "", []
    for number, value in _fields(message):
        if number == 1:
            name = value.decode()
        elif number in (3, 8):  # a whole number, or one of a list
            values.append(value)
    return name, values


def _tensor(message: bytes) -> tuple[str, NDArray[Any]]:
    shape, kind, name, raw = [], 0, "", b""
    for number, value in _fields(message):
        if number == 1:
            shape.append(value)
        elif number == 2:
            kind = value
        elif number == 8:
            name = value.decode()
        elif number == 9:
            raw = value
    return name, np.frombuffer(raw, NUMBERS[kind]).reshape(shape)
