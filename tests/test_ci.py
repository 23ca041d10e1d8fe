"""What continuous integration calls does nothing unasked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parent.parent / ".ci" / "run"


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("-h", 0), ("--fast", 2), ("test", 2)])
def test_arguments_are_answered_without_a_build(argument: str, code: int) -> None:
    if not RUN.exists():
        pytest.skip("not a checkout")
    done = subprocess.run([RUN, argument], capture_output=True, text=True, check=False, timeout=5)
    assert done.returncode == code
    assert ("make test" in done.stdout) if code == 0 else ("no arguments" in done.stderr)
