"""`laconic batch`: every format there and back, rows never lost, and clear words where something is wrong."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from laconic.batch import job as jobs  # noqa: E402
from laconic.batch.job import Job, Summary  # noqa: E402
from laconic.batch.manifest import Manifest  # noqa: E402
from laconic.batch.reading import Reader  # noqa: E402
from laconic.batch.rows import Columns  # noqa: E402
from laconic.cli.application import run  # noqa: E402
from laconic.errors import LaconicError  # noqa: E402

TEXTS = [f"Number {number} fell again, on Monday." for number in range(25)]
SHORT = [f"Number {number} fell" for number in range(25)]


def asked(words: object = 3, **columns) -> Columns:
    return Columns(**columns, options={"words": words, "system": "truncate"})


def done(source: Path | str, output: Path, columns: Columns | None = None, **others) -> Summary:
    others = {"workers": 1, "rows": 4, **others}
    return Job((str(source),), output, columns or asked(), **others).run()


def json_lines(path: Path) -> list[dict[str, object]]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if path.suffix == ".zst":
        with pa.CompressedInputStream(pa.OSFile(str(path)), "zstd") as stream:
            content = stream.read()
    return [json.loads(line) for line in content.splitlines()]


def write_lines(path: Path, lines: list[str]) -> Path:
    content = "".join(f"{line}\n" for line in lines).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".zst":
        content = pa.Codec("zstd").compress(content, asbytes=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("end", ["", ".gz", ".zst"])
def test_json_lines(tmp_path: Path, end: str) -> None:
    records = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
    source = write_lines(tmp_path / f"in.jsonl{end}", list(map(json.dumps, records)))
    found = done(source, tmp_path / f"out.jsonl{end}")
    assert json_lines(tmp_path / f"out.jsonl{end}") == [
        {**record, "compressed": short, "error": None} for record, short in zip(records, SHORT, strict=True)
    ]
    assert found == Summary(25, 0, 150, 75, "words")
    assert not (tmp_path / f"out.jsonl{end}.parts").exists()


def test_a_record_stays_as_it_was_written(tmp_path: Path) -> None:
    lines = ['{"x": 1.50, "text": "It fell again.", "y": "\\u00e9", "n": NaN }', '{"text": null}', "{}"]
    done(write_lines(tmp_path / "in.jsonl", lines), tmp_path / "out.jsonl", asked(2))
    assert (tmp_path / "out.jsonl").read_text().splitlines() == [
        lines[0][:-2] + ', "compressed": "It fell", "error": null}',
        '{"text": null, "compressed": null, "error": null}',
        '{"compressed": null, "error": "there is no text \'text\'"}',
    ]


def test_lines_that_are_no_records_are_written_with_their_errors(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(
        b'{"text": "It fell again."}\nnonsense\n\n[1]\n{"text": 3}\n{"text": "\xff"}\n{"text": "\\ud800"}\n'
    )
    assert done(source, tmp_path / "out.jsonl").refused == 5
    found = json_lines(tmp_path / "out.jsonl")
    assert [each.get("line") for each in found] == [None, "nonsense", "[1]", None, '{"text": "\\xff"}', None]
    assert [str(each["error"])[:13] for each in found[1:]] == [
        *("not JSON (Exp", "not a JSON ob", "there is no t", "not JSON ('ut", "'text' holds "),
    ]
    assert found[0]["error"] is None


@pytest.mark.parametrize("name", ["csv", "tsv", "csv.gz"])
def test_tables(tmp_path: Path, name: str) -> None:
    delimiter = "\t" if name == "tsv" else ","
    rows = [
        ["id", "text", "room"],
        ["1", 'It fell "again",\non Monday.', "2"],
        ["007", "It rose, too.", "3"],
        ["x"],
        list("abcde"),
    ]
    opened: Callable[..., Any] = gzip.open if name.endswith("gz") else open
    with opened(tmp_path / f"in.{name}", "wt", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    done(
        tmp_path / f"in.{name}", tmp_path / f"out.{name}", asked(None, from_columns={"words": "room"}), rows=2
    )
    with opened(tmp_path / f"out.{name}", "rt", newline="") as stream:
        found = list(csv.reader(stream, delimiter=delimiter))
    assert found == [
        [*rows[0], "compressed", "error"],
        [*rows[1], "It fell", ""],
        [*rows[2], "It rose, too.", ""],
        ["x", "", "", "", "1 cells where there are 3 columns"],
        ["a", "b", "c", "", "5 cells where there are 3 columns", "d", "e"],
    ]


def test_parquet(tmp_path: Path) -> None:
    table = pa.table({"id": pa.array(range(25), pa.int16()), "text": TEXTS, "tags": [["a", "b"]] * 25})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=10)
    done(tmp_path / "in.parquet", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.drop_columns(["compressed", "error"]).equals(table)
    assert found.column("compressed").to_pylist() == SHORT
    assert pq.ParquetFile(tmp_path / "out.parquet").num_row_groups == 1


def test_text(tmp_path: Path) -> None:
    lines = [*TEXTS[:3], "", "Rain."]
    source = write_lines(tmp_path / "in.txt", lines)
    source.write_bytes(source.read_bytes() + b"\xff fell.\n")
    assert done(source, tmp_path / "out.txt", asked("=3")).refused == 3
    assert (tmp_path / "out.txt").read_bytes().splitlines() == [
        *map(str.encode, SHORT[:3]),
        b"",
        b"Rain.",
        b"\xff fell.",
    ]
    errors = json_lines(tmp_path / "out.txt.errors.jsonl")
    assert [each["row"] for each in errors] == [4, 5, 6]
    assert str(errors[2]["error"]).startswith("not UTF-8")


def test_text_can_become_json_lines(tmp_path: Path) -> None:
    done(write_lines(tmp_path / "in.txt", ["Rain.", *TEXTS[:1]]), tmp_path / "out.jsonl", asked("=3"))
    failed, good = json_lines(tmp_path / "out.jsonl")
    assert (failed["text"], failed["compressed"]) == ("Rain.", None)
    assert (good["compressed"], good["error"]) == (SHORT[0], None)


def test_files_of_a_pattern_are_one(tmp_path: Path) -> None:
    for number in range(3):
        lines = [json.dumps({"text": text}) for text in TEXTS[number * 5 : number * 5 + 5]]
        write_lines(tmp_path / f"{number}.jsonl{'.gz' if number == 1 else ''}", lines)
    done(tmp_path / "[0-9].jsonl*", tmp_path / "out.jsonl")
    assert [each["compressed"] for each in json_lines(tmp_path / "out.jsonl")] == SHORT[:15]


def test_long_texts_fill_a_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("laconic.batch.reading._BYTES", 100)
    table = pa.table({"text": TEXTS})
    pq.write_table(table, tmp_path / "in.parquet")
    write_lines(tmp_path / "in.txt", TEXTS)
    for name in ("in.parquet", "in.txt"):
        reader = Reader([tmp_path / name], asked(), rows=10)
        sizes = [shard.batch.num_rows for shard in reader]
        assert max(sizes) <= 4
        assert sum(sizes) == 25


@pytest.mark.parametrize("name", ["in.txt", "in.parquet"])
def test_a_short_job_has_shards_for_several_workers_and_a_long_one_few(tmp_path: Path, name: str) -> None:
    texts = [f"Row {number} fell." for number in range(20_000)]
    if name == "in.txt":
        write_lines(tmp_path / name, texts)
    else:
        pq.write_table(pa.table({"text": texts}), tmp_path / name)
    sizes = [shard.batch.num_rows for shard in Reader([tmp_path / name], Columns())]
    assert sum(sizes) == 20_000 and len(sizes) < 80
    assert sizes[0] <= 100 and max(sizes) <= 1000
    for number, size in enumerate(sizes):
        assert size <= max(100, sum(sizes[:number]) / 8)  # so that nobody waits long for the last


def test_workers_give_the_same_bytes_as_one_process(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.txt", TEXTS)
    done(source, tmp_path / "one.txt")
    done(source, tmp_path / "two.txt", workers=2)
    assert (tmp_path / "one.txt").read_bytes() == (tmp_path / "two.txt").read_bytes()


def test_an_empty_input_is_an_empty_output(tmp_path: Path) -> None:
    assert done(write_lines(tmp_path / "in.jsonl", []), tmp_path / "out.jsonl").rows == 0
    assert (tmp_path / "out.jsonl").read_bytes() == b""
    table = pa.table({"text": pa.array([], pa.string())})
    pq.write_table(table, tmp_path / "in.parquet")
    done(tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").schema.names == ["text", "compressed", "error"]


class Stop(Exception):
    pass


def stopped_after(shards: int, source: Path, output: Path, columns: Columns | None = None) -> None:
    """Do so many shards of a job and no more."""

    def report(progress) -> None:
        nonlocal shards
        shards -= 1
        if not shards:
            raise Stop

    with pytest.raises(Stop):
        Job((str(source),), output, columns or asked(), workers=1, rows=4).run(report)


def test_a_job_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    stopped_after(3, source, output)
    assert not output.exists()
    with (tmp_path / "out.txt.parts" / "journal.jsonl").open("a") as journal:
        journal.write('{"shard": 3, "ro')  # half a line
    worked: list[int] = []
    do = jobs.Work.do

    def noted(work, shard: int, *given):
        worked.append(shard)
        return do(work, shard, *given)

    monkeypatch.setattr(jobs.Work, "do", noted)
    stopped_after(3 + 2, source, output)
    assert worked == [3, 4]
    assert done(source, output).rows == 25
    assert worked == [3, 4, 5, 6]
    assert output.read_text().splitlines() == SHORT


def test_a_damaged_part_and_changed_rows_are_done_again(tmp_path: Path) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    stopped_after(4, source, output)
    (tmp_path / "out.txt.parts" / "00000001").write_bytes(b"half")
    write_lines(source, ["It rose, on Friday.", *TEXTS[1:]])
    done(source, output)
    assert output.read_text().splitlines() == ["It rose, on", *SHORT[1:]]


def test_another_command_is_refused_by_what_differs(tmp_path: Path) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    stopped_after(2, source, output)
    with pytest.raises(
        LaconicError, match=r'begun by another command, with options \{"words": 3.* not \{"words": 2'
    ):
        done(source, output, asked(2))
    done(source, output, asked(2), restart=True)
    assert output.read_text().startswith("Number 0\n")


def test_what_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    output.write_text("precious")
    with pytest.raises(LaconicError, match="is there already"):
        done(source, output)
    assert output.read_text() == "precious"
    done(source, output, restart=True)


@pytest.mark.parametrize("restart", [False, True])
def test_two_processes_do_not_share_an_output(tmp_path: Path, restart: bool) -> None:
    pytest.importorskip("fcntl")
    with (
        Manifest(tmp_path / "out.txt", {}),
        pytest.raises(LaconicError, match="another process is at work"),
        Manifest(tmp_path / "out.txt", {}, restart=restart),
    ):
        pass


def test_a_damaged_row_group_is_named_and_the_rest_resumable(tmp_path: Path) -> None:
    path, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(
        pa.table({"text": TEXTS}), path, row_group_size=5, compression="gzip", use_dictionary=False
    )
    whole = path.read_bytes()
    place = pq.ParquetFile(path).metadata.row_group(3).column(0).data_page_offset
    path.write_bytes(whole[: place + 30] + b"\0" * 40 + whole[place + 70 :])
    with pytest.raises(LaconicError, match=r"in.parquet: row group 3 is damaged"):
        done(path, output)
    assert len((tmp_path / "out.parquet.parts" / "journal.jsonl").read_text().splitlines()) >= 3
    path.write_bytes(whole)
    done(path, output)
    assert pq.read_table(output).column("compressed").to_pylist() == SHORT


def test_a_damaged_gzip_file_is_named(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.txt.gz", TEXTS)
    source.write_bytes(source.read_bytes()[:-20])
    with pytest.raises(LaconicError, match=r"in.txt.gz.*damaged"):
        done(source, tmp_path / "out.txt")


def test_an_input_that_vanishes_is_named_and_the_rest_resumable(tmp_path: Path) -> None:
    first, second = (write_lines(tmp_path / f"{name}.txt", TEXTS[:8]) for name in "ab")
    job = Job((str(first), str(second)), tmp_path / "out.txt", asked(), workers=1, rows=4)
    with pytest.raises(LaconicError, match=r"b.txt: no such file"):
        job.run(lambda _: second.unlink(missing_ok=True))
    with pytest.raises(LaconicError, match=r"b.txt: no such file"):
        job.run()
    write_lines(second, TEXTS[:8])
    assert job.run().rows == 16


def test_a_full_disk_is_told_and_the_rest_resumable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    from laconic.files import write_whole

    written = []

    def full(path: Path):
        written.append(path)
        if len(written) > 3:
            raise OSError(28, "No space left on device")
        return write_whole(path)

    monkeypatch.setattr(jobs, "write_whole", full)
    with pytest.raises(
        LaconicError, match=r"00000003: cannot be written \(No space left on device\); what is done is"
    ):
        done(source, output)
    monkeypatch.undo()
    done(source, output)
    assert output.read_text().splitlines() == SHORT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk is full here")
def test_a_disk_that_is_full_when_a_part_is_noted_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    stopped_after(2, source, output)
    opened = Manifest._open

    def full(manifest: Manifest) -> None:
        opened(manifest)
        assert manifest._journal is not None
        device = os.open("/dev/full", os.O_WRONLY)
        os.dup2(device, manifest._journal.fileno())
        os.close(device)

    with monkeypatch.context() as context:
        context.setattr(Manifest, "_open", full)
        with pytest.raises(
            LaconicError, match=r"out.txt.parts: cannot be written \(No space left on device\)"
        ):
            done(source, output)
    done(source, output)
    assert output.read_text().splitlines() == SHORT


def test_an_output_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.txt", TEXTS)
    with pytest.raises(LaconicError, match="cannot be written"):
        done(source, source / "out.txt")  # not a folder, for nobody, root included
    with pytest.raises(LaconicError, match="is a directory"):
        done(source, tmp_path)


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("none.txt", "out.txt", "none.txt: no such file"),
        ("*.pq", "out.pq", "no such file"),
        ("in.txt", "in.txt", "is one of the inputs"),
        ("in.txt", "out.doc", "does not say what it holds"),
        ("in.txt", "out.parquet", "only text can become jsonl"),
        ("in.txt", "out.parquet.gz", "compressed inside"),
        (".", "out.txt", "is a directory"),
    ],
)
def test_wrong_names_are_told(tmp_path: Path, source: str, output: str, message: str) -> None:
    write_lines(tmp_path / "in.txt", TEXTS)
    with pytest.raises(LaconicError, match=message):
        done(tmp_path / source, tmp_path / output)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_mistake_that_comes_out_late_leaves_nothing(tmp_path: Path, workers: int) -> None:
    source, output = write_lines(tmp_path / "in.txt", TEXTS), tmp_path / "out.txt"
    with pytest.raises(LaconicError, match="no system 'truncat'"):
        done(source, output, Columns(options={"system": "truncat"}), workers=workers)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_fields_that_are_there_already_are_told(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", ['{"text": "It fell.", "error": 1}'])
    with pytest.raises(LaconicError, match=r"in.jsonl:1: there is a field 'error' already"):
        done(source, tmp_path / "out.jsonl")
    done(source, tmp_path / "out.jsonl", asked(error="why"))


class TestTheProgram:
    def test_it_says_what_became_of_the_rows(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source, output = write_lines(tmp_path / "in.txt", [*TEXTS, "Rain."]), tmp_path / "out.txt"
        command = [
            "batch",
            str(source),
            str(output),
            "--words",
            "=3",
            "--system",
            "truncate",
            "--workers",
            "1",
        ]
        assert run(command) == 1
        said = capsys.readouterr().err
        assert said.startswith("laconic: 26 rows, 1 refused; 150 words became 75 (50 % saved)\n")
        assert "out.txt.errors.jsonl" in said
        assert run(command) == 2
        assert "is there already" in capsys.readouterr().err

    def test_places_and_columns(self, tmp_path: Path) -> None:
        source = write_lines(tmp_path / "in.jsonl", ['{"body": "It fell again.", "room": 1}'])
        output = tmp_path / "out.jsonl"
        names = ["--column", "body", "--into", "short", "--from-column", "words=room", "--drop", "@0:2"]
        assert run(["batch", str(source), str(output), *names, "--system", "truncate"]) == 0
        assert json_lines(output)[0]["short"] == "Fell"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["in.txt"], "IN... OUT"),
            (["in.txt", "out.txt", "--from-column", "words"], "OPTION=NAME"),
            (["in.txt", "out.txt", "--words", "many"], "words"),
        ],
    )
    def test_mistakes_are_told(
        self, tmp_path: Path, arguments: list[str], message: str, capsys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        write_lines(tmp_path / "in.txt", TEXTS)
        assert run(["batch", *arguments]) == 2
        assert message in capsys.readouterr().err
