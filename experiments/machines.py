"""Whether two machines, or two versions of the runtime, give the same scores and answers to the last bit.

    python -m experiments.machines --data ../shared/data --dump here.json [--sentences 1200] [--scores-only]
    python -m experiments.machines --compare here.json there.json

The first command writes one digest of all the network's scores and one of the answers (both trees, and the compressions
at natural length, to half of the words and to half of the characters) for each dev sentence of every corpus; the second
counts where two such files differ, and fails if they do anywhere. Another machine can be had by emulation:

    qemu-x86_64 -cpu Nehalem $(which python) -m experiments.machines --dump there.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from laconic.annotate.annotator import Analysis, Annotator
from laconic.annotate.network import Network, Scores
from laconic.budget import Budget
from laconic.corpora.pairs import read_pairs
from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.sentence import Sentence
from laconic.systems.default.compressor import Compressor
from laconic.text.tokenise import tokenise

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


def answers(sentence: Sentence, register: str, analysis: Analysis, compressor: Compressor) -> str:
    """Digest of both trees and of compressions, refusals included."""
    parsed = analysis.sentence
    found: list[Any] = [parsed.tags, str(parsed.tree), parsed.heads, parsed.relations]
    for budget in (None, Budget.at_most(ratio=0.5), Budget.at_most(characters=len(sentence.text) // 2)):
        try:
            found.append(compressor.compress(sentence, budget=budget).text)
        except LaconicError as error:
            found.append(str(error))
    return hashlib.sha256(repr((register, found)).encode()).hexdigest()[:16]


def rows(data: Path, count: int, most_words: int, *, scores_only: bool) -> Iterator[Row]:
    """The first sentences of each corpus in turn, until there are enough of them."""
    annotator = Annotator(Network.shipped(), threads=1)
    left = count
    for corpus, register in REGISTERS.items():
        compressor = Compressor(register=register, annotator=annotator, threads=1)
        sources = [one for one in development(data, corpus) if len(one.words) <= most_words]
        chosen = sources[:left] if corpus == "written" else sources[: min(left, max(count // 3, 1))]
        left -= len(chosen)
        analyses = annotator.analyse(chosen, register=register)
        for number, (sentence, analysis) in enumerate(zip(chosen, analyses, strict=True)):
            answered = None if scores_only else answers(sentence, register, analysis, compressor)
            yield Row(corpus, number, digest(analysis.scores), answered)
