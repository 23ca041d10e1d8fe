"""An interrupt, whenever it comes, is an exception and no crash."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

# In one thread, so that kernels run where the interrupt arrives.
CODE = """
import sys
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


@pytest.mark.slow
@pytest.mark.parametrize("system", ["default", "dependency", "markov", "noisy-channel", "transducer"])
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
