"""Sentences, budgets and pins for the tests of systems."""

from __future__ import annotations

from hypothesis import strategies as st

from laconic.budget import Budget, Unit
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise

tokens = st.sampled_from(
    ["The", "iPhone", "it", "'s", "n't", "Inc.", ",", ";", "--", ".", "“", "”", "(", ")", "$", "5"]
)
sentences = st.lists(st.tuples(tokens, st.sampled_from(["", " "])), max_size=10).map(
    lambda pairs: tokenise("".join(word + space for word, space in pairs))
)


def letters(word: str) -> int:
    """A cost for each word that can be 0."""
    return sum(map(str.isalpha, word))


units: st.SearchStrategy[Unit] = st.sampled_from(["pieces", "characters", letters])


@st.composite
def budgets(draw: st.DrawFn) -> Budget | None:
    unit = draw(units)
    kind = draw(st.sampled_from(["none", "at most", "exactly", "at least", "between", "ratio"]))
    amount = draw(st.integers(0, 30))
    match kind:
        case "at most":
            return Budget.at_most(amount, unit=unit)
        case "exactly":
            return Budget.exactly(amount, unit=unit)
        case "at least":
            return Budget.at_least(amount, unit=unit)
        case "between":
            return Budget.between(amount, amount + draw(st.integers(0, 5)), unit=unit)
        case "ratio":
            return Budget.at_most(ratio=draw(st.floats(0, 1)), unit=unit)
        case _:
            return None


@st.composite
def requests(draw: st.DrawFn) -> tuple[Sentence, Budget | None, list[int], list[int]]:
    """A sentence, a budget, words to keep and words to drop."""
    sentence = draw(sentences)
    fate = [draw(st.sampled_from("???kd")) for _ in sentence.words]
    keep = [index for index, choice in enumerate(fate) if choice == "k"]
    drop = [index for index, choice in enumerate(fate) if choice == "d"]
    return sentence, draw(budgets()), keep, drop
