"""Models on disk: a folder of JSON, the words as text, and numeric arrays that are mapped into memory.

model.json          format, order, where each order starts, bits, folding; written last
vocabulary.txt      one word a line, in order of ids
words.npy           the arrays of `Tables`; with 32 bits they are used from the mapped file as they
children.npy        are, with 8 bits the probabilities and back-off weights are codes of one byte
probabilities.npy   that are looked up in codebooks when the model is loaded
backoffs.npy
codebooks.npy       8 bits only: 256 values for the probabilities of each order, then for the
                    back-off weights of each order but the highest
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError, ModelError
from laconic.files import read_lines, write_whole
from laconic.ngram.model import NgramModel, word_type
from laconic.ngram.quantise import quantise
from laconic.ngram.tables import Tables
from laconic.ngram.vocabulary import Vocabulary

_FORMAT = "laconic n-gram model 1"

Bits = Literal[8, 32]


def save(model: NgramModel, folder: Path, *, bits: Bits = 32) -> None:
    """Write a model folder; 8 bits take little more than half the space of 32, which keep values exactly."""
    if bits not in (8, 32):
        raise ModelError(f"a model is stored with 8 or 32 bits a value, not {bits}")
    folder.mkdir(parents=True, exist_ok=True)
    # Without model.json a folder is no model: so a stopped write never leaves half of one that loads.
    (folder / "model.json").unlink(missing_ok=True)
    with write_whole(folder / "vocabulary.txt") as stream:
        stream.write("".join(f"{word}\n" for word in model.vocabulary.words).encode())
    arrays: dict[str, NDArray[Any]] = dict(model.tables._asdict())
    if bits == 8:
        orders = list(zip(model.offsets, model.offsets[1:], strict=False))
        coded = [quantise(model.tables.probabilities[first:last]) for first, last in orders]
        coded_backoffs = [quantise(model.tables.backoffs[first:last]) for first, last in orders[:-1]]
        no_codes = np.zeros(0, dtype=np.uint8)
        arrays["probabilities"] = np.concatenate([codes for codes, _ in coded])
        arrays["backoffs"] = np.concatenate([no_codes, *(codes for codes, _ in coded_backoffs)])
        arrays["codebooks"] = np.stack([book for _, book in coded + coded_backoffs])
    for name, array in arrays.items():
        with write_whole(folder / f"{name}.npy") as stream:
            np.save(stream, array, allow_pickle=False)
    if bits == 32:
        (folder / "codebooks.npy").unlink(missing_ok=True)
    header = {
        "format": _FORMAT,
        "order": model.order,
        "offsets": list(model.offsets),
        "bits": bits,
        "folding": model.vocabulary.folding,
    }
    with write_whole(folder / "model.json") as stream:
        stream.write((json.dumps(header, indent=2) + "\n").encode())


def load(folder: Path) -> NgramModel:
    """Read a model folder; the large arrays are mapped, so processes on one machine share their memory."""
    header = _header(folder)
    offsets, bits = tuple(header["offsets"]), header["bits"]
    vocabulary = _vocabulary(folder, header["folding"])
    if len(vocabulary) != offsets[1]:
        raise ModelError(f"{folder}: {len(vocabulary)} words in vocabulary.txt, {offsets[1]} in model.json")
    nodes, inner, order = offsets[-1], offsets[-2], len(offsets) - 1
    value_type = np.uint8 if bits == 8 else np.float32
    words = _array(folder, "words", word_type(len(vocabulary)), (nodes,))
    children = _array(folder, "children", np.int32, (inner + 1,))
    probabilities = _array(folder, "probabilities", value_type, (nodes,))
    backoffs = _array(folder, "backoffs", value_type, (inner,))
    # Kernels do not check bounds: children that stay within the arrays make every lookup safe.
    starts = [children[first] for first in offsets[:-1]]
    if np.any(np.diff(children) < 0) or starts != list(offsets[1:]):
        raise ModelError(f"{folder}/children.npy: damaged, its entries do not ascend from order to order")
    if bits == 8:
        codebooks = _array(folder, "codebooks", np.float32, (2 * order - 1, 256))
        level = np.repeat(np.arange(order), np.diff(offsets))
        probabilities = codebooks[level, probabilities]
        backoffs = codebooks[order + level[:inner], backoffs]
        probabilities.setflags(write=False)
        backoffs.setflags(write=False)
    return NgramModel(vocabulary, offsets, Tables(words, children, probabilities, backoffs))


def _header(folder: Path) -> dict[str, Any]:
    path = folder / "model.json"
    if not path.is_file():
        raise ModelError(f"{folder}: not an n-gram model, it holds no model.json")
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
        offsets = header["offsets"]
        sound = (
            header["format"] == _FORMAT
            and header["bits"] in (8, 32)
            and isinstance(header["folding"], str)
            and len(offsets) == header["order"] + 1 >= 2
            and all(isinstance(offset, int) for offset in offsets)
            and offsets[0] == 0
            and offsets == sorted(offsets)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: damaged ({type(error).__name__}: {error})") from None
    if not sound:
        raise ModelError(f"{path}: not the header of a {_FORMAT!r}")
    return dict(header)


def _vocabulary(folder: Path, folding: Any) -> Vocabulary:
    try:
        return Vocabulary(tuple(line for _, line in read_lines(folder / "vocabulary.txt")), folding)
    except LaconicError as error:
        raise ModelError(f"{folder}: damaged n-gram model: {error}") from None


def _array(folder: Path, name: str, dtype: type[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise ModelError(f"{folder}: incomplete n-gram model, {name}.npy is missing") from None
    except (ValueError, EOFError, OSError) as error:
        raise ModelError(f"{path}: damaged ({error})") from None
    if mapped.dtype != dtype or mapped.shape != shape:
        raise ModelError(
            f"{path}: holds {mapped.dtype}{list(mapped.shape)}, "
            f"model.json asks for {np.dtype(dtype)}{list(shape)}"
        )
    return np.asarray(mapped)
