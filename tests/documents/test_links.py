"""Links are whole or gone in every answer, and what a refusal calls possible is answered."""

from __future__ import annotations

import re
from itertools import product

import pytest

import laconic
from laconic.budget import WORDS, Budget, Unit
from laconic.compression import Compression
from laconic.documents import links as room
from laconic.documents.units import read, units_of
from laconic.errors import InfeasibleBudget
from laconic.options import Options
from laconic.text.detokenise import removed_words

TEXTS = [
    "See [the old page](http://a.b), and [two more](http://c.d) now.",
    "[It fell again](http://a.b) today. He saw [a ship](http://c.d).",
    "Go to [our new small shop](http://a.b)!",
]
MANY = "We sold " + ", ".join(
    f"[{word} paper](http://{word}.b)" for word in ["red", "blue", "green", "pink", "grey", "old", "new"]
)


def possible_costs(text: str, unit: Unit) -> set[int]:
    """What the text can cost with every link whole or gone and no mark that would be taken away again."""
    units, _ = units_of(read(text, Options(format="markdown")))
    choices: list[list[Compression]] = []
    for each in units:
        sentence, own = each.place.sentence, each.place.links
        found = []
        for fates in product((False, True), repeat=len(sentence)):
            kept = [word for word, stays in enumerate(fates) if stays]
            if all(len(link.intersection(kept)) in (0, len(link)) for link in own):
                answer = Compression.by_deletion(sentence, kept)
                if any(map(str.isalnum, answer.text)) and not removed_words(answer.repairs):
                    found.append(answer)
        choices.append(found)
    budget = Budget.at_least(0, unit=unit)
    return {
        budget.measure(
            [word for each in chosen for word in each.words], " ".join(each.text for each in chosen)
        )
        for chosen in product(*choices)
    }


def links_of(text: str) -> list[str]:
    """What stands in the brackets of links, as it was written but for the capital of a sentence."""
    return [inner.lower() for inner in re.findall(r"\[(.*?)\]", text)]


def check_links(found: laconic.CompressedText, text: str) -> None:
    """No link may say anything else than it did."""
    assert set(links_of(found.text)) <= {*links_of(text), ""}


@pytest.mark.parametrize("unit", [WORDS, "characters"])
@pytest.mark.parametrize("text", TEXTS)
def test_exact_limits_with_links_are_those_of_enumeration(text: str, unit: Unit) -> None:
    possible = possible_costs(text, unit)
    for amount in range(max(possible) + 2):
        try:
            found = laconic.compress(text, Budget.exactly(amount, unit=unit), format="markdown")
        except InfeasibleBudget as error:
            assert amount not in possible
            assert error.possible is not None
            below, above = error.possible
            assert {below, above} <= possible and amount not in (below, above)
            assert not any(below < cost < amount or amount < cost < above for cost in possible)
            continue
        check_links(found, text)
        assert Budget.exactly(amount, unit=unit).measure((), found.unmarked) == amount


@pytest.mark.parametrize("tries", [1, 3, 50])
def test_no_link_is_torn_however_many_there_are(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_TRIES", tries)
    refused = 0
    for characters in (1, 13, 21, 24, 40, 55):
        try:
            found = laconic.compress(MANY, characters=f"={characters}", format="markdown")
        except InfeasibleBudget as error:
            refused += 1
            assert error.possible is not None
            for amount in error.possible:
                again = laconic.compress(MANY, characters=f"={amount}", format="markdown")
                assert len(again.unmarked) == amount
                check_links(again, MANY)
            continue
        check_links(found, MANY)
        assert len(found.unmarked) == characters
    assert refused


def test_a_sentence_that_is_a_link_does_not_go_unasked() -> None:
    text = "[Our new small shop](http://a.b) "
    with pytest.raises(InfeasibleBudget, match="possible: 4"):
        laconic.compress(text, words=2, format="markdown")
