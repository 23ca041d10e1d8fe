"""Killed at random moments, a job leaves the bytes of one that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing is killed so here")

from tests.batch.kills import SHARD, begun, command, survived  # noqa: E402


def test_a_killed_job_leaves_the_same_bytes(tmp_path: Path) -> None:
    assert len(list(survived(3, seed=3, folder=tmp_path))) == 3


@pytest.mark.slow
@pytest.mark.parametrize("shard", [SHARD, None])
def test_many_killed_jobs_leave_the_same_bytes(tmp_path: Path, shard: int | None) -> None:
    moments = list(survived(50, seed=int(time.time()), folder=tmp_path, shard=shard))
    assert len(set(moments)) > 5  # they came at different moments


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are found in /proc")
def test_workers_end_with_the_program(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("It fell again.\n" * 20_000)
    process = begun(source, tmp_path / "out.txt", 2)
    deadline = time.monotonic() + 20
    while len(session(process.pid)) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(session(process.pid)) >= 3
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while session(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert session(process.pid) == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are found in /proc")
def test_a_killed_worker_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("It fell again and again.\n" * 4000)
    process = subprocess.Popen(command(source, output, 2), stderr=subprocess.PIPE, start_new_session=True)
    journal = tmp_path / "out.txt.parts" / "journal.jsonl"
    deadline = time.monotonic() + 20
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.001)
    worker = next(
        each for each in session(process.pid) if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()
    )
    os.kill(worker, signal.SIGKILL)
    said = process.communicate()[1].decode()
    assert process.returncode == 2
    assert "a worker was killed" in said
    assert journal.stat().st_size
    assert subprocess.run(command(source, output, 1), capture_output=True, check=False).returncode == 0
    assert output.read_text() == "It fell again and\n" * 4000


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are found in /proc")
def test_an_interrupt_is_heard_at_once_and_in_silence(tmp_path: Path) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("It fell again and again.\n" * 20_000)
    process = subprocess.Popen(command(source, output, 2), stderr=subprocess.PIPE, start_new_session=True)
    journal = tmp_path / "out.txt.parts" / "journal.jsonl"
    deadline = time.monotonic() + 20
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate()[1] == b""
    assert process.returncode == 130


def session(leader: int) -> list[int]:
    """The processes that live in the session of one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(leader) and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found
