"""Estimated readers: the mean of a judge's probabilities over outputs that only delete."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.corpora.pair import Pair
from laconic.metrics.evaluation import evaluate
from laconic.metrics.readers import EstimatedReaders
from laconic.sentence import Sentence


def share(sentence: Sentence, kept: Sequence[int]) -> float:
    """A judge that likes long answers."""
    return len(kept) / len(sentence)


PAIRS = [
    Pair(str(number), Sentence.from_words(words.split()), (("it", "fell"),), (None,))
    for number, words in enumerate(["so it fell", "it fell again today"])
]


def test_it_is_the_mean_probability() -> None:
    report = evaluate(["so it fell", "It fell"], PAIRS, metrics=[EstimatedReaders(share, "share")])
    score = report["readers"].score
    assert (score.macro, score.count, score.undefined) == ((1.0 + 0.5) / 2, 2, 0)
    assert score.signature.startswith("readers|judge:share|estimated:yes|")


def test_what_does_more_than_delete_has_none() -> None:
    report = evaluate(["it sank", "it fell"], PAIRS, metrics=[EstimatedReaders(share)])
    assert report["readers"].values == (None, 0.5)
