"""`laconic compress` reads from anywhere, meets limits, writes what was asked, and blames the right line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.budget import Budget
from laconic.cli.compress import Asked, compress_all
from laconic.compressed_text import CompressedText
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.options import Options
from laconic.systems.everything import Everything
from laconic.systems.truncate import Truncate
from tests.cli.conftest import Result, type_of_run

TEXT = "The council, on Tuesday, plans to consider the matter."


def test_text_comes_from_arguments_files_or_standard_input(truncate: type_of_run, tmp_path: Path) -> None:
    expected = "The council, on Tuesday\n"
    (tmp_path / "text.txt").write_bytes(TEXT.encode() + b"\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert truncate("compress", TEXT, "--words", 4).out == expected
    assert truncate("compress", *TEXT.split(), "--words", 4).out == expected
    assert truncate("compress", "--words", 4, tmp_path / "text.txt").out == expected
    assert truncate("compress", "--words", 4, stdin=TEXT).out == expected.rstrip()
    assert truncate("compress", "--words", 4, "-", stdin=f"\ufeff{TEXT}\n").out == "\ufeff" + expected
    files = (tmp_path / "text.gz", tmp_path / "text.gz")
    assert truncate("compress", "--words", 4, *files).out == expected + expected.rstrip()


@pytest.mark.parametrize("ends", ["\r\n", "\n", "\r", "\n\n", "\r\n\r\n", ""])
@pytest.mark.parametrize("form", ["text", "markdown", "html", "lines", "--lines"])
def test_what_is_not_cut_comes_back_to_the_byte(
    truncate: type_of_run, tmp_path: Path, ends: str, form: str
) -> None:
    middle = ends or "\n"
    content = f"\ufeffThe man fell.{middle}It was&nbsp;late,\x0bhe said.{ends}".encode()
    (tmp_path / "in").write_bytes(content)
    options = ["--lines"] if form == "--lines" else ["--format", form]
    assert truncate(tmp_path / "in", *options, "--words", 99, "-o", tmp_path / "out").code == 0
    assert (tmp_path / "out").read_bytes() == content
    assert truncate(*options, "--words", 99, stdin=content).out.encode() == content
    shortened = truncate(*options, "--words", 3, stdin=content).out
    assert shortened.endswith(ends) and not shortened.removesuffix(ends).endswith(("\r", "\n"))


def test_arguments_and_json_end_a_line(truncate: type_of_run) -> None:
    assert truncate("It fell.", "--words", 9).out == "It fell.\n"
    assert truncate("It fell.\n", "--words", 9).out == "It fell.\n"
    assert truncate("--json", stdin="It fell.").out.endswith("}\n")
    assert truncate("--json-field", "a", stdin='\ufeff{"a": "It fell."}').out == '\ufeff{"a": "It fell"}\n'


def test_a_prompt_stands_on_a_line_of_its_own(truncate: type_of_run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.cli.compress.shows_on_terminal", lambda _: True)
    assert truncate("--words", 9, stdin="It fell.").out == "It fell.\n"
    assert truncate("--words", 9, stdin="It fell.\r\n").out == "It fell.\r\n"


def test_text_without_a_command_is_compressed(truncate: type_of_run) -> None:
    assert truncate(TEXT, "--words", 2).out == "The council\n"
    assert truncate("--words", 2, TEXT).out == "The council\n"
    assert truncate("-w2", stdin=TEXT).out == "The council"
    assert truncate(stdin="It fell.\n").out == "It fell\n"


def test_a_file_that_is_not_there_is_no_text(truncate: type_of_run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    for arguments in (
        ["b.txt"],
        [tmp_path / "b.txt"],
        [tmp_path / "a.txt", "b.txt"],
        [tmp_path / "a.txt", "text"],
    ):
        result = truncate(*arguments)
        assert (result.code, result.out) == (2, "")
        assert "no such file" in result.err
    assert truncate("Stocks", "fell", "to", "b.txt", "today").code == 0
    assert truncate("https://example.org").code == 0


def test_wrapped_lines_are_one_sentence_and_structure_stays(truncate: type_of_run, tmp_path: Path) -> None:
    text = "NOTES\n\nThe airline will stop\nall flights to the islands. It\nsaid so.\n\n"
    text += "- Item one here.\n\n    x = f(1);\n"
    (tmp_path / "notes.txt").write_text(text)
    assert truncate(tmp_path / "notes.txt", "--words", 99).out == text
    cut = truncate(tmp_path / "notes.txt", "--words", 5, "--per", "sentence").out
    assert cut == "NOTES\n\nThe airline will stop\nall It\nsaid so.\n\n- Item one here.\n\n    x = f(1);\n"


def test_a_mistyped_command_is_no_text(truncate: type_of_run) -> None:
    result = truncate("comprss", TEXT)
    assert (result.code, result.out) == (2, "")
    assert result.err == "laconic: no command 'comprss'; did you mean 'compress'?\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--words", "3"], "The council, on"),
        (["--words", "=3"], "The council, on"),
        (["--words", "7.."], "The council, on Tuesday, plans to consider"),
        (["--words", "2..3"], "The council, on"),
        (["--words", "..3"], "The council, on"),
        (["--characters", "24"], "The council, on Tuesday"),
        (["--characters", "=23"], "The council, on Tuesday"),
        (["--ratio", "0.5"], "The council, on Tuesday"),
        (["--tokens", "23", "--tokenizer", "bytes"], "The council, on Tuesday"),
        (["--bytes", "23"], "The council, on Tuesday"),
        (["--for", "title"], TEXT),
        (["--words", "2", "--drop", "THE", "--keep", "matter"], "Council, matter"),
        (["--words", "4", "--keep", "the matter"], "The council, the matter"),
        (["--words", "2", "--keep", "@47:53"], "The matter"),
        ([], "The council, on Tuesday, plans to"),
        (["--system", "everything"], TEXT),
    ],
)
def test_limits_and_pins(truncate: type_of_run, options: list[str], expected: str) -> None:
    assert truncate("compress", TEXT, *options).out == expected + "\n"


def test_a_limit_is_for_the_text_or_for_what_is_named(truncate: type_of_run) -> None:
    text = "Stocks fell on Monday.  Bonds rose on Tuesday."
    assert len(truncate(text, "--words", 4).out.split()) == 4
    assert truncate(text, "--words", 2, "--per", "sentence").out == "Stocks fell  Bonds rose\n"
    assert truncate(text, "--words", 1, "--per", "sentence", "--drop", "stocks").out == "Fell  Bonds\n"
    assert truncate("Yes. It fell.", "--drop", "Yes.").out == "It fell\n"
    paragraphs = "It fell again. It rose.\n\nNobody saw it."
    assert truncate(paragraphs, "--words", 2, "--per", "paragraph").out == "It It\n\nNobody saw\n"


def test_lines_stay_lines(truncate: type_of_run) -> None:
    result = truncate("--lines", "--ratio", 1, stdin="First line.\n\n \t\nLast")
    assert (result.code, result.out) == (0, "First line.\n\n \t\nLast")
    assert truncate("--lines", "--words", "=3", stdin="Only three words.\n\n").code == 0
    assert (
        truncate("--lines", "--words", 2, stdin="One. Two. Three.\nIt fell again.\n").out.splitlines()[1]
        == "It fell"
    )
    assert truncate("", "--words", 3).out == "\n"


def test_records_keep_their_other_fields(truncate: type_of_run, tmp_path: Path) -> None:
    records = [{"id": 1, "text": "It fell again."}, {"id": 2, "text": "No"}]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    done = truncate("--json-field", "text", "--words", "=2", stdin=lines)
    assert done.code == 1
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"id": 1, "text": "It fell"},
        {"id": 2, "text": "No"},
    ]
    assert "standard input:2: left as it is: no compression of 'No'" in done.err
    more = truncate("--json-field", "text", "--words", 2, "--json", stdin=lines).out.splitlines()[0]
    assert CompressedText.from_dict(json.loads(more)["laconic"]).text == "It fell"
    for wrong in ("{", "[]", '{"id": 1}', '{"text": 3}'):
        broken = truncate(
            "--json-field", "text", "-o", tmp_path / "out", stdin=f'{{"text": "No"}}\n{wrong}\n'
        )
        assert broken.code == 2 and "standard input:2: " in broken.err
        assert not (tmp_path / "out").exists()


def test_records_are_handed_back_as_they_were_written(truncate: type_of_run) -> None:
    numbers = f"1e400, NaN, -Infinity, 1.10, 1E2, {'7' * 5000}, 0.1e1"
    line = (
        f'{{ "x":[{numbers}], "té\\u0078t" : "It f\\u0065ll again.",\t"y" : {{"text": "It fell again."}} }}'
    )
    done = truncate("--json-field", "téxt", "--words", 2, stdin=line + "\n")
    assert done == Result(0, line.replace('"It f\\u0065ll again."', '"It fell"') + "\n", "")
    more = truncate("--json-field", "text", "--json", stdin='{"laconic": 1, "text": "It fell."}').out
    assert more.startswith('{"laconic": {') and more.endswith('}, "text": "It fell"}\n')


@pytest.mark.parametrize("format_", ["penn", "conllu", "json"])
def test_trees_that_parse_wrote_come_in(laconic: type_of_run, tmp_path: Path, format_: str) -> None:
    parsed = laconic("parse", "The council met on Tuesday. It fell.", "--format", format_).out
    (tmp_path / "trees").write_text(parsed)
    for result in (
        laconic("--trees", format_, "--words", 3, "--system", "markov", stdin=parsed),
        laconic(tmp_path / "trees", "--trees", format_, "--words", 3, "--system", "markov"),
    ):
        lines = result.out.splitlines()
        assert len(lines) == 2 and all(len(line.split()) <= 4 for line in lines)
    assert laconic("--trees", "penn", stdin="(S (NP").code == 2


def test_json_has_all_there_is_to_know(truncate: type_of_run) -> None:
    out = truncate("It fell, again. It rose.", "--words", 4, "--json").out
    answer = CompressedText.from_dict(json.loads(out))
    assert answer.source == "It fell, again. It rose."
    assert (
        json.loads(out)["text"]
        == answer.text
        == truncate("It fell, again. It rose.", "--words", 4).out.strip()
    )
    assert [piece.compression.sentence.words[0] for piece in answer.sentences] == ["It", "It"]


def test_diff_shows_what_was_deleted(truncate: type_of_run) -> None:
    assert (
        truncate(TEXT, "--words", 3, "--diff").out
        == "The council, on ~Tuesday, plans to consider the matter.~\n"
    )
    assert truncate(TEXT, "--diff", "--drop", ",", "--ratio", 1).out == (
        "The council~,~ on Tuesday~,~ plans to consider the matter.\n"
    )


def test_output_goes_to_a_file(truncate: type_of_run, tmp_path: Path) -> None:
    target = tmp_path / "new" / "out.txt"
    result = truncate(TEXT, "--words", 2, "--output", target)
    assert (result.out, target.read_text()) == ("", "The council\n")
    options = ("--lines", "--words", "=2", "--impossible", "error")
    failed = truncate(*options, "--output", target, stdin="Two words\nOne\n")
    assert failed.code == 2
    assert target.read_text() == "The council\n"
    assert [path.name for path in target.parent.iterdir()] == ["out.txt"]


def test_output_to_a_device_does_not_replace_it(truncate: type_of_run, tmp_path: Path) -> None:
    assert truncate(TEXT, "--output", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    assert "is a directory, expected a file" in truncate(TEXT, "--output", tmp_path).err


def test_ten_thousand_words(truncate: type_of_run) -> None:
    result = truncate("--words", "=2500", stdin="word " * 10_000 + "\n")
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
        ([TEXT, "--words", "=20"], "has exactly 20 words; possible: 9"),
        ([TEXT, "--words", "3", "--system", "everything"], "has at most 3 words; possible: 9"),
        ([TEXT, "--words", "-1"], "words='-1': an amount is N (at most)"),
        ([TEXT, "--words", "many"], "words='many': an amount is N (at most)"),
        ([TEXT, "--words", "2.5"], "words='2.5': a budget's most must be a whole number"),
        ([TEXT, "--words", "6..5"], "words='6..5': a budget of at least 6 and at most 5 is empty"),
        ([TEXT, "--ratio", "1.5"], "ratio='1.5': a ratio lies between 0 and 1, not 1.5"),
        ([TEXT, "--words", "3", "--characters", "4"], "words and characters are two limits"),
        ([TEXT, "--words", "3", "--length", "long"], "length='long': is for texts without a limit"),
        ([TEXT, "--tokens", "3"], "needs tokens and a tokenizer: tokenizer is missing"),
        ([TEXT, "--for", "titel"], "for_='titel': no limit is called 'titel'; did you mean 'title'?"),
        ([TEXT, "--per", "word"], "per='word': is one of text, paragraph, sentence, line"),
        ([TEXT, "--threads", "0"], "Invalid value for '--threads'"),
        ([TEXT, "--protect", "names"], "protect=('names',): is the default system's, not that of 'truncate'"),
        ([TEXT, "--protect", "verbs", "--system", "default"], "protect='verbs': is one of names, numbers"),
        (["ok", "--ratio", "0.4", "--system", "default"], "has at most 0 words; possible: 1"),
        ([TEXT, "--json", "--diff"], "--json and --diff exclude each other"),
        ([TEXT, "--lines", "--json-field", "a"], "--lines and --json-field exclude each other"),
        ([TEXT, "--keep", "mayor"], "'mayor', to be kept or dropped, is not in the text"),
        ([TEXT, "--keep", "@99:100"], "a word from 99 to 100, to be kept or dropped, is not in the text"),
        ([TEXT, "--keep", "@9:x"], "a place is given as @START:END"),
        ([TEXT, "--keep", " "], "keep=' ': there is no word in it"),
        ([TEXT, "--keep", "on", "--drop", "ON"], "'on' is both to be kept and to be dropped"),
        ([TEXT, "--system", "trunc"], "no system 'trunc' and no such folder; known: truncate"),
        ([TEXT, "--frobnicate"], "--frobnicate"),
        (["/nowhere/at/all"], "/nowhere/at/all: no such file"),
        (["/"], "/: is a directory"),
        ([TEXT, "--output", "/proc/x/y"], "/proc/x"),
        ([TEXT, "--output", "/proc/x"], "laconic: /proc/x: No such file"),
        ([TEXT, "--output", "/dev/full"], "laconic: /dev/full: No space left"),
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
    lines = ("--lines", "-w", "=3")
    assert f"{text}:2: left as it is: no compression of 'No'" in truncate(*lines, text).err
    assert "standard input:2: left as it is" in truncate(*lines, stdin=text.read_bytes()).err
    stopped = truncate(*lines, "--impossible", "error", text)
    assert stopped.code == 2 and f"{text}:2: no compression of 'No'" in stopped.err
    text.write_bytes(gzip.compress(b"It fell.\n" * 1000)[:-20])
    result = truncate(text)
    assert result.code == 2 and f"laconic: {text}:" in result.err and "damaged gzip file" in result.err
    text.write_bytes(b"fine\n\xff\n")
    assert "not UTF-8 text" in truncate(text).err


def test_what_cannot_meet_the_limit_does_not_end_a_batch(truncate: type_of_run, tmp_path: Path) -> None:
    lines = "It fell again.\nNo\nIt rained. So\n"
    left = truncate("--lines", "-w", "=3", "-o", tmp_path / "short", stdin=lines)
    assert left.code == 1
    assert (tmp_path / "short").read_text() == "It fell again.\nNo\nIt rained So\n"
    assert left.err.splitlines() == [
        "laconic: standard input:2: left as it is: no compression of 'No' has exactly 3 words; possible: 1",
    ]
    written = truncate("--lines", "-w", "=3", "--json", stdin="No")
    assert json.loads(written.out)["notes"][0].startswith("left as it is")
    assert truncate("--lines", "-w", 2, stdin=lines).code == 0


def test_what_cannot_meet_the_limit_is_an_error_left_or_the_nearest(laconic: type_of_run) -> None:
    ratio = ("--ratio", "0.5", "--per", "sentence")
    text = "Tom. The council agreed on Tuesday to lower the fees."
    refused = laconic(text, *ratio)
    assert (refused.code, refused.out) == (
        2,
        "",
    ) and "no compression of 'Tom.' has at most 0 words" in refused.err
    left = laconic(text, *ratio, "--impossible", "leave")
    assert left.code == 1 and left.out.startswith("Tom. ") and "left as it is" in left.err
    near = laconic("Tom slept", "--characters", "=4", "--impossible", "nearest")
    assert (near.code, near.out) == (1, "Tom\n") and "possible: 3 or 5" in near.err


def test_limits_can_have_two_ends(laconic: type_of_run) -> None:
    text = (
        "The regional airline, which filed for bankruptcy in January, will stop all flights to the islands."
    )
    assert 12 <= len(laconic(text, "--words", "12..13").out.split()) <= 13
    assert 60 <= len(laconic(text, "--characters", "60..64").out.strip()) <= 64
    assert 0.45 <= len(laconic(text, "--ratio", "0.45..0.5").out.split()) / 16 <= 0.5


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
    answers = [laconic("--lines", "-w", 6, "--threads", threads, text).out for threads in (1, 3)]
    assert answers[0] == answers[1]
    assert [line.split()[1] for line in answers[1].splitlines()] == [str(number) for number in range(40)]


def test_who_writes_line_by_line_gets_an_answer_to_each() -> None:
    command = [
        sys.executable,
        "-c",
        "import laconic.cli; laconic.cli.main()",
        "-w",
        "3",
        "--threads",
        "4",
        "--lines",
    ]
    command += ["--system", "truncate"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as program:
        assert program.stdin is not None and program.stdout is not None
        for number in range(3):
            program.stdin.write(f"It rained {number} days in the north.\n".encode())
            assert program.stdout.readline() == f"It rained {number}\n".encode()
        program.stdin.write(b"The last line")
        program.stdin.close()
        assert program.stdout.read() == b"The last line"
        assert program.wait() == 0


def test_words_need_not_be_in_every_line(truncate: type_of_run) -> None:
    lines = "It fell\nIt rose\n"
    assert truncate("--lines", "--ratio", 1, "--drop", "rose", stdin=lines).out == "It fell\nIt\n"
    assert "'sank', to be kept or dropped" in truncate("--lines", "--drop", "sank", stdin=lines).err


def test_the_function_behind_the_command_is_lazy() -> None:
    texts = iter([Asked("It fell again.", "here"), Asked("No", "there")])
    compressed = compress_all(texts, Truncate(), Options(keep="fell"))
    assert next(compressed).text.text == "It fell again"
    assert next(texts).text == "No"
    with pytest.raises(InfeasibleBudget, match=r"^there: no compression of 'No'") as caught:
        list(compress_all([Asked("No", "there")], Everything(), Options(), Budget.at_least(2)))
    assert caught.value.possible == (1, 1)
    with pytest.raises(LaconicError, match="'rose', to be kept"):
        list(compress_all([Asked("It fell")], Everything(), Options(keep=["fell", "rose"])))
