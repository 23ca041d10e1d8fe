"""Files are read with their place in mind and written whole or not at all."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

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
