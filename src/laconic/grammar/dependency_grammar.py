"""A smoothed dependency grammar: how likely a head takes a dependent on one of its sides.

With d the direction (left, right), h the head's tag and v its word, t the dependent's tag and w its word,

    p(t, w | d, h, v) = p(t | d, h, v) · p(w | d, h, t)

and every factor is smoothed by the next coarser one, as if that had been seen `strength` times before:

    p(t | d, h, v) = (c(d, h, v, t) + a p(t | d, h)) / (c(d, h, v) + a)
    p(t | d, h)    = (c(d, h, t) + a p(t | d)) / (c(d, h) + a)
    p(t | d)       = (c(d, t) + 1) / (c(d) + number of tags)
    p(w | d, h, t) = (c(d, h, t, w) + b p(w | t)) / (c(d, h, t) + b)
    p(w | t)       = (c(t, w) + b / number of words) / (c(t) + b)

(a hierarchy of Dirichlet priors, MacKay and Peto 1995). The root is a head with a tag of its own; what it
governs lies to its right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from laconic.arrays import Float64, Int64
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model

SHIPPED = Path(__file__).parent.parent / "models" / "dependency-grammar"
"""The folder of the grammar that comes with the package; its card lies beside it."""

ROOT = "ROOT"
UNKNOWN = "<unknown>"
_KIND = "dependency grammar"


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How many words need to be seen to be known, and the strengths a (tags) and b (words) of the priors."""

    min_count: int = 3
    tags: float = 30.0
    words: float = 400.0

    def __post_init__(self) -> None:
        if not (self.min_count >= 1 and self.tags > 0 and self.words > 0):
            raise LaconicError(f"smoothing needs a count of at least 1 and strengths above 0: {self}")


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Counts of whole numbers, and of what they are when their last field is left out."""

    keys: Int64
    counts: Int64

    @classmethod
    def of(cls, keys: Int64, counts: Int64 | None = None) -> _Table:
        unique, places = np.unique(keys, return_inverse=True)
        weights = np.ones(len(keys)) if counts is None else counts
        return cls(unique, np.bincount(places, weights, len(unique)).astype(np.int64))

    def merged(self, keys: Int64) -> _Table:
        """The counts of coarser keys, given for each key of this table."""
        return _Table.of(keys, self.counts)

    def find(self, keys: Int64) -> Float64:
        """The counts of the keys, 0 where there are none."""
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.counts[places], 0).astype(np.float64)


class DependencyGrammar:
    """Arc probabilities; `tags` and `words` are what it knows, UNKNOWN first, and the tag of the root second."""

    def __init__(
        self, tags: Sequence[str], words: Sequence[str], by_head: _Table, by_tag: _Table, smoothing: Smoothing
    ) -> None:
        self.tags, self.words, self.smoothing = tuple(tags), tuple(words), smoothing
        self._tag_ids = {tag: number for number, tag in enumerate(self.tags)}
        self._word_ids = {word: number for number, word in enumerate(self.words)}
        # Keys are numbers in mixed base: (d, h, v, t) in `by_head` and (d, h, t, w) in `by_tag`.
        self._by_head, self._by_tag = by_head, by_tag
        tag_count, word_count = len(self.tags), len(self.words)
        self._given_word = by_head.merged(by_head.keys // tag_count)
        side, tag = by_tag.keys // word_count, by_tag.keys // word_count % tag_count
        self._pairs = by_tag.merged(side)
        self._given_tag = by_tag.merged(side // tag_count)
        self._sides = by_tag.merged(side // tag_count**2 * tag_count + tag)
        self._given_side = by_tag.merged(side // tag_count**2)
        self._emitted = by_tag.merged(tag * word_count + by_tag.keys % word_count)
        self._tag_totals = by_tag.merged(tag)

    @classmethod
    def estimate(
        cls, sentences: Iterable[Sentence], *, smoothing: Smoothing | None = None
    ) -> DependencyGrammar:
        """Count the arcs of sentences with tags and heads."""
        plan = smoothing or Smoothing()
        corpus = list(sentences)
        seen = Counter(fold(word) for sentence in corpus for word in sentence.words)
        words = (UNKNOWN, *sorted(word for word, count in seen.items() if count >= plan.min_count))
        tags = (UNKNOWN, ROOT, *sorted({tag for sentence in corpus for tag in sentence.tags or ()} - {ROOT}))
        empty = _Table(np.zeros(0, np.int64), np.zeros(0, np.int64))
        numbering = cls(tags, words, empty, empty, plan)
        by_head, by_tag = [], []
        for sentence in corpus:
            if sentence.tags is None or sentence.heads is None:
                raise LaconicError(f"no tags or no heads to count: {sentence.text.strip()[:60]!r}")
            tag_ids, word_ids = numbering._ids(sentence.words, sentence.tags)
            heads = np.array(sentence.heads, np.int64) + 1
            dependents = np.arange(1, len(heads) + 1)
            head_keys, tag_keys = numbering._keys(tag_ids, word_ids, heads, dependents)
            by_head.append(head_keys)
            by_tag.append(tag_keys)
        if not by_head:
            raise LaconicError("no sentences to estimate a grammar from")
        return cls(tags, words, _Table.of(np.concatenate(by_head)), _Table.of(np.concatenate(by_tag)), plan)

    def log_probabilities(self, words: Sequence[str], tags: Sequence[str]) -> Float64:
        """ln p(tag and word of m | h, side of m) as an array [h, m] over the root, 0, and the words, 1 … n.

        The column of the root and the diagonal are 0.
        """
        if len(words) != len(tags):
            raise LaconicError(f"{len(words)} words but {len(tags)} tags")
        side = len(words) + 1
        tag_ids, word_ids = self._ids(words, tags)
        heads, dependents = np.divmod(np.arange(side * side), side)
        scores = self._score(*self._keys(tag_ids, word_ids, heads, dependents)).reshape(side, side)
        scores[:, 0] = 0.0
        np.fill_diagonal(scores, 0.0)
        return scores

    def save(self, folder: Path) -> None:
        """Write the counts and what they count."""
        arrays = {}
        for name, table in (("head", self._by_head), ("tag", self._by_tag)):
            arrays[f"{name}_keys"] = np.diff(table.keys, prepend=0).astype(np.uint32)
            arrays[f"{name}_counts"] = table.counts.astype(np.uint32)
        smoothing = {"smoothing": asdict(self.smoothing)}
        write_model(folder, _KIND, Content(smoothing, arrays, {"tags": self.tags, "words": self.words}))

    @classmethod
    def load(cls, folder: Path) -> DependencyGrammar:
        """The grammar that `save` wrote."""
        with open_model(folder, _KIND) as stored:
            tags, words = (stored.lines_of(name, distinct=True) for name in ("tags", "words"))
            if tags[:2] != [UNKNOWN, ROOT] or words[:1] != [UNKNOWN]:
                raise stored.fault("tags", f"a text that starts with {UNKNOWN} and {ROOT}", tags[:2])
            # Both kinds of keys have a direction, two tags and a word.
            most = 2 * len(tags) ** 2 * len(words) - 1

            def table(name: str) -> _Table:
                counts = stored.array(f"{name}_counts", np.uint32, (None,), low=1)
                keys = np.cumsum(stored.array(f"{name}_keys", np.uint32, counts.shape), dtype=np.int64)
                if not len(keys) or keys[-1] > most:
                    raise stored.fault(
                        f"{name}_keys", f"the way to keys of at most {most}", keys[-1:].tolist()
                    )
                return _Table(keys, counts.astype(np.int64))

            options = stored.within("smoothing")
            smoothing = Smoothing(
                options.whole("min_count", low=1, high=1 << 31),
                options.number("tags"),
                options.number("words"),
            )
            return cls(tags, words, table("head"), table("tag"), smoothing)

    def _ids(self, words: Sequence[str], tags: Sequence[str]) -> tuple[Int64, Int64]:
        """The numbers of tags and words, those of the root first."""
        tag_ids = [self._tag_ids[ROOT], *(self._tag_ids.get(tag, 0) for tag in tags)]
        word_ids = [0, *(self._word_ids.get(fold(word), 0) for word in words)]
        return np.array(tag_ids, np.int64), np.array(word_ids, np.int64)

    def _keys(self, tag_ids: Int64, word_ids: Int64, heads: Int64, dependents: Int64) -> tuple[Int64, Int64]:
        """The keys (d, h, v, t) and (d, h, t, w) of arcs between positions."""
        side = (dependents > heads) * len(self.tags) + tag_ids[heads]
        by_head = (side * len(self.words) + word_ids[heads]) * len(self.tags) + tag_ids[dependents]
        by_tag = (side * len(self.tags) + tag_ids[dependents]) * len(self.words) + word_ids[dependents]
        return by_head, by_tag

    def _score(self, by_head: Int64, by_tag: Int64) -> Float64:
        tags, words = len(self.tags), len(self.words)
        a, b = self.smoothing.tags, self.smoothing.words
        side, tag, word = by_tag // words, by_tag // words % tags, by_tag % words
        direction = side // tags**2
        given_side = (self._sides.find(direction * tags + tag) + 1) / (
            self._given_side.find(direction) + tags
        )
        given_tag = (self._pairs.find(side) + a * given_side) / (self._given_tag.find(side // tags) + a)
        given_word = (self._by_head.find(by_head) + a * given_tag) / (
            self._given_word.find(by_head // tags) + a
        )
        emitted = (self._emitted.find(tag * words + word) + b / words) / (self._tag_totals.find(tag) + b)
        spelled = (self._by_tag.find(by_tag) + b * emitted) / (self._pairs.find(side) + b)
        return np.log(given_word) + np.log(spelled)


def fold(word: str) -> str:
    """The form under which the grammar knows a word: lower case, every digit 0.

    >>> fold("May-2024")
    'may-0000'
    """
    return "".join("0" if letter.isdigit() else letter for letter in word.lower())


@cache
def load_dependency_grammar() -> DependencyGrammar:
    """The grammar that comes with the package, of English; loaded once a process, then shared."""
    return DependencyGrammar.load(SHIPPED)
