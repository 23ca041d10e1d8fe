"""The parser, for the commands that need trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Protocol

from laconic.errors import LaconicError
from laconic.sentence import Sentence


class Annotator(Protocol):
    """Adds tags and both trees to sentences, in order."""

    def annotate(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences with their annotation."""
        ...


def open_annotator() -> Annotator:
    """The embedded parser; an error says so if this installation has none."""
    load = getattr(import_module("laconic.annotate"), "load_annotator", None)
    if load is None:
        raise LaconicError("this installation has no parser: reinstall laconic with its models")
    annotator: Annotator = load()
    return annotator
