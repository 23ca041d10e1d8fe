"""The program as a process: version, help, completion, pipes, signals, terminals."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from laconic import __version__
from laconic.cli.application import COMMANDS
from tests.cli.conftest import type_of_run

PROGRAM = [sys.executable, "-c", "from laconic.cli import main; main()"]


def test_version_is_told_at_once() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        told = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        assert told == f"laconic {__version__}\n"
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.2


def test_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['laconic', '--version']; from laconic.cli import main; main(); "
        "print(sorted({'typer', 'rich', 'numpy', 'laconic.cli.application'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_help_has_examples(laconic: type_of_run) -> None:
    assert "A text without a command is compressed" in laconic("--help").out
    assert laconic("--version").out == f"laconic {__version__}\n"
    parts = ("lm train", "lm score", "rate sheet", "rate serve", "rate score")
    for command in (*COMMANDS, *parts):
        result = laconic(*command.split(), "--help")
        assert result.code == 0
        assert f"laconic {command}" in result.out.partition("Example")[2]


def test_shell_completion_knows_commands_and_systems() -> None:
    def complete(line: str) -> str:
        environment = os.environ | {
            "_LACONIC_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        }
        return subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=False).stdout

    assert complete("laconic comp").split() == ["compress", "compare"]
    assert complete("laconic compress --system tru").split() == ["truncate"]
    assert complete("laconic compress --for tit").split() == ["title"]
    assert complete("laconic compress --per par").split() == ["paragraph"]


def test_the_package_runs_as_the_program() -> None:
    command = [sys.executable, "-m", "laconic", "It fell again.", "--words", "2", "--system", "truncate"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "It fell\n"


def test_a_closed_pipe_ends_the_program_in_silence(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("It fell again on Monday.\n" * 50_000)
    with subprocess.Popen(
        [*PROGRAM, "--system", "truncate", "--lines", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"It fell again on\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


@pytest.mark.parametrize(
    "arguments", [["--help"], ["compress", "--help"], ["It fell.", "--system", "truncate"]]
)
def test_a_reader_that_left_before_the_first_line_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_what_libraries_print_is_no_part_of_the_answer() -> None:
    noisy = (
        "import ctypes, laconic.cli, laconic.cli.application as program; answer = program.run; "
        "program.run = lambda given: (ctypes.CDLL(None).puts(b'noise'), answer(given))[1]; laconic.cli.main()"
    )
    command = [sys.executable, "-c", noisy, "It fell again.", "--words", "2", "--system", "truncate"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"It fell\n", b"noise\n")


def test_an_interruption_while_the_program_is_imported_is_no_traceback() -> None:
    interrupted = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'laconic.cli.application': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "import laconic.cli; laconic.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def in_shell(redirected: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    command = ["bash", "-c", f'"$@" {redirected}', "bash", *PROGRAM, *arguments, "--system", "truncate"]
    return subprocess.run(command, env=os.environ | more, capture_output=True, check=False)


def test_closed_standard_output_is_one_line() -> None:
    done = in_shell(">&-", "It fell.")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines() == [
        "laconic: standard output is closed: use --output FILE where a command has it"
    ]


@pytest.mark.parametrize("arguments", [["--help"], ["compress", "--help"], ["--version"]])
def test_help_that_nobody_can_read_is_an_error(arguments: list[str]) -> None:
    command = ["bash", "-c", '"$@" >&-', "bash", *PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"laconic: standard output is closed") and done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["It fell.", "--system", "truncate"]])
def test_an_answer_for_which_there_is_no_room_is_one_line(arguments: list[str]) -> None:
    command = ["bash", "-c", '"$@" >/dev/full', "bash", *PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"laconic: standard output: No space left on device\n")


def test_closed_standard_error_does_not_spoil_the_answer() -> None:
    done = in_shell("2>&-", "It fell.", "--words", "1", "--impossible", "leave")
    assert (done.returncode, done.stdout) == (0, b"It\n")
    done = in_shell("2>&-", "It fell.", "--keep", "nothing")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize(
    "more", [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], ids=["usual", "strict"]
)
def test_a_locale_without_letters_changes_nothing(more: dict[str, str]) -> None:
    done = in_shell("", "Café “Ünal” — it fell.", "--diff", LC_ALL="C", LANG="C", **more)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().replace("~", "") == "Café “Ünal” — it fell.\n"
    done = in_shell("", "Über", "--keep", "Öl", LC_ALL="C", LANG="C", **more)
    assert done.returncode == 2 and done.stderr.startswith(b"laconic: ")


def test_an_interrupt_leaves_no_file(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with subprocess.Popen(
        [*PROGRAM, "--lines", "--output", target],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(b"It fell.\n")
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert [path.name[:9] for path in tmp_path.iterdir()] == [".out.txt."]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


def test_closed_standard_input_is_no_text() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" compress <&-', "bash", *PROGRAM], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def on_a_terminal(arguments: list[str], *, stdout: bool, **more: str) -> tuple[str, str]:
    """Run with standard error, and perhaps standard output, on a terminal; what was written to both."""
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    environment |= more
    out = follower if stdout else subprocess.PIPE
    shown: list[bytes] = []

    def watch() -> None:
        # A terminal holds little, and who writes to a full one waits: it is read while the program runs.
        try:
            while chunk := os.read(leader, 65536):
                shown.append(chunk)
        except OSError:
            pass  # how Linux says that nobody holds the other end any more

    with subprocess.Popen([*PROGRAM, *arguments], stdout=out, stderr=follower, env=environment) as process:
        os.close(follower)
        watcher = Thread(target=watch)
        watcher.start()
        printed = process.stdout.read() if process.stdout is not None else b""
        assert process.wait(timeout=60) == 0
        watcher.join(timeout=60)
    os.close(leader)
    return printed.decode(), b"".join(shown).decode()


def test_colours_only_on_a_terminal() -> None:
    command = ["It fell again.", "--words", "2", "--system", "truncate", "--diff"]
    _, shown = on_a_terminal(command, stdout=True)
    assert "It fell \x1b[9;31magain.\x1b[0m" in shown
    _, shown = on_a_terminal(command, stdout=True, NO_COLOR="1")
    assert shown == "It fell ~again.~\r\n"
    printed, _ = on_a_terminal(command, stdout=False)
    assert printed == "It fell ~again.~\n"


@pytest.mark.parametrize(("stdout", "expected"), [(False, True), (True, False)])
def test_progress_only_where_the_answer_shows_none(tmp_path: Path, stdout: bool, expected: bool) -> None:
    text = tmp_path / "text.txt"
    text.write_text("It fell.\n" * 20)
    _, shown = on_a_terminal(["--lines", str(text)], stdout=stdout)
    assert ("compressing" in shown) == expected
