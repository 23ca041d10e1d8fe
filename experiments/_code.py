"""Which code of laconic a result was measured by: what a job can import, without comments, docstrings and layout."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from experiments._experiment import Job

import laconic
from laconic.systems.registry import SYSTEMS

_ROOTS = {"laconic": Path(laconic.__file__).parent, "experiments": Path(__file__).parent}


def code_checksum(job: Job) -> str:
    """The first digits of the SHA-256 of all modules of laconic that a job can come to import.

    Systems are opened by name, so those of its options and of its models count as imported.
    """
    named = {*job.uses, str(job.options.get("system"))} & set(SYSTEMS)
    return _checksum_from(
        frozenset({job.work.__module__, *(SYSTEMS[name].place.partition(":")[0] for name in named)})
    )


@cache
def _checksum_from(modules: frozenset[str]) -> str:
    """That of all that these modules reach."""
    waiting = list(modules)
    reached: set[str] = set()
    while waiting:
        if (module := waiting.pop()) not in reached and _path(module):
            reached.add(module)
            waiting += _imported(module)
    total = hashlib.sha256()
    for module in sorted(module for module in reached if module.startswith("laconic.")):
        total.update(_module_checksum(module))
    return total.hexdigest()[:12]


@cache
def _path(module: str) -> Path | None:
    """The file of a module of laconic or of the experiments; their roots open everything, and count for nothing."""
    root, _, rest = module.partition(".")
    if root not in _ROOTS or not rest:
        return None
    place = _ROOTS[root].joinpath(*rest.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


@cache
def _parsed(module: str) -> ast.Module:
    path = _path(module)
    assert path is not None
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _module_checksum(module: str) -> bytes:
    return hashlib.sha256(f"{module} {_bare(_parsed(module))}".encode()).digest()


@cache
def _imported(module: str) -> tuple[str, ...]:
    """What a module imports, anywhere in it; of its names some are modules."""
    return tuple(_imports(_parsed(module)))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _bare(node: object) -> object:
    """A syntax tree as lists, the same for every Python: without places, empty fields and texts that do nothing."""
    if isinstance(node, ast.AST):
        fields = ((name, value) for name, value in ast.iter_fields(node) if value not in (None, []))
        return [type(node).__name__, *((name, _bare(value)) for name, value in fields)]
    if isinstance(node, list):
        return [_bare(each) for each in node if not _is_docstring(each)]
    return node


def _is_docstring(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
