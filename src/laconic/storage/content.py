"""What a model folder holds, as it is written and, once it was checked, as it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.errors import ModelError
from laconic.storage.checked import Buffer, expanded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 1e300  # in arrays, which are summed
_MOST_SETTING = 1e9  # numbers that may be multiplied with each other

MOST_LINES = 1 << 22
"""The lines of a text that are read; each takes memory, however short it is."""


@dataclass(frozen=True, slots=True)
class Content:
    """Settings (what JSON can hold), arrays of numbers and lists of lines, by name."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def within(self, name: str) -> Content:
        """The same as a part, of this name, of a larger content; `Stored.within` finds it again.

        >>> Content({"order": 2}, lines={"words": ["a"]}).within("bigrams").lines
        {'bigrams.words': ['a']}
        """
        return Content(
            {name: dict(self.settings)},
            {f"{name}.{key}": array for key, array in self.arrays.items()},
            {f"{name}.{key}": lines for key, lines in self.lines.items()},
        )

    def __or__(self, other: Content) -> Content:
        return Content(
            {**self.settings, **other.settings},
            {**self.arrays, **other.arrays},
            {**self.lines, **other.lines},
        )


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A model folder whose files have the checksums of its card.

    Every question says what the answer must be, since code that runs fast trusts what it is given; any other
    answer is an error that names the folder and the field.
    """

    folder: Path
    settings: Mapping[str, Any]
    _parts: Mapping[str, tuple[Buffer, int | None]]
    _prefix: str = ""

    def within(self, name: str) -> Stored:
        """The part that `Content.within` put into a larger content."""
        settings = self.settings.get(name)
        if not isinstance(settings, dict):
            raise self.fault(name, "an object of settings", settings)
        return Stored(self.folder, settings, self._parts, f"{self._prefix}{name}.")

    def fault(self, name: str, wanted: str, found: object) -> ModelError:
        """An error that says what a field must be."""
        return ModelError(f"{self.folder}: `{self._prefix}{name}` must be {wanted}, not {found!r:.60}")

    def number(self, name: str, *, low: float = -_MOST_SETTING, high: float = _MOST_SETTING) -> float:
        """A setting that is a finite number between limits."""
        found = self.settings.get(name)
        if isinstance(found, int | float) and not isinstance(found, bool) and low <= found <= high:
            return float(found)
        raise self.fault(name, _between("a number", low, high), found)

    def whole(self, name: str, *, low: int, high: int) -> int:
        """A setting that is a whole number between limits."""
        found = self.settings.get(name)
        if type(found) is int and low <= found <= high:
            return found
        raise self.fault(name, _between("a whole number", low, high), found)

    def flag(self, name: str) -> bool:
        """A setting that is true or false."""
        found = self.settings.get(name)
        if isinstance(found, bool):
            return found
        raise self.fault(name, "true or false", found)

    def choice(self, name: str, known: Collection[str]) -> str:
        """A setting that is one of some words."""
        found = self.settings.get(name)
        if isinstance(found, str) and found in known:
            return found
        raise self.fault(name, f"one of {', '.join(known)}", found)

    def lines_of(self, name: str, *, distinct: bool = False) -> list[str]:
        """A list of lines."""
        content = self._content(name, ".txt")
        assert isinstance(content, bytes), "larger texts are not written, and their cards are refused"
        if content.count(b"\n") > MOST_LINES:
            raise self.fault(name, f"a text of at most {MOST_LINES} lines", content.count(b"\n"))
        try:
            lines = content.decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise self.fault(name, "UTF-8 text", str(error)) from None
        if lines.pop():
            raise self.fault(name, "a text that ends with its last line", content[-20:])
        if distinct and len(set(lines)) < len(lines):
            raise self.fault(name, "a text of lines that differ", f"{len(set(lines))} of {len(lines)} lines")
        return lines

    def array(
        self,
        name: str,
        kind: type[np.generic],
        shape: Sequence[int | None],
        *,
        low: float = -_MOST,
        high: float = _MOST,
    ) -> NDArray[Any]:
        """An array of this kind of numbers, of this shape (None: of any length), between limits; none is NaN."""
        import numpy as np

        from laconic.storage.arrays import array_from_bytes

        content = self._content(name, ".npy")
        try:
            found = array_from_bytes(content)
        except ValueError as error:
            raise self.fault(name, "an array of numbers", str(error)) from None
        wanted = f"an array of {kind.__name__}{['any' if side is None else side for side in shape]}"
        fits = len(shape) == found.ndim and all(
            side is None or side == given for side, given in zip(shape, found.shape, strict=True)
        )
        if not (np.issubdtype(found.dtype, kind) and fits):
            raise self.fault(name, wanted, f"{found.dtype}{list(found.shape)}")
        # NaN is neither.
        if found.size and not (float(found.min()) >= low and float(found.max()) <= high):
            raise self.fault(name, _between(wanted, low, high), f"from {found.min()} to {found.max()}")
        return found

    def _content(self, name: str, suffix: str) -> Buffer:
        part = self._parts.get(f"{self._prefix}{name}{suffix}")
        if part is None:
            raise ModelError(f"{self.folder}: the model is incomplete, it has no `{self._prefix}{name}`")
        content, size = part
        try:
            return content if size is None else expanded(content, size)
        except ValueError as error:
            raise self.fault(name, "compressed by gzip", str(error)) from None


def _between(what: str, low: float, high: float) -> str:
    limits = ([f"at least {low}"] if low > -_MOST else []) + ([f"at most {high}"] if high < _MOST else [])
    return f"{what} of {' and '.join(limits)}" if limits else f"{what} without NaN or infinity"
