"""Prompts: the limit is met on the whole, what must not be touched is not, and a question is heeded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.budget import TextCost
from laconic.documents.prompts import CompressedPrompt, compress_prompt, own_tokens
from laconic.errors import InfeasibleBudget, LaconicError

HARBOUR = (
    "The council voted on Thursday night to rebuild the old harbour wall. The work begins in March and takes about "
    "two years. Councillor Brendan Sykes, the only one to vote against it, called the plan a tax on herring."
)
CRANES = (
    "Every autumn some nine thousand cranes rest on the flooded meadows of the lower Arle. Dr. Ines Okafor has counted "
    "them for 22 years. Farmers used to drive the birds off with kites and drums."
)
BREAD = "The bakery sold rye bread to porters at night. It now has forty shops, and a cat that nobody owns."
DOCUMENTS = (HARBOUR, CRANES, BREAD)
# A tokenizer whose tokens do not add up over the words of a text.
THIRDS = TextCost(lambda text: -(-len(text.encode()) // 3), "thirds")
FAST: Any = {"system": "truncate"}


@settings(max_examples=40, deadline=None)
@given(
    documents=st.lists(st.sampled_from(("", "  ", "One.", *DOCUMENTS)), max_size=4),
    instruction=st.sampled_from(("", "Answer in one line.")),
    question=st.sampled_from(("", "Who counted the cranes?")),
    separator=st.sampled_from(("\n\n", " ### ", "")),
    tokenizer=st.sampled_from((THIRDS, TextCost(len, "letters"))),
    share=st.floats(0, 1.1),
    drop_sentences=st.booleans(),
)
def test_the_whole_prompt_meets_its_limit_or_is_refused(
    documents, instruction, question, separator, tokenizer, share, drop_sentences
) -> None:
    whole = separator.join(part for part in (instruction, *documents, question) if part)
    limit = int(share * tokenizer.count(whole))
    try:
        found = compress_prompt(
            documents,
            tokens=limit,
            tokenizer=tokenizer,
            instruction=instruction,
            question=question,
            query="",
            separator=separator,
            drop_sentences=drop_sentences,
            **FAST,
        )
    except InfeasibleBudget:
        assert limit < tokenizer.count(whole)
        return
    assert tokenizer.count(found.text) == found.cost <= limit
    assert found.text.startswith(instruction)
    assert found.text.endswith(question)
    assert found.text == separator.join(part for part in (instruction, *found.documents, question) if part)
    assert len(found.documents) == len(documents)
    if limit >= tokenizer.count(whole):
        assert found.documents == tuple(documents)


@pytest.fixture(scope="module")
def asked() -> CompressedPrompt:
    return compress_prompt(
        DOCUMENTS, ratio=0.4, question="Who voted against the plan?", instruction="Answer."
    )


def test_a_question_is_heeded(asked) -> None:
    assert "Brendan Sykes" in asked.documents[0]
    unasked = compress_prompt(DOCUMENTS, ratio=0.4, query="")
    assert len(asked.documents[0]) > len(unasked.documents[0])
    assert asked.ratio < 0.5


def test_the_question_moves_what_is_kept() -> None:
    found = compress_prompt(DOCUMENTS, ratio=0.4, query="Who has counted the cranes?")
    assert "Ines Okafor" in found.documents[1]
    assert "Who has counted" not in found.text


def test_documents_share_one_limit(asked) -> None:
    shares = [len(short) / len(long) for short, long in zip(asked.documents, DOCUMENTS, strict=True)]
    assert shares[0] > 1.5 * max(shares[1:])


FENCED = "```python\nwall = Wall(height=4)  # in metres\nwall.build()\n```"
TABLE = "| year | cranes |\n|------|--------|\n| 2008 | 3,000  |"
RECORD = '{\n  "wall": {"height": 4},\n  "built": ["now", "then"]\n}'


@pytest.mark.parametrize("block", [FENCED, TABLE, RECORD, "# The harbour wall"])
def test_code_tables_json_and_headings_stay_as_they_are(block: str) -> None:
    text = f"{HARBOUR}\n\n{block}\n\n{CRANES}"
    found = compress_prompt(text, ratio=0.6, query="")
    assert block in found.text
    assert found.cost < found.source_cost


@pytest.mark.parametrize(
    "phrase",
    [
        "https://example.org/a/wall?x=1",
        "“a tax on herring and on nothing else”",
        "`wall.build(now)`",
        '{"wall": 4, "cranes": [1, 2]}',
        "1,260",
    ],
)
def test_what_is_pinned_stays_in_a_sentence_that_stays(phrase: str) -> None:
    text = f"In the end the long report of the old committee said again that {phrase} was of little use to anybody."
    found = compress_prompt(text, ratio=0.75, query="", drop_sentences=False)
    assert phrase in found.text
    assert found.cost < found.source_cost
    json.loads(phrase) if phrase.startswith("{") else None


def test_words_to_keep_hold_their_sentences() -> None:
    found = compress_prompt(DOCUMENTS, ratio=0.3, query="", keep="a cat")
    assert "a cat" in found.documents[2]
    with pytest.raises(LaconicError, match="'a dog', to be kept or dropped, is not in the text"):
        compress_prompt(DOCUMENTS, ratio=0.3, keep="a dog")


def test_white_space_of_documents_is_theirs() -> None:
    text = f"{HARBOUR}\n\n- {BREAD}\n- {CRANES}"
    found = compress_prompt(text, ratio=0.8, query="", drop_sentences=False)
    assert [line[:2] for line in found.text.splitlines()[1:]] == ["", "- ", "- "]


def test_what_cannot_be_met_is_refused_with_what_is_possible() -> None:
    with pytest.raises(InfeasibleBudget, match="cannot be held to 5") as refusal:
        compress_prompt(
            DOCUMENTS, tokens=5, instruction="Answer the question from these documents alone, please."
        )
    assert refusal.value.possible is not None
    least = refusal.value.possible[0]
    found = compress_prompt(
        DOCUMENTS, tokens=least, instruction="Answer the question from these documents alone, please."
    )
    assert found.cost <= least


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a prompt needs a limit"),
        ({"tokens": 5, "ratio": 0.5}, "two limits"),
        ({"tokens": "5.."}, "is an upper one"),
        ({"tokens": 50, "per": "sentence"}, "one limit for all of its text"),
        ({"tokens": 50, "keep": [(1, 2)]}, "by naming them"),
        ({"tokens": 50, "instruction": 3}, "made of strings"),
        ({"tokens": 50, "colour": "red"}, "colour"),
    ],
)
def test_wrong_options_are_named(options, message: str) -> None:
    with pytest.raises((LaconicError, TypeError), match=message):
        compress_prompt(DOCUMENTS, **{**FAST, **options})


def test_any_limit_of_the_vocabulary_will_do() -> None:
    assert compress_prompt(DOCUMENTS, words=30, **FAST).cost <= 30
    assert len(compress_prompt(DOCUMENTS, for_="sms", **FAST).text) <= 160


def test_own_tokens_count_long_words_too() -> None:
    assert own_tokens().count("It fell.") == 3
    assert own_tokens().count("https://example.org/" + "a" * 800) >= 100
