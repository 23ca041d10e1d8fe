"""What a compression deleted, shown within the author's text."""

from __future__ import annotations

import os
from collections.abc import Callable

from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.text.difference import stretches


def plain_mark(text: str) -> str:
    """What was deleted, between tildes.

    >>> plain_mark("again")
    '~again~'
    """
    return f"~{text}~"


def terminal_mark() -> Callable[[str], str]:
    """What marks what was deleted on the terminal: red and struck through, if it shows colours, else tildes.

    Who sets NO_COLOR wants none (https://no-color.org).
    """
    if os.environ.get("NO_COLOR"):
        return plain_mark
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.style import Style

    if Console().color_system is None:
        return plain_mark
    style = Style(color="red", strike=True)
    return lambda text: style.render(text, color_system=ColorSystem.STANDARD)


def plain_difference(compression: Compression) -> str:
    """The source with what was deleted between tildes.

    >>> from laconic.sentence import Sentence
    >>> sentence = Sentence.from_words(["It", "fell", "again", "."])
    >>> plain_difference(Compression.by_deletion(sentence, [0, 1, 3]))
    'It fell ~again~ .'
    """
    return _marked(compression, plain_mark)


def terminal_difference(compression: Compression) -> str:
    """The source with what was deleted marked as the terminal can."""
    return _marked(compression, terminal_mark())


def _marked(compression: Compression, mark: Callable[[str], str]) -> str:
    parts = stretches(compression.sentence, _kept(compression))
    return "".join((text if kept else mark(text)) + space for text, space, kept in parts).rstrip()


def _kept(compression: Compression) -> tuple[int, ...]:
    if compression.kept is None:
        raise LaconicError("this system rewrites sentences: there is no difference of deleted words to show")
    return compression.kept
