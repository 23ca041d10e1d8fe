"""What a full stop may mean, by the words around it, read from `abbreviations.txt` and `starters.txt`."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Literal

Place = Literal["before a name", "before a number", "inside a sentence", "anywhere"]
"""Where an abbreviation is used; "anywhere" includes the end of a sentence."""

# Initials and the abbreviations that are spelt with inner stops: J, U.S, a.m, Ph.D, B.Sc.
_LETTERS_AND_STOPS = re.compile(r"[^\W\d_]|(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")


def _lines(name: str) -> list[str]:
    text = resources.files("laconic.text").joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


@cache
def _places() -> dict[str, Place]:
    places: dict[str, Place] = {}
    section: Place = "anywhere"
    for line in _lines("abbreviations.txt"):
        if line.startswith("["):
            section = line.strip("[]")  # type: ignore[assignment]
        else:
            for entry in line.split():
                # A single capital is an initial, whatever its small letter abbreviates.
                forms = (entry, entry.capitalize(), entry.upper()) if len(entry) > 1 else (entry,)
                places.update(dict.fromkeys(forms, section))
    return places


def place_of(word: str) -> Place | None:
    """Where `word`, written without its final stop, is used if it is an abbreviation.

    >>> place_of("Mr"), place_of("U.S"), place_of("week")
    ('before a name', 'anywhere', None)
    """
    if word in _places():
        return _places()[word]
    if len(word) == 1 and word.isalpha() and word.isupper():
        return "before a name"
    return "anywhere" if _LETTERS_AND_STOPS.fullmatch(word) else None


@cache
def _starters() -> frozenset[str]:
    return frozenset(word for line in _lines("starters.txt") for word in line.split())


def starts_a_sentence(word: str) -> bool:
    """Whether a word with a capital is more likely the first of a sentence than part of a name.

    >>> starts_a_sentence("The"), starts_a_sentence("Army")
    (True, False)
    """
    return word in _starters()
