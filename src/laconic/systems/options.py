"""The options of systems by name and as text, as a command line gives them: one way for all systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from inspect import signature
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from laconic.errors import LaconicError
from laconic.systems.system import System

# A field, or an argument of `fit`, that only holds options: its name is no part of theirs.
_HOLDER = "options"
_SEED = "seed"
_Holding = TypeVar("_Holding")


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its type, its value, and the fields that lead to it."""

    kind: Any
    value: object
    path: tuple[str, ...]

    def __str__(self) -> str:
        return _text(self.value)


@dataclass(frozen=True, slots=True)
class Configured:
    """A system as its options say, and what its `fit` must be given besides the pairs."""

    system: System
    arguments: Mapping[str, Any]


def options_of(system: System) -> dict[str, Option]:
    """All options of a system by name, those of its learner among them, with the values they have.

    Options within options have names with a full stop: `schedule.epochs`.

    >>> from laconic.systems.truncate import Truncate
    >>> options_of(Truncate())
    {}
    """
    found = dict(_leaves(system, skipped=system.learnt))
    found |= dict(_leaves(_fit_options(system)))  # what `fit` is told is what counts
    if "generator" in signature(system.fit).parameters:
        found[_SEED] = Option(int, 0, (_SEED,))
    return found


def configured(system: System, given: Mapping[str, str]) -> Configured:
    """The system with the options given as text; an unknown name is an error that says which are known."""
    known = options_of(system)
    values: dict[str, object] = {}
    for name, text in given.items():
        if name not in known:
            near = get_close_matches(name, known, n=3)
            has = ", ".join(f"{each} ({option})" for each, option in known.items()) or "none"
            meant = f", perhaps {' or '.join(near)}" if near else ""
            raise LaconicError(f"the system {system.name!r} has no option {name!r}{meant}; it has: {has}")
        values[name] = _parsed(name, text, known[name].kind)
    learner = _fit_options(system)
    of_learner = dict(_leaves(learner))
    arguments: dict[str, Any] = {}
    if changes := {known[name].path: value for name, value in values.items() if name in of_learner}:
        arguments[_HOLDER] = _changed(learner, changes)
    changes = {known[name].path: value for name, value in values.items() if name not in of_learner}
    if "generator" in signature(system.fit).parameters and (_SEED,) in changes:
        arguments["generator"] = np.random.default_rng(int(values[_SEED]))  # type: ignore[call-overload]
        del changes[(_SEED,)]
    return Configured(_changed(system, changes), arguments)


def _fit_options(system: System) -> Any:
    """The options that `fit` takes, as they are by default; None if it takes none."""
    if _HOLDER not in signature(system.fit).parameters:
        return None
    kinds = [kind for kind in get_args(get_type_hints(system.fit)[_HOLDER]) if is_dataclass(kind)]
    assert len(kinds) == 1 and isinstance(kinds[0], type)
    return kinds[0]()


def _leaves(
    holder: object, path: tuple[str, ...] = (), *, skipped: tuple[str, ...] = ()
) -> Iterator[tuple[str, Option]]:
    """The options below a dataclass: numbers, words, and yes or no."""
    if not is_dataclass(holder):
        return
    kinds = get_type_hints(type(holder))
    for each in fields(holder):
        value, here = getattr(holder, each.name), (*path, each.name)
        if each.name in skipped or isinstance(value, System):
            continue
        if _is_simple(kinds[each.name]):
            name = ".".join(step for step in here if step != _HOLDER)
            yield name, Option(kinds[each.name], value, here)
        elif is_dataclass(value) and _has_defaults(value):
            yield from _leaves(value, here)


def _has_defaults(holder: Any) -> bool:
    """Whether a value can be made of nothing, as options can and models cannot."""
    return all(
        each.default is not MISSING or each.default_factory is not MISSING or not each.init
        for each in fields(holder)
    )


def _is_simple(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return all(part is NoneType or _is_simple(part) for part in get_args(kind))
    return kind in (int, float, bool, str) or get_origin(kind) is Literal


def _parsed(name: str, text: str, kind: Any) -> object:
    """What a text means as a value of a type."""
    if get_origin(kind) in (Union, UnionType):
        if text == "none" and NoneType in get_args(kind):
            return None
        [kind] = [part for part in get_args(kind) if part is not NoneType]
    if get_origin(kind) is Literal:
        if text in get_args(kind):
            return text
        raise LaconicError(f"the option {name!r} is one of {', '.join(get_args(kind))}, not {text!r}")
    if kind is bool:
        if text in ("true", "false"):
            return text == "true"
        raise LaconicError(f"the option {name!r} is true or false, not {text!r}")
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise LaconicError(f"the option {name!r} is {wanted}, not {text!r}") from None


def _changed(holder: _Holding, changes: Mapping[tuple[str, ...], object]) -> _Holding:
    """The same with other values at the ends of paths of fields, all at once: options may only fit together."""
    values = {path[0]: value for path, value in changes.items() if len(path) == 1}
    for first in dict.fromkeys(path[0] for path in changes if len(path) > 1):
        inner = {path[1:]: value for path, value in changes.items() if path[0] == first}
        values[first] = _changed(getattr(holder, first), inner)
    return replace(holder, **values) if values else holder  # type: ignore[type-var]


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
