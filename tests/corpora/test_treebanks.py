import json
from pathlib import Path

import pytest

from laconic.corpora.pair import Pair
from laconic.corpora.treebanks import read_dependencies, read_penn, read_tree_table, with_trees
from laconic.errors import FormatError
from laconic.sentence import Sentence

LEFT = "(ROOT (S (NP (PRP He)) (VP (VBD left) (PRN (-LRB- -LRB-) (RB alone) (-RRB- -RRB-))) (. .)))"
SHORT = "(ROOT (S (NP (PRP He)) (VP (VBD left)) (. .)))"


@pytest.fixture
def side_file(tmp_path: Path):
    path = tmp_path / "trees.jsonl"
    lines = [{"text": "He left ( alone ) .", "tree": LEFT}, {"text": "He left .", "tree": SHORT}]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def pair(identity, source, *references):
    return Pair.aligned(identity, Sentence.from_words(source.split()), [text.split() for text in references])


def test_trees_are_attached_to_sources_and_references(side_file) -> None:
    (found,) = with_trees([pair("1", "He left ( alone ) .", "He left .", "He left .")], side_file)
    assert found.source.tree.words == found.source.words
    assert found.source.tree.labels[1] == "S"
    assert [tree.words for tree in found.reference_trees] == [("He", "left", ".")] * 2


def test_a_pair_without_its_tree_is_named_or_skipped(side_file) -> None:
    pairs = [pair("1", "He left .", "He left ."), pair("2", "He left .", "He .")]
    with pytest.raises(FormatError, match=r"no tree for pair '2': 'He .'"):
        list(with_trees(pairs, side_file))
    skipped: list[FormatError] = []
    assert [found.id for found in with_trees(pairs, side_file, on_error=skipped.append)] == ["1"]
    assert len(skipped) == 1


def test_a_tree_over_other_words_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trees.jsonl"
    path.write_text(json.dumps({"text": "She left .", "tree": SHORT}))
    with pytest.raises(FormatError, match=r"trees.jsonl:1: the tree's words are not the text's: 'He left .'"):
        read_tree_table(path)


def test_penn_treebanks_lose_traces_and_keep_functions_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "sample.mrg"
    path.write_text("( (S (NP-SBJ (-NONE- *PRO*)) (VP (VB Go) (ADVP-DIR (RB home)))))\n")
    (sentence,) = read_penn(path)
    assert sentence.words == ("Go", "home")
    assert sentence.tree.labels[1:] == ("S", "VP", "VB", "ADVP-DIR", "RB")
    (bare,) = read_penn(path, functions=False)
    assert "ADVP" in bare.tree.labels


def test_dependency_treebanks_give_heads_and_spacing(tmp_path: Path) -> None:
    path = tmp_path / "sample.conllu"
    path.write_text(
        "# text = Go!\n"
        "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n"
        "2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"
    )
    (sentence,) = read_dependencies(path)
    assert sentence.text == "Go!"
    assert sentence.heads == (-1, 0)
    assert sentence.relations == ("root", "punct")
