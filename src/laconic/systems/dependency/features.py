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

import numpy as np
from numpy.typing import NDArray

from laconic.grammar.dependency_grammar import DependencyGrammar, load_dependency_grammar
from laconic.kernel import kernel
from laconic.ngram import BEGIN, END, NgramModel, Tables, load_news_model, log_probability
from laconic.sentence import Sentence
from laconic.systems.dependency.attributes import Attributes, Reading, Symbols, symbol, symbols
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

    With `evidence`, bigrams have the features of what is around and between their words, too.
    """

    bits: int = 20
    evidence: bool = False
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
        alone, pairs = _log_probabilities(self.language.tables, ids)
        arcs = self.grammar.log_probabilities(sentence.words, sentence.tags or ())
        cells, siblings = reading.of_siblings()
        words = np.arange(count + 1) > 0
        first, second = np.ogrid[: count + 2, : count + 2]
        bigrams, templates = reading.of_bigrams(), BIGRAMS
        if self.evidence:
            bigrams, templates = bigrams | reading.around_bigrams(), BIGRAMS + AROUND
        blocks = [
            self._block("word", WORDS, reading.of_words(), alone[:-1], words),
            self._block("arc", ARCS, reading.of_arcs(), arcs, words & ~np.eye(count + 1, dtype=bool)),
            self._block("bigram", templates, bigrams, pairs, first < second),
            self._block("sibling", SIBLINGS, siblings, None, np.ones(len(cells), bool)),
        ]
        lengths, features, values = (np.concatenate(part) for part in zip(*blocks, strict=True))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        between = evidence(reading, self.bits) if self.evidence else None
        return FeatureRows(
            count, starts, features.astype(np.int32), values.astype(np.float32), cells, between
        )

    def _block(
        self,
        kind: str,
        templates: Sequence[Template],
        attributes: Attributes,
        scores: NDArray[np.float64] | None,
        used: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The number of features of each row, the features and their values, for the cells of an array.

        Rows that are not `used` are empty.
        """
        if scores is not None:
            steps = -np.floor(scores).astype(np.int64)
            names = symbols(f"below {step}" for step in range(steps.max(initial=0) + 1))
            attributes = attributes | {f"score of the {kind}": names[np.maximum(steps, 0)]}
        columns, fires = [], []
        for template in templates:
            mixed, present = self._hashed(kind, template, attributes)
            columns.append(np.broadcast_to(mixed, used.shape).ravel())
            fires.append((present & used).ravel())
        values = np.ones((used.size, len(templates) + (scores is not None)))
        if scores is not None:
            own, _ = self._hashed(kind, ("score",), {"score": symbols([f"score of the {kind}"])})
            columns.append(np.broadcast_to(own, used.shape).ravel())
            fires.append(used.ravel())
            values[:, -1] = _SCALE * scores.ravel()
        chosen = np.stack(fires, axis=1)
        return chosen.sum(axis=1), np.stack(columns, axis=1)[chosen], values[chosen]

    def _hashed(
        self, kind: str, template: Template, attributes: Attributes
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The weight of a template's conjunction in each cell, and whether all its attributes are there."""
        mixed: Symbols = np.array([symbol(" ".join((kind, *template)))], np.uint64) * _FACTOR
        present = np.ones(1, bool)
        for name in template:
            mixed = (mixed ^ attributes[name]) * _FACTOR
            present = present & (attributes[name] != 0)
        return (mixed >> np.uint64(64 - self.bits)).astype(np.int64), present


@kernel
def _log_probabilities(
    tables: Tables, ids: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ln p(word j) and ln p(word j | word i) for i < j, of the ids of a sentence with its boundaries."""
    count = len(ids)
    alone, pairs = np.zeros(count), np.zeros((count, count))
    for j in range(1, count):
        alone[j] = log_probability(tables, ids[:0], ids[j])
        for i in range(j):
            pairs[i, j] = log_probability(tables, ids[i : i + 1], ids[j])
    return alone, pairs
