"""Sentences with the tags and trees that a system needs, found by the embedded parser where they are missing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from laconic.sentence import Sentence

if TYPE_CHECKING:
    from laconic.annotate import Annotator


def annotated(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences in order, each with tags, tree, heads and relations; what is complete is left as it is."""
    wanted = list(sentences)
    missing = [place for place, sentence in enumerate(wanted) if sentence.words and not _complete(sentence)]
    if missing:
        found = _annotator().annotate([wanted[place] for place in missing])
        for place, sentence in zip(missing, found, strict=True):
            wanted[place] = sentence
    return wanted


def _complete(sentence: Sentence) -> bool:
    parts = (sentence.tags, sentence.tree, sentence.heads, sentence.relations)
    return all(part is not None for part in parts)


@cache
def _annotator() -> Annotator:
    from laconic.annotate import load_annotator

    return load_annotator()
