"""The features of section 7 of the paper, and a few of ours: templates over words, arcs, siblings, bigrams.

Section 7 names evidence rather than templates; what uses evidence that it does not name, such as the gap between two
words, the way up to an ancestor or a log-probability in steps, is marked as ours. A template names the attributes whose
conjunction is the feature; each conjunction is hashed into one of 2^bits weights. The names and their meanings are in
`attributes`; in addition, `score …` attributes are the whole number below a log-probability, and the log-probability
itself is a feature with that value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.arrays import Bool, Float32, Float64, Int32, Int64, UInt64
from laconic.grammar.dependency_grammar import DependencyGrammar, load_dependency_grammar
from laconic.kernel import kernel
from laconic.ngram import BEGIN, END, NgramModel, load_news_model, pair_log_probabilities
from laconic.sentence import Sentence
from laconic.systems.dependency.attributes import Attributes, Reading, symbols
from laconic.systems.dependency.evidence import evidence
from laconic.systems.dependency.rows import FeatureRows

Template = tuple[str, ...]

WORDS: tuple[Template, ...] = (
    (),  # ours
    ("tag",),
    ("tag before", "tag"),
    ("tag", "tag after"),
    ("tag before", "tag", "tag after"),
    ("tag two before", "tag before", "tag"),
    ("tag", "tag after", "tag two after"),
    ("label",),  # ours
    ("label", "tag"),
    ("label", "head tag"),  # ours
    ("label", "head label"),  # ours
    ("label", "depth"),  # ours
    ("label", "size"),  # ours
    ("chunk", "tag"),  # ours
    ("capital",),
    ("capital", "tag"),  # ours
    ("bracketed",),
    ("bracketed", "tag"),  # ours
    ("verb",),
    ("sign",),
    ("negation",),
    ("score of the word",),  # ours
    ("tag", "score of the word"),  # ours
)
ARCS: tuple[Template, ...] = (
    ("fidelity", "label"),
    ("ancestry",),
    ("ancestry", "direction"),
    ("ancestry", "direction", "head tag"),
    ("ancestry", "direction", "tag"),
    ("ancestry", "direction", "head tag", "tag"),
    ("fidelity", "direction", "head coarse", "coarse"),
    ("ancestry", "head chunk", "chunk", "same chunk"),
    ("fidelity", "direction", "same chunk"),
    ("direction", "head tag", "tag"),
    ("ancestry", "own label"),  # ours
    ("ancestry", "own label", "path"),  # ours
    ("reversed label", "direction"),  # ours
    ("score of the arc",),  # ours
    ("fidelity", "score of the arc"),  # ours
)
SIBLINGS: tuple[Template, ...] = (
    ("kind",),
    ("kind", "second label"),
    ("kind", "first label", "second label"),  # ours
)
BIGRAMS: tuple[Template, ...] = (
    ("adjacent",),  # ours
    ("gap",),  # ours
    ("adjacent", "first coarse", "second coarse"),
    ("adjacent", "first tag", "second tag"),
    ("adjacent", "first label", "second label"),
    ("first tag", "second tag", "gap"),  # ours
    ("link", "adjacent"),  # ours
    ("link", "first label", "second label"),  # ours
    ("adjacent", "first tag"),
    ("adjacent", "second tag"),
    ("adjacent", "first label"),
    ("adjacent", "second label"),
    ("score of the bigram", "adjacent"),  # ours
)
AROUND: tuple[Template, ...] = (
    ("adjacent", "tag before first", "first tag", "second tag"),
    ("adjacent", "first tag", "second tag", "tag after second"),
    ("adjacent", "first tag", "tag after first"),
    ("adjacent", "tag before second", "second tag"),
    ("adjacent", "first tag", "tag after first", "tag before second", "second tag"),
    ("adjacent", "phrase"),
    ("adjacent", "phrase", "first branch", "second branch"),
    ("adjacent", "phrase", "first tag", "second tag"),
    ("link", "phrase", "first branch", "second branch"),
)
"""What McDonald's model looks at besides: the words around a pair, and the constituents over it."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, as in Fibonacci hashing
_SCALE = 0.1  # brings log-probabilities to the size of indicators


@dataclass(frozen=True, slots=True)
class Extractor:
    """Turns annotated sentences into feature rows; 2^`bits` is the number of weights.

    With `evidence`, bigrams have the features of what is around and between their words, too. Without `arcs`, arcs and
    siblings have none.
    """

    bits: int = 20
    evidence: bool = False
    arcs: bool = True
    language: NgramModel = field(default_factory=load_news_model)
    grammar: DependencyGrammar = field(default_factory=load_dependency_grammar)

    @property
    def size(self) -> int:
        """The number of weights."""
        return 1 << self.bits

    def extract(self, sentence: Sentence) -> FeatureRows:
        """The rows of a sentence with tags and trees."""
        count = len(sentence)
        reading = Reading(sentence)
        ids = np.concatenate([[BEGIN], self.language.vocabulary.ids(sentence.words), [END]], dtype=np.int32)
        alone, pairs = pair_log_probabilities(self.language.tables, ids)
        cells = np.empty(0, np.int64)
        words = np.arange(count + 1) > 0
        first, second = np.ogrid[: count + 2, : count + 2]
        bigrams, templates = reading.of_bigrams(), BIGRAMS
        if self.evidence:
            bigrams, templates = bigrams | reading.around_bigrams(), BIGRAMS + AROUND
        blocks = [
            self._block("word", WORDS, reading.of_words(), alone[:-1], words),
            _nothing((count + 1) ** 2),
            self._block("bigram", templates, bigrams, pairs, first < second),
        ]
        if self.arcs:
            arcs = self.grammar.log_probabilities(sentence.words, sentence.tags or ())
            used = words & ~np.eye(count + 1, dtype=bool)
            blocks[1] = self._block("arc", ARCS, reading.of_arcs(), arcs, used)
            cells, siblings = reading.of_siblings()
            blocks.append(self._block("sibling", SIBLINGS, siblings, None, np.ones(len(cells), bool)))
        starts = np.zeros(1 + sum(len(lengths) for lengths, _, _ in blocks), np.int32)
        np.cumsum(np.concatenate([lengths for lengths, _, _ in blocks]), out=starts[1:])
        features = np.concatenate([features for _, features, _ in blocks])
        values = np.concatenate([values for _, _, values in blocks])
        between = evidence(reading, self.bits) if self.evidence else None
        return FeatureRows(count, starts, features, values, cells, between)

    def _block(
        self,
        kind: str,
        templates: Sequence[Template],
        attributes: Attributes,
        scores: NDArray[np.float64] | None,
        used: NDArray[np.bool_],
    ) -> tuple[Int32, Int32, Float32]:
        """The number of features of each row, the features and their values, for the cells of an array.

        Rows that are not `used` are empty.
        """
        values = np.zeros(0)
        if scores is not None:
            steps = -np.floor(scores).astype(np.int64)
            names = symbols(f"below {step}" for step in range(steps.max(initial=0) + 1))
            attributes = attributes | {f"score of the {kind}": names[np.maximum(steps, 0)]}
            values = (_SCALE * scores).ravel()
        hashing = _hashing(kind, tuple(templates))
        cells = np.empty((len(hashing.names), *used.shape), np.uint64)
        for place, name in enumerate(hashing.names):
            cells[place] = attributes[name]
        return _fired(
            cells.reshape(len(cells), -1),
            hashing.seeds,
            hashing.starts,
            hashing.attributes,
            used.ravel(),
            values,
            hashing.score,
            np.uint64(64 - self.bits),
        )


def _nothing(rows: int) -> tuple[Int32, Int32, Float32]:
    """A block of so many empty rows."""
    return np.zeros(rows, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)


class _Hashing(NamedTuple):
    """Templates as numbers: those that their hashes begin with, and which of the attributes each names.

    `score` is the hash of the feature whose value is the log-probability.
    """

    names: tuple[str, ...]
    seeds: UInt64
    starts: Int64
    attributes: Int64
    score: np.uint64


@lru_cache(maxsize=16)
def _hashing(kind: str, templates: tuple[Template, ...]) -> _Hashing:
    places: dict[str, int] = {}
    named = [places.setdefault(name, len(places)) for template in templates for name in template]
    seeds = symbols(" ".join((kind, *template)) for template in templates)
    starts = np.cumsum([0, *map(len, templates)])
    score = (symbols([f"{kind} score"]) * _FACTOR ^ symbols([f"score of the {kind}"])) * _FACTOR
    return _Hashing(tuple(places), seeds * _FACTOR, starts, np.array(named, np.int64), score[0])


@kernel
def _fired(
    cells: UInt64,
    seeds: UInt64,
    starts: Int64,
    attributes: Int64,
    used: Bool,
    values: Float64,
    score: np.uint64,
    shift: np.uint64,
) -> tuple[Int32, Int32, Float32]:
    # A template's conjunction is there if all its attributes are: hash(x, a) = (hash(x) xor a) · factor.
    count, templates = len(used), len(seeds)
    room = np.count_nonzero(used) * (templates + 1)
    lengths, features = np.zeros(count, np.int32), np.empty(room, np.int32)
    weights = np.ones(room, np.float32)
    size = 0
    for cell in range(count):
        if not used[cell]:
            continue
        begin = size
        for template in range(templates):
            mixed, present = seeds[template], True
            for place in range(starts[template], starts[template + 1]):
                value = cells[attributes[place], cell]
                present &= value != 0
                mixed = (mixed ^ value) * _FACTOR
            if present:
                features[size] = mixed >> shift
                size += 1
        if len(values):
            features[size], weights[size] = score >> shift, values[cell]
            size += 1
        lengths[cell] = size - begin
    return lengths, features[:size], weights[:size]
