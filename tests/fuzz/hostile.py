"""Arguments that no caller should give: each call is answered or refused with a message, never anything else."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import laconic
from tests.fuzz.laws import Violation

AMOUNTS = [
    "-1", "0", "True", "False", "1.5", "2.0", "10**9", "10**18", "10**30", "1e300", "-0.0", "float('nan')",
    "float('inf')", "'3'", "b'3'", "[3]", "(3,)", "(1, 2, 3)", "(2, 1)", "(None, 3)", "(3, None)", "(None, None)", "()",
    "{}", "object()", "'1..2'", "'=3'", "'..'", "'='", "'2..1'", "'3..'", "'9' * 400",
    "(0, 10**18)", "(10**18, 10**18)", "(-5, 3)", "('1', '2')", "None", "'=1000000000'", "'1000000000..'",
]  # fmt: skip
PHRASES = [
    "'late'", "b'late'", "None", "3", "[None]", "[3]", "['']", "[' ']", "[b'late']", "['late', '']", "{'late'}",
    "('late',)", "iter(['late'])", "{'late': 1}", "['\\ud800']", "[['late']]", "'The'", "''", "object()", "True",
]  # fmt: skip
TEXTS = [
    "None", "3", "b'It was late.'", "['It was late.']", "''", "' '", "'\\ud800'", "'\\x00'", "True", "object()",
    "laconic.Sentence(('It', 'fell'), (' ', ''))", "laconic.Sentence((), ())", "'It was late.'",
]  # fmt: skip
BUDGETS = [
    "3", "'3'", "laconic.Budget(None, 3, 'syllables')", "laconic.Budget(None, 3, None)", "laconic.Budget(None, 3, 7)",
    "laconic.Budget('1', 3)", "laconic.Budget(None, None)", "laconic.Budget(3, 1)", "laconic.Budget(None, 3, str)",
    "laconic.Budget(None, 3, lambda word: -1)", "laconic.Budget(None, 3, lambda word: 0.5)",
    "laconic.Budget(None, 3, lambda word: 1 / 0)", "laconic.Budget(None, 3, laconic.TextCost(lambda text: -1))",
    "laconic.Budget(None, 3, laconic.TextCost(lambda text: None))",
    "laconic.Budget(None, 3, laconic.TextCost(lambda text: 'x'))",
    "laconic.Budget(None, 3, laconic.TextCost(None))", "laconic.Budget(None, 3, laconic.TextCost(lambda text: 10**12))",
    "laconic.Budget(None, 10**12, lambda word: 10**11)", "laconic.Budget(10**6, 10**6, lambda word: 10**6)",
    "laconic.Budget.at_most()", "laconic.Budget.at_most(3, ratio=0.5)", "laconic.Budget.at_most(ratio=2)",
    "laconic.Budget.at_most(ratio=True)", "laconic.Budget.exactly(True)", "laconic.Budget.at_least(10**18)",
    "laconic.Budget.exactly(ratio=float('nan'))", "laconic.Budget(None, 10**400)",
    "laconic.Budget(None, 3, relative=3)", "laconic.Budget(None, 3, [])", "laconic.Budget([], 3)",
    "laconic.Budget(None, 2j)",
]  # fmt: skip
OPTIONS = [
    ("like", ["'print'", "'sports'", "3", "[]", "''"]),
    ("length", ["'short'", "'odd'", "7", "-1", "float('nan')", "[]", "True"]),
    ("protect", ["'names'", "['names']", "['odd']", "None", "3", "[None]", "[[]]"]),
    ("system", ["'truncate'", "'nothing'", "None", "3", "''", "'/'", "'\\x00'", "[]"]),
    ("tokenizer", ["None", "len", "laconic.TextCost(len)"]),
    ("tokens", ["3", "None"]),
    ("drop_sentences", ["True", "None", "'x'"]),
    ("per", ["'sentence'", "'word'", "None", "3"]),
    ("impossible", ["'leave'", "'nearest'", "'ignore'", "None", "b'leave'"]),
    ("format", ["'html'", "'markdown'", "'lines'", "'pdf'", "None"]),
    ("for_", ["'title'", "'nothing'", "3", "[]", "None"]),
    ("nonsense", ["1"]),
]
INDICES = [
    "[0]",
    "[-1]",
    "[99]",
    "[10**18]",
    "[1.0]",
    "['1']",
    "[True]",
    "None",
    "'0'",
    "[None]",
    "3",
    "[0, 0]",
]

_MORE_MEMORY = 4 * 2**30

TEXT = "'The old ferry was late. It was not ours.'"


def draw_hostile(random: Random) -> str:
    """A call with an argument or two that should not be there."""
    if random.random() < 0.15:
        system = random.choice(("truncate", "everything"))
        pins = f"{random.choice(('keep', 'drop'))}={random.choice(INDICES)}"
        return f"laconic.open_system({system!r}).compress(laconic.tokenise({TEXT}), {pins})"
    text = random.choice(TEXTS) if random.random() < 0.2 else TEXT
    arguments = [text]
    if random.random() < 0.3:
        arguments.append(random.choice(BUDGETS))
    else:
        name = random.choice(("words", "characters", "ratio"))
        arguments.append(f"{name}={random.choice(AMOUNTS)}")
    if random.random() < 0.4:
        arguments.append(f"{random.choice(('keep', 'drop'))}={random.choice(PHRASES)}")
    if random.random() < 0.2:
        name, values = random.choice(OPTIONS)
        arguments.append(f"{name}={random.choice(values)}")
    return f"laconic.compress({', '.join(arguments)})"


def every_hostile_argument() -> Iterator[str]:
    """Each odd argument by itself, once for a text and once for a sentence."""
    yield from (f"laconic.compress({text})" for text in TEXTS)
    yield from (f"laconic.compress({text}, words=2)" for text in TEXTS)
    for text in (TEXT, f"laconic.tokenise({TEXT})"):
        yield from (f"laconic.compress({text}, {budget})" for budget in BUDGETS)
        for name in ("words", "characters", "ratio"):
            yield from (f"laconic.compress({text}, {name}={amount})" for amount in AMOUNTS)
        for name in ("keep", "drop"):
            yield from (f"laconic.compress({text}, words=6, {name}={phrases})" for phrases in PHRASES)
        for name, values in OPTIONS:
            yield from (f"laconic.compress({text}, {name}={value})" for value in values)
    for system in ("truncate", "everything", "default"):
        for name in ("keep", "drop"):
            yield from (
                f"laconic.open_system({system!r}).compress(laconic.tokenise({TEXT}), {name}={indices})"
                for indices in INDICES
            )


def hostile_violations(line: str, *, seconds: int = 20) -> list[Violation]:
    """What is wrong with how a call is answered; it is stopped after some CPU seconds, and has bounded memory."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"no answer within {seconds} CPU s")

    previous, limits = signal.signal(signal.SIGPROF, stop), resource.getrlimit(resource.RLIMIT_AS)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    resource.setrlimit(resource.RLIMIT_AS, (_memory() + _MORE_MEMORY, limits[1]))
    try:
        eval(line, {"laconic": laconic})
    except laconic.LaconicError as error:
        return [] if str(error).strip() else [Violation("7 an error without a message", repr(error))]
    except ZeroDivisionError:  # the caller's own function failed: that is for the caller to see
        return [] if "1 / 0" in line else [Violation("7 hostile ZeroDivisionError", "")]
    except Exception as error:
        return [Violation(f"7 hostile {type(error).__name__}", str(error)[:200])]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGPROF, previous)
    return []


def _memory() -> int:
    """The address space that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
