"""Arrow, which only those with many rows need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from laconic.errors import MissingExtra


def arrow(module: str = "") -> Any:
    """A module of pyarrow, such as "parquet"; without a name, pyarrow itself."""
    try:
        return import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError:
        raise MissingExtra("pyarrow", "batch") from None
