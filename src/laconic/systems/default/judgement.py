"""What readers would make of a compression, estimated from what it tears and what it leaves out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from laconic.annotate.annotator import Analysis, load_annotator
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.default.learnt_ties import LearntTies
from laconic.systems.default.prices import Prices
from laconic.systems.default.punctuation import run_ons
from laconic.systems.default.source_tree import SourceTree

KIND = "judgement"
STEP = 1 / 256
"""What a weight of 1 is worth, in log-odds."""

MINDED = Prices(log_odds=1.0, mark=0.0, fragment=10.0, run_on=0.0, hard=10.0)
"""What readers are taken to mind of what is torn, on the scale of the learnt ties."""

_MOST_WEIGHT = 1 << 16
_REMEMBERED = 8  # sentences, each of which may be held against several references


class Traits(NamedTuple):
    """What a judgement looks at.

    `torn` is the square root of the prices of all that is torn, `run_ons` how many marks lack between neighbours,
    `brevity` is 1 / words left − 1 / words there were, `dearest` the log-odds by which the network would have kept the
    word left out that it would miss most; more of any is worse.
    """

    torn: float
    run_ons: float
    brevity: float
    dearest: float


class Judge:
    """The probability that a reader finds both the grammar and the meaning of a compression good.

    Good is at least 4 of 5. It was learnt from blind readings by language models, not people. `base` is the log-odds
    where nothing was deleted, `weights` say what each of the traits takes from them, in steps of 1/256.
    """

    def __init__(self, base: int, weights: Mapping[str, int]) -> None:
        # A judge that likes better what is torn is none.
        assert set(weights) == set(Traits._fields) and min(weights.values()) >= 0
        self.base, self.weights = base, dict(weights)

    @property
    def signature(self) -> str:
        """Which judge this is, for the signatures of what is measured with it."""
        return "-".join(map(str, (self.base, *(self.weights[name] for name in Traits._fields))))

    @classmethod
    @cache
    def shipped(cls) -> Judge:
        """The judge that comes with laconic."""
        return cls.load(Path(__file__).parents[2] / "models" / KIND)

    def save(self, folder: Path) -> None:
        """Write the weights."""
        write_model(folder, KIND, Content({"base": self.base, "weights": self.weights}))

    @classmethod
    def load(cls, folder: Path) -> Judge:
        """The judge that `save` wrote."""
        with open_model(folder, KIND) as stored:
            base = stored.whole("base", low=-_MOST_WEIGHT, high=_MOST_WEIGHT)
            weights = stored.within("weights")
            return cls(base, {name: weights.whole(name, low=0, high=_MOST_WEIGHT) for name in Traits._fields})

    def probability(self, sentence: Sentence, kept: Iterable[int]) -> float:
        """The probability for these words of a sentence, to four digits; nothing at all is never good.

        >>> from laconic.text.tokenise import tokenise
        >>> sentence = tokenise("The mayor did not resign on Monday.")
        >>> judge = Judge.shipped()
        >>> judge.probability(sentence, [0, 1, 2, 3, 4, 7]) > judge.probability(sentence, [0, 1, 2, 4, 5, 6, 7])
        True
        """
        words = tuple(sorted(set(kept)))
        if not any(char.isalnum() for word in words for char in sentence.words[word]):
            return 0.0
        return self.judged(traits(_analysed(sentence), words))

    def judged(self, found: Traits) -> float:
        """The probability for what was found of a compression, to four digits."""
        log_odds = STEP * (
            self.base - sum(self.weights[name] * value for name, value in found._asdict().items())
        )
        # Of large numbers the exponential overflows; beyond 30 the digits are the same.
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds)))), 4)


@lru_cache(maxsize=_REMEMBERED)
def _analysed(sentence: Sentence) -> Analysis:
    [analysis] = load_annotator(threads=1).analyse([sentence], register="general")
    return analysis


def traits(analysis: Analysis, kept: tuple[int, ...]) -> Traits:
    """What a judgement looks at in a compression that keeps these words, in their order."""
    tree, words = SourceTree(analysis.sentence), frozenset(kept)
    prices = MINDED.of(tree, LearntTies.shipped())
    lacking = run_ons(tree)
    spoken = [word for word in range(len(tree)) if not tree.is_mark(word)]
    lost = [word for word in spoken if word not in words]
    return Traits(
        torn=math.sqrt(math.fsum(price for tie, price in prices.items() if tie.broken_by(words))),
        run_ons=sum(bool(lacking[pair]) for pair in zip(kept, (*kept[1:], len(tree)), strict=True)),
        brevity=1 / max(1, len(spoken) - len(lost)) - 1 / max(1, len(spoken)),
        dearest=max([0.0, *(float(analysis.scores.keep[word]) for word in lost)]),
    )
