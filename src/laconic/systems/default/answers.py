"""Solutions written as answers: with both of their trees, and notes on what they tear apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laconic.annotate.charts import best_heads
from laconic.arrays import Float32
from laconic.compression import Compression
from laconic.decode.contract import Solution
from laconic.later import later
from laconic.sentence import Sentence
from laconic.systems.default.tie import PricedTies, Tie
from laconic.text.detokenise import standing
from laconic.trees.transform import restrict


@dataclass(frozen=True, slots=True)
class Answers:
    """What it takes to write the answers of a sentence, and no more.

    It knows nothing of the reading that searches for them, so that both are gone as soon as nobody asks: as a cycle
    they would wait for the collector of garbage. Ties that cost at least `noted` are noted where they are torn.
    """

    sentence: Sentence
    kept_arcs: Float32
    ties: PricedTies
    noted: float

    def written(self, solution: Solution) -> Compression:
        """The answer; marks that would be taken away again are not among its words."""
        sentence, kept_arcs = self.sentence, self.kept_arcs
        kept = standing(sentence, solution.kept)
        # Trees need no more than this; the rest of what the network said is not kept for them.
        return Compression.by_deletion(
            sentence,
            kept,
            score=solution.score,
            tree=later(lambda: None if sentence.tree is None else restrict(sentence.tree, kept)),
            heads=later(lambda: _best_heads(kept_arcs, kept)),
            notes=self._notes(kept),
        )

    def worded(self, tie: Tie) -> str:
        """What is left where a tie is torn, in words."""
        words = self.sentence.words
        given = "".join(f"{words[word]!r}, " for word in tie.given).removesuffix(", ")
        return f"{tie.torn}: {given} without {words[tie.needed[0]]!r}".replace(":  ", ": ")

    def _notes(self, kept: Sequence[int]) -> tuple[str, ...]:
        words = self.sentence.words
        if not any(char.isalnum() for word in kept for char in words[word]):
            return ("no word is left",)
        return tuple(self.worded(tie) for tie, price in self.ties.torn_by(kept) if price >= self.noted)


def _best_heads(arcs: Float32, kept: Sequence[int]) -> tuple[int, ...]:
    """The best tree over exactly these words."""
    places = np.array([0, *(word + 1 for word in kept)])
    return tuple(best_heads(arcs[places[:, None], places]).tolist())
