"""Fields of frozen values that take long to make and are seldom read: made when they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")
C = TypeVar("C", bound=type)


class _Unmade:
    """What stands in a field until it is read."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def later(make: Callable[[], T]) -> T:
    """What a function makes, for a field of a class that is `lazy` in it; threads may make it twice, and alike."""
    return cast(T, _Unmade(make))


class _Field:
    """A slot that makes what it holds."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self.slot.__get__(instance, owner)
        if type(value) is _Unmade:
            value = value.make()
            self.slot.__set__(instance, value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        self.slot.__set__(instance, value)


def lazy(*names: str) -> Callable[[C], C]:
    """Let these slots of a class be filled by `later`; comparing, copying and storing values reads them all.

    >>> from dataclasses import dataclass
    >>> @lazy("square")
    ... @dataclass(frozen=True, slots=True)
    ... class Number:
    ...     value: int
    ...     square: int
    >>> number = Number(3, later(lambda: print("made") or 9))
    >>> number.square, number.square
    made
    (9, 9)
    """

    def made_lazy(cls: C) -> C:
        for name in names:
            setattr(cls, name, _Field(cls.__dict__[name]))
        return cls

    return made_lazy


def at_hand(instance: object, name: str) -> Any:
    """What a lazy field holds; None if it is not made yet."""
    value = type(instance).__dict__[name].slot.__get__(instance)
    return None if type(value) is _Unmade else value
