from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import FormatError, LaconicError
from laconic.formats.conllu import (
    ConlluRow,
    ConlluSentence,
    format_conllu,
    from_sentence,
    parse_conllu,
    read_conllu,
    to_sentence,
    write_conllu,
)
from laconic.sentence import Sentence
from tests.strategies import sentences

CATS = """\
# sent_id = cats-1
# text = (Cats don't\u00a0 bite.)
1\t(\t(\tPUNCT\t-LRB-\t_\t5\tpunct\t5:punct\tSpaceAfter=No
2\tCats\tcat\tNOUN\tNNS\tNumber=Plur\t5\tnsubj\t5:nsubj\t_
3-4\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\u00A0\\s
3\tdo\tdo\tAUX\tVBP\t_\t5\taux\t5:aux\t_
4\tn't\tnot\tPART\tRB\t_\t5\tadvmod\t5:advmod\t_
4.1\t_\tever\tADV\tRB\t_\t_\t_\t5:advmod\t_
5\tbite\tbite\tVERB\tVB\t_\t0\troot\t0:root\tEntity=(1)|SpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t5\tpunct\t5:punct\tSpaceAfter=No
7\t)\t)\tPUNCT\t-RRB-\t_\t5\tpunct\t5:punct\t_

"""


def parse(text, **options):
    return list(parse_conllu(enumerate(text.split("\n"), start=1), source="bank.conllu", **options))


def rows(*columns):
    """Lines with the given columns, separated by spaces, and `_` for what is missing."""
    return "\n".join("\t".join((line.split() + ["_"] * 10)[:10]) for line in columns)


def plain(*heads):
    """A sentence of words a, b, … with the given heads."""
    return rows(
        *(f"{number} {chr(96 + number)} _ _ X _ {head} dep" for number, head in enumerate(heads, start=1))
    )


def test_everything_is_kept_byte_for_byte() -> None:
    text = CATS + CATS
    assert "".join(map(format_conllu, parse(text))) == text


def test_files_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "bank.conllu"
    path.write_bytes(CATS.encode())
    records = list(read_conllu(path))
    out = tmp_path / "out.conllu"
    write_conllu(out, records)
    assert out.read_bytes() == CATS.encode()


def test_carriage_returns_byte_order_mark_and_a_missing_last_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "bank.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + CATS.rstrip("\n").replace("\n", "\r\n").encode())
    assert list(read_conllu(path)) == parse(CATS)


def test_a_sentence_with_the_authors_spacing() -> None:
    (record,) = parse(CATS)
    sentence = to_sentence(record)
    assert sentence.words == ("(", "Cats", "do", "n't", "bite", ".", ")")
    assert sentence.spaces == ("", " ", "", "\u00a0 ", "", "", "")
    assert sentence.tags == ("-LRB-", "NNS", "VBP", "RB", "VB", ".", "-RRB-")
    assert sentence.heads == (4, 4, 4, 4, -1, 4, 4)
    assert sentence.relations == ("punct", "nsubj", "aux", "advmod", "root", "punct", "punct")
    assert record.metadata["sent_id"] == "cats-1"
    assert sentence.text == record.metadata["text"]
    assert [row.form for row in record.words] == list(sentence.words)


def test_a_multiword_token_that_its_words_do_not_spell_gets_spaces() -> None:
    text = rows("1-2 du", "1 de", "2 le", "3 pain")
    assert to_sentence(parse(text)[0]).text == "de le pain"


def test_space_inside_a_multiword_token_is_the_ranges_affair() -> None:
    text = rows(
        "1-2 cannot _ _ _ _ _ _ _ SpaceAfter=No", "1 can _ _ _ _ _ _ _ SpacesAfter=\\t", "2 not", "3 !"
    )
    assert to_sentence(parse(text)[0]).text == "cannot!"


def test_space_attributes() -> None:
    text = rows(
        "1 a _ _ _ _ _ _ _ SpacesBefore=\\n\\t|SpacesAfter=\\s\\s",
        "2 b _ _ _ _ _ _ _ SpaceAfter=Yes",
        "3 c _ _ _ _ _ _ _ SpacesBefore=\\p|SpaceAfter=No",
        "4 d _ _ _ _ _ _ _ SpacesAfter=\\r\\\\",
    )
    sentence = to_sentence(parse(text)[0])
    assert sentence.lead == "\n\t"
    assert sentence.spaces == ("  ", " |", "", "\r\\")


def test_empty_columns_become_none() -> None:
    sentence = to_sentence(parse(rows("1 a", "2 b"))[0])
    assert (sentence.tags, sentence.heads, sentence.relations) == (None, None, None)


@given(sentences())
def test_sentences_round_trip(sentence) -> None:
    without_tree = Sentence(
        sentence.words,
        sentence.spaces,
        sentence.lead,
        sentence.tags,
        None,
        sentence.heads,
        sentence.relations,
    )
    record = from_sentence(sentence, comments=["# sent_id = 1"])
    assert to_sentence(record) == without_tree
    assert parse(format_conllu(record)) == [record]


field = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(field, field, field, field, field, field, field), min_size=1, max_size=4),
    st.lists(field.map("# ".__add__), max_size=2),
)
def test_any_columns_survive(columns, comments) -> None:
    record = ConlluSentence(
        tuple(comments),
        tuple(
            ConlluRow(str(number), *row[:5], "0" if number == 1 else "1", *row[5:], "_")  # type: ignore[call-arg]
            for number, row in enumerate(columns, start=1)
        ),
    )
    assert parse(format_conllu(record)) == [record]


FAULTS = {
    "wrong column count": ("# c\n1\ta\t_", "bank.conllu:2: expected 10 columns between tabs, found 3"),
    "spaces for tabs": ("1 a _ _ _ _ 0 root _ _", "bank.conllu:1: expected 10 columns"),
    "empty column": (plain(0).replace("X", ""), "bank.conllu:1: column XPOS is empty"),
    "cycle": (plain(2, 1, 0), "bank.conllu:1: the heads of words 1, 2 form a cycle"),
    "own head": (plain(0, 2), "bank.conllu:2: the heads of words 2 form a cycle"),
    "two roots": (plain(0, 1, 0), "bank.conllu:3: word 3 is a second root, beside word 1"),
    "no root": (plain(2, 1), "bank.conllu:1: the heads of words 1, 2 form a cycle"),
    "head outside": (plain(0, 3), "bank.conllu:2: head '3' of word 2 is not a number from 0 to 2"),
    "head no number": (plain(0, "x"), "bank.conllu:2: head 'x'"),
    "some heads missing": (plain(0, "_"), "bank.conllu:2: head '_'"),
    "gap in ids": (rows("1 a", "3 b"), "bank.conllu:2: expected word 2, found id 3"),
    "id from zero": (rows("0 a"), "bank.conllu:1: id '0'"),
    "id no number": (rows("one a"), "bank.conllu:1: id 'one'"),
    "range of one word": (rows("1-1 a", "1 a"), "bank.conllu:1: a multiword token"),
    "range in the wrong place": (rows("1 a", "1-2 ab", "2 b"), "bank.conllu:2: a multiword token"),
    "overlapping ranges": (
        rows("1-3 abc", "1 a", "2-3 bc", "2 b", "3 c"),
        "bank.conllu:3: a multiword token",
    ),
    "range too long": (
        rows("1-3 abc", "1 a", "2 b"),
        "bank.conllu:3: a multiword token reaches to word 3 of 2",
    ),
    "empty node in the wrong place": (rows("1 a", "2.1 e", "2 b"), "bank.conllu:2: expected empty node 1.1"),
    "empty nodes out of order": (rows("1 a", "1.2 e"), "bank.conllu:2: expected empty node 1.1, found 1.2"),
    "comment inside": (rows("1 a") + "\n# c\n" + rows("2 b"), "bank.conllu:2: a comment inside a sentence"),
    "comments alone": ("# c", "bank.conllu:1: a sentence without words"),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_raise_with_file_and_line(text, message) -> None:
    with pytest.raises(FormatError, match=message):
        parse(text)


@pytest.mark.parametrize(("text", "_message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_reported_and_skipped(text, _message) -> None:
    errors: list[FormatError] = []
    good = plain(0, 1)
    found = parse(f"{good}\n\n{text}\n\n{good}\n", on_error=errors.append)
    assert len(errors) == 1
    assert errors[0].line is not None
    assert errors[0].line > 3
    assert found == parse(good) * 2


def test_an_empty_node_may_come_first() -> None:
    assert len(parse(rows("0.1 e", "1 a"))[0].words) == 1


def test_empty_files_hold_no_sentences() -> None:
    assert parse("") == []
    assert parse("\n\n \n") == []


def test_a_truncated_gzip_file_raises(tmp_path: Path) -> None:
    path = tmp_path / "bank.conllu.gz"
    whole = gzip.compress(CATS.encode() * 500)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match="damaged gzip"):
        list(read_conllu(path))


@pytest.mark.parametrize(
    "sentence",
    [
        Sentence((), ()),
        Sentence(("a\tb",), ("",)),
        Sentence(("a",), ("",), tags=("",)),
        Sentence(("a",), ("",), relations=("\n",)),
    ],
)
def test_what_conllu_cannot_hold_raises(sentence) -> None:
    with pytest.raises(LaconicError, match="CoNLL-U"):
        from_sentence(sentence)
