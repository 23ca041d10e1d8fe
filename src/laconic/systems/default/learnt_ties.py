"""How closely words belong together, learnt from what people delete.

For each way to tear an arc of a parse, the price of a tie is the log-odds that people who keep what is given keep
what is needed too: a sum of whole weights of the arc's features, so that it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.decode.branches import TieArrays
from laconic.storage import Content, open_model, write_model
from laconic.systems.default.bonds import NO_TEAR, Tear, listed_bonds
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import ListedTies

KIND = "ties"
STEP = 1 / 256
"""What a weight of 1 is worth, in log-odds."""

LEAST = 0.3
"""Ties of a lower price are none: what tears them is about as often done as not."""

_NOT_AFTER = frozenset(["punct", "conj", "cc"])
_SIZES = ("<2", "<3", *["<6"] * 3, *["<11"] * 5, "more")  # of one word, of two, …
_OPENING = frozenset([",", "(", "-", "–", "—", ":"])
_LIKE = {
    "iobj": "obj",
    "nsubj:pass": "nsubj", "nsubj:outer": "nsubj", "csubj:pass": "csubj", "csubj:outer": "csubj", "aux:pass": "aux",
    "obl:agent": "obl", "obl:tmod": "obl:unmarked", "obl:npmod": "obl:unmarked", "nmod:tmod": "nmod:unmarked",
    "nmod:npmod": "nmod:unmarked", "nmod:desc": "nmod:unmarked", "det:predet": "det", "advcl:relcl": "acl:relcl",
}  # fmt: skip


_DIGITS, _HALF = np.dtype("<u4"), 1 << 31  # half of a digit is added, so that none is negative
_NEVER_SEEN = repeat(0)
_REMEMBERED = 1 << 13  # kinds of arcs
_SIZE = _DIGITS.itemsize * len(Tear)
_HALVES = sum(_HALF << (8 * _DIGITS.itemsize * tear) for tear in Tear)

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
LEARNT_LOSSES = frozenset(text for texts in _WORDS_FOR.values() for text in texts.values())
"""What may be torn along an arc, in words."""
SMALL_WORD_LOSSES = frozenset(
    _WORDS_FOR[tear][word] for tear in (Tear.PART, Tear.HEAD) for word in ("det", "case")
)
"""Those that concern articles and prepositions: grammar alone asks for them."""
_COMPLETING = frozenset(["nsubj", "csubj", "expl", "obj", "iobj", "ccomp", "xcomp"])
_WORDED_AS = {
    Tear.LINK: Tear.PART,
    Tear.LONE_LINK: Tear.PART,
    Tear.SKIPPED_HEAD: Tear.HEAD,
    Tear.OWN_HEAD: Tear.HEAD,
    Tear.BARE: Tear.GOVERNOR,
}


class _Losses(dict[str, str]):
    """What is left, by the relation that is torn; of one that is not named, what is said of none."""

    def __missing__(self, relation: str) -> str:
        self[relation] = self[""]
        return self[""]


_TORN = [_Losses(_WORDS_FOR[_WORDED_AS.get(tear, tear)]) for tear in Tear]


class LearntTies:
    """Weights of features, a column for each way to tear an arc."""

    def __init__(self, weights: Mapping[str, NDArray[np.int16]]) -> None:
        self._names = sorted(weights)
        rows = [weights[name] for name in self._names]
        self._weights = np.array(rows, np.int16).reshape(len(rows), len(Tear))
        # The weights of a feature are the digits of one number, so that to add numbers is to add features.
        digits = (self._weights.astype(np.int64) + _HALF).astype(_DIGITS).tobytes()
        packed = (
            int.from_bytes(digits[start : start + _SIZE], "little") - _HALVES
            for start in range(0, len(digits), _SIZE)
        )
        self._packed = dict(zip(self._names, packed, strict=True))

        @lru_cache(maxsize=_REMEMBERED)
        def of_traits(*traits: Any) -> int:
            return sum(map(self._packed.get, Traits(*traits).features(), _NEVER_SEEN))

        self._of_traits = of_traits

    @classmethod
    @cache
    def shipped(cls) -> LearntTies:
        """The weights that come with laconic."""
        return cls.load(Path(__file__).parents[2] / "models" / KIND)

    def save(self, folder: Path) -> None:
        """Write features and weights."""
        write_model(folder, KIND, Content(arrays={"weights": self._weights}, lines={"features": self._names}))

    @classmethod
    def load(cls, folder: Path) -> LearntTies:
        """The weights that `save` wrote."""
        with open_model(folder, KIND) as stored:
            names = stored.lines_of("features", distinct=True)
            weights = stored.array("weights", np.int16, (len(names), len(Tear)))
        return cls(dict(zip(names, weights, strict=True)))

    def prices(self, tree: SourceTree) -> NDArray[np.float64]:
        """The log-odds that each arc is not torn, [word, tear]."""
        sums = []
        for word, head in enumerate(tree.heads):
            total = _HALVES
            if head >= 0 and not tree.is_mark(word):
                traits, worded = described(tree, word)
                total += self._of_traits(*traits) + sum(map(self._packed.get, worded, _NEVER_SEEN))
            sums.append(total)
        digits = np.frombuffer(b"".join(each.to_bytes(_SIZE, "little") for each in sums), _DIGITS)
        return (digits.reshape(len(sums), len(Tear)).astype(np.float64) - _HALF) * STEP

    def ties(self, tree: SourceTree, *, free: float = 0.0, log_odds: float = 1.0) -> ListedTies:
        """The ties of a sentence, at so much for one of the log-odds; one may come at several prices.

        The first `free` of what a part is worth to its head cost nothing, unless it completes it, as objects do: the
        scores of words say that, too.
        """
        bonds, odds = listed_bonds(tree), self.prices(tree)
        prices = odds[bonds.dependents, bonds.tears]
        # Without a tear beside it, or another way, that of the last column is read, and not used.
        beside = np.maximum(odds[bonds.dependents, bonds.beside], 0.0)  # that is paid by itself
        at_most = odds[bonds.dependents, bonds.at_most]
        prices -= np.where(bonds.beside == NO_TEAR, 0.0, beside)
        np.minimum(prices, at_most, out=prices, where=bonds.at_most != NO_TEAR)
        if free:
            is_free = np.array([like(relation) not in _COMPLETING for relation in tree.relations])
            prices[(bonds.tears == Tear.PART) & is_free[bonds.dependents]] -= free
        prices[prices <= LEAST] = 0.0
        relations = tree.plain_relations
        torn = [
            _TORN[tear][relations[dependent]]
            for tear, dependent in zip(bonds.tears.tolist(), bonds.dependents.tolist(), strict=True)
        ]
        return ListedTies(TieArrays(bonds.words, bonds.given, bonds.ends, log_odds * prices), torn)


class Traits(NamedTuple):
    """What of an arc does not depend on its words, and is often the same: its features are looked up at once."""

    relation: str
    above: str
    side: str
    head_tag: str
    tag: str
    link: str
    size: str
    set_off: bool
    next: bool
    only: bool

    def features(self) -> list[str]:
        """Their names."""
        own, above = f"{self.relation} ", self.above
        found = [
            own,
            f"{own}above {above}",
            f"{own}above {self.side}{self.head_tag[:2]} {above}",
            f"{own}tags {self.side}{self.head_tag} {self.tag}",
            f"{own}link {self.link}",
            f"{own}size {self.size}",
            f"{own}set off {self.set_off}",
        ]
        if self.side == "<":
            return [*found, f"{own}opens {self.next}"]
        return [*found, f"{own}next {self.next}", f"{own}only {self.only}"]


def features(tree: SourceTree, word: int) -> list[str]:
    """What tells how closely a word and its head belong together; backing off from words to tags to relations."""
    traits, worded = described(tree, word)
    return [*Traits(*traits).features(), *worded]


def described(tree: SourceTree, word: int) -> tuple[tuple[Any, ...], list[str]]:
    """The traits of the arc to a word, and its features that depend on words."""
    head, words, links = tree.heads[word], tree.words, tree.links[word]
    relation, (first, last) = like(tree.relations[word]), tree.spans[word]
    own, of_head = f"{relation} ", words[head]
    link = words[links[0]] if links and links[0] < word else ""
    set_off = words[first] in _OPENING or (first > 0 and words[first - 1] in _OPENING)
    side, begins, beside = "<", first == 0, False
    found = [f"{own}head {of_head}", f"{own}word {words[word]}", f"{own}link {link} of {of_head}"]
    if word > head:
        side, begins = ">", first == head + 1
        beside = any(
            child > head and child != word and tree.relations[child] not in _NOT_AFTER
            for child in tree.children[head]
        )
        asks = f"{own}asks {voice_of(tree, head)} {of_head}"
        found.append(asks)
        if link:
            found.append(f"{asks} {link}")
    above, tags = like(tree.relations[head]), (tree.tags[head], tree.tags[word])
    size = _SIZES[min(last - first, 10)]
    return (relation, above, side, *tags, link, size, set_off, begins, not beside), found


def like(relation: str) -> str:
    """The relation whose arcs are learnt from together with those of this one."""
    return _LIKE.get(relation, relation)


def voice_of(tree: SourceTree, word: int) -> str:
    """A word's kind as far as it says what is asked for: nouns, adjectives, and verbs, active or passive."""
    return tree.tags[word][:1] + "p" * (word in tree.passive)
