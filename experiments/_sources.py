"""What results depend on besides their options: files of data, with where to get them, and models."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from laconic.annotate import load_annotator
from laconic.corpora.registry import checksum, find_corpus
from laconic.errors import LaconicError

PARSER = "parser"
"""What jobs that use the trees of the embedded parser name; to tell it from others, sentences are parsed."""
SENTENCES = Path(__file__).parent / "data" / "sentences.txt"
"""Sentences of our own."""

_MODELS = Path(str(files("laconic"))) / "models"
_CLARKE = "Clarke and Lapata's compression corpora, jamesclarke.net/research/resources; for research"
_GOOGLE = "Filippova and Altun's pairs, github.com/google-research-datasets/sentence-compression"
_STANFORD = (
    "Penn trees of all sentences of the pairs of the same name, by the Stanford parser of 2010; "
    "docs/file-formats.md, Trees of pairs, says how to make one"
)
WHERE = {
    "spoken": _CLARKE,
    "written": _CLARKE,
    "spoken.trees": _STANFORD,
    "written.trees": _STANFORD,
    "google": f"{_GOOGLE}, the 10,000 evaluation pairs",
    "google200k": f"{_GOOGLE}, the 200,000 training pairs",
    "msr": "Microsoft's abstractive compression corpus, www.microsoft.com/en-us/download/details.aspx?id=54262",
    "gum": "github.com/amir-zeldes/gum",
    "ewt": "github.com/UniversalDependencies/UD_English-EWT",
    "wsj-sample": "the Penn Treebank sample of NLTK's data, github.com/nltk/nltk_data",
    "reuters": "Reuters-21578, archive.ics.uci.edu/dataset/137",
}
"""Where a corpus comes from, by its name or the first part of it; docs/file-formats.md says how pairs are written."""


def where_to_get(corpus: str) -> str:
    """Where the file of a corpus can be had."""
    return WHERE.get(corpus) or WHERE.get(corpus.partition(".")[0], "no public source")


def require(corpora: Iterable[str], data: Path) -> None:
    """Refuse to begin where a file is missing; the error says which, and where to get them."""
    missing = [name for name in corpora if not (data / find_corpus(name).path).is_file()]
    if missing:
        lines = "".join(f"\n  {data / find_corpus(name).path} ({where_to_get(name)})" for name in missing)
        raise LaconicError(f"missing data; --data names the folder:{lines}")


@cache
def data_checksum(corpus: str, data: Path) -> str:
    """The first digits of the SHA-256 of a corpus's file."""
    return checksum(data / find_corpus(corpus).path)[:12]


@cache
def model_checksum(name: str) -> str:
    """What tells a shipped model from others: of the parser its trees, of the others their files."""
    if name == PARSER:
        return _parser_checksum()
    total = hashlib.sha256()
    folder = _MODELS / name
    if not folder.is_dir():
        raise LaconicError(f"{folder}: no such model")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "card.json":
            total.update(path.name.encode() + path.read_bytes())
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    total.update(str(card.get("checksum")).encode())
    return total.hexdigest()[:12]


def shipped_models() -> dict[str, str]:
    """The checksums of all shipped models, by name."""
    return {
        card.parent.name: model_checksum(card.parent.name) for card in sorted(_MODELS.glob("*/card.json"))
    }


def commit_of(folder: Path) -> str:
    """The commit of the repository that a folder lies in; nothing where there is none."""
    git = ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()


def _parser_checksum() -> str:
    """Of the trees that the embedded parser finds for our own sentences: it shares its file with the compressor."""
    total = hashlib.sha256()
    texts = SENTENCES.read_text(encoding="utf-8").splitlines()
    for sentence in load_annotator(threads=1).annotate(texts):
        total.update(repr((sentence.tags, str(sentence.tree), sentence.heads, sentence.relations)).encode())
    return total.hexdigest()[:12]
