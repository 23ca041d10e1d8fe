"""Whether two machines, or two versions of the runtime, give the same scores and answers to the last bit.

    python -m experiments.machines --data ../shared/data --dump here.json [--scores-only] [--minutes 20]
    python -m experiments.machines --compare here.json there.json

The first command writes one digest of all the network's scores and one of the answers (both trees, and the compressions
at natural length, to at most 60 % and exactly half of the words, to half of the characters and to 60 characters, in the
register of the corpus and in none, where answers are read whole) for each dev sentence of every corpus; the second
counts where two such files, or folders of them, differ, and fails if they do anywhere. `benchmarks/_instructions.py`
makes a runtime that does without newer instructions, NUMBA_CPU_NAME and NPY_DISABLE_CPU_FEATURES keep kernels and NumPy
from them. Another machine can be had by emulation; kernels are compiled for it beforehand, which takes an hour inside
the emulator:

    export NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= NUMBA_CACHE_DIR=/tmp/haswell
    python -m experiments.machines --dump warm.json --minutes 0.5
    qemu-x86_64 -cpu Haswell $(which python) -m experiments.machines --dump there.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import product, takewhile
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import llvmlite.binding
import numpy as np
from benchmarks._instructions import kernels_in_use
from experiments._sources import data_checksum, require, shipped_models

from laconic.annotate.annotator import Analysis, Annotator
from laconic.annotate.network import Network, Scores
from laconic.budget import Budget
from laconic.corpora.pairs import read_pairs
from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.sentence import Sentence
from laconic.systems.default.compressor import Compressor
from laconic.text.tokenise import tokenise

BUDGETS = (
    None,
    Budget.at_most(ratio=0.6, unit="pieces"),
    Budget.exactly(ratio=0.5, unit="pieces"),
    Budget.at_most(ratio=0.5, unit="characters"),
    Budget.at_most(60, unit="characters"),
)
INSTRUCTIONS = ("avx2", "avx512f", "avx512vnni", "avxvnni", "amx-int8")
REGISTERS = {"google": "news", "spoken": "spoken", "written": "written"}


@dataclass(frozen=True)
class Row:
    """Digests of what was computed for one sentence."""

    corpus: str
    number: int
    scores: str
    answers: str | None


def development(data: Path, corpus: str) -> list[Sentence]:
    """The sources of a dev set, each once."""
    pairs = read_pairs(data / f"compression/{corpus}.dev.jsonl", tokenise=tokenise)
    return list({pair.source.text: pair.source for pair in pairs}.values())


def digest(scores: Scores) -> str:
    """Of every bit, shapes and types included."""
    total = hashlib.sha256()
    for name in Scores.__slots__:
        array = np.ascontiguousarray(getattr(scores, name))
        total.update(f"{name} {array.dtype.str} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()[:16]


def answers(sentence: Sentence, analysis: Analysis, compressors: Iterable[Compressor]) -> str:
    """Digest of both trees and of compressions, refusals included."""
    parsed = analysis.sentence
    found: list[Any] = [parsed.tags, str(parsed.tree), parsed.heads, parsed.relations]
    for compressor, budget in product(compressors, BUDGETS):
        try:
            found.append(compressor.compress(sentence, budget=budget).text)
        except LaconicError as error:
            found.append(str(error))
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


def rows(data: Path, most_words: int | None, share: tuple[int, int], *, scores_only: bool) -> Iterator[Row]:
    """Digests of the sentences of all corpora, or of each of so many shares of them."""
    annotator = Annotator(Network.shipped(), threads=1)
    for corpus, register in REGISTERS.items():
        compressors = [
            Compressor(register=spoken_in, annotator=annotator, threads=1) for spoken_in in (register, None)
        ]
        for number, sentence in enumerate(development(data, corpus)):
            if number % share[1] != share[0] or len(sentence.words) > (most_words or len(sentence.words)):
                continue
            (analysis,) = annotator.analyse([sentence], register=register)
            answered = None if scores_only else answers(sentence, analysis, compressors)
            yield Row(corpus, number, digest(analysis.scores), answered)


def dump(path: Path, found: Iterator[Row], minutes: float | None, data: Path) -> None:
    """Write what is computed within so many minutes, and with what."""
    end = monotonic() + 60 * (minutes or inf)
    kept = list(takewhile(lambda _: monotonic() < end, found))
    setting = {name: version(name) for name in ("onnxruntime", "numpy", "numba")}
    setting |= {"machine": platform.platform(), "python": platform.python_version()}
    features = llvmlite.binding.get_host_cpu_features()
    setting |= kernels_in_use()
    setting |= {
        "instructions": " ".join(name for name in INSTRUCTIONS if features.get(name)) or "none of note"
    }
    setting["models"] = ", ".join(f"{name} {checksum}" for name, checksum in shipped_models().items())
    setting["data"] = ", ".join(
        f"{corpus}.dev {data_checksum(f'{corpus}.dev', data)}" for corpus in REGISTERS
    )
    with write_whole(path) as stream:
        stream.write(
            json.dumps({"setting": setting, "rows": [asdict(row) for row in kept]}, indent=0).encode()
        )
    print(f"{path}: {len(kept)} sentences")


def read(path: Path) -> dict[tuple[str, int], tuple[str, str | None]]:
    """The digests in a file or in all files of a folder; prints where they were computed."""
    contents = [
        json.loads(part.read_text()) for part in (sorted(path.glob("*.json")) if path.is_dir() else [path])
    ]
    for setting in {json.dumps(content["setting"]): content["setting"] for content in contents}.values():
        print("  ".join(f"{name} {value}" for name, value in setting.items()))
    return {
        (row["corpus"], row["number"]): (row["scores"], row["answers"])
        for content in contents
        for row in content["rows"]
    }


def compare(one: Path, other: Path) -> bool:
    """Print how many of the common sentences differ; whether none does, and there are any."""
    here, there = read(one), read(other)
    common = sorted(here.keys() & there.keys())
    different: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for key in common:
        for name, mine, theirs in zip(("scores", "answers"), here[key], there[key], strict=True):
            if mine is not None and theirs is not None:
                compared[name] += 1
                different[name] += mine != theirs
                if mine != theirs:
                    print(f"{name} differ: {key[0]} {key[1]}")
    for name, count in compared.items():
        print(f"{name}: {different[name]} of {count} sentences differ")
    return bool(common) and not different.total()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--most-words", type=int, help="leave out longer sentences")
    parser.add_argument("--share", default="0/1", help="of two processes, the first takes 0/2, the other 1/2")
    parser.add_argument("--minutes", type=float, help="stop after so many")
    parser.add_argument("--scores-only", action="store_true", help="without trees and compressions")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--dump", type=Path, help="write digests here")
    action.add_argument("--compare", type=Path, nargs=2)
    given = parser.parse_args()
    if given.compare:
        sys.exit(not compare(*given.compare))
    try:
        require([f"{corpus}.dev" for corpus in REGISTERS], given.data)
    except LaconicError as error:
        parser.exit(2, f"experiments: {error}\n")
    number, count = map(int, given.share.split("/"))
    dump(
        given.dump,
        rows(given.data, given.most_words, (number, count), scores_only=given.scores_only),
        given.minutes,
        given.data,
    )


if __name__ == "__main__":
    main()
