"""The few words that the rules must know by name."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TABLE = tomllib.loads(files("laconic.systems.default").joinpath("lexicon.toml").read_text(encoding="utf-8"))

NEGATIONS = frozenset(_TABLE["negations"])
DENIALS = frozenset(_TABLE["denials"])
EXCEPTIONS = frozenset(_TABLE["exceptions"])
EXTENTS = frozenset(_TABLE["extents"])
MAGNITUDES = frozenset(_TABLE["magnitudes"])
PORTIONS = frozenset(_TABLE["portions"])
ROUNDINGS = frozenset(_TABLE["roundings"])
UNITS = frozenset(_TABLE["units"])
UNFINISHED = frozenset(_TABLE["unfinished"])
CONTAINERS = frozenset(_TABLE["containers"])
MONTHS = frozenset(_TABLE["months"])
ADVICE = frozenset(_TABLE["advice"])
PERSONS = frozenset(_TABLE["persons"])
REPORTS = frozenset(_TABLE["reports"])
INVERTERS = frozenset(_TABLE["inverters"])
HYPOTHESES = frozenset(_TABLE["hypotheses"])
ORDINALS = frozenset(_TABLE["ordinals"])
DEGREES = frozenset(_TABLE["degrees"])
UNIVERSALS = frozenset(_TABLE["universals"])
SILENT_H = tuple(_TABLE["silent h"])
CONSONANTAL_VOWEL = tuple(_TABLE["consonantal vowel"])
