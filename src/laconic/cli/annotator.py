"""The parser, for the commands that need trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from laconic.annotate import Annotator


def open_annotator(*, threads: int | None = None) -> Annotator:
    """The embedded parser on all cores, or on as many threads as given; imported only when it is needed."""
    from laconic.annotate import load_annotator

    return load_annotator(threads=threads)
