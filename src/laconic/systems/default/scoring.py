"""From the network's scores to those of the search: the few weights that are tuned by hand.

The network has learnt on sentences that end with a stop, and clings to the last word where there is none, as in chats,
subtitles and headlines. So it is shown the sentence with a full stop, and what it says is then taken as if the stop
were always kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from laconic.annotate.annotator import Analysis
from laconic.annotate.network import Scores
from laconic.arrays import Float64
from laconic.errors import LaconicError
from laconic.later import later
from laconic.sentence import Sentence
from laconic.trees.transform import restrict

_STOP = "."

FAR = -30.0
"""The score of neighbours too far apart for the network to have seen them together."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each of the network's opinions counts.

    `emphasis` is how much of what sets the register apart the network is shown: at 1 as much as in training.

    `path` weighs how well words follow each other in the compression, `keep` the log-odds of
    each word by itself (`given_keep` where a budget sets the length). `bias` is added for every kept word: it sets
    the length that is natural when there is no budget.
    """

    path: float = 1.0
    keep: float = 0.0
    given_keep: float = 0.0
    bias: float = 0.0
    emphasis: float = 1.0

    def at_given_length(self) -> Weights:
        """The weights when a budget sets the length.

        On headlines held to the reference's length the path by itself is the better judge; broadcast and
        print, of which the network has seen few, gain from the words' own odds.
        """
        return replace(self, keep=self.given_keep, bias=0.0)


REGISTERS: Mapping[str, Weights] = {
    "news": Weights(keep=2.0, bias=0.45),
    "spoken": Weights(keep=2.0, given_keep=0.25, bias=-2.1, emphasis=1.6),
    "written": Weights(keep=2.0, given_keep=0.25, bias=-1.2, emphasis=1.6),
    "general": Weights(keep=2.0, given_keep=0.75, bias=-2.25),
}
"""The weights for each of the network's registers: those of the papers' corpora chosen on development pairs, those of
general prose on folds of the compressions that were written for it.

F1 is highest where nearly everything stays; the biases of broadcast and print give half a point and one for a length
that is nearer to that of the references.
"""

STYLES: Mapping[str, float] = {"terse": 0.0, "balanced": 0.5, "safe": 1.0}
"""Names for how much is kept when no budget says it."""

STYLE_BIAS = 6.0
"""What the extreme styles take from, or add to, the score of every kept word."""


def style_bias(style: float | str) -> float:
    """What a style, by name or from 0 (terse) to 1 (safe), adds to the score of every kept word."""
    value = STYLES.get(style) if isinstance(style, str) else style
    if value is None or not 0 <= value <= 1:
        raise LaconicError(f"a style is {', '.join(STYLES)} or a number from 0 to 1, not {style!r}")
    return STYLE_BIAS * (2.0 * value - 1.0)


def bigrams(scores: Scores, weights: Weights) -> Float64:
    """What a path adds up, [word, next word]: how well one follows the other, and what the first is worth by itself."""
    follow = scores.follow.astype(np.float64)
    found = np.where(np.isneginf(follow), FAR, follow) * weights.path
    found[1:-1] += (weights.keep * scores.keep.astype(np.float64) + weights.bias)[:, None]
    return found


def with_stop(sentence: Sentence) -> Sentence | None:
    """The words with a full stop after them; None if the last one ends a sentence already."""
    if not any(map(str.isalnum, sentence.words[-1])):
        return None
    return Sentence.from_words((*sentence.words, _STOP))


def without_stop(stopped: Analysis, sentence: Sentence) -> Analysis | None:
    """The analysis of the sentence from that with a stop; None if the stop heads another word."""
    found, count = stopped.sentence, len(sentence)
    assert found.tags is not None and found.heads is not None
    assert found.relations is not None
    if count in found.heads or found.heads[count] < 0:
        return None
    annotated = sentence.annotated(
        tags=found.tags[:count],
        tree=later(lambda: None if found.tree is None else restrict(found.tree, range(count))),
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
            states=None if scores.states is None else np.delete(scores.states, count + 1, axis=0),
        ),
    )
