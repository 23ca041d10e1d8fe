"""The losses of Table 1 in Cohn & Lapata (2009), with their arguments."""

from collections import Counter
from fractions import Fraction

from laconic.systems.transducer.losses import (
    CfgHamming,
    EditDistance,
    F1Loss,
    Hits,
    NgramHamming,
    TokenHamming,
)
from laconic.systems.transducer.reference_ngrams import ngrams_of
from laconic.trees.constituency import Tree


def tree(noun: str) -> Tree:
    """The table prints [VP [VBN involved]] in the reference alone, but says that the trees are identical."""
    subject = ("NP", ("NNS", noun))
    predicate = ("VP", ("VBP", "are"), ("VBN", "involved"))
    return Tree.from_nested(("S", ("WHNP", ("WP", "what")), ("S", subject, predicate)))


REFERENCE, PREDICTED = tree("records"), tree("ones")


def rate(loss: TokenHamming | NgramHamming | CfgHamming, items: int) -> Fraction:
    """The loss as a part of the items of the reference, as the table states it."""
    return Fraction(loss.value(PREDICTED, REFERENCE)) / items


def test_tokens() -> None:
    assert TokenHamming().hits(PREDICTED, REFERENCE) == Hits(right=3, wrong=1)
    assert rate(TokenHamming(), 4) == Fraction(1, 4)


def test_ngrams() -> None:
    """The table prints FP = 5 and 5/14; but TP + FP are the 14 n-grams, and `ones` is in 1 + 2 + 3 of them."""
    assert len(ngrams_of(PREDICTED.words, 3)) == len(ngrams_of(REFERENCE.words, 3)) == 14
    assert NgramHamming().hits(PREDICTED, REFERENCE) == Hits(right=8, wrong=6)
    assert rate(NgramHamming(), 14) == Fraction(6, 14)


def test_productions() -> None:
    assert CfgHamming().hits(PREDICTED, REFERENCE) == Hits(right=8, wrong=1)
    assert rate(CfgHamming(), 9) == Fraction(1, 9)


def test_edit_distance_and_f1() -> None:
    counts = Counter(PREDICTED.words)
    of_reference = [counts[word] for word in REFERENCE.words]
    assert (*of_reference, counts.total() - sum(of_reference)) == (1, 0, 1, 1, 1)
    assert EditDistance().value(PREDICTED, REFERENCE) == 2
    assert F1Loss().value(PREDICTED, REFERENCE) == 0.25
