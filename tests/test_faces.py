"""One vocabulary: every option has the same name, default and meaning in Python, in the program and in spaCy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
import spacy
from spacy.language import Language

import laconic
from laconic.cli import compare, compress, evaluate, explain, subtitles
from laconic.cli.options import flag
from laconic.integrations.spacy import SETTINGS
from laconic.options import TABLE, Options
from tests.cli.conftest import laconic as program  # noqa: F401  (a fixture)

TEXT = "The council, which met on Tuesday, agreed to lower the fees. Nobody in Harrow Mill had expected it at all."

EXAMPLES: dict[str, dict[str, Any]] = {
    "words": {"words": "6..9"},
    "characters": {"characters": "=60"},
    "tokens": {"tokens": 50, "tokenizer": "bytes"},
    "graphemes": {"graphemes": 70},
    "bytes": {"bytes": "20..60"},
    "septets": {"septets": 55},
    "seconds": {"seconds": 4},
    "ratio": {"ratio": 0.5},
    "for_": {"for_": "title"},
    "tokenizer": {"tokens": "=44", "tokenizer": "bytes"},
    "per": {"words": 5, "per": "sentence"},
    "like": {"like": "headlines"},
    "length": {"length": 0.1},
    "system": {"system": "truncate"},
    "keep": {"words": 9, "keep": ["Tuesday", (64, 66)]},
    "drop": {"words": 9, "drop": ["Nobody", "council"]},
    "protect": {"words": 8, "protect": ["names"]},
    "drop_sentences": {"words": 5, "drop_sentences": True},
    "impossible": {"words": "=3", "per": "sentence", "system": "everything", "impossible": "leave"},
    "format": {"format": "lines"},
}
"""For every option a request in which it matters."""


def as_arguments(options: dict[str, Any]) -> list[str]:
    """The options as somebody types them."""
    found: list[str] = []
    for name, value in options.items():
        for each in value if isinstance(value, list) else [value]:
            text = f"@{each[0]}:{each[1]}" if isinstance(each, tuple) else str(each)
            found += [flag(name)] if each is True else [flag(name), text]
    return found


def test_every_option_has_an_example() -> None:
    assert set(EXAMPLES) == set(TABLE)
    for name, options in EXAMPLES.items():
        assert name in options


@pytest.mark.parametrize("name", TABLE)
def test_an_option_means_the_same_in_every_face(name: str, program: Callable[..., Any]) -> None:  # noqa: F811
    options = EXAMPLES[name]
    answer = laconic.compress(TEXT, **options)
    typed = program(TEXT, *as_arguments(options))
    assert typed.out == f"{answer.text}\n"
    assert [line for line in typed.err.splitlines() if line] == [f"laconic: {note}" for note in answer.notes]
    explained = program("explain", TEXT, *as_arguments(options), "--rivals", 0).out.splitlines()
    texts = [line.removeprefix("=> ") for line in explained if line.startswith("=> ")]
    assert texts == [piece.text or f"(dropped) {piece.source}" for piece in answer.sentences]
    if name in SETTINGS:
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        given = {
            each: [list(pin) if isinstance(pin, tuple) else pin for pin in value]
            if isinstance(value, list)
            else value
            for each, value in options.items()
        }
        pipeline.add_pipe("laconic", config=given)
        doc = pipeline(TEXT)
        assert (doc._.compression, doc._.compression_notes) == (answer.text, list(answer.notes))


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"format"}))
def test_the_examples_would_show_an_option_that_is_forgotten(name: str) -> None:
    options = dict(EXAMPLES[name])
    del options[name]
    if name in ("tokens", "tokenizer"):
        options = {}
    try:
        without = laconic.compress(TEXT, **options).text
    except laconic.LaconicError:
        return
    assert without != laconic.compress(TEXT, **EXAMPLES[name]).text


def test_names_and_defaults_are_the_same_in_every_face() -> None:
    defaults = {each.name: each.default for each in fields(Options)}
    assert set(defaults) == set(TABLE)
    config = Language.get_factory_meta("laconic").default_config
    own = {"parse"}  # whose parse is used is a question only a pipeline can ask
    assert set(config) - own == set(SETTINGS) == set(TABLE) - {"format"}
    for name in SETTINGS:
        assert (tuple(config[name]) if isinstance(config[name], list) else config[name]) == defaults[name]
    for command in (compress.compress_command, explain.explain_command):
        assert set(TABLE) <= set(inspect.signature(command).parameters)


def test_commands_that_take_some_of_the_table_take_them_alike() -> None:
    whole = inspect.signature(compress.compress_command).parameters
    commands = (
        explain.explain_command,
        evaluate.evaluate_command,
        compare.compare_command,
        subtitles.subtitles_command,
    )
    for command in commands:
        taken = inspect.signature(command).parameters
        shared = [name for name in taken if name in TABLE]
        assert "system" in shared or command is compare.compare_command
        for name in shared:
            [one], [other] = (each[name].annotation.__metadata__ for each in (taken, whole))
            assert one.param_decls == other.param_decls, f"{command.__name__}: {name}"
