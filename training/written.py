"""Compressions of general prose written for laconic, by language models told to shorten as a copy editor does.

The sentences are those of treebanks and of pairs, and not ours to pass on: `compressions.jsonl` knows each by the first
digits of the SHA-256 of its text, and says which of our tokeniser's words stay at each kind of length.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise

WRITTEN = Path(__file__).parent / "compressions.jsonl"
KINDS = ("natural", "eighty", "sixty", "half")
"""What nobody would miss has gone; at most 80 % of the words; at most 60 %; at most half of them."""

TREEBANKS = ("ewt.train", "gum.train")
PAIRS = "msr-abstractive.train"
CORPORA = (*TREEBANKS, PAIRS)
DIGITS = 16


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence with what each kind of compression keeps of it."""

    sentence: Sentence
    kept: Mapping[str, tuple[int, ...]]


def read_written(data: Path, path: Path = WRITTEN) -> list[Written]:
    """All compressions whose sentences are in the data folder, in the order of the file."""
    texts = {key_of(text): text for text in source_texts(data)}
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["text"] in texts:
            kept = {kind: unpacked(record[kind]) for kind in KINDS if kind in record}
            found.append(Written(tokenise(texts[record["text"]]), kept))
    return found


def source_files(data: Path) -> tuple[Path, ...]:
    """The files of the corpora that compressions were written for: treebanks, and last pairs."""
    treebanks = (data / "treebank" / f"{name}.conllu.gz" for name in TREEBANKS)
    return *treebanks, data / "compression" / f"{PAIRS}.jsonl"


def source_texts(data: Path) -> Iterator[str]:
    """The sentences, as raw text, of the corpora that compressions were written for."""
    *treebanks, pairs = source_files(data)
    for treebank in treebanks:
        with gzip.open(treebank, "rt", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("# text ="):
                    yield line.removeprefix("# text =").strip()
    for line in pairs.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["source"].strip()


def key_of(text: str) -> str:
    """What a text is known by."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def packed(kept: Sequence[int]) -> list[int]:
    """Kept words as the lengths of runs, of dropped and of kept words in turn.

    >>> packed((0, 1, 4))
    [0, 2, 2, 1]
    """
    runs: list[int] = []
    end = 0
    for word in kept:
        if runs and word == end:
            runs[-1] += 1
        else:
            runs += [word - end, 1]
        end = word + 1
    return runs


def unpacked(runs: Sequence[int]) -> tuple[int, ...]:
    """The kept words of which `packed` made runs."""
    kept: list[int] = []
    place = 0
    for number, run in enumerate(runs):
        if number % 2:
            kept.extend(range(place, place + run))
        place += run
    return tuple(kept)
