"""Model folders with other content under right checksums: what damage never is, and an adversary may make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from laconic.storage import Content, Stored, kind_of, open_model, write_model
from laconic.storage.arrays import array_from_bytes


def content_of(stored: Stored) -> Content:
    """All that a folder holds."""
    names = [part.rpartition(".")[::2] for part in stored._parts]
    return Content(
        stored.settings,
        {name: array_from_bytes(stored._content(name, ".npy")) for name, kind in names if kind == "npy"},
        {name: stored.lines_of(name) for name, kind in names if kind == "txt"},
    )


def craft(
    folder: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    arrays: Mapping[str, NDArray[Any]] | None = None,
    lines: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write a model again, with some of its content changed."""
    kind = kind_of(folder)
    with open_model(folder, kind) as stored:
        content = content_of(stored)
    write_model(folder, kind, content | Content(settings or {}, arrays or {}, lines or {}))
