"""Sentences without a stop at their end, as in chats, subtitles and headlines.

The network has learnt on sentences that end with one, and clings to the last word where there is none. So it
is shown the sentence with a full stop, and what it says is then taken as if the stop were always kept.
"""

from __future__ import annotations

import numpy as np

from laconic.annotate.annotator import Analysis
from laconic.annotate.network import Scores
from laconic.sentence import Sentence
from laconic.trees.transform import restrict

_STOP = "."


def with_stop(sentence: Sentence) -> Sentence | None:
    """The words with a full stop after them; None if the last one ends a sentence already."""
    if not any(map(str.isalnum, sentence.words[-1])):
        return None
    return Sentence.from_words((*sentence.words, _STOP))


def without_stop(stopped: Analysis, sentence: Sentence) -> Analysis | None:
    """The analysis of the sentence from that with a stop; None if the stop heads another word."""
    found, count = stopped.sentence, len(sentence)
    assert found.tags is not None and found.heads is not None
    assert found.relations is not None and found.tree is not None
    if count in found.heads or found.heads[count] < 0:
        return None
    annotated = sentence.annotated(
        tags=found.tags[:count],
        tree=restrict(found.tree, range(count)),
        heads=found.heads[:count],
        relations=found.relations[:count],
    )
    scores = stopped.scores
    # follow'(p, end) = follow(p, stop) + follow(stop, end)
    follow = np.delete(np.delete(scores.follow, count + 1, axis=0), count + 1, axis=1)
    follow[:-1, -1] = scores.follow[: count + 1, count + 1] + scores.follow[count + 1, count + 2]
    side = count + 1
    return Analysis(
        annotated,
        Scores(
            tags=scores.tags[:count],
            gains=scores.gains[:side, :side],
            labels=scores.labels[:side, :side],
            arcs=scores.arcs[:side, :side],
            relations=scores.relations[:side, :side],
            keep=scores.keep[:count],
            follow=follow,
            kept_arcs=scores.kept_arcs[:side, :side],
        ),
    )
