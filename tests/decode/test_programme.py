"""Programmes are solved wherever they are asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("scipy")

AFTER_A_FORK = """
import os, signal, warnings
import numpy as np
import scipy.optimize
from laconic.decode.programme import Programme

warnings.simplefilter("ignore")
milp = scipy.optimize.milp  # as on a machine with more processors than this one may have
scipy.optimize.milp = lambda *arguments, options, **others: milp(
    *arguments, options={**options, "threads": 4}, **others
)

def solved():
    random = np.random.default_rng(0)
    programme = Programme()
    columns = list(programme.indicators(range(30)).values())
    for _ in range(15):
        programme.rows.weigh(zip(columns, random.normal(size=30)), -np.inf, 1.0)
    return programme.maximised(random.random(30)).tolist()

here = solved()
child = os.fork()
if not child:
    signal.alarm(30)
    os._exit(0 if solved() == here else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_solves_what_its_parent_does() -> None:
    assert subprocess.run([sys.executable, "-c", AFTER_A_FORK], check=False).returncode == 0
