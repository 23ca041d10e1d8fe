"""How long a compression may be: at most, exactly or at least so much of a cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType, NoneType
from typing import Literal, SupportsIndex

from laconic.errors import LaconicError

_TOKENS = "tokens"


@dataclass(frozen=True, slots=True, repr=False)
class TextCost:
    """A cost of the final text as a whole, which need not be the sum over its words: a tokenizer's tokens.

    `adds_up` says of a text whether what is made of its words costs what words and white space cost by themselves: then
    texts need not be measured.

    >>> TextCost(lambda text: len(text.encode()), "bytes").count("né")
    3
    """

    count: Callable[[str], int]
    name: str = _TOKENS
    adds_up: Callable[[str], bool] | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"


def tokens_of(whose: str | None) -> str:
    """The name of a cost in tokens, if they are known to be somebody's."""
    return f"{_TOKENS} of {whose}" if whose else _TOKENS


def name_of(cost: object) -> str | None:
    """What tells a cost from all others: its own `name`, or where it is defined as a function; None where nothing does.

    >>> name_of(len), name_of(lambda word: 1), name_of(TextCost(len)), name_of(TextCost(len, "letters"))
    ('len', None, 'tokens of len', 'letters')
    """
    name = getattr(cost, "name", None)
    if isinstance(name, str) and name:
        if not isinstance(cost, TextCost) or name != _TOKENS:
            return name
        whose = name_of(cost.count)
        return whose and tokens_of(whose)
    name, owner = getattr(cost, "__qualname__", ""), getattr(cost, "__self__", None)
    # What a lambda, a function within a function or a method does is not said by its name alone.
    if (
        not name
        or "<lambda>" in name
        or getattr(cost, "__closure__", None)
        or not isinstance(owner, NoneType | ModuleType)
    ):
        return None
    module = getattr(cost, "__module__", None) or "builtins"
    return str(name) if module == "builtins" else f"{module}.{name}"


def _words(text: str) -> int:
    return sum(any(map(str.isalnum, piece)) for piece in text.split())


WORDS = TextCost(_words, "words")
"""Words as people, and word processors, count them: marks do not count, and "isn't" is one.

>>> WORDS.count("It isn't late – yet.")
4
"""


Unit = Literal["words", "pieces", "characters"] | Callable[[str], int] | TextCost
"""What is counted: words as people count them, the pieces that laconic cuts a sentence into (marks are pieces, and
"isn't" is two), characters of the final text, a cost for each piece, or a cost of the final text."""


def adds_up(unit: Unit, text: str) -> bool:
    """Whether what is made of the words of a text costs what its parts cost, so that it need not be measured.

    >>> adds_up("characters", "né"), adds_up(TextCost(len), "né")
    (True, False)
    """
    return not isinstance(unit, TextCost) or (unit.adds_up is not None and unit.adds_up(text))


LARGEST = 10**9
"""More than anything costs that is shortened here."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A range of allowed cost, absolute or relative to the source sentence.

    Build one with `at_most`, `exactly`, `at_least` or `between`:

    >>> Budget.at_most(12)
    Budget(least=None, most=12, unit=<words>, relative=False)
    >>> Budget.exactly(ratio=0.5, unit="characters").limits(81)
    (41, 41)

    Words are counted as people count them, characters on the final, detokenised and repaired text, and so is a
    `TextCost`. Pieces are what laconic cuts sentences into; a callable unit gives the integer cost of one of them.
    """

    least: float | None
    most: float | None
    unit: Unit = "words"
    relative: bool = False

    def __post_init__(self) -> None:
        for name, bound in (("least", self.least), ("most", self.most)):
            if bound is None:
                continue
            if not isinstance(bound, int | float) or isinstance(bound, bool):
                raise LaconicError(f"a budget's {name} is a number, not {bound!r}")
            if not 0 <= bound <= LARGEST:
                raise LaconicError(
                    f"a budget's {name} must be a finite number of at least 0, not {bound!r:.20}; at most {LARGEST:,}"
                )
            if self.relative and bound > 1:
                raise LaconicError(f"a ratio lies between 0 and 1, not {bound}")
            if not self.relative and bound != int(bound):
                raise LaconicError(
                    f"a budget's {name} must be a whole number unless it is a ratio, not {bound}"
                )
        if self.least is None and self.most is None:
            raise LaconicError("a budget needs a least or a most")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise LaconicError(f"a budget of at least {self.least} and at most {self.most} is empty")
        counts = self.unit.count if isinstance(self.unit, TextCost) else self.unit
        if not callable(counts) and counts not in ("words", "pieces", "characters"):
            raise LaconicError(f"a budget counts 'words', 'characters' or a cost per word, not {self.unit!r}")
        if counts == "words":
            object.__setattr__(self, "unit", WORDS)

    @classmethod
    def at_most(
        cls, amount: int | None = None, *, ratio: float | None = None, unit: Unit = "words"
    ) -> Budget:
        """No more than `amount`, or than `ratio` of the source."""
        value, relative = _amount(amount, ratio)
        return cls(None, value, unit, relative)

    @classmethod
    def exactly(
        cls, amount: int | None = None, *, ratio: float | None = None, unit: Unit = "words"
    ) -> Budget:
        """Exactly `amount`, or the whole number nearest to `ratio` of the source."""
        value, relative = _amount(amount, ratio)
        return cls(value, value, unit, relative)

    @classmethod
    def at_least(
        cls, amount: int | None = None, *, ratio: float | None = None, unit: Unit = "words"
    ) -> Budget:
        """No less than `amount`, or than `ratio` of the source."""
        value, relative = _amount(amount, ratio)
        return cls(value, None, unit, relative)

    @classmethod
    def between(cls, least: float, most: float, *, unit: Unit = "words", relative: bool = False) -> Budget:
        """No less than `least` and no more than `most`; shares of the source if `relative`."""
        return cls(least, most, unit, relative)

    def limits(self, total: int) -> tuple[int, int]:
        """The allowed (least, most), both included, for a source that costs `total`.

        A range of ratios with no whole number in it has a least above its most.
        """
        if self.relative and self.least is not None and self.least == self.most:
            exact = math.floor(self.least * total + 0.5)
            return exact, exact
        scale = total if self.relative else 1
        # The tiny slack undoes the rounding of products such as 0.29 * 100 = 28.999…
        least = 0 if self.least is None else math.ceil(self.least * scale - 1e-9)
        most = total if self.most is None else math.floor(self.most * scale + 1e-9)
        return least, most

    def measure(self, words: Sequence[str], text: str) -> int:
        """The cost of an output: its pieces and its final text."""
        if self.unit == "pieces":
            return len(words)
        if self.unit == "characters":
            return len(text)
        if isinstance(self.unit, TextCost):
            return whole_cost(self.unit.count(text), text)
        assert callable(self.unit)
        return sum(whole_cost(self.unit(word), word) for word in words)


def whole_cost(cost: object, of: str) -> int:
    """What a caller's unit says that a word or a text costs, which must be a whole number of at least 0."""
    if type(cost) is int and 0 <= cost <= LARGEST:  # to ask a protocol takes twenty times as long
        return cost
    if isinstance(cost, bool) or not isinstance(cost, SupportsIndex) or not 0 <= int(cost) <= LARGEST:
        raise LaconicError(f"a cost is a whole number from 0 to {LARGEST:,}; {of[:40]!r} costs {cost!r}")
    return int(cost)


def coarsest(unit: Unit, words: Iterable[str]) -> tuple[Unit, int]:
    """A unit in which words cost the least, and how much of the given one it is: what each of them costs a multiple of.

    >>> unit, grain = coarsest(lambda word: 30 * len(word), ["It", "fell"])
    >>> unit("fell"), grain
    (2, 60)
    """
    if isinstance(unit, TextCost | str):
        return unit, 1
    costs = {word: whole_cost(unit(word), word) for word in dict.fromkeys(words)}
    grain = math.gcd(*costs.values())
    if grain <= 1:
        return unit, 1
    return lambda word: -(-whole_cost(unit(word), word) // grain), grain


def _amount(amount: int | None, ratio: float | None) -> tuple[float, bool]:
    if (amount is None) == (ratio is None):
        raise LaconicError("give a budget either an amount or a ratio")
    return (amount, False) if amount is not None else (ratio, True)  # type: ignore[return-value]
