"""The component for spaCy pipelines: on documents like spaCy's, and in real pipelines where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.budget import Budget
from laconic.errors import LaconicError
from laconic.options import TABLE
from laconic.systems.spacy_component import SETTINGS, CompressingComponent
from laconic.systems.truncate import Truncate
from tests.annotate.spacy_like import Doc

ROWS = [
    (text, space, "", place, "")
    for place, (text, space) in enumerate(
        [
            ("It", " "),
            ("\n", ""),
            ("fell", " "),
            ("again", ""),
            (".", "  "),
            ("So", " "),
            ("there", ""),
            ("!", ""),
        ]
    )
]


def test_documents_get_text_and_kept_tokens() -> None:
    doc = Doc(ROWS, sentences=[5])
    assert CompressingComponent(Truncate(), Budget.at_most(2, unit="pieces"))(doc) is doc
    assert (doc._.compression, doc._.kept) == ("It \nfell  So there", [0, 2, 5, 6])


def test_documents_without_words_get_no_text() -> None:
    doc = CompressingComponent(Truncate(), Budget.at_most(2, unit="pieces"))(Doc([]))
    assert (doc._.compression, doc._.kept) == ("", [])


def test_sentences_of_which_nothing_stays_leave_no_space() -> None:
    doc = CompressingComponent(Truncate(), Budget.at_most(0, unit="pieces"))(Doc(ROWS, sentences=[5]))
    assert (doc._.compression, doc._.kept) == ("", [])


def test_a_system_that_rewrites_keeps_no_tokens() -> None:
    from dataclasses import replace

    class Rewriter(Truncate):
        def compress(self, sentence, budget=None, *, keep=(), drop=()):
            return replace(super().compress(sentence, budget), kept=None)

    doc = CompressingComponent(Rewriter(), Budget.at_most(1, unit="pieces"))(Doc(ROWS, sentences=[5]))
    assert (doc._.compression, doc._.kept) == ("It  So", None)


def test_settings_are_those_of_the_table() -> None:
    assert set(SETTINGS) <= set(TABLE)


def test_phrases_are_kept_or_dropped_wherever_they_are() -> None:
    component = CompressingComponent(
        Truncate(), Budget.at_most(2, unit="pieces"), keep=["there"], drop=["it", "so"]
    )
    doc = component(Doc(ROWS, sentences=[5]))
    assert doc._.compression == "Fell again  There!"


class TestWithSpacy:
    """In real pipelines."""

    @pytest.fixture
    def pipeline(self):
        spacy = pytest.importorskip("spacy", reason="spaCy (the extra `spacy`) is not installed")
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        return pipeline

    def test_the_factory_is_found_by_name(self, pipeline) -> None:
        pipeline.add_pipe("laconic", config={"system": "truncate", "words": 2})
        doc = pipeline("It fell again. So there!")
        assert (doc._.compression, [doc[i].text for i in doc._.kept]) == (
            "It fell So there!",
            ["It", "fell", "So", "there", "!"],
        )

    def test_all_settings_reach_the_compressor(self, pipeline) -> None:
        config = {"words": "6..8", "protect": ["names"], "like": "broadcast"}
        pipeline.add_pipe("laconic", config={**config, "drop": ["today"]})
        doc = pipeline("The mayor of Harrow Mill, Ana Reis, resigned today after a long meeting.")
        assert 6 <= len(doc._.compression.split()) <= 8
        assert "Harrow Mill" in doc._.compression and "Ana Reis" in doc._.compression
        assert "today" not in doc._.compression

    def test_documents_and_pipelines_can_be_stored(self, pipeline, tmp_path: Path) -> None:
        import spacy
        from spacy.tokens import Doc as RealDoc

        pipeline.add_pipe("laconic", config={"system": "truncate", "characters": "=7"})
        doc = pipeline("It fell again.")
        again = RealDoc(pipeline.vocab).from_bytes(doc.to_bytes())
        pipeline.to_disk(tmp_path)
        loaded = spacy.load(tmp_path)("It fell again.")
        assert doc._.compression == again._.compression == loaded._.compression == "It fell"

    def test_wrong_settings_are_refused(self, pipeline) -> None:
        with pytest.raises(LaconicError, match="words='many': an amount is"):
            pipeline.add_pipe("laconic", config={"words": "many"})
        with pytest.raises(ValueError, match="chars"):
            pipeline.add_pipe("laconic", config={"chars": 3})
        with pytest.raises(LaconicError, match="no system 'nonsense'"):
            pipeline.add_pipe("laconic", config={"system": "nonsense"})
