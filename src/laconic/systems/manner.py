"""A system as the options ask for it: by name, and in the manner of those whose habits it imitates."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from os import PathLike, fspath
from typing import Protocol, cast

from laconic.errors import LaconicError
from laconic.options import Options
from laconic.systems.registry import open_system
from laconic.systems.system import System

_REGISTERS = {"headlines": "news", "broadcast": "spoken", "print": "written"}
_STYLES = {"short": "terse", "medium": "balanced", "long": "safe"}
_TAGGED = ("names", "numbers", "negations")  # what only a system that tags words can tell


class _Mannered(Protocol):
    """What a system has that can imitate others."""

    register: str | None
    style: str | float | None
    protect: Collection[str]

    def __hash__(self) -> int: ...

    def with_manner(
        self, *, register: str | None, style: str | float | None, protect: Collection[str]
    ) -> System: ...


def system_for(options: Options) -> System:
    """The system of the options, opened once, in the manner they ask for.

    >>> system_for(Options(system="truncate")).name
    'truncate'
    """
    name = options.system
    found = open_cached(fspath(name)) if isinstance(name, str | PathLike) else name
    assert isinstance(found, System)
    manner = {
        "like": options.like,
        "length": options.length,
        "protect": tuple(kind for kind in options.protect if kind in _TAGGED),
    }
    given = {option: value for option, value in manner.items() if value not in (None, ())}
    if not given:
        return found
    if not hasattr(found, "with_manner"):
        [(option, value), *_] = given.items()
        raise LaconicError(f"{option}={value!r}: is the default system's, not that of {found.name!r}")
    return _in_manner(cast(_Mannered, found), options.like, options.length, manner["protect"])


@lru_cache(maxsize=8)
def open_cached(name: str) -> System:
    """A system by name or folder, opened once."""
    return open_system(name)


@lru_cache(maxsize=16)
def _in_manner(
    system: _Mannered, like: str | None, length: str | float | None, protect: tuple[str, ...]
) -> System:
    return system.with_manner(
        register=system.register if like is None else _REGISTERS[like],
        style=system.style if length is None else _STYLES.get(str(length), length),
        protect=protect or system.protect,
    )
