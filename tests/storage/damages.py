"""Damage done to copies of the shipped models, by number: the same number is the same damage."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from laconic.annotate.network import Network
from laconic.grammar.dependency_grammar import DependencyGrammar
from laconic.ngram import load
from laconic.systems.default.judgement import Judge
from laconic.systems.default.learnt_ties import LearntTies
from laconic.systems.default.reader import Reader
from laconic.systems.registry import open_system

MODELS = Path(str(resources.files("laconic"))) / "models"
LOADERS: dict[str, Callable[[Path], object]] = {
    "annotator": Network,
    "bayesian": open_system,
    "dependency": open_system,
    "dependency-grammar": DependencyGrammar.load,
    "discriminative": open_system,
    "em": open_system,
    "ilp": open_system,
    "joint-discriminative": open_system,
    "joint-lm": open_system,
    "judgement": Judge.load,
    "markov": open_system,
    "news-trigram": load,
    "ngram": open_system,
    "noisy-channel": open_system,
    "reader": Reader.load,
    "ties": LearntTies.load,
    "transducer": open_system,
    "variational": open_system,
}
DEEP = b"[" * 100_000
CARDS = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"kind": NaN}',
    b'{"kind": 1e999}',
    b'{"kind": ' + b"9" * 5000 + b"}",
    b'{"kind": "\\ud800", "checksum": ""}',
    DEEP,
    b'{"a":' * 50_000,
    b" " * (1 << 21),
)


def copied(name: str, folder: Path) -> None:
    """A copy of a shipped model; files are links until they are changed."""
    for path in files_of(MODELS / name):
        copy = folder / path.relative_to(MODELS / name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.symlink_to(path)


def files_of(folder: Path) -> list[Path]:
    """The files of a model, those of its parts among them."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def put(path: Path, content: bytes) -> None:
    """Let a file have another content, without touching what it was linked to."""
    path.unlink()
    path.write_bytes(content)


def damage(number: int, folder: Path) -> tuple[str, str]:
    """Damage a copy of a model, in a folder that does not exist yet; returns its name and what was done."""
    choose = random.Random(number)
    name = choose.choice(sorted(LOADERS))
    copied(name, folder)
    path = choose.choice(files_of(folder))
    file = path.relative_to(folder).as_posix()
    content = path.read_bytes()
    kind = choose.choice(("flip", "flip", "cut", "longer", "empty", "gone", "folder", "swapped", "card"))
    if kind == "card":
        file, path = "card.json", folder / "card.json"
        put(path, choose.choice(CARDS))
    elif kind == "flip":
        place, bit = choose.randrange(len(content)), 1 << choose.randrange(8)
        changed = bytes([content[place] ^ bit])
        put(path, content[:place] + changed + content[place + 1 :])
        kind = f"flip of bit {bit} at {place}"
    elif kind == "cut":
        put(path, content[: choose.randrange(len(content))])
    elif kind == "longer":
        put(path, content + choose.choice((b"\0", b"{}", content)))
    elif kind == "empty":
        put(path, b"")
    elif kind == "gone":
        path.unlink()
    elif kind == "folder":
        path.unlink()
        path.mkdir()
    else:
        # A model that is nothing but its card would be whole, whatever lies beside it.
        every = (path for loaded in sorted(LOADERS) for path in files_of(MODELS / loaded))
        others = [path for path in every if len([*path.parent.iterdir()]) > 1]
        while (other := choose.choice(others)).read_bytes() == content:
            pass
        put(path, other.read_bytes())
        kind = f"swapped with {other.parent.name}/{other.name}"
    return name, f"{file}: {kind}"


def unharmed(name: str, folder: Path) -> bool:
    """Whether a damage only changed how a card is written, such as 7e-08 to 7E-08."""
    try:
        damaged = json.loads((folder / "card.json").read_bytes())
    except ValueError:
        return False
    return bool(damaged == json.loads((MODELS / name / "card.json").read_bytes()))


def removed(folder: Path) -> None:
    """Make room for the next."""
    shutil.rmtree(folder)
