"""Forests as JSON, there and back, and as Graphviz drawings."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any

from laconic.errors import FormatError, LaconicError
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph

FORMAT = "laconic-forest 1"


def to_json(forest: Hypergraph) -> str:
    """A forest as one JSON object; `from_json` gives the same forest back.

    Node keys must be strings, numbers, truth values, None, or tuples of these. A score of -inf is null.
    """
    keys = [_plain(key) for key in forest.keys] if forest.keys else list(range(forest.node_count))
    edges = [
        {
            "head": int(forest.heads[edge]),
            "tails": forest.tails_of(edge),
            "score": None if (score := float(forest.scores[edge])) == -float("inf") else score,
            "emits": forest.template_of(edge),
            "features": list(forest.features_of(edge).items()),
            "origin": int(forest.origins[edge]),
        }
        for edge in range(forest.edge_count)
    ]
    content = {"format": FORMAT, "symbol_words": forest.symbol_words.tolist(), "nodes": keys, "edges": edges}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_json(text: str, *, source: str | None = None) -> Hypergraph:
    """Read a forest that `to_json` wrote; `source` is its name in error messages."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON ({error.msg})", source=source, line=error.lineno) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(f"not a forest: the field 'format' is not {FORMAT!r}", source=source)
    try:
        builder = ForestBuilder(content["symbol_words"])
        for number, key in enumerate(content["nodes"]):
            if builder.node(_hashable(key)) != number:
                raise LaconicError(f"node {number} has the key of an earlier one: {key}")
        for edge in content["edges"]:
            builder.edge(
                int(edge["head"]),
                [int(tail) for tail in edge["tails"]],
                score=-float("inf") if edge["score"] is None else float(edge["score"]),
                features={int(index): float(value) for index, value in edge["features"]},
                emits=[int(item) for item in edge["emits"]],
                origin=int(edge["origin"]),
            )
        return builder.build(len(content["nodes"]) - 1)
    except LaconicError as error:
        raise FormatError(str(error), source=source) from None
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise FormatError(f"a damaged forest ({type(error).__name__}: {error})", source=source) from None


def to_dot(forest: Hypergraph, *, symbols: Sequence[str] | None = None) -> str:
    """A forest as a Graphviz drawing: nodes as ovals, edges as boxes with template and score.

    `symbols` names what is emitted; without it symbols appear as numbers.
    """

    def item_text(item: int) -> str:
        return f"[{~item}]" if item < 0 else str(item) if symbols is None else symbols[item]

    lines = ["digraph forest {", "  rankdir=TB; node [fontname=Helvetica];"]
    lines += [f"  n{node} [label={_quoted(forest.name(node))}];" for node in range(forest.node_count)]
    for edge in range(forest.edge_count):
        template = " ".join(map(item_text, forest.template_of(edge))) or "ε"
        label = _quoted(f"{template}\n{forest.scores[edge]:.4g}")
        lines.append(f"  e{edge} [shape=box, label={label}];")
        lines.append(f"  n{forest.heads[edge]} -> e{edge} [dir=none];")
        lines += [
            f"  e{edge} -> n{tail} [label={place}];" for place, tail in enumerate(forest.tails_of(edge))
        ]
    return "\n".join([*lines, "}", ""])


def _plain(key: Hashable) -> Any:
    if isinstance(key, tuple):
        return [_plain(part) for part in key]
    if key is None or isinstance(key, str | int | float):
        return key
    raise LaconicError(f"node key {key!r} cannot be written as JSON; use strings, numbers, tuples")


def _hashable(key: Any) -> Hashable:
    return tuple(_hashable(part) for part in key) if isinstance(key, list) else key


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
