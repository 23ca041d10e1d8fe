from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.compression import Compression
from laconic.errors import FormatError, LaconicError
from laconic.formats.jsonl import (
    compression_from_json,
    compression_to_json,
    format_line,
    read_json_lines,
    read_sentences,
    sentence_from_json,
    sentence_to_json,
    write_json_lines,
)
from laconic.formats.penn import parse_tree
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree
from tests.strategies import sentences


@given(sentences())
def test_sentences_round_trip(sentence) -> None:
    assert sentence_from_json(json.loads(format_line(sentence_to_json(sentence)))) == sentence


@pytest.mark.parametrize(
    "word", ["-LRB-", "two words", "\u00a0", "\\/", "\ud800", "a\ud800b", '"', "\u2028", "\\"]
)
def test_words_that_brackets_cannot_hold_round_trip(tmp_path: Path, word: str) -> None:
    sentence = Sentence((word,), ("",), tree=Tree.from_nested(("S", ("NN", word))))
    path = tmp_path / "sentences.jsonl"
    write_json_lines(path, [sentence_to_json(sentence)])
    assert list(read_sentences(path)) == [sentence]


@given(st.text(st.characters(), max_size=8))
def test_lines_are_utf8_whatever_the_text(text) -> None:
    line = format_line({"text": text})
    assert "\n" not in line
    assert json.loads(line.encode().decode()) == json.loads(json.dumps({"text": text}))


def test_text_stays_readable() -> None:
    assert format_line({"text": "naïve …"}) == '{"text": "naïve …"}'
    assert format_line({"text": "\ud83d!"}) == '{"text": "\\ud83d!"}'


def test_absent_annotation_is_left_out() -> None:
    assert sentence_to_json(Sentence(("Go",), ("",), lead=" ")) == {
        "words": ["Go"],
        "spaces": [""],
        "lead": " ",
    }


def test_spaces_are_optional() -> None:
    assert sentence_from_json({"words": ["Go", "!"], "tags": None}) == Sentence.from_words(["Go", "!"])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "needs 'words'"),
        ({"words": "Go"}, "'words' of a sentence must be a list of str"),
        ({"words": ["Go", 1]}, "'words' of a sentence must be a list of str"),
        ({"words": ["Go"], "heads": ["-1"]}, "'heads' of a sentence must be a list of int"),
        ({"words": ["Go"], "heads": [True]}, "'heads' of a sentence must be a list of int"),
        ({"words": ["Go"], "heads": [0]}, "cycle"),
        ({"words": ["Go"], "tree": 7}, "'tree' of a sentence must be a string"),
        ({"words": ["Go"], "lead": 7}, "'lead' of a sentence must be a string"),
        ({"words": ["Go"], "tree": "(S (VB Go)"}, "unclosed"),
        ({"words": ["Go"], "tree": "(S (VB Go) (. !))"}, "tree of a sentence has 2 words, the sentence 1"),
        ({"words": ["Go"], "spaces": []}, "1 words but 0 spaces"),
    ],
)
def test_broken_sentences_raise(record, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        sentence_from_json(record)


def test_compressions_become_json() -> None:
    tree = parse_tree("(S (NP (NNS Stocks)) (ADVP (RB sharply)) (VP (VBD fell)) (. .))")
    sentence = Sentence(tree.words, (" ", " ", "", ""), tree=tree)
    compression = Compression.by_deletion(
        sentence,
        [0, 2, 3],
        score=-1.5,
        tree=parse_tree("(S (NP (NNS Stocks)) (VP (VBD fell)) (. .))"),
        heads=(1, -1, 1),
        notes=("exact",),
    )
    record = compression_to_json(compression)
    assert json.loads(format_line(record)) == {
        "source": "Stocks sharply fell.",
        "text": "Stocks fell.",
        "words": ["Stocks", "fell", "."],
        "kept": [0, 2, 3],
        "score": -1.5,
        "repairs": [],
        "notes": ["exact"],
        "tree": "(S (NP (NNS Stocks)) (VP (VBD fell)) (. .))",
        "heads": [1, -1, 1],
        "sentence": sentence_to_json(sentence),
    }
    assert compression_from_json(json.loads(format_line(record))) == compression


def test_repairs_are_objects_and_scores_that_json_lacks_are_strings() -> None:
    sentence = Sentence.from_words(["So", ",", "we", "left"])
    compression = Compression.by_deletion(sentence, [1, 2, 3], score=float("-inf"))
    record = compression_to_json(compression)
    assert record["score"] == "-inf"
    assert compression_from_json(record) == compression
    assert record["repairs"]
    assert set(record["repairs"][0]) == {"kind", "where", "what"}
    assert json.loads(format_line(record)) == record


def test_a_rewriting_compression_has_no_kept_words() -> None:
    sentence = Sentence.from_words(["We", "left"])
    compression = Compression(sentence, None, ("Gone",), "Gone")
    assert compression_to_json(compression)["kept"] is None
    assert compression_from_json(compression_to_json(compression)) == compression


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentence": None}, "needs 'sentence', 'text' and 'words'"),
        ({"repairs": [1]}, "list of objects"),
        ({"repairs": [{"kind": "x"}]}, "a repair in JSON needs 'where'"),
        ({"score": "much"}, "must be a number"),
        ({"kept": [True]}, "must be a list of int"),
    ],
)
def test_broken_compressions_raise(change: dict[str, object], message: str) -> None:
    record = compression_to_json(Compression.by_deletion(Sentence.from_words(["We", "left"]), [1]))
    with pytest.raises(LaconicError, match=message):
        compression_from_json(record | change)


@pytest.mark.parametrize("line", ["{", "[1]", "nothing", '"text"', "[" * 100_000])
def test_broken_lines_raise_with_file_and_line_or_are_skipped(tmp_path: Path, line) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(f'{{"a": 1}}\n\n{line}\n{{"a": 2}}\n')
    with pytest.raises(FormatError, match=r"broken\.jsonl:3: "):
        list(read_json_lines(path))
    errors: list[FormatError] = []
    assert list(read_json_lines(path, on_error=errors.append)) == [{"a": 1}, {"a": 2}]
    assert [error.line for error in errors] == [3]


def test_broken_sentences_in_files_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"words": ["Go"]}\n{"words": [""]}\n')
    with pytest.raises(FormatError, match=r"broken\.jsonl:2: word 0 of the sentence is empty"):
        list(read_sentences(path))
    errors: list[FormatError] = []
    assert len(list(read_sentences(path, on_error=errors.append))) == 1
    assert len(errors) == 1
