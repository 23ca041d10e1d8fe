"""Arrays that grow inside kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.kernel import kernel


@kernel
def grown(array: NDArray[Any], index: int) -> NDArray[Any]:
    """The array itself if it has a row `index`, otherwise a copy at least twice as long that has it."""
    if index < len(array):
        return array
    longer = np.empty((max(2 * len(array), index + 1), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
