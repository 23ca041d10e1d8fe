"""The one decorator of all compiled kernels, so that their options and their typing live in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` with Numba on first call and cache the machine code beside its source.

    Kernels release the interpreter lock, so that batches can be decoded by threads. Divisions follow
    NumPy (no exceptions inside a kernel); minus infinity is the one zero of every semiring.
    """
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
