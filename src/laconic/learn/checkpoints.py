"""What checkpoints of learners have in common: which training they are of, and sparse vectors as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np

from laconic.learn.interface import Example, FeatureVector
from laconic.storage import Content, Stored


def training_identity(learner: str, examples: Sequence[Example], size: int, **options: Any) -> dict[str, Any]:
    """What must be the same for a training to go on: the learner, its options, the examples, the features."""
    truths = sha256()
    for example in examples:
        truths.update(example.truth.features.tobytes() + example.truth.values.tobytes())
    data = {"examples": len(examples), "truths": truths.hexdigest()[:16], "features": size}
    return {"learner": learner, **options, **data}


def packed(vectors: Sequence[FeatureVector]) -> Content:
    """Vectors as arrays, one behind another."""
    none = FeatureVector(np.zeros(0, np.int64), np.zeros(0))
    return Content(
        arrays={
            "starts": np.cumsum([0, *(len(vector.features) for vector in vectors)]),
            "features": np.concatenate([vector.features for vector in (none, *vectors)]),
            "values": np.concatenate([vector.values for vector in (none, *vectors)]),
        }
    )


def unpacked(stored: Stored, size: int) -> list[FeatureVector]:
    """The vectors, over features below a size, that `packed` wrote."""
    values = stored.array("values", np.float64, (None,))
    features = stored.array("features", np.int64, values.shape, low=0, high=size - 1)
    starts = stored.array("starts", np.int64, (None,), low=0, high=len(values))
    if np.any(np.diff(starts) < 0):
        raise stored.fault("starts", "an array that ascends", starts.tolist())
    return [FeatureVector(features[start:end], values[start:end]) for start, end in pairwise(starts.tolist())]
