"""Tokenizers by name, file or object count tokens of the final text, or say what is wrong."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from laconic.budget import TextCost
from laconic.errors import LaconicError
from laconic.units.tokenizers import open_tokenizer


def test_a_tokenizer_file_is_read(tmp_path: Path) -> None:
    library = pytest.importorskip("tokenizers")
    tokenizer = library.Tokenizer(library.models.WordLevel({"it": 0, "fell": 1, "?": 2}, unk_token="?"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert open_tokenizer(str(tmp_path / "tokenizer.json")).count("it fell hard") == 3
    found = open_tokenizer(tmp_path)
    assert found.count("it fell hard") == 3
    content = (tmp_path / "tokenizer.json").read_bytes()
    assert found.name == f"tokens of tokenizer.json ({sha256(content).hexdigest()[:12]})"
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

    def encoding_for_model(name: str) -> SimpleNamespace:
        return get_encoding({"model": "letters"}[name])

    fake = SimpleNamespace(
        get_encoding=get_encoding,
        encoding_for_model=encoding_for_model,
        list_encoding_names=lambda: ["letters"],
    )
    monkeypatch.setitem(sys.modules, "tiktoken", fake)
    assert open_tokenizer("tiktoken:letters").count("abc") == 3
    assert open_tokenizer("tiktoken:model").count("abc") == 3
    assert open_tokenizer("tiktoken:letters").name == "tokens of tiktoken:letters"
    with pytest.raises(LaconicError, match="it has letters"):
        open_tokenizer("tiktoken:words")


def word_level():
    library = pytest.importorskip("tokenizers")
    tokenizer = library.Tokenizer(
        library.models.WordLevel({"it": 0, "fell": 1, "?": 2, "[CLS]": 3}, unk_token="?")
    )
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    tokenizer.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 3)]
    )
    return tokenizer


def test_a_tokenizer_itself_counts_without_marks_of_start_and_end() -> None:
    tokenizer = word_level()
    assert len(tokenizer.encode("it fell").ids) == 3
    assert open_tokenizer(tokenizer).count("it fell") == 2


def test_one_of_transformers_is_taken_by_itself_and_by_its_folder(tmp_path: Path) -> None:
    library = pytest.importorskip("transformers")
    tokenizer = library.PreTrainedTokenizerFast(tokenizer_object=word_level(), unk_token="?")
    assert open_tokenizer(tokenizer).count("it fell") == 2
    tokenizer.save_pretrained(tmp_path)
    assert open_tokenizer(tmp_path).count("it fell") == 2
    assert open_tokenizer(f"transformers:{tmp_path}").count("it fell") == 2


def test_one_of_tiktoken_takes_commands_for_text() -> None:
    library = pytest.importorskip("tiktoken")
    ranks = {bytes([number]): number for number in range(256)}
    encoding = library.Encoding(
        "bytes", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": 256}
    )
    assert open_tokenizer(encoding).count("né<|end|>") == 10


def test_functions_count_or_cut() -> None:
    assert open_tokenizer(len).count("it fell") == 7
    assert open_tokenizer(str.split).count("it fell") == 2
    assert open_tokenizer(TextCost(len, "letters")).name == "letters"
    assert open_tokenizer(str.split).name == "tokens of str.split"
    assert open_tokenizer(lambda text: text.split()).name == "tokens"


@pytest.mark.parametrize("tokenizer", [3, None, b"bytes", object()])
def test_what_is_no_tokenizer_is_refused(tokenizer) -> None:
    with pytest.raises(LaconicError, match=r"is no tokenizer: give a tokenizer\.json"):
        open_tokenizer(tokenizer)


def test_bytes_count_what_utf_8_needs() -> None:
    assert open_tokenizer("bytes").count("né \ud83d") == 7
