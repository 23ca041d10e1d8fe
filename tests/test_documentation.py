"""Every snippet of the documentation runs and prints what the documentation says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documentation import blocks, refreshed, run_document

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_snippets_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert run_document(text, path.name) == len(list(blocks(text)))


def test_there_are_snippets() -> None:
    counts = {path.name: len(list(blocks(path.read_text(encoding="utf-8")))) for path in DOCUMENTS}
    assert all(
        counts[name] >= 2
        for name in (
            "README.md",
            "quick-start.md",
            "adding-a-system.md",
            "file-formats.md",
            "the-one-idea.md",
        )
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in _LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize(
    "snippet",
    [
        "```python\nassert 1 == 2\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "```console\n$ echo yes\nno\n```",
        "```console\nno prompt\n```",
        "```ruby\nputs 1\n```",
    ],
)
def test_a_wrong_snippet_is_noticed(snippet: str) -> None:
    with pytest.raises(AssertionError):
        run_document(snippet, "wrong.md")


def test_blocks_share_names_and_files() -> None:
    python = "```python\nx = 2\n```\n```python\n>>> x\n2\n```\n"
    shell = "```jsonl a.jsonl\n{}\n```\n```console\n$ cat a.jsonl\n{}\n```\n"
    assert run_document(python + shell, "right.md") == 4


def test_refreshing_writes_the_true_output() -> None:
    text = "Before\n```jsonl a.txt\nx\n```\n```console\n$ cat a.txt\nwrong\n$ echo y\n```\nAfter\n"
    new = refreshed(text, "wrong.md")
    assert new == "Before\n```jsonl a.txt\nx\n```\n```console\n$ cat a.txt\nx\n$ echo y\ny\n```\nAfter\n"
    assert run_document(new, "right.md") == 2
