"""Called like LLMLingua's compressor, answered in its form, with limits that are met."""

from __future__ import annotations

import inspect

import pytest

from laconic.errors import InfeasibleBudget, LaconicError
from laconic.integrations.llmlingua import PromptCompressor

HARBOUR = (
    "The council voted on Thursday night to rebuild the old harbour wall. The work begins in March and takes about "
    "two years. Councillor Brendan Sykes, the only one to vote against it, called the plan a tax on herring."
)
BREAD = "The bakery sold rye bread to porters at night. It now has forty shops, and a cat that nobody owns."
COMPRESSOR = PromptCompressor("any/model", device_map="cpu", use_llmlingua2=True, tokenizer=str.split)


@pytest.fixture(scope="module")
def answer():
    return COMPRESSOR.compress_prompt(
        [HARBOUR, BREAD],
        instruction="Answer in one line.",
        question="Who voted against the plan?",
        target_token=40,
        force_tokens=["\n", ".", "cat"],
        force_reserve_digit=True,
        drop_consecutive=True,
    )


def test_the_answer_has_their_form(answer) -> None:
    assert list(answer) == [
        *(
            "compressed_prompt",
            "compressed_prompt_list",
            "origin_tokens",
            "compressed_tokens",
            "ratio",
            "rate",
        ),
        "saving",
    ]
    source = 4 + len(HARBOUR.split()) + len(BREAD.split()) + 5
    assert answer["origin_tokens"] == source
    assert answer["compressed_tokens"] == len(answer["compressed_prompt"].split()) <= 40
    assert answer["ratio"] == f"{source / answer['compressed_tokens']:.1f}x"
    assert answer["rate"] == f"{100 * answer['compressed_tokens'] / source:.1f}%"
    assert answer["saving"].startswith(", Saving $")


def test_instruction_question_and_forced_words_stay(answer) -> None:
    prompt = answer["compressed_prompt"]
    assert prompt.startswith("Answer in one line.\n\n")
    assert prompt.endswith("\n\nWho voted against the plan?")
    assert "a cat" in answer["compressed_prompt_list"][1]
    assert "Brendan Sykes" in prompt


@pytest.mark.parametrize("rate", [0.3, 0.6, 1.0])
def test_a_rate_is_that_of_the_whole_prompt(rate: float) -> None:
    found = COMPRESSOR.compress_prompt(HARBOUR, question="Who voted against it?", rate=rate)
    assert found["compressed_tokens"] <= rate * found["origin_tokens"]


def test_segments_are_shortened_each_in_its_way() -> None:
    text = (
        "<llmlingua, compress=False>Minutes, very much in full:</llmlingua>\n"
        f"<llmlingua, rate=0.5>{BREAD}</llmlingua>\n{HARBOUR}"
    )
    found = COMPRESSOR.structured_compress_prompt([text], rate=0.6)
    first, bread, harbour = found["compressed_prompt"].split("\n")
    assert first == "Minutes, very much in full:"
    assert 0 < len(bread.split()) <= 0.5 * len(BREAD.split())
    assert 0 < len(harbour.split()) < len(HARBOUR.split())
    assert found["compressed_tokens"] <= 0.6 * found["origin_tokens"]
    assert "llmlingua" not in found["compressed_prompt"]


def test_segments_that_fill_the_prompt_are_refused() -> None:
    with pytest.raises(InfeasibleBudget, match="cannot"):
        COMPRESSOR.structured_compress_prompt(
            f"<llmlingua, compress=False>{BREAD}</llmlingua> {HARBOUR}", target_token=10
        )


def test_options_of_their_models_are_taken_and_others_refused() -> None:
    short = COMPRESSOR.compress_prompt(BREAD, rate=1.0, iterative_size=200, context_budget="+100")
    assert short["compressed_prompt"] == BREAD
    with pytest.raises(LaconicError, match="no option 'colour'"):
        COMPRESSOR.compress_prompt(BREAD, colour="red")
    with pytest.raises(LaconicError, match="between 0 and 1"):
        COMPRESSOR.compress_prompt(BREAD, rate=2)


def test_the_call_has_their_shape() -> None:
    for method in (PromptCompressor.compress_prompt, PromptCompressor.structured_compress_prompt):
        names = list(inspect.signature(method).parameters)
        assert names[:6] == ["self", "context", "instruction", "question", "rate", "target_token"]
