"""What features are made of: symbols for words, arcs, siblings and bigrams, as hashed numbers in arrays.

Positions are 0 for the start and the root, 1 … n for the words, n + 1 for the end. Arrays broadcast: an
attribute of the head in an arc [h, m] is a column, one of the dependent a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import UInt64
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.dependency.chunks import chunks
from laconic.systems.dependency.stems import verb_stem
from laconic.trees.constituency import Tree
from laconic.trees.transform import bare_label

Symbols = UInt64
Attributes = dict[str, Symbols]

START, END = "<start>", "<end>"
NOTHING = ""
"""The symbol of an attribute that is not there: features that would need it do not fire."""

_COARSE = {"MD": "VB", "WDT": "DT", "PDT": "DT", "TO": "IN", "WP": "PRP", "PRP$": "PRP", "WP$": "PRP"}
_OPEN_CLASSES = ("NN", "VB", "JJ", "RB")
_NEGATIONS = frozenset(
    ("not", "n't", "n’t", "no", "never", "none", "nothing", "nobody", "neither", "nor", "nowhere", "without")
)
_OPENING, _CLOSING = frozenset(("(", "[", "{", "-LRB-")), frozenset((")", "]", "}", "-RRB-"))
_LIMITS = (0, 1, 2, 3, 5, 8, 12, 20)  # the lower ends of the bins for distances and sizes


@lru_cache(maxsize=1 << 16)
def symbol(text: str) -> np.uint64:
    """The 64-bit number that stands for a text; 0 for NOTHING."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest) if text else 0)


def symbols(texts: Iterable[str]) -> Symbols:
    """The numbers of several texts."""
    return np.array([symbol(text) for text in texts], np.uint64)


def coarse_tag(tag: str) -> str:
    """The class of a Penn tag.

    >>> [coarse_tag(tag) for tag in ("NNPS", "VBZ", "MD", "PRP$", "CC")]
    ['NN', 'VB', 'VB', 'PRP', 'CC']
    """
    for name in _OPEN_CLASSES:
        if tag.startswith(name):
            return name
    return _COARSE.get(tag, tag)


def in_bins(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lower end of the bin of each number of at least 0."""
    return np.array(_LIMITS)[np.searchsorted(_LIMITS, numbers, side="right") - 1]


class Reading:
    """A sentence read as symbols; one without tags, relations or either tree is an error."""

    def __init__(self, sentence: Sentence) -> None:
        tags, heads, relations = sentence.tags, sentence.heads, sentence.relations
        if tags is None or heads is None or relations is None or sentence.tree is None:
            raise LaconicError(f"no tags or trees to take features from: {sentence.text.strip()[:60]!r}")
        self.words, self.tree = sentence.words, sentence.tree
        self.tags = (START, *tags, END)
        self.coarse = (START, *map(coarse_tag, tags), END)
        self.labels = (START, *relations, END)
        self.heads = np.array([-1, *(head + 1 for head in heads)])  # by position, the root's own is -1
        numbers, names = chunks(sentence.tree)
        self.chunk_numbers = np.array([-1, *numbers])
        self.chunks = (START, *names)
        self._steps, self._last = _ways_up(self.heads)
        self.depths: NDArray[np.int64] = np.count_nonzero(self._steps, axis=0)
        self.sizes: NDArray[np.int64] = np.count_nonzero(self._steps, axis=1)

    @property
    def verbs(self) -> list[int]:
        """The positions of the verbs."""
        return [position for position, coarse in enumerate(self.coarse) if coarse == "VB"]

    @property
    def negations(self) -> list[int]:
        """The positions of the words that negate."""
        return [position for position, word in enumerate(self.words, start=1) if word.lower() in _NEGATIONS]

    def of_words(self) -> Attributes:
        """The attributes of the word at each position 0 … n; the root has none."""
        count = len(self.words)
        padded = (START, *self.tags, END, END)  # so that neighbours two away are always there
        columns: dict[str, list[str]] = {
            "tag": list(self.tags[1:-1]),
            "tag before": list(padded[1 : count + 1]),
            "tag two before": list(padded[:count]),
            "tag after": list(padded[3 : count + 3]),
            "tag two after": list(padded[4 : count + 4]),
            "label": list(self.labels[1:-1]),
            "head tag": [self.tags[head] for head in self.heads[1:]],
            "head label": [self.labels[head] for head in self.heads[1:]],
            "chunk": list(self.chunks[1:]),
            "capital": [_capital(word, place) for place, word in enumerate(self.words)],
            "bracketed": _bracketed(self.words),
            "verb": [
                verb_stem(word) if coarse == "VB" else NOTHING
                for word, coarse in zip(self.words, self.coarse[1:-1], strict=True)
            ],
            "sign": [NOTHING if any(map(str.isalnum, word)) else word for word in self.words],
            "negation": [word.lower() if word.lower() in _NEGATIONS else NOTHING for word in self.words],
            "depth": [str(depth) for depth in in_bins(self.depths[1:])],
            "size": [str(size) for size in in_bins(self.sizes[1:])],
        }
        return {name: symbols([NOTHING, *column]) for name, column in columns.items()}

    def of_arcs(self) -> Attributes:
        """The attributes of the arcs [h, m] over the positions 0 … n."""
        side = len(self.words) + 1
        steps = self._steps
        above = steps > 0
        ancestry = np.full((side, side), symbol("apart"), np.uint64)
        distances = in_bins(steps)
        for distance in np.unique(distances[above]).tolist():
            ancestry[above & (distances == distance)] = symbol(f"above {distance}")
            ancestry[(above & (distances == distance)).T] = symbol(f"below {distance}")
        labels = symbols(self.labels[:-1])
        faithful = steps == 1
        positions = np.arange(side)
        direction = np.where(positions[:, None] < positions, symbol("right"), symbol("left"))
        direction[0] = symbol("root")
        chunk = self.chunk_numbers
        same = np.where(chunk[:, None] == chunk, symbol("same"), symbol("other"))
        tags, coarse, names = symbols(self.tags[:-1]), symbols(self.coarse[:-1]), symbols(self.chunks)
        return {
            "fidelity": np.where(faithful, symbol("faithful"), symbol("new")),
            "label": np.where(faithful, labels, np.uint64(0)),
            "own label": labels[None, :],
            "path": np.where(steps > 1, labels[self._last], np.uint64(0)),
            "ancestry": ancestry,
            "reversed label": np.where(steps.T == 1, labels[:, None], np.uint64(0)),
            "direction": direction,
            "head tag": tags[:, None],
            "tag": tags[None, :],
            "head coarse": coarse[:, None],
            "coarse": coarse[None, :],
            "head chunk": names[:, None],
            "chunk": names[None, :],
            "same chunk": same,
        }

    def of_bigrams(self) -> Attributes:
        """The attributes of the bigrams [i, j] over the positions 0 … n + 1."""
        side = len(self.words) + 2
        positions = np.arange(side)
        between = np.maximum(positions - positions[:, None] - 1, 0)
        gaps = symbols(f"gap {size}" for size in in_bins(positions).tolist())
        heads = np.append(self.heads, -1)
        first_governs = heads[None, :] == positions[:, None]
        second_governs = heads[:, None] == positions[None, :]
        link = np.where(first_governs, symbol("first"), symbol("none"))
        link[second_governs] = symbol("second")
        tags, coarse, labels = symbols(self.tags), symbols(self.coarse), symbols(self.labels)
        return {
            "adjacent": np.where(between == 0, symbol("adjacent"), symbol("apart")),
            "gap": gaps[between],
            "link": link,
            "first tag": tags[:, None],
            "second tag": tags[None, :],
            "first coarse": coarse[:, None],
            "second coarse": coarse[None, :],
            "first label": labels[:, None],
            "second label": labels[None, :],
        }

    def around_bigrams(self) -> Attributes:
        """More attributes of the bigrams: the tags around both words, and the lowest phrase that holds them.

        Its children in which they stand are the first and the second "branch".
        """
        tags = symbols((START, *self.tags, END))
        phrase, first, second = _common_phrases(self.tree)
        return {
            "tag before first": tags[:-2, None],
            "tag after first": tags[2:, None],
            "tag before second": tags[None, :-2],
            "tag after second": tags[None, 2:],
            "phrase": phrase,
            "first branch": first,
            "second branch": second,
        }

    def of_siblings(self) -> tuple[NDArray[np.int64], Attributes]:
        """The cells (h, previous, m) in a cube of n + 1 that the input tree knows, ascending, with attributes.

        Both dependents, or the first alone where `previous` is h, hang on h in the input; they are "next" to
        each other there, or others stand "between" them.
        """
        side = len(self.words) + 1
        found: list[tuple[int, str, str, str]] = []
        for head in range(side):
            dependents = np.flatnonzero(self.heads == head)
            for outwards in (dependents[dependents > head], dependents[dependents < head][::-1]):
                line = [head, *outwards.tolist()]
                for later in range(1, len(line)):
                    for earlier in range(later):
                        cell = (head * side + line[earlier]) * side + line[later]
                        kind = "next" if later == earlier + 1 else "between"
                        first = START if earlier == 0 else self.labels[line[earlier]]
                        found.append((cell, kind, first, self.labels[line[later]]))
        found.sort()
        cells = np.array([cell for cell, _, _, _ in found], np.int64)
        names = ("kind", "first label", "second label")
        columns = zip(*(row[1:] for row in found), strict=True) if found else ((), (), ())
        return cells, {name: symbols(column) for name, column in zip(names, columns, strict=True)}


def _ways_up(heads: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of arcs from m up to h, 0 where h is not above m, and the last word on the way, as [h, m]."""
    side = len(heads)
    steps, last = np.zeros((side, side), np.int64), np.zeros((side, side), np.int64)
    words = np.arange(1, side)
    here, distance = words, 0
    while len(words):
        above, distance = heads[here], distance + 1
        steps[above, words] = distance
        last[above, words] = here
        words, here = words[above > 0], above[above > 0]
    return steps, last


def _common_phrases(tree: Tree) -> tuple[Symbols, Symbols, Symbols]:
    """The label of the lowest phrase over words i < j, and of its children over each, as [i, j] over all positions."""
    side = len(tree.words) + 2
    lowest = np.full((side, side), -1)
    found = tuple(np.zeros((side, side), np.uint64) for _ in range(3))
    phrase, first, second = found
    places = [slice(start + 1, end + 1) for start, end in zip(tree.starts, tree.ends, strict=True)]
    names = symbols(map(bare_label, tree.labels))
    for node, place in enumerate(places):  # children come after their parents
        lowest[place, place] = node
    known = lowest >= 0
    phrase[known] = names[lowest[known]]
    for node, parent in enumerate(tree.parents):
        if parent >= 0:
            place, within = places[node], places[parent]
            first[place, within][lowest[place, within] == parent] = names[node]
            second[within, place][lowest[within, place] == parent] = names[node]
    return phrase, first, second


def _capital(word: str, place: int) -> str:
    if len(word) > 1 and word.isupper():
        return "all"
    return NOTHING if not word[0].isupper() else "inner" if place else "first"


def _bracketed(words: Sequence[str]) -> list[str]:
    """Whether each word stands in brackets, which count themselves."""
    depth = 0
    found = []
    for word in words:
        depth += word in _OPENING
        found.append("bracketed" if depth > 0 else NOTHING)
        depth = max(0, depth - (word in _CLOSING))
    return found
