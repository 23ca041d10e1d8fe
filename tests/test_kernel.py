"""Machine code is kept where it can be, and nothing that happens to it stops the program."""

from __future__ import annotations

import gc
import os
import pty
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import event

from laconic.kernel import _file_checksum, _folders, _private_folder, kernel

SOURCE = Path(__file__).parent.parent / "src"

CALLEE = """
from laconic.kernel import kernel

STEP = 1

@kernel
def step(number):
    return number + STEP
"""
CALLER = """
from laconic.kernel import kernel
from callee import step

@kernel
def twice(number):
    return step(step(number))

if __name__ == "__main__":
    print(twice(40), sum(twice.stats.cache_hits.values()))
"""


class Package:
    """Two modules of kernels, run again and again as if in new processes, or in some."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.home, self.temporary = (folder / name for name in ("package", "home", "temporary"))
        for made in (self.folder, self.home, self.temporary):
            made.mkdir()
        self.private = self.temporary / f"laconic-{os.getuid()}"
        for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("TMPDIR", str(self.temporary))
        monkeypatch.setenv("PYTHONPATH", str(SOURCE))
        self.write(step=1)

    def write(self, *, step: int) -> None:
        (self.folder / "callee.py").write_text(CALLEE.replace("STEP = 1", f"STEP = {step}"))
        (self.folder / "caller.py").write_text(CALLER)

    def run(self) -> tuple[int, int]:
        """Two steps from 40, and how many kernels were found ready: one says that the answer was."""
        _file_checksum.cache_clear()
        callee = self._load("callee", {})
        twice = self._load("caller", {"step": callee["step"]})["twice"]
        return twice(40), sum(twice.stats.cache_hits.values())

    def _load(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        path = self.folder / f"{name}.py"
        source = path.read_text().replace("from callee import step\n", "\n").partition("if __name__")[0]
        variables = {"__name__": name} | given
        exec(compile(source, str(path), "exec"), variables)
        return variables

    def start(self, **more: Any) -> subprocess.Popen[bytes]:
        """The same in a process, which prints it."""
        return subprocess.Popen([sys.executable, "caller.py"], cwd=self.folder, **more)

    def machine_code(self) -> list[Path]:
        return sorted((self.folder / "__pycache__").glob("*.kernel"))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    return Package(tmp_path, monkeypatch)


def test_machine_code_is_kept_beside_the_source(package: Package) -> None:
    assert package.run() == (42, 0)
    assert len(package.machine_code()) == 2
    assert package.run() == (42, 1)


def test_a_change_in_a_kernel_that_it_calls_is_noticed(package: Package) -> None:
    package.run()
    package.write(step=2)
    assert package.run() == (44, 0)
    assert package.run() == (44, 1)


@pytest.mark.parametrize("damage", ["cut", "emptied", "garbage", "one bit", "a folder"])
def test_damaged_machine_code_counts_as_missing(package: Package, damage: str) -> None:
    package.run()
    for path in package.machine_code():
        content = bytearray(path.read_bytes())
        path.unlink()
        if damage == "a folder":
            path.mkdir()
            continue
        if damage == "one bit":
            content[len(content) // 2] ^= 1
        changed = {"cut": content[: len(content) // 2], "emptied": b"", "garbage": b"\x80\x04" * 500}
        path.write_bytes(changed.get(damage, content))  # type: ignore[arg-type]
    assert package.run() == (42, 0)
    assert package.run() == (42, 1)


def test_a_chosen_folder_comes_first(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    assert package.run() == (42, 0)
    assert package.machine_code() == []
    assert package.run() == (42, 1)


def forbid(*folders: Path) -> None:
    """Make a place impossible to write to, for root too: a file where the folder should be."""
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text("")


def test_where_the_package_cannot_be_written_the_home_is(package: Package) -> None:
    forbid(package.folder / "__pycache__")
    assert package.run() == (42, 0)
    assert len(list((package.home / ".cache" / "laconic").glob("*.kernel"))) == 2
    assert package.run() == (42, 1)


def test_without_a_home_a_private_temporary_folder_is(package: Package) -> None:
    forbid(package.folder / "__pycache__", package.home / ".cache")
    assert package.run() == (42, 0)
    assert package.private.stat().st_mode & 0o777 == 0o700
    assert package.run() == (42, 1)
    package.private.chmod(0o777)  # anybody could have put code there
    assert package.run() == (42, 0)


def test_a_user_whom_the_system_does_not_know_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    pwd = pytest.importorskip("pwd")

    def unknown(user: int) -> None:
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    places = list(_folders("/package/module.py"))
    assert places == [Path("/package/__pycache__"), _private_folder()]


def test_where_nothing_can_be_written_it_compiles_every_time(package: Package) -> None:
    forbid(package.folder / "__pycache__", package.home / ".cache", package.private)
    assert package.run() == package.run() == (42, 0)


def test_machine_code_made_for_an_image_is_read_where_nothing_can_be_written(package: Package) -> None:
    package.run()
    before = package.machine_code()
    forbid(package.home / ".cache", package.private)
    for path in (*before, package.folder / "__pycache__"):
        path.chmod(0o555)
    assert package.run() == (42, 1)
    assert package.machine_code() == before


def test_a_full_disk_leaves_no_half_file(package: Package) -> None:
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as Python does, so that writing is an error
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old[1]))
    try:
        assert package.run() == (42, 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)
    found = [path for place in (package.folder, package.home, package.temporary) for path in place.rglob("*")]
    assert [path.name for path in found if "kernel" in path.name] == []


def test_processes_share_a_cache(package: Package) -> None:
    runs = [package.start(stdout=subprocess.PIPE) for _ in range(2)]
    assert [run.communicate()[0].split()[0] for run in runs] == [b"42"] * 2
    assert package.start(stdout=subprocess.PIPE).communicate()[0] == b"42 1\n"


def test_who_waits_at_a_terminal_is_told_once(package: Package) -> None:
    def shown() -> str:
        leader, follower = pty.openpty()
        assert package.start(stdout=subprocess.DEVNULL, stderr=follower).wait() == 0
        os.close(follower)
        text = b""
        try:
            while chunk := os.read(leader, 65536):
                text += chunk
        except OSError:
            pass  # how Linux says that nobody holds the other end any more
        os.close(leader)
        return text.decode()

    assert shown().count("laconic: compiling its kernels") == 1
    assert shown() == ""


def test_kernels_run_as_python_where_numba_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)

    def next_one(number: int) -> int:
        return number + 1

    assert kernel(next_one)(41) == 42


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_while_something_is_compiled(collects: bool) -> None:
    met: list[bool] = []

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            met.append(gc.isenabled())

        def on_end(self, event: object) -> None:
            met.append(event is not None)

    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with event.install_listener("numba:compile", Listener()):
            assert numba.njit(lambda number: number + 1)(1) == 2  # never out of a cache
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
    assert met == [False, True]
