"""The one table of options: what a caller can ask for, the same in Python, program, pipelines and services."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from operator import index
from os import PathLike
from typing import Any, Literal, Self, SupportsIndex, TypedDict, cast, get_args

from laconic.budget import Budget, TextCost, Unit
from laconic.errors import LaconicError

Amount = float | str
"""N or "N" is at most N; "=N" exactly; "M..N" from M to N; "M.." at least M; "..N" at most N."""

Per = Literal["text", "paragraph", "sentence", "line"]
Like = Literal["headlines", "broadcast", "print"]
Length = Literal["short", "medium", "long"] | float
Impossible = Literal["error", "leave", "nearest"]
Format = Literal["text", "markdown", "html", "lines"]
Kind = Literal["names", "numbers", "negations", "urls", "code", "quotes"]
Place = tuple[int, int]
"""From the first character to before the last, as offsets in the text."""
Pin = str | Place

AMOUNTS = "N (at most), =N (exactly), M..N, M.. (at least) or ..N"
_NUMBER = r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
_AMOUNT = re.compile(
    rf"\s*(?:=\s*(?P<exact>{_NUMBER})|(?P<least>{_NUMBER})?\s*\.\.\s*(?P<most>{_NUMBER})?)\s*"
)
_PLAIN = re.compile(_NUMBER)


@dataclass(frozen=True, slots=True)
class Option:
    """What the faces need to know of an option: its help, its letter, what stands for its value, its choices."""

    help: str
    group: Literal["limit", "manner", "pins", "other"]
    letter: str | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()


def _limit(help: str, letter: str | None = None) -> dict[str, Option]:  # noqa: A002
    return {"option": Option(help, "limit", letter, "AMOUNT")}


def _option(
    group: Literal["limit", "manner", "pins", "other"],
    help: str,  # noqa: A002
    *,
    letter: str | None = None,
    metavar: str | None = None,
    choices: Any = None,
) -> dict[str, Option]:
    names = () if choices is None else get_args(choices)
    return {"option": Option(help, group, letter, metavar or "|".join(names) or None, names)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for; every wrong value is an error that names the option.

    >>> Options(words="8..12").budget()
    Budget(least=8, most=12, unit=<words>, relative=False)
    """

    words: Amount | None = field(
        default=None,
        metadata=_limit('Words as people count them: marks do not count, and "isn\'t" is one.', "w"),
    )
    characters: Amount | None = field(default=None, metadata=_limit("Characters of the final text.", "c"))
    tokens: Amount | None = field(default=None, metadata=_limit("Tokens of the tokenizer.", "t"))
    graphemes: Amount | None = field(default=None, metadata=_limit("What a reader sees as one character."))
    bytes: Amount | None = field(default=None, metadata=_limit("Bytes of UTF-8."))
    septets: Amount | None = field(default=None, metadata=_limit("Septets of a text message."))
    seconds: Amount | None = field(default=None, metadata=_limit("Seconds of speech."))
    ratio: Amount | None = field(default=None, metadata=_limit("Share of the words, 0 to 1.", "r"))
    for_: str | None = field(
        default=None,
        metadata=_option("limit", "A limit of the world by its name, such as title.", metavar="NAME"),
    )
    tokenizer: str | PathLike[str] | TextCost | Callable[[str], int] | None = field(
        default=None,
        metadata=_option(
            "limit", "What counts tokens: a tokenizer.json, tiktoken:ENCODING, or bytes.", metavar="NAME"
        ),
    )
    per: Per = field(default="text", metadata=_option("limit", "What the limit is for.", choices=Per))
    like: Like | None = field(
        default=None,
        metadata=_option("manner", "Whose habits are imitated; by default a copy editor's.", choices=Like),
    )
    length: Length | None = field(
        default=None,
        metadata=_option(
            "manner",
            "How much stays without a limit: short, medium, long, or 0 to 1.",
            letter="l",
            metavar="LENGTH",
        ),
    )
    system: str | PathLike[str] | object = field(
        default="default",
        metadata=_option(
            "manner", "A system by its name, or the folder of a trained model.", letter="s", metavar="NAME"
        ),
    )
    keep: Pin | Iterable[Pin] = field(
        default=(),
        metadata=_option(
            "pins",
            "Keep this word or phrase wherever it appears, or this place, such as @12:19.",
            letter="k",
            metavar="PIN",
        ),
    )
    drop: Pin | Iterable[Pin] = field(
        default=(),
        metadata=_option(
            "pins",
            "Drop this word or phrase wherever it appears, or this place, such as @12:19.",
            letter="d",
            metavar="PIN",
        ),
    )
    protect: Kind | Iterable[Kind] = field(
        default=(), metadata=_option("pins", "Keep all words of this kind.", choices=Kind)
    )
    drop_sentences: bool = field(
        default=False,
        metadata=_option("other", "Whole sentences may go, where the limit is for a text or a paragraph."),
    )
    impossible: Impossible = field(
        default="error",
        metadata=_option(
            "other",
            "What becomes of what cannot meet the limit: an error, left as it is, or the nearest there is.",
            choices=Impossible,
        ),
    )
    format: Format = field(default="text", metadata=_option("other", "How the text is read.", choices=Format))

    def __post_init__(self) -> None:
        for name, option in TABLE.items():
            value = getattr(self, name)
            if option.choices and name not in ("protect",) and not (name == "like" and value is None):
                _check_choice(name, value, option.choices)
        if not isinstance(self.drop_sentences, bool):
            raise LaconicError(f"drop_sentences={self.drop_sentences!r:.60}: is either True or False")
        object.__setattr__(self, "keep", _pins("keep", self.keep))
        object.__setattr__(self, "drop", _pins("drop", self.drop))
        object.__setattr__(self, "protect", _kinds(self.protect))
        object.__setattr__(self, "length", _length(self.length))
        if not isinstance(self.system, str | PathLike) and not callable(
            getattr(self.system, "compress", None)
        ):
            raise LaconicError(f"system={self.system!r:.60}: is a name, a folder or a system")
        limits = self.limits
        if len(limits) > 1:
            raise LaconicError(f"{limits[0]} and {limits[1]} are two limits: give one of them")
        if self.length is not None and limits:
            raise LaconicError(
                f"length={self.length!r}: is for texts without a limit, and {limits[0]} is one"
            )
        if (self.tokens is None) != (self.tokenizer is None):
            missing = "tokenizer" if self.tokenizer is None else "tokens"
            raise LaconicError(f"a limit in tokens needs tokens and a tokenizer: {missing} is missing")
        if self.drop_sentences and self.per not in ("text", "paragraph"):
            raise LaconicError(
                f"drop_sentences=True: the limit is per {self.per}, not for a text or a paragraph"
            )

    @property
    def limits(self) -> tuple[str, ...]:
        """The names of the limits that are given."""
        return tuple(name for name in (*UNITS, "ratio", "for_") if getattr(self, name) is not None)

    @property
    def pins(self) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
        """The words, phrases and places to keep, and those to drop."""
        return cast("tuple[Pin, ...]", self.keep), cast("tuple[Pin, ...]", self.drop)

    def budget(self) -> Budget | None:
        """The budget that is asked for; None if there is none."""
        if not self.limits:
            return None
        [name] = self.limits
        value = getattr(self, name)
        with _naming(name, value):
            if name == "for_":
                return _named(value)
            if name == "ratio":
                return _budget(value, "words", relative=True)
            if name == "tokens":
                from laconic.units.tokenizers import open_tokenizer

                return _budget(value, open_tokenizer(self.tokenizer))
            return _of_unit(name, value)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options of a mapping with the names of the table, such as a JSON object; `for` is `for_` in Python."""
        names = {"for_" if name == "for" else name: value for name, value in given.items()}
        for name in names:
            if name not in TABLE:
                raise LaconicError(unknown(name))
        return cls(**names)


class Given(TypedDict, total=False):
    """The options as keyword arguments: the fields of `Options`, for type checkers."""

    words: Amount | None
    characters: Amount | None
    tokens: Amount | None
    graphemes: Amount | None
    bytes: Amount | None
    septets: Amount | None
    seconds: Amount | None
    ratio: Amount | None
    for_: str | None
    tokenizer: str | PathLike[str] | TextCost | Callable[[str], int] | None
    per: Per
    like: Like | None
    length: Length | None
    system: str | PathLike[str] | object
    keep: Pin | Iterable[Pin]
    drop: Pin | Iterable[Pin]
    protect: Kind | Iterable[Kind]
    drop_sentences: bool
    impossible: Impossible
    format: Format


TABLE: Mapping[str, Option] = {each.name: cast(Option, each.metadata["option"]) for each in fields(Options)}
"""The options by their names, in the order in which they are shown."""

UNITS = ("words", "characters", "tokens", "graphemes", "bytes", "septets", "seconds")
"""The limits that are named for what they count."""


def amount(value: object) -> tuple[float | None, float | None]:
    """The least and the most that an amount allows.

    >>> amount(12), amount("=8"), amount("8..12"), amount("8.."), amount("0.5")
    ((None, 12), (8, 8), (8, 12), (8, None), (None, 0.5))
    """
    if isinstance(value, float):
        return None, value
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # of an array, which is no number
            return None, index(value)
    if isinstance(value, str):
        if _PLAIN.fullmatch(value.strip()):
            return None, _number(value)
        found = _AMOUNT.fullmatch(value)
        if found is not None and any(found.groupdict().values()):
            exact, least, most = (
                None if found[name] is None else _number(found[name]) for name in ("exact", "least", "most")
            )
            return (exact, exact) if exact is not None else (least, most)
    raise LaconicError(f"an amount is {AMOUNTS}")


def unknown(name: str, names: Iterable[str] = TABLE) -> str:
    """The message about an option that is none of these names."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), n=1)
    return f"there is no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


@contextmanager
def _naming(name: str, value: object) -> Iterator[None]:
    """Errors inside name an option and its value."""
    try:
        yield
    except LaconicError as error:
        raise LaconicError(f"{name}={value!r:.60}: {error}") from None


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise LaconicError("an amount is a number that is not so large")
    return int(value) if value == int(value) and "." not in text else value


def _budget(value: object, unit: Unit, *, relative: bool = False) -> Budget:
    return Budget(*amount(value), unit, relative)


def _of_unit(name: str, value: object) -> Budget:
    from laconic.units import budget

    return budget(name, *amount(value))


def _named(name: object) -> Budget:
    from laconic.limits import named

    if not isinstance(name, str):
        raise LaconicError("a limit is given by its name")
    return named(name).budget


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise LaconicError(f"{name}={value!r:.60}: is one of {', '.join(choices)}")


def _pins(name: str, given: object) -> tuple[Pin, ...]:
    if isinstance(given, str) or _is_place(given):
        given = (given,)
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise LaconicError(
            f"{name}={given!r:.60}: is a word, a phrase, a place (start, end) or a list of them"
        )
    pins: list[Pin] = []
    for pin in given:
        if _is_place(pin):
            start, end = pin
            if not 0 <= start < end:
                raise LaconicError(f"{name}: a place goes from a character to a later one, not {pin!r:.60}")
            pins.append((start, end))
        elif isinstance(pin, str):
            if not pin.strip():
                raise LaconicError(f"{name}={pin!r}: there is no word in it")
            pins.append(pin)
        else:
            raise LaconicError(
                f"{name}: a word, a phrase or a place (start, end) is expected, not {pin!r:.60}"
            )
    return tuple(dict.fromkeys(pins))


def _is_place(value: object) -> bool:
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(each, int) and not isinstance(each, bool) for each in value)
    )


def _kinds(given: object) -> tuple[str, ...]:
    kinds: tuple[str, ...] = get_args(Kind)
    if isinstance(given, str):
        given = (given,)
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise LaconicError(f"protect={given!r:.60}: is a kind of words or a list of them: {', '.join(kinds)}")
    wanted = tuple(given)
    for kind in wanted:
        _check_choice("protect", kind, kinds)
    return tuple(kind for kind in kinds if kind in wanted)


def _length(given: object) -> Length | None:
    names = ("short", "medium", "long")
    value = _number(given) if isinstance(given, str) and _PLAIN.fullmatch(given) else given
    if value is None or (isinstance(value, str) and value in names):
        return cast("Length | None", value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise LaconicError(f"length={given!r:.60}: is short, medium, long, or a number from 0 to 1")
