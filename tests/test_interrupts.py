"""An interrupt, whenever it comes, is an exception and no crash."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

from laconic.systems.registry import SYSTEMS

BASELINES = ("truncate", "everything")

# In one thread, so that kernels run where the interrupt arrives.
CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which what runs in the background may ignore
from laconic.annotate import annotate
from laconic.budget import Budget
from laconic.systems.registry import open_system
sentence = "The old mill by the river, which had stood empty for many years, was sold on Monday, the owner said."
systems = [open_system(name) for name in sys.argv[1:]]
(annotated,) = annotate([sentence], threads=1)
def work():
    for system in systems:
        system.compress(annotated)
        system.compress(annotated, Budget.exactly(9))
work()
while True:
    try:
        print("working", flush=True)
        while True:
            work()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


# The signal comes while the kernel runs, so that it is pending whenever the answer is made for Python.
PENDING = """
import signal, sys
from typing import NamedTuple
import numpy as np
from laconic.kernel import kernel

class Pair(NamedTuple):
    first: np.ndarray
    second: float

@kernel
def spin(rounds):
    total = 0.0
    for number in range(rounds):
        total += np.sin(number)
    return total

@kernel
def named(rounds):
    return Pair(np.zeros(3), spin(rounds))

@kernel
def plain(rounds):
    return np.zeros(3), spin(rounds)

def stop(number, frame):
    raise KeyboardInterrupt

for function in (named, plain):
    function(1000)
    caught = 0
    signal.signal(signal.SIGALRM, stop)
    for _ in range(50):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            function(500_000)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            caught += 1
    print(function.__name__, caught > 25)
"""


def test_an_interrupt_that_waits_for_a_kernel_is_raised_after_it() -> None:
    done = subprocess.run([sys.executable, "-c", PENDING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "named True\nplain True\n"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "system", [name for name, entry in SYSTEMS.items() if entry.can_run and name not in BASELINES]
)
def test_no_interrupt_kills_the_process(system: str) -> None:
    chance = random.Random(1)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, system], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            for _ in range(30):
                assert process.stdout.readline() == "working\n", process.stderr.read()[-2000:]
                time.sleep(0.01 + 0.1 * chance.random())
                process.send_signal(signal.SIGINT)
                answer = process.stdout.readline()
                assert answer == "interrupted\n", process.stderr.read()[-2000:]
        finally:
            process.kill()
