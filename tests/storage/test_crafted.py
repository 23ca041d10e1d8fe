"""Models made to do harm, with right checksums: they are refused, or answer, and the process lives."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from laconic.budget import Budget
from laconic.errors import LaconicError
from laconic.formats.penn import parse_tree
from laconic.sentence import Sentence
from laconic.storage import Content, kind_of, open_model, write_model
from laconic.systems.registry import open_system
from tests.storage.crafting import content_of
from tests.storage.damages import LOADERS, MODELS

HARM: tuple[Any, ...] = (None, True, -1, 0, 2**30, 2**63, 10**400, 1e308, -1e18, 0.5, "", "x", [], {}, [[]])
SYSTEMS = (
    *("bayesian", "dependency", "discriminative", "em", "ilp", "joint-discriminative", "joint-lm"),
    *("markov", "ngram", "noisy-channel", "transducer", "variational"),
)
SENTENCE = Sentence.from_words(["The", "old", "council", "met", "on", "Tuesday", "."]).annotated(
    tags=["DT", "JJ", "NN", "VBD", "IN", "NNP", "."],
    tree=parse_tree(
        "(S (NP (DT The) (JJ old) (NN council)) (VP (VBD met) (PP (IN on) (NP (NNP Tuesday)))) (. .))"
    ),
    heads=[2, 2, 3, -1, 5, 3, 3],
    relations=["det", "amod", "nsubj", "root", "case", "obl", "punct"],
)


def harmed(content: Content, choose: random.Random) -> Content:
    """A content with one thing changed for the worse."""
    kind = choose.choice([name for name in ("settings", "arrays", "lines") if getattr(content, name)])
    name = choose.choice(sorted(getattr(content, kind)))
    if kind == "settings":
        value = content.settings[name]
        if isinstance(value, dict) and value and choose.random() < 0.8:
            inner = choose.choice(sorted(value))
            return content | Content({name: value | {inner: choose.choice(HARM)}})
        return content | Content({name: choose.choice(HARM)})
    if kind == "lines":
        lines = list(content.lines[name])
        place = choose.randrange(len(lines))
        what = choose.choice(("gone", "twice", "empty", "deep", "huge", "all gone"))
        if what == "all gone":
            lines = []
        elif what == "gone":
            del lines[place]
        elif what == "twice":
            lines.insert(0, lines[place])
        else:
            lines[place] = {"empty": "", "deep": "1\t" + "[" * 5000, "huge": "9" * 5000 + lines[place]}[what]
        return content | Content(lines={name: lines})
    array = content.arrays[name].copy()
    what = choose.choice(("least", "most", "nan", "cut", "longer", "other", "flat", "shuffled", "empty"))
    if what in ("least", "most", "nan") and array.size:
        limits: Any = np.finfo(array.dtype) if array.dtype.kind == "f" else np.iinfo(array.dtype)
        worst = (
            np.nan
            if what == "nan" and array.dtype.kind == "f"
            else limits.min
            if what == "least"
            else limits.max
        )
        array.reshape(-1)[choose.randrange(array.size) :: choose.choice((1, 7, array.size))] = worst
    elif what == "cut":
        array = array[:-1]
    elif what == "longer":
        array = np.concatenate([array, array])
    elif what == "other":
        array = array.astype(choose.choice(("u1", "i8", "f8", "i4")), casting="unsafe")
    elif what == "flat":
        array = array.reshape(-1)[:, None]
    elif what == "shuffled":
        np.random.default_rng(choose.randrange(99)).shuffle(array)
    else:
        array = array[:0]
    return content | Content(arrays={name: array})


def attempt(number: int, folder: Path) -> str:
    """Load a crafted model and let it answer."""
    choose = random.Random(number)
    name = choose.choice(SYSTEMS)
    kind = kind_of(MODELS / name)
    with open_model(MODELS / name, kind) as stored:
        content = content_of(stored)
    for part in (MODELS / name).glob("*/"):
        shutil.copytree(part, folder / part.name, dirs_exist_ok=True)
    try:
        write_model(folder, kind, harmed(content, choose))
        system = open_system(folder)
    except LaconicError:
        return "refused"
    try:
        for budget in (None, Budget.at_most(4, unit="pieces"), Budget.exactly(20, unit="characters")):
            system.compress(SENTENCE, budget)
    except LaconicError:
        pass
    return "answered"


def hunt(first: int, count: int, folder: Path) -> list[str]:
    """The outcome of every attempt, in another process, which must survive them all."""
    code = f"""
import warnings; warnings.simplefilter("ignore")
from pathlib import Path
from tests.storage.test_crafted import attempt
for number in range({first}, {first + count}):
    print(number, end=" ", flush=True)
    print(attempt(number, Path({str(folder)!r})), flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"attempt {lines[-1]}: {done.returncode}, {done.stderr[-2000:]}"
    return [line.split()[1] for line in lines]


def test_crafted_models_are_survived(tmp_path: Path) -> None:
    outcomes = hunt(0, 12, tmp_path)
    assert {"refused", "answered"} == set(outcomes)


@pytest.mark.slow
def test_many_crafted_models_are_survived(tmp_path: Path) -> None:
    hunt(1000, int(os.environ.get("LACONIC_DAMAGES", "3000")), tmp_path)


def test_all_systems_are_attacked() -> None:
    assert set(SYSTEMS) == {name for name, load in LOADERS.items() if load is open_system}
