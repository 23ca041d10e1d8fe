"""The same answer twice: on any number of threads, in any order, and in another process."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import laconic
from laconic import Budget, Compressor
from tests.fuzz.laws import Violation
from tests.fuzz.texts import plain_sentence, short_text

THREADS = (1, 2, 8)
_SECONDS = 900.0  # for another process to answer on a machine that may be busy: one that never does is stuck


@cache
def _compressor(threads: int) -> Compressor:
    return Compressor(threads=threads)


def described(answer: Any) -> str:
    """All that an answer says, as text that can be compared."""
    return f"{answer.text!a} {answer.kept} {answer.repairs} {answer.notes} {answer.score!r}"


def outcome(line: str) -> str:
    """What a call answers, or how it refuses."""
    try:
        answer = eval(line, {"laconic": laconic})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    parts = [piece.compression for piece in answer.sentences]
    return "; ".join("dropped" if part is None else described(part) for part in parts)


def outcomes(lines: Sequence[str]) -> list[str]:
    """What each call answers."""
    return [outcome(line) for line in lines]


def differences_between_threads(random: Random, *, sentences: int = 12) -> list[Violation]:
    """Where an answer depends on the number of threads or on what else is in the batch."""
    texts = [random.choice((plain_sentence, short_text))(random) for _ in range(sentences)]
    budget = random.choice(
        (
            None,
            Budget.at_most(6, unit="pieces"),
            Budget.exactly(ratio=0.5, unit="pieces"),
            Budget.at_most(30, unit="characters"),
            Budget.exactly(ratio=0.6, unit="characters"),
        )
    )
    alone = [
        described(answer)
        for text in texts
        for answer in _compressor(1).compress_all([text], budget, impossible="leave")
    ]
    found = []
    for threads in THREADS:
        compressor = _compressor(threads)
        for order in (texts, texts[::-1]):
            answers = list(map(described, compressor.compress_all(order, budget, impossible="leave")))
            answers = answers if order is texts else answers[::-1]
            found += [
                Violation(
                    "5 another answer in a batch", f"{threads} threads, {budget}, {text!a}: {one} but {other}"
                )
                for text, one, other in zip(texts, alone, answers, strict=True)
                if one != other
            ]
    return found


def differences_between_processes(lines: Sequence[str], how: str) -> list[Violation]:
    """Where an answer differs after a fork, or in a process that is started afresh ("spawn")."""
    here = outcomes(lines)
    context: Any = multiprocessing.get_context(how)
    with context.Pool(1) as pool:
        try:
            there = pool.apply_async(outcomes, (lines,)).get(_SECONDS)
        except multiprocessing.TimeoutError:
            return [Violation(f"5 no answer after {how}", f"within {_SECONDS:.0f} s")]
    return [
        Violation(f"5 another answer after {how}", f"{line}: {one} but {other}")
        for line, one, other in zip(lines, here, there, strict=True)
        if one != other
    ]
