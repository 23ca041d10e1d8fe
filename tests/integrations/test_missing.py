"""Without its package an adapter says which extra brings it, and nothing else needs one."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from laconic.errors import LaconicError, MissingExtra

EXTRAS = {
    "langchain": ("langchain_core", "langchain"),
    "llama_index": ("llama_index", "llama-index"),
    "haystack": ("haystack", "haystack"),
    "mcp": ("mcp", "mcp"),
    "jinja": ("jinja2", "jinja"),
    "spacy": ("spacy", "spacy"),
    "dask": ("dask", "dask"),
    "ray": ("ray", "ray"),
    "spark": ("pyspark", "spark"),
}


def without_package(adapter: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make believe that what an adapter needs is not installed; the extra that brings it."""
    package, extra = EXTRAS[adapter]
    name = f"laconic.integrations.{adapter}"
    for module in [each for each in sys.modules if each == name or each.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    return extra


@pytest.mark.parametrize("adapter", EXTRAS)
def test_a_missing_package_is_named_with_its_extra(adapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    extra = without_package(adapter, monkeypatch)
    with pytest.raises(MissingExtra, match=rf"pip install 'laconic\[{extra}\]'") as error:
        importlib.import_module(f"laconic.integrations.{adapter}")
    assert isinstance(error.value, LaconicError)
    assert isinstance(error.value, ImportError)


def test_the_program_says_so_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from laconic.cli.application import run

    without_package("mcp", monkeypatch)
    assert run(["mcp"]) == 2
    assert capsys.readouterr().err == "laconic: mcp is not installed: pip install 'laconic[mcp]'\n"


def test_adapters_are_tested_against_the_real_packages_with_everything_else() -> None:
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    installed = {re.split(r"[\[<>=]", name)[0] for name in extras["dev"]}
    assert {
        "spacy",
        "langchain-core",
        "llama-index-core",
        "haystack-ai",
        "mcp",
        "jinja2",
        "dask",
        "polars",
    } <= installed


def test_shortening_prompts_needs_no_package_of_others() -> None:
    code = (
        "import sys; from laconic.integrations.llmlingua import PromptCompressor as P; "
        "P(tokenizer=len, system='truncate').compress_prompt('It fell again on Monday.', rate=0.5); print(*sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    others = {
        "langchain_core",
        "llama_index",
        "haystack",
        "mcp",
        "jinja2",
        "tiktoken",
        "transformers",
        "onnxruntime",
    }
    assert not others & set(found)


def test_the_service_without_its_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    from laconic.cli.application import run

    for module in [each for each in sys.modules if each.split(".")[0] == "fastapi" or ".serve." in each]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert run(["serve"]) == 2
    assert "pip install 'laconic[serve]'" in capsys.readouterr().err
