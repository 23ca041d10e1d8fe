"""The corpora laconic knows by name: where they lie, how they are read, whose they are."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from laconic.corpora.pair import Pair
from laconic.corpora.pairs import Tokeniser, read_pairs
from laconic.corpora.text import Article, read_articles
from laconic.corpora.treebanks import read_dependencies, read_penn
from laconic.errors import LaconicError
from laconic.formats import OnError
from laconic.sentence import Sentence

Format = Literal["pairs", "trees", "penn", "conllu", "text"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A named file: its path within the data folder, its format, its SHA-256 and its licence."""

    name: str
    path: str
    format: Format
    sha256: str
    licence: str
    note: str


@cache
def registry() -> dict[str, Corpus]:
    """All known corpora by name."""
    entries = tomllib.loads(files("laconic.corpora").joinpath("registry.toml").read_text(encoding="utf-8"))
    return {name: Corpus(name=name, **entry) for name, entry in entries.items()}


def find_corpus(name: str) -> Corpus:
    """The corpus of that name; an unknown one is an error that says which are meant."""
    known = registry()
    if name not in known:
        near = get_close_matches(name, known, n=3) or sorted(known)
        raise LaconicError(f"no corpus {name!r}; known: {', '.join(near)}")
    return known[name]


def open_corpus(
    name: str, data_folder: Path, *, on_error: OnError = None
) -> Iterator[Pair] | Iterator[Sentence] | Iterator[Article]:
    """Stream a named corpus: pairs, the sentences of a treebank with their trees, or articles of text.

    The options of a format are those of its reader: `read_pairs`, `read_penn`, `read_dependencies`,
    `read_articles`. Trees that go with pairs are attached by `with_trees`.
    """
    corpus = find_corpus(name)
    path = data_folder / corpus.path
    match corpus.format:
        case "pairs":
            return read_pairs(path, on_error=on_error)
        case "penn":
            return read_penn(path, on_error=on_error)
        case "conllu":
            return read_dependencies(path, on_error=on_error)
        case "text":
            return read_articles(path)
        case "trees":
            raise LaconicError(
                f"corpus {name!r} holds the trees of other sentences; attach them by `with_trees`"
            )


def open_pairs(
    name: str,
    data_folder: Path,
    *,
    tokenise: Tokeniser | None = None,
    only_aligned: bool = False,
    on_error: OnError = None,
) -> Iterator[Pair]:
    """Stream a named corpus of pairs, with the options of `read_pairs`."""
    corpus = find_corpus(name)
    if corpus.format != "pairs":
        pairs = ", ".join(known.name for known in registry().values() if known.format == "pairs")
        raise LaconicError(f"corpus {name!r} holds no pairs of sentences and compressions; these do: {pairs}")
    path = data_folder / corpus.path
    return read_pairs(path, tokenise=tokenise, only_aligned=only_aligned, on_error=on_error)


def checksum(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        raise LaconicError(f"{path}: no such file") from None


def verify_corpus(name: str, data_folder: Path) -> None:
    """Raise an error unless the file of a named corpus is, byte for byte, the one the registry knows."""
    corpus = find_corpus(name)
    path = data_folder / corpus.path
    found = checksum(path)
    if found != corpus.sha256:
        raise LaconicError(
            f"{path}: SHA-256 is {found}, but corpus {name!r} has {corpus.sha256}; restore the file"
        )
