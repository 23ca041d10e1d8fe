"""Long sentences: the CPU seconds of every kind of request, answered or refused, by every system, at 390 words.

    python -m benchmarks long_sentences

No request for fewer than 400 words may take more than 2 s on one core, whatever the sentence looks like: prose, a list
with a comma behind each of its words, or words without any mark. What must be compiled and read is, before.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from tests.fuzz.texts import VERBS, long_sentence

import laconic
from laconic import Budget
from laconic.sentence import Sentence
from laconic.systems.registry import SYSTEMS

WORDS = 390
ALLOWED = 2.0
_TRIES = 3  # of a request that is slow at first: another process may have had the caches

BYTES = laconic.TextCost(lambda text: len(text.encode()), "bytes")


def texts(words: int) -> dict[str, Sentence]:
    """Sentences of so many words."""
    listed = Random("list").choices(VERBS, k=words)
    written = {
        "prose": long_sentence(Random(str(words)), words, words),
        "list": ", ".join(listed) + ".",
        "words": " ".join(listed) + ".",
    }
    return {name: laconic.tokenise(text) for name, text in written.items()}


def requests(sentence: Sentence) -> dict[str, tuple[Budget | None, dict[str, Any]]]:
    """The kinds of requests, with their pins; about half of the systems have to refuse the last ones."""
    pieces, characters = len(sentence), len(sentence.text)
    words = len(sentence.text.split())
    pins = {"keep": range(5, pieces, 50), "drop": range(6, pieces, 50)}
    return {
        "natural": (None, {}),
        "pins": (None, pins),
        "half the words": (Budget.at_most(words // 2), {}),
        "= half": (Budget.exactly(words // 2), {}),
        "= a third, pieces": (Budget.exactly(pieces // 3, unit="pieces"), {}),
        "half the characters": (Budget.at_most(characters // 2, unit="characters"), {}),
        "= half, characters": (Budget.exactly(characters // 2, unit="characters"), {}),
        "= 97 %, characters": (Budget.exactly(characters * 97 // 100, unit="characters"), {}),
        "60 characters": (Budget.at_most(60, unit="characters"), {}),
        "= half, bytes": (Budget.exactly(characters // 2 + 1, unit=BYTES), {}),
        "= 9 bytes, a pin": (Budget.exactly(9, unit=BYTES), {"keep": [5]}),
        "= all but one character": (Budget.exactly(characters - 1, unit="characters"), {}),
        "= 1 character": (Budget.exactly(1, unit="characters"), {}),
        "= too few for pins": (Budget.exactly(2), pins),
        "= 0 words": (Budget.exactly(0), {}),
        "= too many characters": (Budget.exactly(characters + 9, unit="characters"), {}),
        "too many bytes": (Budget.at_least(2 * characters, unit=BYTES), {}),
        "= too many letters": (Budget.exactly(characters, unit=lambda word: word.count("e")), {}),
    }


@dataclass(frozen=True, order=True)
class Taken:
    """What a request took."""

    seconds: float
    system: str
    text: str
    kind: str
    answered: bool

    def __str__(self) -> str:
        outcome = "answered" if self.answered else "refused"
        return f"{self.seconds:.2f} s: {self.system}, {self.text}, {self.kind}, {outcome}"


def timed(
    system: laconic.System, sentence: Sentence, budget: Budget | None, pins: dict[str, Any]
) -> tuple[float, bool]:
    """The CPU seconds of a request, and whether it was answered."""
    best, answered = float("inf"), False
    for _ in range(_TRIES):
        start = process_time()
        with suppress(laconic.InfeasibleBudget):
            system.compress(sentence, budget, **pins)
            answered = True
        best = min(best, process_time() - start)
        if best < ALLOWED / 2:
            break
    return best, answered


def run(_: Path) -> None:
    """Ask every system everything; refusals in brackets."""
    sentences, kinds = texts(WORDS), requests(laconic.tokenise("None."))
    print(", ".join(f"{number} {kind}" for number, kind in enumerate(kinds, 1)))
    print(" " * 30 + " ".join(f"{number:>6}" for number in range(1, len(kinds) + 1)))
    found: list[Taken] = []
    for name, entry in SYSTEMS.items():
        if not entry.can_run:
            continue
        system = laconic.open_system(name)
        for sentence in texts(110).values():  # long enough to be searched in the same ways
            for budget, pins in requests(sentence).values():
                with suppress(laconic.InfeasibleBudget):
                    system.compress(sentence, budget, **pins)
        for text, sentence in sentences.items():
            row = [
                Taken(*(measured := timed(system, sentence, *asked))[:1], name, text, kind, measured[1])
                for kind, asked in requests(sentence).items()
            ]
            shown = (f"{each.seconds:.2f}" if each.answered else f"({each.seconds:.2f})" for each in row)
            print(
                f"{name:21}{text:5} {len(sentence):3} " + " ".join(f"{one:>6}" for one in shown), flush=True
            )
            found += row
    answers = [each for each in found if each.answered]
    refusals = [each for each in found if not each.answered]
    print(f"{len(answers)} answers, slowest {max(answers)}")
    print(f"{len(refusals)} refusals, slowest {max(refusals)}")
    print(f"{sum(each.seconds > ALLOWED for each in found)} of {len(found)} above {ALLOWED:g} s")
