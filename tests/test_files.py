"""Files are read with their place in mind and written whole or not at all."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from laconic import files
from laconic.errors import FormatError, LaconicError
from laconic.files import read_lines, write_whole


def test_lines_are_numbered_and_bare(tmp_path: Path) -> None:
    path = tmp_path / "text"
    for content in (b"\xef\xbb\xbfone\r\n\ntwo", gzip.compress(b"one\n\r\ntwo\n")):
        path.write_bytes(content)
        assert list(read_lines(path)) == [(1, "one"), (2, ""), (3, "two")]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "text"
    with pytest.raises(LaconicError, match=f"{path}: no such file"):
        list(read_lines(path))
    with pytest.raises(LaconicError, match="is a directory, expected a file"):
        list(read_lines(tmp_path))
    path.write_bytes(b"fine\n" * 5000 + b"\xff")
    with pytest.raises(FormatError, match="not UTF-8 text") as caught:
        list(read_lines(path))
    assert caught.value.source == str(path)
    path.write_bytes(gzip.compress(os.urandom(5000).hex().encode())[:-40])
    with pytest.raises(FormatError, match="damaged gzip file"):
        list(read_lines(path))


def test_what_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text"
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    monkeypatch.setattr(files, "_SMALL", 1000)
    path.write_text("fine\n" + "a" * 5000)
    with pytest.raises(FormatError, match="text:2: a line of more than 1000 characters"):
        list(read_lines(path))
    path.write_bytes(gzip.compress(b"fine\n" * 100_000))
    with pytest.raises(FormatError, match=r"text:\d+: a gzip file that expands to more than 250 times"):
        list(read_lines(path))
    path.write_bytes(gzip.compress("".join(f"{number}\n" for number in range(100_000)).encode()))
    assert len(list(read_lines(path))) == 100_000


def test_a_gzip_file_damaged_inside_is_named(tmp_path: Path) -> None:
    path = tmp_path / "text"
    content = bytearray(gzip.compress("".join(f"{number}\n" for number in range(10_000)).encode()))
    content[200:220] = bytes(20)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"text:\d+: (damaged gzip file|not UTF-8)"):
        list(read_lines(path))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with write_whole(path) as stream:
        stream.write(b"old")
        assert not path.exists()
    with pytest.raises(KeyboardInterrupt), write_whole(path) as stream:
        stream.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert [child.name for child in path.parent.iterdir()] == ["file"]


def test_a_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with write_whole(tmp_path / "whole"):
        pass
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "usual").stat().st_mode
