"""Running the snippets of the documentation, and writing their true output into it.

Fenced blocks run in order, in one folder a document. `python` blocks are run, or checked as doctests where
they have prompts; lines of `console` blocks after `$ ` are run by the shell and what they print is compared
with what follows; blocks such as `jsonl pairs.jsonl` are files that later blocks read; `text` is not run.

`python -m tests.documentation FILE...` replaces the output in console blocks by what the commands print now.
"""

from __future__ import annotations

import doctest
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tests.shell import printed

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its name if it is a file, its text and its first line."""

    language: str
    name: str
    text: str
    line: int


def blocks(markdown: str) -> Iterator[Block]:
    """The fenced blocks of a document."""
    for match in _BLOCK.finditer(markdown):
        language, _, name = match[1].partition(" ")
        yield Block(language, name, match[2], markdown.count("\n", 0, match.start(2)) + 1)


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output written below it."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    if parts[0]:
        raise AssertionError(f"line {block.line}: a console block starts with a command after `$ `")
    for part in parts[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def run_block(block: Block, folder: Path, names: dict[str, object], source: str) -> None:
    """Run a block; what it does wrong is an AssertionError."""
    where = f"{source}:{block.line}"
    match block.language:
        case "python" if ">>> " in block.text:
            test = doctest.DocTestParser().get_doctest(block.text, names, where, source, block.line - 1)
            report: list[str] = []
            runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
            runner.run(test, out=report.append, clear_globs=False)
            names.update(test.globs)
            assert runner.failures == 0, "".join(report)
        case "python":
            # Line numbers of tracebacks are those of the document.
            exec(compile("\n" * (block.line - 1) + block.text, source, "exec"), names)
        case "console":
            for command, expected in commands(block):
                assert printed(command, folder) == expected, f"{where}: $ {command}"
        case "text" | "":
            pass
        case _:
            assert block.name, f"{where}: a block in {block.language!r} that is neither run nor a file"
            (folder / block.name).write_text(block.text, encoding="utf-8")


def run_document(markdown: str, source: str) -> int:
    """Run all blocks of a document; returns how many."""
    # Dataclasses look their module up, so the document becomes one while it runs.
    module = ModuleType(source)
    sys.modules[source] = module
    before = Path.cwd()
    found = list(blocks(markdown))
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for block in found:
                run_block(block, Path(folder), vars(module), source)
    finally:
        os.chdir(before)
        del sys.modules[source]
    return len(found)


def refreshed(markdown: str, source: str) -> str:
    """The document with the true output of its commands."""
    pieces = []
    position = 0
    with tempfile.TemporaryDirectory() as folder:
        for match, block in zip(_BLOCK.finditer(markdown), blocks(markdown), strict=True):
            if block.language == "console":
                text = "".join(
                    f"$ {command}\n{printed(command, Path(folder))}" for command, _ in commands(block)
                )
                pieces += [markdown[position : match.start(2)], text]
                position = match.end(2)
            elif block.name:
                run_block(block, Path(folder), {}, source)
    return "".join(pieces) + markdown[position:]


def main() -> None:
    """Refresh the documents named on the command line."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(refreshed(path.read_text(encoding="utf-8"), name), encoding="utf-8")


if __name__ == "__main__":
    main()
