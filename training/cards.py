"""What the cards of shipped models have in common: checksums that were computed, licences, the models they need.

    python -m training.cards FOLDER ...

gives cards that were edited by hand their checksums again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import laconic
from laconic.corpora.registry import checksum, find_corpus
from laconic.storage import add_to_card, checksum_of, read_card, seal_card

MODELS = Path(laconic.__file__).parent / "models"


def data_checksums(names: Sequence[str], data: Path) -> dict[str, str]:
    """The SHA-256 of the files of corpora, as they were read."""
    return {name: checksum(data / find_corpus(name).path) for name in names}


def licences(names: Sequence[str]) -> dict[str, str]:
    """The licences of corpora."""
    return {name: find_corpus(name).licence for name in names}


def needs(*names: str) -> dict[str, str]:
    """The checksums of the shipped models that a model was learnt with: of the annotator, its network's."""
    return {
        name: read_card(MODELS / name)["sha256"] if name == "annotator" else checksum_of(MODELS / name)
        for name in names
    }


def finish(folder: Path, card: Mapping[str, Any]) -> None:
    """Complete the card of a model that was written, and show it."""
    add_to_card(folder, card)
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder}: {size / 2**20:.2f} MiB")
    print((folder / "card.json").read_text(encoding="utf-8"), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    for folder in parser.parse_args().folders:
        seal_card(folder)
