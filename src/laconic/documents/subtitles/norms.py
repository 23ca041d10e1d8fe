"""How fast, how wide and how high subtitles may be: the norms by name, and what each of them counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from laconic.errors import LaconicError


@dataclass(frozen=True, slots=True)
class Norm:
    """Limits that every cue is held to.

    `cps` is the most characters a second, `line` the most characters a line (spaces always count there) and `lines`
    the most lines. `count_spaces` says whether spaces count for the reading speed; a line break counts as the space it
    stands for. Where cues are extended, `gap` milliseconds stay free before the next one, and none gets longer than
    `longest` milliseconds.

    >>> Norm(cps=17).most_characters(2000)
    34
    """

    cps: float = 20.0
    line: int = 42
    lines: int = 2
    count_spaces: bool = True
    gap: int = 83
    longest: int = 7000
    source: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.cps < math.inf:
            raise LaconicError(f"a reading speed is a number of characters a second above 0, not {self.cps}")
        for name in ("line", "lines"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise LaconicError(f"{name!r} of a norm is a whole number of at least 1, not {value!r}")

    def count(self, text: str) -> int:
        """The characters of a text that count for its reading speed.

        >>> Norm(count_spaces=False).count("No way!")
        6
        """
        return len(text) if self.count_spaces else sum(not char.isspace() for char in text)

    def most_characters(self, milliseconds: int) -> int:
        """How many characters can be read in so much time."""
        return max(0, math.floor(self.cps * milliseconds / 1000 + 1e-9))

    def needed_time(self, characters: int) -> int:
        """The least milliseconds in which so many characters can be read."""
        return math.ceil(1000 * characters / self.cps - 1e-9)


NORMS: dict[str, Norm] = {
    "netflix": Norm(20, source="Netflix, English Timed Text Style Guide: adult programmes"),
    "netflix-children": Norm(17, source="Netflix, English Timed Text Style Guide: children's programmes"),
    "netflix-translated": Norm(17, source="Netflix, Timed Text Style Guides: other languages, adults"),
    "netflix-translated-children": Norm(13, source="Netflix, Timed Text Style Guides: other languages, children"),
    "ted": Norm(21, source="TED Translators: subtitling guidelines"),
    "bbc": Norm(
        15, line=37, source="BBC Subtitle Guidelines: 180 words a minute, at five characters a word; teletext width"
    ),
    "six-seconds": Norm(
        12, line=37, longest=6000, source="the six-second rule: two full lines of 37 characters in six seconds"
    ),
}  # fmt: skip
"""The norms by name. 83 ms are two frames of film; 7 s is the longest that any of them lets a cue stand."""


def norm_of(
    name: str | Norm = "netflix",
    *,
    cps: float | None = None,
    line: int | None = None,
    lines: int | None = None,
    count_spaces: bool | None = None,
) -> Norm:
    """A norm by its name, with the given numbers in place of its own.

    >>> norm_of("ted", cps=17).line
    42
    """
    if isinstance(name, str):
        if name not in NORMS:
            raise LaconicError(f"no norm for subtitles {name!r}; known: {', '.join(NORMS)}")
        name = NORMS[name]
    given = {"cps": cps, "line": line, "lines": lines, "count_spaces": count_spaces}
    return replace(name, **{field: value for field, value in given.items() if value is not None})  # type: ignore[arg-type]
