"""How closely words belong together, learnt from what people delete.

For each way to tear an arc of a parse, the price of a tie is the log-odds that people who keep what is given keep
what is needed too: a sum of whole weights of the arc's features, so that it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.storage import Content, open_model, write_model
from laconic.systems.default.source_tree import AUXILIARIES, SourceTree
from laconic.systems.default.tie import Tie, first_few

KIND = "ties"
STEP = 1 / 256
"""What a weight of 1 is worth, in log-odds."""

LEAST = 0.3
"""Ties of a lower price are none: what tears them is about as often done as not."""

_SMALL = frozenset(
    [
        *("mark", "cc", "case", "det", "aux", "aux:pass", "cop", "expl", "compound:prt", "nmod:poss"),
        *("fixed", "advmod", "cc:preconj"),
    ]
)
_LINKS = frozenset(["mark", "cc", "case"])
_NOT_AFTER = frozenset(["punct", "conj", "cc"])
_HIGHEST = 4  # words above a head that are looked at
_SIZES = ("<2", "<3", *["<6"] * 3, *["<11"] * 5, "more")  # of one word, of two, …
_OPENING = frozenset([",", "(", "-", "–", "—", ":"])
_LIKE = {
    "iobj": "obj",
    "nsubj:pass": "nsubj", "nsubj:outer": "nsubj", "csubj:pass": "csubj", "csubj:outer": "csubj", "aux:pass": "aux",
    "obl:agent": "obl", "obl:tmod": "obl:unmarked", "obl:npmod": "obl:unmarked", "nmod:tmod": "nmod:unmarked",
    "nmod:npmod": "nmod:unmarked", "nmod:desc": "nmod:unmarked", "det:predet": "det", "advcl:relcl": "acl:relcl",
}  # fmt: skip


class Tear(IntEnum):
    """The ways to tear an arc from a head to its dependent, each a column of the learnt weights."""

    PART = 0
    """The head stays, and of the dependent nothing that could stand for it."""
    LINK = 1
    """The head and what a small word links it to stay, and the small word goes: auxiliaries link it to its subject,
    others to its own head, the governor."""
    LONE_LINK = 2
    """The head stays without what a small word links it to, and the small word goes."""
    HEAD = 3
    """The dependent stays, and all goes that could stand for the head, or that is above it."""
    SKIPPED_HEAD = 4
    """The dependent stays and something above its head, and between them goes all that could stand for the head."""
    OWN_HEAD = 5
    """The dependent stays, and something only stands for its head."""
    BARE = 6
    """The dependent takes the place of its head below something, without a word that links it to that."""
    GOVERNOR = 7
    """A small word that links stays, and of the governor nothing."""


class Bond(NamedTuple):
    """A tie that an arc may hold, if `dependent` is worth it.

    What is torn `beside` it, too, is paid by itself; with `at most` it costs no more than the other way to tear it.
    """

    tear: Tear
    given: tuple[int, ...]
    needed: tuple[int, ...]
    dependent: int
    beside: Tear | None = None
    at_most: Tear | None = None


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
            if head >= 0 and not tree.is_mark(word):
                rows.extend(map(self._rows.get, features(tree, word), repeat(0)))
            rows.append(0)
        sums = np.add.reduceat(self._weights[rows], starts, axis=0)
        return np.asarray(sums * STEP)

    def ties(self, tree: SourceTree, *, free: float = 0.0) -> Iterator[tuple[Tie, float]]:
        """The ties of a sentence with their prices; one of them may come at several.

        The first `free` of what a part is worth to its head cost nothing, unless it completes it, as objects do: the
        scores of words say that, too.
        """
        prices, relations = self.prices(tree).tolist(), tree.plain_relations
        for tear, given, needed, dependent, beside, at_most in bonds(tree):
            odds = prices[dependent]
            price = odds[tear]
            if at_most is not None:
                price = min(price, odds[at_most])
            elif beside is not None and price > 0.0:  # that is paid by itself
                price -= min(price, max(0.0, odds[beside]))
            if free and tear is Tear.PART and like(tree.relations[dependent]) not in _COMPLETING:
                price -= free
            if price > LEAST:
                yield Tie(given, needed, _torn(tear, relations[dependent])), price


@cache
def _torn(tear: Tear, relation: str) -> str:
    worded = _WORDS_FOR[_WORDED_AS.get(tear, tear)]
    return worded.get(relation, worded[""])


def bonds(tree: SourceTree) -> Iterator[Bond]:
    """What may be torn in a sentence, arc by arc."""
    linking = [tree.related(word, "case", "mark") for word in range(len(tree))]
    for word, head in enumerate(tree.heads):
        if head < 0 or tree.is_mark(word):
            continue
        relation, governor = tree.relations[word], tree.heads[head]
        small = relation in _SMALL and not tree.children[word]
        linked = governor
        if relation in AUXILIARIES:
            linked = next((subject for subject in tree.subjects(head) if subject != word), governor)
        if small and linked >= 0:
            yield Bond(Tear.LINK, (head, linked), (word,), word, Tear.LONE_LINK)
            yield Bond(Tear.LONE_LINK, (head,), (word,), word, None, Tear.LINK)
        else:
            yield Bond(Tear.PART, (head,), first_few(tree.stand_ins(word)), word)
        if relation == "conj" and tree.is_clause(word) and not tree.subjects(word):
            for subject in tree.subjects(head):  # a man came up and (asked)
                yield Bond(Tear.PART, (word,), first_few(tree.stand_ins(subject)), subject)
        instead = first_few(tree.possible_heads(head, but=word))
        links = linking[head] + linking[word]
        bare = linking[head] and word not in links
        between = [head]
        for above in tree.above(head)[:_HIGHEST]:
            yield Bond(Tear.SKIPPED_HEAD, (word, above), first_few([*between, *instead]), word, Tear.HEAD)
            if bare:
                yield Bond(Tear.BARE, (word, above), first_few([*between, *links]), word)
            between.append(above)
        yield Bond(Tear.HEAD, (word,), instead, word, None, Tear.SKIPPED_HEAD if governor >= 0 else None)
        if len(instead) > 1:
            yield Bond(Tear.OWN_HEAD, (word,), (head,), word)
        if small and governor >= 0 and relation in _LINKS:
            yield Bond(Tear.GOVERNOR, (word,), first_few(tree.possible_heads(governor, but=head)), word)


def features(tree: SourceTree, word: int) -> list[str]:
    """What tells how closely a word and its head belong together; backing off from words to tags to relations."""
    head, words = tree.heads[word], tree.words
    own, above = f"{like(tree.relations[word])} ", like(tree.relations[head])
    (first, last), follows = tree.span(word), word > head
    tag, side = tree.tags[head], ">" if follows else "<"
    link = next((words[child] for child in tree.related(word, "case", "mark") if child < word), "")
    found = [
        own,
        f"{own}tags {side}{tag} {tree.tags[word]}",
        f"{own}head {words[head]}",
        f"{own}word {words[word]}",
        f"{own}link {link}",
        f"{own}link {link} of {words[head]}",
        f"{own}above {above}",
        f"{own}above {side}{tag[:2]} {above}",
        f"{own}size {_SIZES[min(last - first, 10)]}",
        f"{own}set off {words[first] in _OPENING or (first > 0 and words[first - 1] in _OPENING)}",
    ]
    if follows:
        voice = voice_of(tree, head)
        beside = any(
            child > head and child != word and tree.relations[child] not in _NOT_AFTER
            for child in tree.children[head]
        )
        found += [
            f"{own}next {first == head + 1}",
            f"{own}only {not beside}",
            f"{own}asks {voice} {words[head]}",
            *([f"{own}asks {voice} {words[head]} {link}"] if link else ()),
        ]
    else:
        found.append(f"{own}opens {first == 0}")
    return found


def like(relation: str) -> str:
    """The relation whose arcs are learnt from together with those of this one."""
    return _LIKE.get(relation, relation)


def voice_of(tree: SourceTree, word: int) -> str:
    """A word's kind as far as it says what is asked for: nouns, adjectives, and verbs, active or passive."""
    passive = any(tree.relations[child] == "aux:pass" for child in tree.children[word])
    return tree.tags[word][:1] + "p" * passive
