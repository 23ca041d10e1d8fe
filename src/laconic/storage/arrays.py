"""Numeric arrays as bytes in NumPy's format; object arrays, which would be pickles, do not exist here."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from laconic.storage.checked import Buffer


def array_to_bytes(array: NDArray[Any]) -> bytes:
    """The bytes of a `.npy` file."""
    stream = io.BytesIO()
    npy.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def array_from_bytes(content: Buffer) -> NDArray[Any]:
    """The array of a `.npy` file, as a view of its bytes; a header that promises others is a ValueError."""
    stream = io.BytesIO(content[:1024])
    try:
        if npy.read_magic(stream) != (1, 0):
            raise ValueError("another version of the format")
        shape, fortran, dtype = npy.read_array_header_1_0(stream)
        size = math.prod(shape) * dtype.itemsize
    except (SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ValueError(f"a broken header ({error})") from None
    if dtype.kind not in "biuf" or not dtype.isnative or fortran or min(shape, default=0) < 0:
        raise ValueError(f"{dtype}{list(shape)}, not numbers in the order of this machine")
    if size != len(content) - stream.tell():
        raise ValueError(f"{len(content) - stream.tell()} bytes for {dtype}{list(shape)}")
    return np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape)
