"""Numeric arrays in model folders: one compressed file of named arrays, never a pickled object."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.errors import ModelError
from laconic.files import write_whole


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays to one `.npz` file, whole or not at all."""
    with write_whole(path) as stream:
        np.savez_compressed(stream, **dict[str, Any](arrays))


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays that `write_arrays` wrote; a missing or damaged file is an error that names it."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return dict(stored)
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file; the model is incomplete") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ModelError(f"{path}: damaged ({error})") from None
