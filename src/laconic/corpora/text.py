"""Running text: paragraphs and articles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from laconic.files import read_lines

Article = tuple[str, ...]
"""The paragraphs of an article."""


def read_articles(path: Path) -> Iterator[Article]:
    """Stream the articles of a text file, plain or gzip: a paragraph a line, blank lines between articles."""
    paragraphs: list[str] = []
    for _, line in read_lines(path):
        if line.strip():
            paragraphs.append(line)
        elif paragraphs:
            yield tuple(paragraphs)
            paragraphs = []
    if paragraphs:
        yield tuple(paragraphs)
