"""All texts that deleting words can leave, by what they cost: which costs there are, and the best at each.

Scores of a system play no part: a dynamic program over the last word written, which follows the rules of
detokenising exactly. The costs that can be reached are the bits of an integer; the best text at each cost is an
array. Both are values of one recurrence:

    texts(j) = Σ over i < j of texts(i), one step dearer by gap(i, j) + cost(j), where j may follow i

Marks that would be taken away again stand in no text; a single mark that is all there is does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from laconic.arrays import Complex128
from laconic.budgets.counting import Counting
from laconic.errors import check_size
from laconic.sentence import Sentence
from laconic.text.detokenise import layout
from laconic.text.prefixes import Prefix, Writer

V = TypeVar("V")
Key = tuple[object, ...]
_Text = tuple[int, Prefix, V]  # the last word, what may follow, and the value
_START = -1


class _Table(list[dict[Key, tuple[Prefix, V]]]):
    """For each word the texts that end with it, by what may follow them."""


@dataclass(frozen=True, slots=True)
class _Algebra(Generic[V]):
    """How values gain what a word is worth, and are added up, made dearer by a cost; the sum may be changed itself."""

    one: V
    gained: Callable[[V, int], V]
    plus: Callable[[V | None, V, int], V]


class Steps:
    """What led to the best text at each cost: the words written last, and at each cost the number of what they follow.

    Numbers tell a text and its cost, and are the imaginary part of its worth: of those worth the same, the maximum of
    complex numbers is the one of the highest number, which has the nearest word.
    """

    def __init__(self, width: int) -> None:
        self._costs = np.arange(width)
        self._words, self._before = [_START], [np.zeros(width)]

    def taken(self, value: Complex128, word: int, worth: float) -> Complex128:
        """The texts with one more word, as what others follow."""
        after = np.empty_like(value)
        after.real, after.imag = value.real + worth, len(self._words) * len(self._costs) + self._costs
        self._words.append(word)
        self._before.append(value.imag.copy())
        return after

    def traced(self, best: complex) -> tuple[int, ...]:
        """The words of a text."""
        kept: list[int] = []
        number = best.imag
        while True:
            text, cost = divmod(int(number), len(self._costs))
            if not text:
                return tuple(reversed(kept))
            kept.append(self._words[text])
            number = self._before[text][cost]


class _Alike:
    """Which texts the same may follow at the same price, unless it stood beside them."""

    def __init__(self, sentence: Sentence) -> None:
        roles, paired = layout(sentence.words, sentence.spaces)
        # Of a word only its stop matters, of a mark which it is.
        self._kinds: list[tuple[object, ...]] = [
            (role, word[-1] == "." if role == "word" else word, place in paired)
            for place, (role, word) in enumerate(zip(roles, sentence.words, strict=True))
        ]
        self._spaces = sentence.spaces

    def key(self, prefix: Prefix) -> Key:
        """What they share."""
        tail = prefix.tail
        return tuple(self._kinds[place] for place in tail), self._spaces[tail[-1]], prefix[1:]


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a sentence that keep the words `keep` and none of `drop`.

    Punctuation alone is a text only where some is to be kept, or there is nothing else.
    """

    sentence: Sentence
    keep: frozenset[int]
    drop: frozenset[int]
    counting: Counting

    def costs(self) -> int:
        """The costs that some text has, as the bits of an integer."""
        greatest = sum(map(self.counting.most, range(len(self.sentence))))
        check_size(greatest, greatest)
        bits = _Algebra(1, lambda value, _: value, lambda known, value, cost: (known or 0) | value << cost)
        total = 0
        for _, _, value in self._whole(self._filled(bits), bits):
            total |= value
        return total

    def best(
        self, worth: Sequence[float], least: int, most: int, *, every: int = 1
    ) -> Iterator[tuple[int, ...]]:
        """At each cost from least to most that has one, the text whose words are worth most, the best first.

        With `every`, of the costs above 100 only every so many.
        """
        width = most + 1
        check_size(width * len(self.sentence), most)
        steps = Steps(width)

        def plus(known: Complex128 | None, value: Complex128, cost: int) -> Complex128:
            total = np.full(width, -np.inf, np.complex128) if known is None else known
            if cost < width:
                np.maximum(total[cost:], value[: width - cost], out=total[cost:])
            return total

        one = np.full(width, -np.inf, np.complex128)
        one[0] = 0.0
        algebra = _Algebra(one, lambda value, word: steps.taken(value, word, worth[word]), plus)
        ends = list(self._whole(self._filled(algebra), algebra))
        found: list[complex] = []
        costs = range(max(0, least), width)
        for cost in costs if every == 1 else (cost for cost in costs if cost <= 100 or cost % every == 0):
            _, _, value = max(ends, key=lambda end: float(end[2][cost].real), default=(0, Prefix(), one))
            if ends and value[cost].real > -np.inf:
                found.append(value[cost])
        for best in sorted(found, key=lambda each: -each.real):
            yield steps.traced(best)

    def _filled(self, algebra: _Algebra[V]) -> _Table[V]:
        writer, table, alike = Writer(self.sentence), _Table[V](), _Alike(self.sentence)
        # What words may follow at the same price whichever they are: texts that the author put a space behind, but
        # not those that end with an article, which goes with what follows.
        spaced: dict[tuple[int, tuple[str, ...], bool], V] = {}
        # All others, and what marks may follow, those that are alike added up: a sentence may have many marks. Only
        # what stood beside the next word counts for itself.
        joined: dict[Key, _Text[V]] = {}
        earlier: dict[Key, _Text[V]] = {}  # the last to come is the first to be followed
        latest: list[_Text[V]] = []
        latest_is_joined = False
        start: list[_Text[V]] = [(_START, Prefix(), algebra.one)]
        for word in range(len(self.sentence)):
            reached: dict[Key, tuple[Prefix, V]] = {}
            table.append(reached)
            if word in self.drop:
                continue

            def reach(
                prefix: Prefix,
                value: V,
                cost: int,
                within: bool,
                word: int = word,
                reached: dict[Key, tuple[Prefix, V]] = reached,
            ) -> None:
                following = writer.follows(prefix, word)
                if following is not None:
                    following = following._replace(within=within) if within else following
                    key = _key(writer, following)
                    known = reached.get(key)
                    if known is None:
                        reached[key] = following, algebra.plus(None, value, cost)
                    else:
                        reached[key] = known[0], algebra.plus(known[1], value, cost)

            if writer.is_word(word):
                cost, within = self._step(writer, Prefix(), _START, word)
                for (gap, waiting, speaks), value in spaced.items():
                    reach(Prefix((), waiting, speaks), value, cost + gap, within)
                before = [*joined.values(), *(latest if latest_is_joined else ()), *start]
            else:
                before = [*latest, *reversed(earlier.values()), *start]
            for other, prefix, value in before:
                reach(prefix, value, *self._step(writer, prefix, other, word))
            for other, prefix, value in reversed(latest):
                key = alike.key(prefix)
                known = earlier.pop(key, None)
                earlier[key] = other, prefix, algebra.plus(known and known[2], value, 0)
            for other, prefix, value in latest if latest_is_joined else ():
                # What an article costs depends on what stood beside it.
                key = (*alike.key(prefix), other if writer.is_article(other) else _START)
                known = joined.get(key)
                joined[key] = other, prefix, algebra.plus(known and known[2], value, 0)
            if word in self.keep:
                spaced, joined, earlier, start = {}, {}, {}, []
            for key, (prefix, value) in reversed(reached.items()):  # those that come first have the last say
                reached[key] = prefix, algebra.gained(value, word)
            latest = [(word, prefix, value) for prefix, value in reached.values()]
            space = self.sentence.spaces[word]
            width = any(map(str.isspace, space)) if self.counting.as_people else self.counting.spaces(space)
            latest_is_joined = not width or writer.is_article(word)
            if not latest_is_joined:
                gap = 0 if self.counting.gaps is None else width
                for prefix, value in reached.values():
                    group = gap, prefix.waiting, prefix.speaks
                    spaced[group] = algebra.plus(spaced.get(group), value, 0)
        return table

    def _step(self, writer: Writer, prefix: Prefix, left: int, right: int) -> tuple[int, bool]:
        """What a word adds after another one, and whether something is said then since the last white space."""
        cost = self.counting.step(left, right)
        if not self.counting.as_people:
            return cost, False
        within = prefix.within and left != _START and not writer.parts(left, right)
        return (0 if within else cost), within or bool(cost)

    def _whole(self, table: _Table[V], algebra: _Algebra[V]) -> Iterator[tuple[int, Prefix, V]]:
        """The last word, the prefix and the value of the texts that may end where they do.

        Whatever is kept alone stands, and has no prefix.
        """
        writer, words = Writer(self.sentence), self.sentence.words
        silent = bool(self.keep) or not any(
            any(map(str.isalnum, words[word])) for word in range(len(words)) if word not in self.drop
        )
        for word in range(len(words) - 1, -1, -1):
            alone = self.keep <= {word} and word not in self.drop
            if alone and (silent or any(map(str.isalnum, words[word]))):
                first = algebra.plus(None, algebra.one, self.counting.step(_START, word))
                yield word, Prefix(), algebra.gained(first, word)
            for prefix, value in table[word].values():
                if writer.ends(prefix) and (prefix.speaks or silent):
                    yield word, prefix, value
            if word in self.keep:
                return


def _key(writer: Writer, prefix: Prefix) -> Key:
    return (*writer.key(prefix), prefix.within)


def selections(words: Collection[int], keep: Collection[int]) -> Iterator[tuple[int, ...]]:
    """All selections of at least one of the words that keep those, the longest first."""
    from itertools import combinations

    free = [word for word in words if word not in keep]
    for size in range(len(free), -1, -1):
        for chosen in combinations(free, size):
            if keep or chosen:
                yield tuple(sorted((*keep, *chosen)))
