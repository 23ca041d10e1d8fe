import gzip
import json
from pathlib import Path

import pytest

from laconic.corpora.pairs import read_pairs, split_at_spaces
from laconic.errors import FormatError, LaconicError
from laconic.text.tokenise import tokenise

RAW = {
    "id": "g1",
    "source": 'Ms. Ray\'s "cannot lose" plan failed.',
    "target": "Ms. Ray's plan failed.",
    "tokens": ["Ms.", "Ray", "'s", "``", "cannot", "lose", "''", "plan", "failed", "."],
    "keep": [1, 1, 1, 0, 0, 0, 0, 1, 1, 1],
    "aligned": True,
}


@pytest.fixture
def write(tmp_path: Path):
    def write_lines(*lines):
        path = tmp_path / "pairs.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return path

    return write_lines


def test_several_targets(write) -> None:
    line = {"id": "a.1", "doc": "a", "source": "He  left , alas .", "targets": ["He left .", "He did ."]}
    (pair,) = read_pairs(write(line))
    assert (pair.id, pair.doc) == ("a.1", "a")
    assert pair.source.words == ("He", "left", ",", "alas", ".")
    assert pair.source.text == "He  left , alas ."
    assert pair.references == (("He", "left", "."), ("He", "did", "."))
    assert pair.kept == ((0, 1, 4), None)


def test_one_target_and_no_id(write) -> None:
    pairs = list(
        read_pairs(write("", {"source": "a b", "target": "b"}, {"id": 5, "source": "a", "target": "a"}))
    )
    assert [pair.id for pair in pairs] == ["2", "5"]
    assert pairs[0].kept == ((1,),)
    assert pairs[0].doc is None


def test_compressed_files_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps({"source": "a b", "target": "b"}).encode()))
    assert [pair.kept for pair in read_pairs(path)] == [((1,),)]


def test_tokens_take_the_spelling_and_spacing_of_the_raw_text(write) -> None:
    (pair,) = read_pairs(write(RAW))
    assert pair.source.text == RAW["source"]
    assert pair.source.words[3] == '"'
    assert pair.kept == ((0, 1, 2, 7, 8, 9),)
    assert pair.references == (("Ms.", "Ray", "'s", "plan", "failed", "."),)


def test_tokens_alone_keep_their_annotation(write) -> None:
    line = {"tokens": ["stocks", "fell"], "keep": [0, 1], "pos": ["NNS", "VBD"], "deprel": ["nsubj", "ROOT"]}
    (pair,) = read_pairs(write(line))
    assert pair.source.text == "stocks fell"
    assert pair.source.tags == ("NNS", "VBD")
    assert pair.source.relations == ("nsubj", "ROOT")
    assert pair.source.heads is None
    assert pair.references == (("fell",),)


def test_our_tokeniser_gets_the_mask_by_characters(write) -> None:
    (pair,) = read_pairs(write(RAW), tokenise=tokenise)
    assert pair.source == tokenise(RAW["source"])  # type: ignore[arg-type]
    assert "can" in pair.source.words  # a finer cut than the file's
    assert pair.references == (("Ms.", "Ray", "'s", "plan", "failed", "."),)
    assert [pair.source.words[position] for position in pair.kept[0]] == list(pair.references[0])


def test_a_word_kept_in_part_makes_the_target_the_reference(write) -> None:
    (pair,) = read_pairs(write(RAW | {"keep": [1, 1, 0, 0, 0, 0, 0, 1, 1, 1]}), tokenise=split_at_spaces)
    assert pair.kept == (None,)
    assert pair.references == (("Ms.", "Ray's", "plan", "failed."),)


def test_our_tokeniser_cuts_texts_and_targets(write) -> None:
    (pair,) = read_pairs(
        write({"source": "It can't last, no.", "target": "It can't last."}), tokenise=tokenise
    )
    assert pair.references == (("It", "ca", "n't", "last", "."),)
    assert pair.kept == ((0, 1, 2, 3, 6),)


def test_unaligned_lines_can_be_left_out(write) -> None:
    path = write(RAW, RAW | {"id": "g2", "aligned": False}, {"source": "a", "target": "a"})
    assert [pair.id for pair in read_pairs(path)] == ["g1", "g2", "3"]
    assert [pair.id for pair in read_pairs(path, only_aligned=True)] == ["g1", "3"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"source": "a', "not JSON"),
        ('["source"]', "expected a JSON object"),
        ("[" * 100_000, "recursion depth"),
        ({"target": "a"}, "no field 'source'; there are 'target'"),
        ({"source": "a"}, "no field 'target'"),
        ({"source": 3, "target": "a"}, "field 'source' should be a string, not 3"),
        ({"source": "a", "targets": "a"}, "field 'targets' should be a list of strings"),
        ({"source": "a", "targets": []}, "no reference"),
        ({"tokens": ["a"]}, "no field 'keep'"),
        ({"tokens": ["a"], "keep": [2]}, "field 'keep' should be a list of 0 and 1"),
        ({"tokens": ["a"], "keep": [1, 0]}, "1 tokens but 2 marks"),
        ({"tokens": [""], "keep": [1]}, "word 0 of the sentence is empty"),
        ({"tokens": ["a"], "keep": [1], "source": "b"}, "token 0, 'a', is not in the text"),
        ({"tokens": ["a"], "keep": [1], "pos": ["A", "B"]}, "1 words but 2 tags"),
        ({"source": "a", "target": "a", "doc": 3}, "field 'doc' should be a string"),
    ],
)
def test_a_broken_line_is_named_or_skipped_and_counted(write, line, message: str) -> None:
    path = write({"source": "a b", "target": "a"}, line, {"source": "a c", "target": "c"})
    with pytest.raises(FormatError, match=message) as caught:
        list(read_pairs(path))
    assert str(caught.value).startswith(f"{path}:2: ")
    skipped: list[FormatError] = []
    assert [pair.id for pair in read_pairs(path, on_error=skipped.append)] == ["1", "3"]
    assert len(skipped) == 1
    assert str(skipped[0]) == str(caught.value)


def test_tokens_alone_cannot_be_cut_afresh(write) -> None:
    with pytest.raises(FormatError, match="read this file without `tokenise`"):
        list(read_pairs(write({"tokens": ["a"], "keep": [1]}), tokenise=tokenise))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LaconicError, match="no such file"):
        list(read_pairs(tmp_path / "none.jsonl"))


@pytest.mark.parametrize("text", ["", "  ", "a", " a  b\n", "\ta"])
def test_white_space_is_never_lost(text: str) -> None:
    sentence = split_at_spaces(text)
    assert sentence.text == text
    assert sentence.words == tuple(text.split())
