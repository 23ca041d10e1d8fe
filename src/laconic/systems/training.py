"""Training as a user: any system from a file of pairs, its length chosen, its card written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from itertools import count
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from laconic.corpora.cutting import load_pairs
from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.formats import OnError
from laconic.storage import add_to_card
from laconic.systems.options import configured, options_of
from laconic.systems.registry import system_class
from laconic.systems.system import System

Progress = Callable[[int, int | None], None]
"""Takes how much is done, and of how much if that is known."""

SCORES = ("positional_f1", "clipped_bag_f1", "word_rate", "reference_word_rate")
"""The scores on development pairs that a card has, at the length that the system chooses."""

_ENOUGH = 20  # pairs of which some can be spared
_EVERY = 10  # of how many one is held out


@runtime_checkable
class Calibrated(Protocol):
    """A system with a price of words that is chosen on pairs, so that it finds a good length by itself."""

    def calibrated(self, pairs: Iterable[Pair]) -> Self:
        """The system with the price whose answers are best on the pairs."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train: a system by name, the options given as text, and the files of pairs.

    Without development pairs, systems whose length is calibrated hold some of the pairs out for it, if there are many.
    """

    name: str
    pairs: Path
    development: Path | None = None
    checkpoint: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def train(
        self, folder: Path, *, progress: Progress | None = None, on_error: OnError | None = None
    ) -> System:
        """Fit the system, calibrate its length, and write it to a folder, with a card that says all this."""
        chosen = configured(system_class(self.name)(), self.options)
        system, arguments = chosen.system, dict(chosen.arguments)
        taken = signature(system.fit).parameters
        if self.checkpoint is not None:
            if "checkpoint" not in taken:
                raise LaconicError(f"the system {self.name!r} makes no use of --checkpoint: leave it out")
            arguments["checkpoint"] = self.checkpoint
        shown = load_pairs(self.pairs)
        if not shown:
            raise LaconicError(f"{self.pairs}: there are no pairs in it")
        held: Sequence[Pair] = () if self.development is None else load_pairs(self.development)
        if self.development is not None and not held:
            raise LaconicError(f"{self.development}: there are no pairs in it")
        calibrates = isinstance(system, Calibrated)
        if calibrates and not held and len(shown) >= _ENOUGH:
            held = shown[_EVERY - 1 :: _EVERY]
            shown = [pair for number, pair in enumerate(shown, start=1) if number % _EVERY]
        if "development" in taken and (held or calibrates):
            arguments["development"] = held or shown
        if "on_error" in taken and on_error is not None:
            arguments["on_error"] = on_error
        learnt: Iterable[Pair] = shown
        if progress is not None and "progress" in taken:
            steps = count(1)
            # Learners that do not know how long they will take say other things than (done, of how many).
            arguments["progress"] = lambda *news: progress(*(news if len(news) == 2 else (next(steps), None)))
        elif progress is not None:
            learnt = _reported(shown, progress)
        fitted = system.fit(learnt, **arguments)
        fitted.save(folder)
        add_to_card(folder, {"training": self._card(system, fitted, len(shown), held)})
        return fitted

    def _card(self, system: System, fitted: System, shown: int, held: Sequence[Pair]) -> dict[str, Any]:
        options = {name: str(option) for name, option in options_of(system).items()} | dict(self.options)
        card: dict[str, Any] = {
            "data": {"pairs": shown, "sha256": _checksum(self.pairs)},
            "seed": options.get("seed"),
            "options": options,
        }
        if held:
            of = {} if self.development is None else {"sha256": _checksum(self.development)}
            card["development"] = {"pairs": len(held), **of, "scores": development_scores(fitted, held)}
        return card


def development_scores(system: System, pairs: Sequence[Pair]) -> dict[str, float | None]:
    """How a system does on pairs at the length that it chooses."""
    from laconic.metrics.evaluation import evaluate

    report = evaluate(system, [pair for pair in pairs if pair.source.words], name=system.name)
    found = {score.metric: score.macro for score in report.scores}
    return {name: None if (score := found[name]) is None else round(score, 4) for name in SCORES}


def _reported(pairs: Sequence[Pair], progress: Progress) -> Iterator[Pair]:
    for done, pair in enumerate(pairs, start=1):
        yield pair
        progress(done, len(pairs))


def _checksum(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
