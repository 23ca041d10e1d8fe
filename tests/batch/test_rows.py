"""Record batches: the same answers in any batches, errors in a column, limits row by row, nothing big sent."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from laconic.batch.rows import compress_batch, compress_table  # noqa: E402
from laconic.documents.compress import compress  # noqa: E402
from laconic.errors import LaconicError  # noqa: E402

TEXTS = [
    "The old mill by the river was sold on Monday, the owner said.",
    "It rained.",
    "The council agreed on Tuesday to lower the fees for small boats.",
    None,
    "",
]


def rows(**columns):
    return pa.record_batch({"text": pa.array(TEXTS, pa.string()), **columns})


def lists(batch) -> tuple[list[str | None], list[str | None]]:
    return batch.column("compressed").to_pylist(), batch.column("error").to_pylist()


def test_answers_are_those_of_compress() -> None:
    found, errors = lists(compress_batch(rows(), words=6))
    assert found[:3] == [compress(text, words=6).text for text in TEXTS[:3] if text]
    assert found[3:] == [None, ""]
    assert errors == [None] * 5


def test_answers_do_not_depend_on_the_batches() -> None:
    whole = pa.Table.from_batches([rows()] * 3)
    at_once = compress_table(whole.combine_chunks(), words="4..5", system="truncate")
    for size in (1, 2, 7):
        pieces = pa.Table.from_batches(whole.to_batches(max_chunksize=size))
        assert compress_table(pieces, words="4..5", system="truncate").equals(at_once)


def test_a_row_that_fails_has_its_error_and_costs_no_other() -> None:
    found, errors = lists(compress_batch(rows(), words="=4", system="truncate"))
    assert found == ["The old mill by", None, "The council agreed on", None, None]
    assert errors[0] is errors[2] is errors[3] is None
    assert "possible" in errors[1]


def test_a_fault_of_the_system_is_one_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(system, text, *_, **__):
        if text == "It rained.":
            raise ZeroDivisionError("by rain")
        return compress(text, words=2, system="truncate")

    monkeypatch.setattr("laconic.batch.rows.compress_with", broken)
    found, errors = lists(compress_batch(rows(), system="truncate"))
    assert (found[1], errors[1]) == (None, "ZeroDivisionError: by rain")
    assert found[2] == "The council"


def test_what_need_not_be_met_is_written_with_the_reason() -> None:
    found, errors = lists(compress_batch(rows(), words="=4", system="truncate", impossible="leave"))
    assert found[1] == "It rained."
    assert errors[1].startswith("left as it is")


@pytest.mark.parametrize(
    "room", [[3, None, 4, 5, None], ["3", "", "4", "5", None], [3.0, None, 4.0, 5.0, None]]
)
def test_limits_come_from_a_column(room: list[object]) -> None:
    batch = rows(room=pa.array(room))
    found, _ = lists(compress_batch(batch, from_columns={"words": "room"}, system="truncate"))
    unlimited = compress("It rained.", system="truncate").text
    assert found == ["The old mill", unlimited, "The council agreed on", None, ""]


def test_what_holds_for_all_rows_holds_where_a_column_says_nothing() -> None:
    batch = rows(room=pa.array([3, None, None, None, None]))
    found, _ = lists(compress_batch(batch, from_columns={"words": "room"}, words=1, system="truncate"))
    assert found[:3] == ["The old mill", "It", "The"]


def test_words_to_keep_come_from_a_column_of_lists() -> None:
    batch = rows(must=pa.array([["owner"], [], None, [], []], pa.list_(pa.string())))
    found, _ = lists(compress_batch(batch, from_columns={"keep": "must"}, words=4))
    assert "owner" in found[0]


def test_a_bad_limit_of_a_row_is_an_error_of_that_row() -> None:
    batch = rows(room=pa.array(["3", "many", "4", None, None]))
    found, errors = lists(compress_batch(batch, from_columns={"words": "room"}, system="truncate"))
    assert found[0] == "The old mill"
    assert found[1] is None
    assert "words='many'" in errors[1]


def test_words_to_keep_need_not_be_in_every_row() -> None:
    found, errors = lists(compress_batch(rows(), keep="council", words=5))
    assert "council" in found[2].lower()
    assert errors == [None] * 5


@pytest.mark.parametrize("kind", ["large_string", "dictionary"])
def test_other_columns_of_texts_are_read_too(kind: str) -> None:
    types = {"large_string": pa.large_string(), "dictionary": pa.dictionary(pa.int32(), pa.string())}
    batch = pa.record_batch(
        {"id": [1, 2], "body": pa.array(["It fell again.", "It rose."]).cast(types[kind])}
    )
    found = compress_batch(batch, column="body", into="short", error="why", words=2, system="truncate")
    assert found.schema.names == ["id", "body", "short", "why"]
    assert found.column("short").to_pylist() == ["It fell", "It rose."]
    assert found.slice(0, 2).column("body").equals(batch.column("body"))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"column": "body"}, "there is no column 'body'; there are: text, n"),
        ({"column": "n"}, "column 'n' holds int64, not texts"),
        ({"into": "n"}, "there is a column 'n' already"),
        ({"into": "error"}, "columns of their own"),
        ({"words": 3, "characters": 3}, "two limits"),
        ({"wordz": 3}, "did you mean 'words'"),
        ({"from_columns": {"wordz": "n"}}, "did you mean 'words'"),
        ({"from_columns": {"system": "n"}}, "the same for all rows"),
        ({"from_columns": {"words": "room"}}, "there is no column 'room'"),
        ({"system": "no such system"}, "no such folder"),
        ({"system": "no such system", "from_columns": {"words": "n"}}, "no such folder"),
        ({"tokens": 3, "tokenizer": len}, "by its name or its file"),
    ],
)
def test_what_is_wrong_for_all_rows_is_an_error(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        compress_batch(rows(n=pa.array(range(5))), **asked)


def test_a_system_that_is_open_is_not_sent() -> None:
    from laconic.systems.registry import open_system

    with pytest.raises(LaconicError, match="by its name"):
        compress_batch(rows(), system=open_system("truncate"))


def test_without_arrow_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None; from laconic.cli.application import run; "
        "sys.exit(run(['batch', 'a.txt', 'b.txt']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "laconic: pyarrow is not installed: pip install 'laconic[batch]'\n",
    )
