"""One sentence has one answer on every CPU: the runtime's kernels for older ones give the same bits."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks._instructions import KINDS, older_runtime, run_with

CPU = Path("/proc/cpuinfo")
SENTENCE = "On Tuesday the council , which met twice , agreed to lower the fees by 7.5 % ."
SCORES = """
import hashlib, sys
from laconic.annotate.network import Network, Scores, register_weights
scores = Network.shipped().read(tuple(sys.argv[1].split()), register_weights("spoken"))
print(hashlib.sha256(b"".join(getattr(scores, name).tobytes() for name in Scores.__slots__)).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.skipif(not CPU.exists() or "avx512_vnni" not in CPU.read_text(), reason="needs a CPU with VNNI")
@pytest.mark.parametrize("kind", KINDS)
def test_scores_do_not_depend_on_the_instructions_of_the_cpu(kind: str, tmp_path: Path) -> None:
    here = run_with(None, "-c", SCORES, SENTENCE)
    assert run_with(older_runtime(tmp_path, kind), "-c", SCORES, SENTENCE) == here != ""
