"""Limits of the world by name, from one table: a text message, a headline, a post."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from types import MappingProxyType

from laconic.budget import Budget
from laconic.errors import LaconicError
from laconic.units import COUNTS, budget


@dataclass(frozen=True, slots=True)
class NamedLimit:
    """At most `amount` of a unit: what it is for, who says so, a text that fits and one that must be cut."""

    name: str
    purpose: str
    amount: int
    unit: str
    source: str
    fits: str
    cut: str

    @property
    def budget(self) -> Budget:
        """The limit as a budget."""
        return budget(self.unit, None, self.amount)

    def __str__(self) -> str:
        return f"{self.purpose}: at most {self.amount:,} {COUNTS[self.unit]}"


def _read() -> Iterator[NamedLimit]:
    table = tomllib.loads(files("laconic").joinpath("limits.toml").read_text(encoding="utf-8"))
    for name, row in table.items():
        yield NamedLimit(
            name=name,
            purpose=row["for"],
            amount=row["amount"],
            unit=row["unit"],
            source=row["source"],
            fits=row["fits"],
            cut=row["cut"],
        )


LIMITS: Mapping[str, NamedLimit] = MappingProxyType({limit.name: limit for limit in _read()})
"""The limits by their names, in the order of the table."""

NAMES = tuple(LIMITS)
"""The limits that have a name."""


def named(name: str) -> NamedLimit:
    """A limit by its name.

    >>> print(named("sms"))
    a text message in one piece: at most 160 septets of a text message (7 bits each)
    """
    if name not in LIMITS:
        near = get_close_matches(str(name), NAMES, n=1)
        hint = f"did you mean {near[0]!r}? There are" if near else "there are"
        raise LaconicError(f"no limit is called {name!r}; {hint} {', '.join(NAMES)}")
    return LIMITS[name]
