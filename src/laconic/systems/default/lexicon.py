"""The few words that the rules must know by name."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_FOLDER = files("laconic.systems.default")
_TABLE = tomllib.loads(_FOLDER.joinpath("lexicon.toml").read_text(encoding="utf-8"))

NEGATIONS = frozenset(_TABLE["negations"])
DENIALS = frozenset(_TABLE["denials"])
EXCEPTIONS = frozenset(_TABLE["exceptions"])
QUALIFIERS = frozenset(_TABLE["qualifiers"])
DISTANCES = frozenset(_TABLE["distances"])
EXTENTS = frozenset(_TABLE["extents"])
MAGNITUDES = frozenset(_TABLE["magnitudes"])
PORTIONS = frozenset(_TABLE["portions"])
ROUNDINGS = frozenset(_TABLE["roundings"])
UNITS = frozenset(_TABLE["units"])
CONTAINERS = frozenset(_TABLE["containers"])
MONTHS = frozenset(_TABLE["months"])
COMPANIES = frozenset(_TABLE["companies"])
ADVICE = frozenset(_TABLE["advice"])
PERSONS = frozenset(_TABLE["persons"])
REPORTS = frozenset(_TABLE["reports"])
INVERTERS = frozenset(_TABLE["inverters"])
CONDITIONS = frozenset(_TABLE["conditions"])
HYPOTHESES = frozenset(_TABLE["hypotheses"])
SUPPOSITIONS = frozenset(_TABLE["suppositions"])
ORDINALS = frozenset(_TABLE["ordinals"])
DEGREES = frozenset(_TABLE["degrees"])
UNIVERSALS = frozenset(_TABLE["universals"])
SILENT_H = tuple(_TABLE["silent h"])
CONSONANTAL_VOWEL = tuple(_TABLE["consonantal vowel"])

COMPLETIONS = frozenset(
    [
        "obj",
        "iobj",
        "xcomp",
        "ccomp",
        "obl",
        "obl:agent",
        "obl:tmod",
        "obl:npmod",
        "obl:unmarked",
        "advmod",
        "compound:prt",
        "nsubj",
        "nsubj:pass",
        "advcl",
        "csubj",
    ]
)
"""The relations of what completes a verb or an adjective."""


def _sections(name: str) -> dict[str, frozenset[str]]:
    """The words below each heading of a list."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in _FOLDER.joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words += line.split()
    return {heading: frozenset(below) for heading, below in found.items()}


UNFINISHED = _sections("unfinished.txt")
"""Verbs (active, passive) and adjectives (predicative) that say nothing without what follows them."""
