"""The ARPA format of back-off models, plain or gzip; its base-10 logarithms are natural ones in memory."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from laconic.errors import FormatError
from laconic.files import read_lines, write_whole
from laconic.ngram.model import Listing, NgramModel, assemble
from laconic.ngram.vocabulary import SPECIAL_WORDS, Folding, Vocabulary

_ZERO = -99.0
"""How the format writes the logarithm of zero; anything at or below it is read as minus infinity."""

_LN_10 = math.log(10.0)
_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d+)")
_SECTION = re.compile(r"\\(\d+)-grams:")


def write_arpa(model: NgramModel, path: Path) -> None:
    """Write a model in ARPA format, gzipped if the name ends in `.gz`.

    Nine digits are written, so that values of single precision come back exactly. A vocabulary's
    folding has no place in the format: give it again when reading.
    """
    words = model.vocabulary.words
    with write_whole(path) as stream, _compressed(stream, path) as out:
        out.write(b"\\data\\\n")
        for order in range(1, model.order + 1):
            out.write(f"ngram {order}={model.offsets[order] - model.offsets[order - 1]}\n".encode())
        for order in range(1, model.order + 1):
            out.write(f"\n\\{order}-grams:\n".encode())
            first, last = model.offsets[order - 1], model.offsets[order]
            probabilities = _base_10(model.tables.probabilities[first:last])
            backoffs = None if order == model.order else _base_10(model.tables.backoffs[first:last])
            for row, ids in enumerate(model.ngrams(order).tolist()):
                line = f"{probabilities[row]:.9g}\t{' '.join(words[word] for word in ids)}"
                if backoffs is not None:
                    line += f"\t{backoffs[row]:.9g}"
                out.write(f"{line}\n".encode())
        out.write(b"\n\\end\\\n")


def read_arpa(path: Path, *, folding: Folding = "none") -> NgramModel:
    """Read a model in ARPA format, plain or gzip.

    Where the file lists no `<unk>` (or `<UNK>`), `<s>` or `</s>`, they get probability zero. Every
    n-gram's context must be listed, as the format asks. Errors name the file and the line.
    """
    source = str(path)
    lines = _filled_lines(path)
    sizes, (number, line) = _read_sizes(lines, source)
    listings: list[Listing] = []
    keys: list[NDArray[np.int64]] = []
    vocabulary = Vocabulary(SPECIAL_WORDS, folding)
    id_of: dict[str, int] = {}
    for order, size in enumerate(sizes, start=1):
        section = _SECTION.fullmatch(line)
        if section is None or int(section[1]) != order:
            raise FormatError(f"expected \\{order}-grams:, found {line[:40]!r}", source=source, line=number)
        start = number
        rows: list[tuple[int, float, list[str], float]] = []
        for number, line in lines:
            if line.startswith("\\") and (line == "\\end\\" or _SECTION.fullmatch(line)):
                break
            rows.append(
                (number, *_fields(line, order, highest=order == len(sizes), source=source, number=number))
            )
        else:
            raise FormatError("the file ends before \\end\\", source=source, line=number)
        if len(rows) != size:
            raise FormatError(
                f"\\data\\ announces {size} {order}-grams, here are {len(rows)}", source=source, line=start
            )
        if order == 1:
            vocabulary, id_of, listing = _unigrams(rows, folding, source)
            keys.append(np.arange(len(vocabulary), dtype=np.int64))
        else:
            listing, key = _longer(rows, keys, id_of, source)
            keys.append(key)
        listings.append(listing)
    if line != "\\end\\":
        raise FormatError(
            f"expected \\end\\ after {len(sizes)} orders, found {line[:40]!r}", source=source, line=number
        )
    return assemble(vocabulary, listings)


def _base_10(values: NDArray[np.float32]) -> list[float]:
    base_10 = values.astype(np.float64) / _LN_10
    return [_ZERO if value == -math.inf else value for value in base_10.tolist()]


@contextmanager
def _compressed(stream: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".gz":
        yield stream
        return
    # No name and no time in the header, so that equal models are equal files.
    with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as out:
        yield out  # type: ignore[misc]


def _filled_lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in read_lines(path):
        stripped = line.strip(" \t")
        if stripped:
            yield number, stripped


def _read_sizes(lines: Iterator[tuple[int, str]], source: str) -> tuple[list[int], tuple[int, str]]:
    """The announced number of n-grams of each order, and the line after them."""
    if not any(line == "\\data\\" for _, line in lines):
        raise FormatError("no \\data\\ section: not an ARPA file", source=source)
    sizes: list[int] = []
    for number, line in lines:
        announced = _COUNT.fullmatch(line)
        if announced is None:
            if not sizes:
                raise FormatError(f"expected 'ngram 1=…', found {line[:40]!r}", source=source, line=number)
            return sizes, (number, line)
        if int(announced[1]) != len(sizes) + 1:
            raise FormatError(
                f"expected 'ngram {len(sizes) + 1}=…', found {line!r}", source=source, line=number
            )
        sizes.append(int(announced[2]))
    raise FormatError("the file ends within \\data\\", source=source)


def _fields(
    line: str, order: int, *, highest: bool, source: str, number: int
) -> tuple[float, list[str], float]:
    """ln probability, words and ln back-off weight (0 if none is given) of a line."""
    fields = line.replace("\t", " ").split(" ")
    fields = [field for field in fields if field]
    if len(fields) not in ((order + 1,) if highest else (order + 1, order + 2)):
        wanted = f"a probability, {order} word{'s' * (order > 1)}{'' if highest else ', perhaps a back-off'}"
        raise FormatError(f"expected {wanted}; found {line[:60]!r}", source=source, line=number)
    try:
        probability = float(fields[0])
        backoff = float(fields[order + 1]) if len(fields) == order + 2 else 0.0
    except ValueError:
        raise FormatError(f"not a number in {line[:60]!r}", source=source, line=number) from None
    if math.isnan(backoff) or backoff == math.inf or not probability <= 0.0:
        raise FormatError(f"not the logarithm of a probability in {line[:60]!r}", source=source, line=number)
    return _natural(probability), fields[1 : order + 1], _natural(backoff)


def _natural(base_10: float) -> float:
    return -math.inf if base_10 <= _ZERO else base_10 * _LN_10


def _unigrams(
    rows: Sequence[tuple[int, float, list[str], float]], folding: Folding, source: str
) -> tuple[Vocabulary, dict[str, int], Listing]:
    values: dict[str, tuple[float, float]] = dict.fromkeys(SPECIAL_WORDS, (-math.inf, 0.0))
    seen: set[str] = set()
    for number, probability, (word,), backoff in rows:
        name = "<unk>" if word == "<UNK>" else word
        if name in seen:
            raise FormatError(f"the word {word!r} is listed twice", source=source, line=number)
        seen.add(name)
        values[name] = (probability, backoff)
    vocabulary = Vocabulary(tuple(values), folding)
    id_of = {word: number for number, word in enumerate(vocabulary.words)} | {"<UNK>": 0}
    probabilities, backoffs = np.array(list(values.values())).T
    ids = np.arange(len(vocabulary), dtype=np.int64)
    return vocabulary, id_of, Listing(ids, ids, probabilities, backoffs)


def _longer(
    rows: Sequence[tuple[int, float, list[str], float]],
    keys: Sequence[NDArray[np.int64]],
    id_of: dict[str, int],
    source: str,
) -> tuple[Listing, NDArray[np.int64]]:
    """The listing of n-grams of two words and more, and their sorted keys prefix * V + word."""
    order = len(keys) + 1
    ids = np.empty((len(rows), order), dtype=np.int64)
    for row, (number, _, words, _) in enumerate(rows):
        try:
            ids[row] = [id_of[word] for word in words]
        except KeyError as error:
            raise FormatError(
                f"the word {error} is not listed as a 1-gram", source=source, line=number
            ) from None
    prefixes = ids[:, 0]
    for length in range(2, order):
        wanted = prefixes * len(keys[0]) + ids[:, length - 1]
        listed = keys[length - 1]
        prefixes = np.searchsorted(listed, wanted)
        found = prefixes < len(listed)
        found[found] = listed[prefixes[found]] == wanted[found]
        if not np.all(found):
            row = int(np.flatnonzero(~found)[0])
            context = " ".join(rows[row][2][:length])
            raise FormatError(
                f"the {length}-gram {context!r}, a context here, is not listed",
                source=source,
                line=rows[row][0],
            )
    key = prefixes * len(keys[0]) + ids[:, -1]
    ascending = np.argsort(key, kind="stable")
    key = key[ascending]
    twice = np.flatnonzero(key[1:] == key[:-1])
    if len(twice):
        number, _, words, _ = rows[int(ascending[twice[0] + 1])]
        raise FormatError(f"the n-gram {' '.join(words)!r} is listed twice", source=source, line=number)
    probabilities = np.array([row[1] for row in rows], dtype=np.float64)
    backoffs = np.array([row[3] for row in rows], dtype=np.float64)
    return (
        Listing(prefixes[ascending], ids[ascending, -1], probabilities[ascending], backoffs[ascending]),
        key,
    )
