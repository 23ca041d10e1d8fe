"""How closely words belong together, learnt from what people delete.

For each way to tear an arc (`bonds.Tear`), the price of a tie is the log-odds that people who keep what is given keep
what is needed too: a sum of whole weights of the arc's features, so that it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from laconic.storage import Content, open_model, write_model
from laconic.systems.default.bonds import Bond, Tear, bonds, features, like
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Tie

KIND = "ties"
STEP = 1 / 256
"""What a weight of 1 is worth, in log-odds."""

LEAST = 0.3
"""Ties of a lower price are none: what tears them is about as often done as not."""

_WORDS_FOR: Mapping[Tear, Mapping[str, str]] = {
    Tear.PART: {
        "nsubj": "a verb stands without its subject",
        "csubj": "a verb stands without its subject",
        "expl": "a verb stands without its subject",
        "obj": "a verb stands without its object",
        "iobj": "a verb stands without its object",
        "aux": "a verb stands without its auxiliary",
        "cop": "a verb stands without its auxiliary",
        "det": "a noun stands without its article",
        "case": "a phrase stands without its preposition",
        "mark": "a clause stands without the word that joins it",
        "cc": "phrases stand without the word that joins them",
        "compound": "half of a name or a fixed phrase is gone",
        "flat": "half of a name or a fixed phrase is gone",
        "fixed": "half of a name or a fixed phrase is gone",
        "": "a word stands without what completes it",
    },
    Tear.HEAD: {
        "nsubj": "a subject stands without its verb",
        "csubj": "a subject stands without its verb",
        "aux": "an auxiliary stands without its verb",
        "cop": "an auxiliary stands without its verb",
        "case": "a preposition stands without its phrase",
        "det": "an article stands without its noun",
        "cc": "a conjunction stands without one of its sides",
        "acl": "a clause stands without what it says something of",
        "advcl": "a dependent clause stands alone",
        "": "a word stands without the one it belongs to",
    },
    Tear.GOVERNOR: {
        "cc": "a conjunction stands without one of its sides",
        "mark": "a dependent clause stands alone",
        "": "a phrase stands without what it belongs to",
    },
}
_COMPLETING = frozenset(["nsubj", "csubj", "expl", "obj", "iobj", "ccomp", "xcomp"])
_WORDED_AS = {
    Tear.LINK: Tear.PART,
    Tear.LONE_LINK: Tear.PART,
    Tear.SKIPPED_HEAD: Tear.HEAD,
    Tear.OWN_HEAD: Tear.HEAD,
    Tear.BARE: Tear.GOVERNOR,
}


class LearntTies:
    """Weights of features, a column for each way to tear an arc."""

    def __init__(self, weights: Mapping[str, NDArray[np.int16]]) -> None:
        names = sorted(weights)
        self._rows = {name: row for row, name in enumerate(names, start=1)}
        # Row 0 is for what was never seen.
        self._weights = np.zeros((len(names) + 1, len(Tear)), np.int64)
        if names:
            self._weights[1:] = [weights[name] for name in names]

    @classmethod
    @cache
    def shipped(cls) -> LearntTies:
        """The weights that come with laconic."""
        return cls.load(Path(__file__).parents[2] / "models" / KIND)

    def save(self, folder: Path) -> None:
        """Write features and weights."""
        arrays = {"weights": self._weights[1:].astype(np.int16)}
        write_model(folder, KIND, Content(arrays=arrays, lines={"features": sorted(self._rows)}))

    @classmethod
    def load(cls, folder: Path) -> LearntTies:
        """The weights that `save` wrote."""
        with open_model(folder, KIND) as stored:
            names = stored.lines_of("features", distinct=True)
            weights = stored.array("weights", np.int16, (len(names), len(Tear)))
        return cls(dict(zip(names, weights, strict=True)))

    def prices(self, tree: SourceTree) -> NDArray[np.float64]:
        """The log-odds that each arc is not torn, [word, tear]."""
        rows, starts = [0], []
        for word, head in enumerate(tree.heads):
            starts.append(len(rows))
            named = features(tree, word) if head >= 0 and not tree.is_mark(word) else ()
            rows.extend(self._rows.get(name, 0) for name in named)
            rows.append(0)
        sums = np.add.reduceat(self._weights[rows], starts, axis=0)
        return np.asarray(sums * STEP)

    def ties(self, tree: SourceTree, *, free: float = 0.0) -> dict[Tie, float]:
        """The ties of a sentence with their prices.

        The first `free` of what a part is worth to its head cost nothing, unless it completes it, as objects do: the
        scores of words say that, too.
        """
        prices = self.prices(tree).tolist()
        found: dict[Tie, float] = {}
        for bond in bonds(tree):
            price = _price(bond, prices[bond.dependent])
            if bond.tear is Tear.PART and like(tree.relations[bond.dependent]) not in _COMPLETING:
                price -= free
            if price > LEAST:
                tie = Tie(bond.given, bond.needed, _torn(bond, tree))
                found[tie] = max(price, found.get(tie, 0.0))
        return found


def _price(bond: Bond, prices: Sequence[float]) -> float:
    """What a bond costs beyond what is torn with it and paid by itself."""
    own = max(0.0, prices[bond.tear])
    if bond.at_most is not None:
        return min(own, max(0.0, prices[bond.at_most]))
    return own if bond.beside is None else own - min(own, max(0.0, prices[bond.beside]))


def _torn(bond: Bond, tree: SourceTree) -> str:
    worded = _WORDS_FOR[_WORDED_AS.get(bond.tear, bond.tear)]
    return worded.get(tree.plain_relations[bond.dependent], worded[""])
