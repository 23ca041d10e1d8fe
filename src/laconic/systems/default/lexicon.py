"""The few words that the rules must know by name."""

from __future__ import annotations

import tomllib
from importlib.resources import files


def _table(name: str) -> dict[str, list[str]]:
    return tomllib.loads(files("laconic.systems.default").joinpath(name).read_text(encoding="utf-8"))


_TABLE = _table("lexicon.toml")

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
WISHES = frozenset(_TABLE["wishes"])
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

INCOMPLETE = {voice: frozenset(forms) for voice, forms in _table("incomplete_words.toml").items()}
"""Verbs (active, passive) and adjectives (predicative) that say nothing without what follows them."""
