"""The component in real spaCy pipelines: the answers of `compress`, in batches, with notes and trees."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import raise_error

import laconic
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.formats.penn import parse_tree
from laconic.integrations.spacy import CompressingComponent, create_component
from laconic.options import Options
from laconic.systems.truncate import Truncate

TEXT = "The council, which met on Tuesday, agreed to lower the fees. Nobody had expected it at all."
PipelineOf = Callable[..., Language]


@pytest.fixture
def pipeline() -> PipelineOf:
    """Makes a pipeline that finds sentences and compresses them, with a config."""

    def make(**config: Any) -> Language:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("laconic", config=config)
        return nlp

    return make


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"words": "=4", "per": "sentence"},
        {"characters": 60, "drop_sentences": True},
        {"words": 8, "keep": "Tuesday", "drop": ["fees", "it"]},
        {"words": "=99", "per": "sentence", "impossible": "leave"},
    ],
)
def test_answers_are_those_of_compress(pipeline: PipelineOf, options: dict[str, Any]) -> None:
    doc, answer = pipeline(**options)(TEXT), laconic.compress(TEXT, **options)
    assert doc._.compression == answer.text
    assert doc._.compression_notes == list(answer.notes)
    assert [span._.compression for span in doc.sents] == [piece.text for piece in answer.sentences]
    for span, piece in zip(doc.sents, answer.sentences, strict=True):
        stay = () if piece.compression is None else piece.compression.words
        assert [doc[token].text for token in span._.kept] == list(stay)


def test_white_space_is_the_authors(pipeline: PipelineOf) -> None:
    text = "  It fell again.\n\n So there!  No.  "
    doc = pipeline(system="truncate", words=2, per="sentence")(text)
    assert doc._.compression == "  It fell\n\n So there!  No.  "
    assert [doc[token].text for token in doc._.kept] == ["It", "fell", "So", "there", "!", "No", "."]
    paragraphs = pipeline(system="truncate", words=2, per="paragraph")(text)
    assert (
        paragraphs._.compression == laconic.compress(text, system="truncate", words=2, per="paragraph").text
    )


def test_documents_without_words_get_no_text(pipeline: PipelineOf) -> None:
    nlp = pipeline(system="truncate", words=2)
    for text in ("", "  \n"):
        doc = nlp(text)
        assert (doc._.compression.strip(), doc._.kept, doc._.compression_trees) == ("", [], [])


def test_a_document_without_boundaries_is_one_sentence() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("laconic", config={"system": "truncate", "words": 3, "per": "sentence"})
    doc = nlp("It fell. So there!")
    assert doc._.compression == doc[:]._.compression == "It fell. So"


def test_notes_and_trees_are_on_documents_and_sentences(pipeline: PipelineOf) -> None:
    doc = pipeline(words="=2", per="sentence")(TEXT)
    first, second = doc.sents
    assert doc._.compression_notes == first._.compression_notes + second._.compression_notes != []
    assert doc._.compression_trees == [first._.compression_tree, second._.compression_tree]
    kept = tuple(doc[token].text for token in second._.kept)
    assert parse_tree(second._.compression_tree).words == kept


def test_documents_and_pipelines_can_be_stored(pipeline: PipelineOf, tmp_path: Path) -> None:
    nlp = pipeline(system="truncate", characters="=7")
    doc = nlp("It fell again.")
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)("It fell again.")
    assert doc._.compression == again._.compression == loaded._.compression == "It fell"
    assert again[:]._.kept == doc._.kept == [0, 1]


@pytest.mark.parametrize("size", [1, 3, 100])
def test_batches_are_answered_in_their_order(pipeline: PipelineOf, size: int) -> None:
    nlp = pipeline(system="truncate", words=3)
    texts = [f"Number {number} fell again on Monday." for number in range(8)]
    found = [doc._.compression for doc in nlp.pipe(texts, batch_size=size)]
    assert (
        found
        == [nlp(text)._.compression for text in texts]
        == [f"Number {number} fell" for number in range(8)]
    )


def test_one_impossible_sentence_does_not_end_a_stream(pipeline: PipelineOf) -> None:
    texts = ["It fell again.", "No.", "So we left early."]
    left = list(pipeline(system="truncate", words="=3", impossible="leave").pipe(texts))
    assert [doc._.compression for doc in left] == ["It fell again.", "No.", "So we left"]
    assert [bool(doc._.compression_notes) for doc in left] == [False, True, False]
    doc = pipeline(system="truncate", words="=3", per="sentence", impossible="leave")(" ".join(texts))
    notes = [span._.compression_notes for span in doc.sents]
    assert [len(each) for each in notes] == [0, 1, 0] and doc._.compression_notes == notes[1]
    strict = pipeline(system="truncate", words="=3")
    with pytest.raises(InfeasibleBudget, match=r"No"):
        list(strict.pipe(texts))
    told: list[tuple[str, str]] = []
    strict.set_error_handler(lambda name, _, docs, error: told.append((name, docs[0].text)))
    assert [doc._.compression for doc in strict.pipe(texts)] == ["It fell again.", "So we left"]
    assert told == [("laconic", "No.")]
    strict.set_error_handler(raise_error)


class Reading(Truncate):
    """Remembers the sentences that it was given."""

    def compress(self, sentence, budget=None, *, keep=(), drop=()):
        seen.append(sentence)
        return super().compress(sentence, budget, keep=keep, drop=drop)


seen: list[Any] = []


def test_the_pipelines_own_parse_is_taken_where_it_is_wanted() -> None:
    nlp = spacy.blank("en")
    words = ["Stocks", "fell", "again"]
    made = {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "rb"], "tags": ["NNS", "VBD", "XX"]}
    for parse, tags, relations in (
        ("spacy", ("NNS", "VBD", "XX"), ("nsubj", "root", "rb")),
        ("laconic", None, None),
    ):
        seen.clear()
        doc = Doc(nlp.vocab, words=words, **made)
        CompressingComponent(Options(system=Reading(), length=None), parse=parse)(doc)  # type: ignore[arg-type]
        assert (seen[0].tags, seen[0].relations) == (tags, relations)
        assert (seen[0].tree is None) == (parse == "laconic")  # which the pipeline does not have


def test_python_is_told_which_parses_there_are() -> None:
    with pytest.raises(LaconicError, match="parse='stanza': is one of laconic, spacy"):
        CompressingComponent(Options(), parse="stanza")  # type: ignore[arg-type]


def test_a_system_that_rewrites_keeps_no_tokens(pipeline: PipelineOf) -> None:
    class Rewriter(Truncate):
        def compress(self, sentence, budget=None, *, keep=(), drop=()):
            return Compression(sentence, None, ("Sank",), "Sank")

    doc = CompressingComponent(Options(system=Rewriter()))(spacy.blank("en")("It fell."))
    assert (doc._.compression, doc._.kept, doc[:]._.kept) == ("Sank", None, None)


@pytest.mark.parametrize(
    ("config", "kind", "message"),
    [
        ({"words": "many"}, LaconicError, "words='many': an amount is"),
        ({"chars": 3}, ValueError, "chars"),
        ({"format": "html"}, ValueError, "format"),
        ({"system": "nonsense"}, LaconicError, "no system 'nonsense'"),
        ({"parse": "stanza"}, ValueError, "parse"),
        ({"parse": "spacy"}, LaconicError, "parse='spacy': the default system parses with the network"),
        ({"words": 3, "ratio": 0.5}, LaconicError, "two limits"),
    ],
)
def test_wrong_settings_are_refused(
    pipeline: PipelineOf, config: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        pipeline(**config)


def test_the_entry_point_leads_to_the_factory() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["spacy_factories"]["laconic"].partition(":")
    assert getattr(importlib.import_module(module), name) is create_component
