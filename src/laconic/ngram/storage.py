"""Models on disk: folders of settings, the words as text, and the arrays of `Tables`.

`offsets` says where each order starts. With 8 bits the probabilities and back-off weights are codes of one byte,
looked up when the model is loaded in `codebooks`: 256 values for the probabilities of each order, then for the
back-off weights of each order but the highest. With 32 bits they are stored as they are; large arrays are mapped
into memory, so that processes on one machine share them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from laconic.errors import ModelError
from laconic.ngram.model import NgramModel, word_type
from laconic.ngram.quantise import quantise
from laconic.ngram.tables import Tables
from laconic.ngram.vocabulary import Folding, Vocabulary
from laconic.storage import Content, Stored, open_model, write_model

_KIND = "n-gram"
_HIGHEST_ORDER = 9

Bits = Literal[8, 32]


def save(model: NgramModel, folder: Path, *, bits: Bits = 32) -> None:
    """Write a model folder; 8 bits take little more than half the space of 32, which keep values exactly."""
    write_model(folder, _KIND, content_of(model, bits=bits))


def load(folder: Path) -> NgramModel:
    """Read a model folder."""
    with open_model(folder, _KIND) as stored:
        return model_of(stored)


def content_of(model: NgramModel, *, bits: Bits = 32) -> Content:
    """A model as what a folder holds."""
    if bits not in (8, 32):
        raise ModelError(f"a model is stored with 8 or 32 bits a value, not {bits}")
    arrays: dict[str, NDArray[Any]] = dict(model.tables._asdict())
    if bits == 8:
        orders = list(zip(model.offsets, model.offsets[1:], strict=False))
        coded = [quantise(model.tables.probabilities[first:last]) for first, last in orders]
        coded_backoffs = [quantise(model.tables.backoffs[first:last]) for first, last in orders[:-1]]
        no_codes = np.zeros(0, dtype=np.uint8)
        arrays["probabilities"] = np.concatenate([codes for codes, _ in coded])
        arrays["backoffs"] = np.concatenate([no_codes, *(codes for codes, _ in coded_backoffs)])
        arrays["codebooks"] = np.stack([book for _, book in coded + coded_backoffs])
    settings = {"offsets": list(model.offsets), "bits": bits, "folding": model.vocabulary.folding}
    return Content(settings, arrays, {"vocabulary": model.vocabulary.words})


def model_of(stored: Stored) -> NgramModel:
    """The model of a stored content; kernels do not check bounds, so everything is checked here."""
    folding = cast(Folding, stored.choice("folding", ("none", "news")))
    vocabulary = Vocabulary(tuple(stored.lines_of("vocabulary")), folding)
    offsets = _offsets(stored, len(vocabulary))
    nodes, inner, order = offsets[-1], offsets[-2], len(offsets) - 1
    coded = stored.whole("bits", low=8, high=32) == 8
    values = np.uint8 if coded else np.float32
    words = stored.array("words", word_type(len(vocabulary)), (nodes,), high=len(vocabulary) - 1)
    children = stored.array("children", np.int32, (inner + 1,))
    probabilities = stored.array("probabilities", values, (nodes,), low=-np.inf)
    backoffs = stored.array("backoffs", values, (inner,), low=-np.inf)
    # Children that stay within the next order make every lookup safe.
    starts = [int(children[first]) for first in offsets[:-1]]
    if np.any(np.diff(children) < 0) or starts != list(offsets[1:]):
        raise stored.fault("children", "an array that ascends from order to order", starts)
    if coded:
        codebooks = stored.array("codebooks", np.float32, (2 * order - 1, 256), low=-np.inf)
        level = np.repeat(np.arange(order), np.diff(offsets))
        probabilities = codebooks[level, probabilities]
        backoffs = codebooks[order + level[:inner], backoffs]
        probabilities.setflags(write=False)
        backoffs.setflags(write=False)
    return NgramModel(vocabulary, offsets, Tables(words, children, probabilities, backoffs))


def _offsets(stored: Stored, words: int) -> tuple[int, ...]:
    found = stored.settings.get("offsets")
    if (
        isinstance(found, list)
        and 2 <= len(found) <= _HIGHEST_ORDER + 1
        and all(type(offset) is int for offset in found)
        and found[:2] == [0, words]
        and found == sorted(found)
        and found[-1] < np.iinfo(np.int32).max
    ):
        return tuple(found)
    raise stored.fault("offsets", f"ascending whole numbers that start with 0 and {words}, the words", found)
