"""`laconic compress` reads from anywhere, meets limits, writes what was asked, and blames the right line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.budget import Budget
from laconic.cli.compress import compress_lines
from laconic.cli.texts import Line
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.systems.everything import Everything
from laconic.systems.truncate import Truncate
from tests.cli.conftest import type_of_run

TEXT = "The council, on Tuesday, plans to consider the matter."


def test_text_comes_from_arguments_files_or_standard_input(truncate: type_of_run, tmp_path: Path) -> None:
    expected = "The council, on Tuesday\n"
    (tmp_path / "text.txt").write_text(TEXT + "\r\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert truncate("compress", TEXT, "--words", 5).out == expected
    assert truncate("compress", *TEXT.split(), "--words", 5).out == expected
    assert truncate("compress", "--words", 5, "--file", tmp_path / "text.txt").out == expected
    assert truncate("compress", "--words", 5, stdin=TEXT).out == expected
    assert truncate("compress", "--words", 5, "-", stdin="\ufeff" + TEXT).out == expected
    files = ("--file", tmp_path / "text.txt", "--file", tmp_path / "text.gz")
    assert truncate("compress", "--words", 5, *files).out == expected * 2


def test_text_without_a_command_is_compressed(truncate: type_of_run) -> None:
    assert truncate(TEXT, "--words", 2).out == "The council\n"
    assert truncate("--words", 2, TEXT).out == "The council\n"
    assert truncate("-w2", stdin=TEXT).out == "The council\n"
    assert truncate(stdin="It fell.\n").out == "It fell\n"


def test_a_mistyped_command_is_no_text(truncate: type_of_run) -> None:
    result = truncate("comprss", TEXT)
    assert (result.code, result.out) == (2, "")
    assert result.err == "laconic: no command 'comprss'; did you mean 'compress'?\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--words", "4"], "The council, on"),
        (["--words", "4", "--exact"], "The council, on"),
        (["--words", "9", "--at-least"], "The council, on Tuesday, plans to consider"),
        (["--chars", "24"], "The council, on Tuesday"),
        (["--chars", "23", "--exact"], "The council, on Tuesday"),
        (["--ratio", "0.5"], "The council, on Tuesday"),
        (["--words", "4", "--plain", "--exact"], "The council, on Tuesday"),
        (["--ratio", "0.5", "--plain"], "The council, on Tuesday"),
        (["--words", "3", "--drop", "THE", "--keep", "matter"], "Council, matter"),
        (["--words", "4", "--keep", "the matter"], "The council the matter"),
        ([], "The council, on Tuesday, plans to"),
        (["--system", "everything"], TEXT),
    ],
)
def test_limits_and_pins(truncate: type_of_run, options: list[str], expected: str) -> None:
    assert truncate("compress", TEXT, *options).out == expected + "\n"


def test_limits_hold_for_sentences_or_for_whole_lines(truncate: type_of_run) -> None:
    text = "Stocks fell on Monday.  Bonds rose on Tuesday."
    assert truncate(text, "--words", 2).out == "Stocks fell  Bonds rose\n"
    assert truncate(text, "--words", 2, "--whole-lines").out == "Stocks fell\n"
    assert truncate(text, "--words", 1, "--drop", "stocks").out == "Fell  Bonds\n"
    assert truncate("Yes. It fell.", "--drop", "Yes.").out == "It fell\n"


def test_lines_stay_lines(truncate: type_of_run) -> None:
    result = truncate("--ratio", 1, stdin="First line.\n\n \t\nLast")
    assert (result.code, result.out) == (0, "First line.\n\n\nLast\n")
    assert truncate("--words", 3, "--exact", stdin="Only three words.\n\n").code == 0
    assert truncate("", "--words", 3).out == "\n"


def test_json_has_one_object_a_sentence(truncate: type_of_run) -> None:
    out = truncate("It fell, again. It rose.", "--words", 3, "--json").out
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["text"] for record in records] == ["It fell", "It rose."]
    assert records[0]["source"] == "It fell, again. "
    assert records[0]["kept"] == [0, 1]
    assert records[0]["repairs"] == []  # a comma kept in vain is not kept


def test_diff_shows_what_was_deleted(truncate: type_of_run) -> None:
    assert (
        truncate(TEXT, "--words", 4, "--diff").out
        == "The council, on ~Tuesday, plans to consider the matter.~\n"
    )
    assert truncate(TEXT, "--diff", "--drop", ",", "--ratio", 1).out == (
        "The council~,~ on Tuesday~,~ plans to consider the matter.\n"
    )


def test_output_goes_to_a_file(truncate: type_of_run, tmp_path: Path) -> None:
    target = tmp_path / "new" / "out.txt"
    result = truncate(TEXT, "--words", 2, "--output", target)
    assert (result.out, target.read_text()) == ("", "The council\n")
    failed = truncate("--words", 2, "--exact", "--output", target, stdin="Two words\nOne\n")
    assert failed.code == 2
    assert target.read_text() == "The council\n"
    assert [path.name for path in target.parent.iterdir()] == ["out.txt"]


def test_output_to_a_device_does_not_replace_it(truncate: type_of_run, tmp_path: Path) -> None:
    assert truncate(TEXT, "--output", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    assert "is a directory, expected a file" in truncate(TEXT, "--output", tmp_path).err


def test_ten_thousand_words(truncate: type_of_run) -> None:
    result = truncate("--words", 2_500, "--exact", stdin="word " * 10_000 + "\n")
    assert (result.code, len(result.out.split())) == (0, 2_500)


def test_control_characters_and_broken_bytes_come_back(truncate: type_of_run) -> None:
    raw = b"a\x00\x07 b\xff\xed\xa0\x80 c\x1b[0m\n"
    assert truncate("--ratio", 1, stdin=raw).out.encode("utf-8", "surrogateescape") == raw
    assert truncate("\ud83d x", "--ratio", 1).out == "\udced\udca0\udcbd x\n"
    record = json.loads(truncate("--ratio", 1, "--json", stdin=b"b\xff\n").out)
    assert record["text"] == "b\udcff"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([TEXT, "--words", "20", "--exact"], "has exactly 20 words; possible: 12"),
        ([TEXT, "--words", "3", "--system", "everything"], "has at most 3 words; possible: 12"),
        ([TEXT, "--words", "-1"], "at least 0, not -1"),
        ([TEXT, "--ratio", "1.5"], "a ratio lies between 0 and 1, not 1.5"),
        ([TEXT, "--words", "3", "--chars", "4"], "--words and --chars exclude each other"),
        ([TEXT, "--words", "3", "--exact", "--at-least"], "--exact and --at-least exclude each other"),
        ([TEXT, "--exact"], "--exact needs --words, --chars, --tokens or --ratio"),
        ([TEXT, "--at-least"], "--at-least needs"),
        ([TEXT, "--min", "3"], "--min needs --words"),
        ([TEXT, "--words", "5", "--min", "3", "--exact"], "--exact and --min exclude each other"),
        ([TEXT, "--words", "5", "--min", "6"], "at least 6.0 and at most 5 is empty"),
        ([TEXT, "--words", "5", "--min", "2.5"], "least must be a whole number"),
        ([TEXT, "--threads", "0"], "Invalid value for '--threads'"),
        ([TEXT, "--protect", "names"], "protection are the default system's, not those of 'truncate'"),
        (
            [TEXT, "--protect", "verbs", "--system", "default"],
            "protected is names, numbers, negations, not 'verbs'",
        ),
        (["ok", "--ratio", "0.4", "--system", "default"], "has at most 0 words; possible: 1"),
        ([TEXT, "--json", "--diff"], "--json and --diff exclude each other"),
        ([TEXT, "--keep", "mayor"], "'mayor', to be kept or dropped, is not in the text"),
        ([TEXT, "--keep", " "], "there is no word in ' '"),
        ([TEXT, "--keep", "on", "--drop", "ON"], "word 3 ('on') is both to be kept and to be dropped"),
        ([TEXT, "--system", "trunc"], "no system 'trunc' and no such folder; known: truncate"),
        ([TEXT, "--file", "x"], "either from arguments or from --file"),
        ([TEXT, "--frobnicate"], "--frobnicate"),
        ([TEXT, "--words", "many"], "Invalid value for '--words'"),
        (["--file", "/nowhere/at/all"], "/nowhere/at/all: no such file"),
        (["--file", "/"], "/: is a directory"),
        ([TEXT, "--output", "/proc/x/y"], "/proc/x"),
    ],
)
def test_mistakes_are_one_line_and_code_2(truncate: type_of_run, arguments: list[str], message: str) -> None:
    result = truncate("compress", *arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("laconic: ")
    assert message in result.err


def test_the_guilty_line_is_named(truncate: type_of_run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("It fell again.\nNo\n")
    assert f"{text}:2: no compression of 'No'" in truncate("-w", 3, "--exact", "--file", text).err
    assert "standard input:2: no comp" in truncate("-w", 3, "--exact", stdin=text.read_bytes()).err
    text.write_bytes(gzip.compress(b"It fell.\n" * 1000)[:-20])
    result = truncate("--file", text)
    assert result.code == 2 and f"laconic: {text}:" in result.err and "damaged gzip file" in result.err
    text.write_bytes(b"fine\n\xff\n")
    assert "not UTF-8 text" in truncate("--file", text).err


def test_what_cannot_meet_the_limit_is_left_as_it_is_if_asked(truncate: type_of_run, tmp_path: Path) -> None:
    lines = "It fell again.\nNo\nIt rained. So\n"
    stopped = truncate("-w", 3, "--exact", stdin=lines)
    assert (stopped.code, stopped.out) == (2, "It fell again\n")
    assert "--leave-impossible" in stopped.err
    left = truncate("-w", 3, "--exact", "--leave-impossible", "-o", tmp_path / "short", stdin=lines)
    assert left.code == 1
    assert (tmp_path / "short").read_text() == "It fell again\nNo\nIt rained. So\n"
    assert left.err.splitlines() == [
        "laconic: standard input:2: left as it is: no compression of 'No' has exactly 3 words; possible: 1",
        "laconic: standard input:3: left as it is: no compression of 'So' has exactly 3 words; possible: 1",
    ]
    written = truncate("-w", 3, "--exact", "--leave-impossible", "--json", stdin="No")
    assert json.loads(written.out)["notes"][0].startswith("left as it is")
    assert truncate("-w", 1, "--leave-impossible", stdin=lines).code == 0
    assert truncate("-w", 1, "--leave-impossible", "--total", stdin=lines).code == 2


def test_a_file_given_as_text_is_noticed(truncate: type_of_run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    assert "to read it, use --file" in truncate(tmp_path / "a.txt").err


def test_limits_can_have_two_ends(laconic: type_of_run) -> None:
    text = (
        "The regional airline, which filed for bankruptcy in January, will stop all flights to the islands."
    )
    for unit, least, most in (("--words", 14, 15), ("--chars", 60, 64)):
        [line] = laconic(text, unit, most, "--min", least, "--json").out.splitlines()
        answer = json.loads(line)
        amount = len(answer["words"] if unit == "--words" else answer["text"])
        assert least <= amount <= most
    share = len(json.loads(laconic(text, "--ratio", 0.5, "--min", 0.45, "--json").out)["words"]) / 18
    assert 0.45 <= share <= 0.5


def test_kinds_of_words_are_protected(laconic: type_of_run) -> None:
    text = "The mayor of Harrow Mill, Ana Reis, resigned on 4 May after 12 years without a word."
    assert "Harrow Mill" not in laconic(text, "--words", 5).out
    out = laconic(text, "--words", 13, "--protect", "names", "--protect", "numbers").out
    assert all(word in out for word in ("Harrow Mill", "Ana Reis", "4 May", "12"))
    assert "without" in laconic(text, "--words", 8, "--protect", "negations").out


def test_what_had_to_be_torn_is_said_beside_the_answer(laconic: type_of_run) -> None:
    result = laconic("The mayor did not resign.", "--keep", "resign", "--drop", "not")
    assert "not" not in result.out and result.code == 0
    assert "laconic: a negation is gone: 'resign' without 'not'\n" in result.err
    record = laconic("The mayor did not resign.", "--keep", "resign", "--drop", "not", "--json")
    assert "a negation is gone" in record.out and record.err == ""
    assert laconic("The mayor did not resign.").err == ""


def test_threads_keep_the_order(laconic: type_of_run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"Flight {number} will leave again on Monday.\n" for number in range(40)))
    answers = [laconic("-w", 6, "--threads", threads, "--file", text).out for threads in (1, 3)]
    assert answers[0] == answers[1]
    assert [line.split()[1] for line in answers[1].splitlines()] == [str(number) for number in range(40)]


def test_who_writes_line_by_line_gets_an_answer_to_each() -> None:
    command = [sys.executable, "-c", "import laconic.cli; laconic.cli.main()", "-w", "3", "--threads", "4"]
    command += ["--system", "truncate"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as program:
        assert program.stdin is not None and program.stdout is not None
        for number in range(3):
            program.stdin.write(f"It rained {number} days in the north.\n".encode())
            assert program.stdout.readline() == f"It rained {number}\n".encode()
        program.stdin.write(b"The last line")
        program.stdin.close()
        assert program.stdout.read() == b"The last line\n"
        assert program.wait() == 0


def test_words_need_not_be_in_every_line(truncate: type_of_run) -> None:
    assert truncate("--ratio", 1, "--drop", "rose", stdin="It fell\nIt rose\n").out == "It fell\nIt\n"


def test_the_function_behind_the_command_is_lazy() -> None:
    lines = iter([Line("It fell again.", "here"), Line("No", "there")])
    compressed = compress_lines(lines, Truncate(), keep=["fell"])
    assert next(compressed).compressions[0].text == "It fell again"
    assert next(lines).text == "No"
    with pytest.raises(InfeasibleBudget, match=r"^there: no compression of 'No'") as caught:
        list(compress_lines([Line("No", "there")], Everything(), budget=Budget.at_least(2, unit="pieces")))
    assert caught.value.possible == (1, 1)
    with pytest.raises(LaconicError, match="'rose', to be kept"):
        list(compress_lines([Line("It fell")], Everything(), keep=["fell", "rose"]))
