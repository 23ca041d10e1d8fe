"""Tokenizers by name count tokens of the final text, or say what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from laconic.errors import LaconicError
from laconic.units.tokenizers import open_tokenizer


def test_a_tokenizer_file_is_read(tmp_path: Path) -> None:
    library = pytest.importorskip("tokenizers")
    tokenizer = library.Tokenizer(library.models.WordLevel({"it": 0, "fell": 1, "?": 2}, unk_token="?"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert open_tokenizer(str(tmp_path / "tokenizer.json")).count("it fell hard") == 3
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(LaconicError, match="not a tokenizer"):
        open_tokenizer(str(tmp_path / "bad.json"))
    with pytest.raises(LaconicError, match="no such tokenizer"):
        open_tokenizer("nowhere")


def test_a_missing_library_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(LaconicError, match=r"pip install 'laconic\[tokenizers\]'"):
        open_tokenizer(str(tmp_path / "tokenizer.json"))
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(LaconicError, match=r"pip install 'laconic\[tiktoken\]'"):
        open_tokenizer("tiktoken:o200k_base")


def test_tiktoken_is_asked_when_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def get_encoding(name: str) -> SimpleNamespace:
        if name != "letters":
            raise ValueError(name)
        return SimpleNamespace(encode=lambda text, disallowed_special: list(text))

    fake = SimpleNamespace(get_encoding=get_encoding, list_encoding_names=lambda: ["letters"])
    monkeypatch.setitem(sys.modules, "tiktoken", fake)
    assert open_tokenizer("tiktoken:letters").count("abc") == 3
    with pytest.raises(LaconicError, match="it has letters"):
        open_tokenizer("tiktoken:words")


def test_bytes_count_what_utf_8_needs() -> None:
    assert open_tokenizer("bytes").count("né \ud83d") == 7
