"""Machines on which little may be written or little is set, imitated around one command."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Nothing of the caller's may decide: no cache it points to, no path, no locale.
_KEPT = ("PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")


@dataclass(frozen=True)
class Condition:
    """What a machine lacks."""

    name: str
    home: bool = True  # whether HOME is set
    writable: bool = True  # whether the package and the home folder may be written to
    locale: str = "C.UTF-8"


PLAIN = Condition("plain")
CONDITIONS = (
    PLAIN,
    Condition("read-only package and home", writable=False),
    Condition("no HOME", home=False),
    Condition("LANG=C", locale="C"),
)


class Place:
    """A folder with the installed package, and a home beside it, under a condition."""

    def __init__(self, condition: Condition, package: Path, home: Path) -> None:
        self.condition = condition
        self._folders = (package, home)
        self._home = home

    def __enter__(self) -> Place:
        for folder in self._folders:
            folder.mkdir(parents=True, exist_ok=True)
            if not self.condition.writable:
                set_writable(folder, writable=False)
        return self

    def __exit__(self, *_: object) -> None:
        for folder in self._folders:
            set_writable(folder, writable=True)

    def run(self, command: Sequence[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command here; what it prints is read as UTF-8."""
        variables = {name: os.environ[name] for name in _KEPT if name in os.environ} | environment
        variables |= {"LANG": self.condition.locale, "LC_ALL": self.condition.locale}
        if self.condition.home:
            variables["HOME"] = str(self._home)
        return subprocess.run(
            [*without_privileges(), *map(str, command)], env=variables, stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip


def set_writable(folder: Path, *, writable: bool) -> None:
    """Allow or forbid writing to a folder and all that is in it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o200 if writable else mode & ~0o222)


def without_privileges() -> list[str]:
    """What to put before a command so that the permissions of files hold for the administrator too."""
    if os.geteuid() != 0:
        return []
    dropped = "-dac_override,-dac_read_search"
    return ["setpriv", "--bounding-set", dropped, "--inh-caps", dropped, "--"]


def missing_tool() -> str | None:
    """Why read-only folders cannot be imitated here, or nothing."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "run by the administrator, to whom permissions do not apply, and there is no setpriv"
    return None
