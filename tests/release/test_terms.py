"""The terms of code and models are stated, complete and part of the package."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from release.sbom import MODELS, model_terms

from laconic.cli.application import run

ROOT = Path(__file__).parent.parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = sorted(path.name for path in MODELS.iterdir() if path.is_dir())

# How cards name the sources, and how the page of terms does.
SOURCES = {
    "all-MiniLM": "all-MiniLM-L6-v2",
    "GUM": "GUM",
    "gum.": "GUM",
    "EWT": "EWT",
    "ewt.": "EWT",
    "AMALGUM": "AMALGUM news",
    "MASC": "MASC",
    "QuestionBank": "QuestionBank",
    "WSJ": "WSJ sample",
    "Filippova": "Filippova & Altun",
    "google": "Filippova & Altun",
    "Clarke": "Clarke & Lapata",
    "spoken.train": "Clarke & Lapata",
    "Microsoft": "Microsoft",
    "Reuters": "Reuters-21578",
    "reuters": "Reuters-21578",
    "compressions.jsonl": "compressions written for laconic",
    "readings": "readings made for laconic",
    "read_lists": "readings made for laconic",
}


def sections() -> dict[str, str]:
    """The page of terms by headings, its lines joined."""
    text = (MODELS / "LICENCE.md").read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {heading: " ".join(rest.split()) for heading, _, rest in (part.partition("\n") for part in parts)}


def learnt_from(card: dict[str, Any]) -> set[str]:
    """The sources that a card names where it speaks of training data."""
    told = {
        key: card[key] for key in ("base weights", "data", "licences", "training", "start") if key in card
    }
    written = json.dumps(told, ensure_ascii=False)
    return {source for start, source in SOURCES.items() if re.search(rf"\b{re.escape(start)}", written)}


def test_every_model_has_terms() -> None:
    assert sorted(model_terms()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_source_of_a_model_is_named(name: str) -> None:
    card = json.loads((MODELS / name / "card.json").read_text(encoding="utf-8"))
    sources = learnt_from(card)
    assert sources
    page = sections()
    for source in sources:
        assert source in page[name], f"{name} was learnt from {source}"
        assert source in page["The sources"]


def test_what_is_for_research_says_so() -> None:
    page = sections()
    rows = [line.split(" | ") for line in (MODELS / "LICENCE.md").read_text(encoding="utf-8").splitlines()]
    restricted = {
        row[0].removeprefix("| ").partition(" (")[0] for row in rows if len(row) == 3 and "research" in row[1]
    }
    assert restricted == {
        "QuestionBank",
        "Clarke & Lapata",
        "Microsoft's abstractive compressions",
        "Reuters-21578",
    }
    owners = {source.partition("'")[0] for source in restricted}
    for name, terms in model_terms().items():
        if any(owner in page[name] for owner in owners):
            assert terms.startswith("For research"), name
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Terms\n")[2]
    assert all(owner in readme for owner in owners)


def test_the_notice_names_every_source() -> None:
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    names = (
        "Clarke",
        "Lapata",
        "Filippova",
        "Altun",
        "GUM",
        "EWT",
        "AMALGUM",
        "MASC",
        "QuestionBank",
        "Microsoft",
        "Reuters-21578",
    )
    for name in (
        *names,
        "Penn Treebank",
        "all-MiniLM-L6-v2",
        "all-mpnet-base-v2",
        "Collins",
        "language models",
    ):
        assert name in notice


def test_the_metadata_says_english_and_names_all_terms() -> None:
    assert "English" in PROJECT["description"]
    assert "Natural Language :: English" in PROJECT["classifiers"]
    assert PROJECT["license"] == "MIT AND Apache-2.0 AND Unicode-3.0 AND LicenseRef-laconic-models"
    for pattern in PROJECT["license-files"]:
        assert list(ROOT.glob(pattern)), pattern


def test_the_help_says_english(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert "English" in capsys.readouterr().out


def test_python_versions_are_those_of_the_environments() -> None:
    claimed = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert claimed == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={claimed[0]}"
