"""The one table: amounts in one form, errors that name the option, and the same table in every face."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laconic
from laconic.budget import Budget
from laconic.cli.compress import compress_command
from laconic.cli.options import flag
from laconic.errors import LaconicError
from laconic.options import TABLE, Given, Options, amount

TEXT = "The council met on Tuesday. It agreed to lower the fees."


@pytest.mark.parametrize(
    ("given", "least", "most"),
    [
        (12, None, 12),
        ("12", None, 12),
        ("..12", None, 12),
        ("=12", 12, 12),
        ("8..12", 8, 12),
        ("8..", 8, None),
        (" 8 .. 12 ", 8, 12),
        (0.5, None, 0.5),
        ("=.5", 0.5, 0.5),
        ("0.4..0.6", 0.4, 0.6),
        (np.int64(3), None, 3),
    ],
)
def test_an_amount_has_one_form(given: Any, least: float | None, most: float | None) -> None:
    assert amount(given) == (least, most)


@given(st.integers(0, 999), st.integers(0, 999))
def test_ranges_are_read_as_they_are_written(first: int, second: int) -> None:
    least, most = sorted((first, second))
    assert Options(words=f"{least}..{most}").budget() == Budget.between(least, most)
    assert Options(characters=f"={least}").budget() == Budget.exactly(least, unit="characters")
    assert Options(words=most).budget() == Budget.at_most(most) == Options(words=str(most)).budget()


@pytest.mark.parametrize("name", ["words", "characters", "bytes", "ratio"])
@pytest.mark.parametrize(
    "value",
    [
        "abc",
        "",
        "..",
        "=",
        "3..2",
        "-3",
        -1,
        [3],
        (1, 2),
        b"3",
        True,
        float("nan"),
        float("inf"),
        {},
        "1e3",
        np.array([1, 2]),
        object(),
    ],
)
def test_wrong_amounts_name_their_option(name: str, value: Any) -> None:
    with pytest.raises(LaconicError, match=f"^{name}="):
        laconic.compress(TEXT, **{name: value})


@pytest.mark.parametrize(
    "options",
    [
        {"keep": 3}, {"keep": b"council"}, {"keep": None}, {"keep": [None]}, {"keep": [3]}, {"keep": (5, 2)},
        {"keep": ""},
        {"drop": {"a": 1}}, {"protect": "verbs"}, {"protect": None}, {"protect": [[]]}, {"per": "word"}, {"per": None},
        {"like": "news"}, {"like": []}, {"length": "terse"}, {"length": 2}, {"length": [1]}, {"system": None},
        {"system": 3}, {"drop_sentences": "yes"}, {"impossible": "ignore"}, {"format": "pdf"}, {"for_": "nothing"},
        {"for_": 3}, {"tokens": 3, "tokenizer": 7},
    ],
)  # fmt: skip
def test_every_wrong_value_names_its_option(options: dict[str, Any]) -> None:
    name = next(iter(options))
    with pytest.raises(LaconicError, match=f"^{name}"):
        laconic.compress(TEXT, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3,), {}, "a text to compress is a string, not 3"),
        ((None,), {}, "a text to compress is a string"),
        ((b"It fell.",), {}, "a text to compress is a string"),
        ((["It fell."],), {}, "a text to compress is a string"),
        ((TEXT, 12), {}, "budget=12: is made by `Budget`"),
        ((TEXT,), {"words": 3, "characters": 9}, "words and characters are two limits"),
        ((TEXT, Budget.at_most(3)), {"words": 3}, "a budget and words are two limits"),
        (
            (TEXT,),
            {"words": 3, "length": "long"},
            "length='long': is for texts without a limit, and words is one",
        ),
        ((TEXT, Budget.at_most(3)), {"length": 0.5}, "length=0.5: is for texts without a limit"),
        ((TEXT,), {"tokenizer": len}, "tokens is missing"),
        ((TEXT,), {"wrods": 3}, "there is no option 'wrods'; did you mean 'words'?"),
        ((TEXT,), {"register": "news"}, "there is no option 'register'"),
        (
            (TEXT,),
            {"words": 3, "per": "sentence", "drop_sentences": True},
            "drop_sentences=True: the limit is per sen",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(LaconicError) as caught:
        laconic.compress(*arguments, **options)
    assert message in str(caught.value)


def test_json_names_are_those_of_the_table() -> None:
    assert Options.of({"for": "title", "keep": [[0, 3], "met"]}) == Options(
        for_="title", keep=[(0, 3), "met"]
    )
    with pytest.raises(LaconicError, match="no option 'chars'"):
        Options.of({"chars": 3})


def test_the_types_are_those_of_the_table() -> None:
    options, given_types = get_type_hints(Options), get_type_hints(Given)
    assert {name: options[name] for name in TABLE} == given_types


def test_the_program_has_the_table_with_the_same_help() -> None:
    parameters = inspect.signature(compress_command).parameters
    for name, option in TABLE.items():
        [info] = parameters[name].annotation.__metadata__
        names = (info.default, *info.param_decls)
        assert names[0] == flag(name) == "--" + name.rstrip("_").replace("_", "-")
        assert names[1:] == (("-" + option.letter,) if option.letter else ())
        assert info.help.startswith(option.help)
        assert parameters[name].default is None
        assert all(choice in info.metavar for choice in option.choices)
    own = set(parameters) - set(TABLE)
    assert own == {"text", "lines", "json_field", "trees", "threads", "json", "diff", "output"}


@pytest.mark.parametrize("amount", ["５", "=５", "1..５", "٣"])
def test_amounts_are_written_in_western_digits(amount: str) -> None:
    with pytest.raises(LaconicError, match="an amount is"):
        Options(words=amount).budget()
