"""Numeric arrays as bytes in NumPy's format; object arrays, which would be pickles, do not exist here."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from laconic.storage.checked import Buffer

# As `array_to_bytes` writes it; NumPy itself would evaluate the header as a Python expression.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>[<>|][biuf][0-9]{1,2})', 'fortran_order': False, "
    rb"'shape': \((?P<shape>(?:[0-9]{1,15}, ?)*(?:[0-9]{1,15})?)\), \} *\n",
    re.DOTALL,
)


def array_to_bytes(array: NDArray[Any]) -> bytes:
    """The bytes of a `.npy` file."""
    stream = io.BytesIO()
    npy.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def array_from_bytes(content: Buffer) -> NDArray[Any]:
    """The array of a `.npy` file, as a view of its bytes; a header that promises others is a ValueError."""
    header = _HEADER.match(content[:1024])
    if header is None:
        raise ValueError("no header of an array of numbers")
    try:
        dtype = np.dtype(header["dtype"].decode())
    except TypeError as error:
        raise ValueError(str(error)) from None
    shape = tuple(int(side) for side in header["shape"].split(b",") if side.strip())
    if not dtype.isnative or math.prod(shape) * dtype.itemsize != len(content) - header.end():
        raise ValueError(f"{len(content) - header.end()} bytes for {dtype}{list(shape)}")
    return np.frombuffer(content, dtype, offset=header.end()).reshape(shape)
