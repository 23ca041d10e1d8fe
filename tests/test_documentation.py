"""Every snippet of the documentation runs and prints what the documentation says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documentation import blocks, commands, refreshed, run_document
from tests.shell import printed, printed_by_a_process

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


def test_the_first_thing_that_is_shown_is_no_truncation() -> None:
    start = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")
    asked, answer = re.search(r'^\$ laconic "(.+)"\n(.+)$', start, re.MULTILINE).groups()
    assert len(answer) < len(asked)
    assert not asked.startswith(answer.rstrip(".")) and answer.split()[-1] in asked


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


def test_the_program_in_the_shell_is_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.__version__", "of this process")
    assert printed("laconic --version", tmp_path) == "laconic of this process\n"
    assert printed_by_a_process("laconic --version", tmp_path) != "laconic of this process\n"


def test_the_shell_passes_streams_and_exit_codes(tmp_path: Path) -> None:
    shorten = "laconic --system truncate --words 2"
    assert printed(f"echo It rained again. | {shorten} | tr I i", tmp_path) == "it rained\n"
    assert printed(f"{shorten} No --words =2 2>notes; echo $?; wc -l <notes", tmp_path) == "2\n1\n"


@pytest.mark.parametrize(("name", "start"), [("README.md", "laconic "), ("quick-start.md", "printf ")])
def test_a_process_of_its_own_prints_the_same(name: str, start: str, tmp_path: Path) -> None:
    (path,) = (path for path in DOCUMENTS if path.name == name)
    consoles = (block for block in blocks(path.read_text(encoding="utf-8")) if block.language == "console")
    found = (pair for block in consoles for pair in commands(block) if pair[0].startswith(start))
    command, expected = next(found)
    assert printed_by_a_process(command, tmp_path) == expected
