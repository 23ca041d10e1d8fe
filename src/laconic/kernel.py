"""The one decorator of all compiled kernels, so that their options, their typing and their cache live in one place.

Machine code is kept beside the source, in `__pycache__`; where that cannot be written, in the user's cache folder;
else in a private folder for temporary files; else it is compiled anew in every process. `NUMBA_CACHE_DIR` comes
before all of these. A file that is damaged, out of date or forbidden counts as missing, and one that cannot be
written is left out: a cache may cost time, never an answer.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import stat
import sys
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from numbers import Number
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar, cast

import numba
from numba.core import event, serialize
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult

from laconic.files import write_whole

F = TypeVar("F", bound=Callable[..., Any])

# Numba does not say their types.
_rebuild: Any = CompileResult._rebuild
_serialise: Any = serialize.dumps
_register: Any = event.register

# While it hands arrays and tuples to Python, Numba looks up their types by a function in Python and does not look
# whether an interrupt ended it: the process crashed. A lookup in C is not interrupted.
if not hasattr(serialize._numba_unpickle, "cache_info"):
    serialize._numba_unpickle = lru_cache(maxsize=None)(serialize._numba_unpickle)

_CONSTANTS = (Number, str, tuple)


class _Uncollected(event.Listener):
    """Pauses the collection of garbage while something is compiled, of whose time it takes a sixth."""

    def __init__(self) -> None:
        self._depth, self._resumes = (
            0,
            False,
        )  # Numba compiles one thing at a time, and within it what that calls

    def on_start(self, event: object) -> None:  # noqa: ARG002  (as Numba calls it)
        """Pause it."""
        if not self._depth:
            self._resumes = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: object) -> None:  # noqa: ARG002
        """Go on with it, where it was on."""
        self._depth -= 1
        if not self._depth and self._resumes:
            gc.enable()


_register("numba:compile", _Uncollected())


def kernel(function: F) -> F:
    """Compile `function` with Numba on first call and cache the machine code.

    Kernels release the interpreter lock, so that batches can be decoded by threads. Divisions follow
    NumPy (no exceptions inside a kernel); minus infinity is the one zero of every semiring.
    """
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if compiled is not function:  # as it is where Numba is told not to compile
        compiled._cache = _MachineCode(function)
    return cast(F, compiled)


def inner_kernel(function: F) -> F:
    """Compile `function` for kernels alone: it lives in the machine code of those that call it, without a way in."""
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True}
    return cast(F, numba.njit(**options)(function))


class _MachineCode(NullCache):
    """The machine code of one kernel, a file for each signature: a checksum, and what Numba needs to rebuild it.

    Numba's own cache trusts its files: a cut one ends the program, a changed one may crash it, and a kernel
    does not notice when one that it calls has changed.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for the signature, by any process; None makes Numba compile it."""
        target_context.refresh()
        for path in self._paths(sig, target_context.codegen()):
            try:
                _check_private(path.parent)
                checksum, content = _parted(path.read_bytes())
                if checksum == self._checksum(content):
                    return _rebuild(target_context, *pickle.loads(content))  # noqa: S301
            except Exception:  # whatever a wrong file leads to
                continue
        _announce()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled in the first folder that takes it."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        content: bytes = _serialise(data._reduce())
        for path in self._paths(sig, data.codegen):
            try:
                _check_private(path.parent, make=True)
                with write_whole(path) as stream:
                    stream.write(self._checksum(content) + content)
                return
            except OSError:
                continue

    def _paths(self, sig: Any, codegen: Any) -> Iterator[Path]:
        code = self._function.__code__
        python = (sys.implementation.cache_tag, getattr(sys, "abiflags", ""))
        signature = [_described(kind) for kind in getattr(sig, "args", sig)]
        made_for = repr((signature, codegen.magic_tuple(), numba.__version__, python))
        key = hashlib.sha256(made_for.encode()).hexdigest()[:16]
        name = f"{self._function.__module__}.{code.co_name}-{code.co_firstlineno}.{key}.kernel"
        return (folder / name for folder in _folders(code.co_filename))

    def _checksum(self, content: bytes) -> bytes:
        digest = hashlib.sha256(content)
        for part in sorted(_sources(self._function)):
            digest.update(part)
        return digest.digest()


def _described(kind: Any) -> tuple[Any, ...]:
    """A type in full: the name of a NamedTuple says nothing of its fields."""
    return str(kind), getattr(kind, "fields", ()), [_described(part) for part in getattr(kind, "types", ())]


def _parted(content: bytes) -> tuple[bytes, bytes]:
    size = hashlib.sha256().digest_size
    return content[:size], content[size:]


def _sources(function: Callable[..., Any], seen: set[Any] | None = None) -> set[bytes]:
    """What the machine code depends on: the files of all kernels that it calls, and what they name from others."""
    seen = set() if seen is None else seen
    if function in seen:
        return set()
    seen.add(function)
    found = {_file_checksum(__file__), _file_checksum(function.__code__.co_filename)}
    for name in _names(function.__code__):
        value: Any = function.__globals__.get(name)
        if isinstance(value, _CONSTANTS):
            found.add(f"{name}={value!r}".encode())
        elif hasattr(value, "py_func"):
            found |= _sources(value.py_func, seen)
        elif hasattr(value, "_fields"):
            found.add(f"{name}={value._fields}".encode())
    return found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _file_checksum(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


def _folders(source: str) -> Iterator[Path]:
    """Where machine code may be, the best place first."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
    yield Path(source).parent / "__pycache__"
    # Of a user without a home this leaves the ~, where Path's own raises.
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    if Path(home).is_absolute():
        yield Path(home) / "laconic"
    if hasattr(os, "getuid"):  # elsewhere there is always a home
        yield _private_folder()


def _private_folder() -> Path:
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"laconic-{os.getuid()}"


def _check_private(folder: Path, *, make: bool = False) -> None:
    """Among temporary files, machine code is only where nobody else can have put it; elsewhere is an error."""
    if not hasattr(os, "getuid") or folder != _private_folder():
        return
    if make:
        folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"{folder}: not private")


@cache
def _announce() -> None:
    """Say once, to whoever waits at a terminal, why the first answer takes so long."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(
            "laconic: compiling its kernels, which takes a while the first time …",
            file=sys.stderr,
            flush=True,
        )
