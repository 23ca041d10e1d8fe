"""Numbers for the features of rules, given out while learning and fixed afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from laconic.decode.rule_matching import ReadyRule
from laconic.forest.derivation import Derivation
from laconic.grammar.rule_features import (
    ALL_FEATURES,
    SOURCE_WORDS,
    FeatureGroup,
    RuleType,
    rule_features,
)
from laconic.learn.interface import FeatureVector

LANGUAGE = "ln p"
"""The feature of the language model: the logarithm of the probability of the output, times `LANGUAGE_SCALE`."""

LANGUAGE_SCALE = 0.1  # about one for each word, as rules have features of about one

_LANGUAGE, _SOURCE_WORDS = 0, 1
_OWN = FeatureGroup.IDENTITY | FeatureGroup.UNLEXICALISED | FeatureGroup.TERMINALS


class RuleFeatures:
    """The numbers of features by name; new names get new numbers until the features are `fixed`.

    Number 0 is that of the language model, which no rule has.

    The pairs that weights are learnt from are those that rules were extracted from, so that every gold
    derivation could be preferred for its own rules alone, and what no pair has shown would always be
    dropped; the paper names this bias and leaves it (section 4). Here rules seen at most `rare` times are
    described as unseen ones are: a copy or deletion counts as coverage, and no rule has features of its own.
    """

    def __init__(
        self, groups: FeatureGroup = ALL_FEATURES, names: Sequence[str] | None = None, *, rare: int = 1
    ) -> None:
        self.groups = groups
        self.rare = rare
        self.fixed = names is not None
        self._counts_words = FeatureGroup.WORD_COUNT in groups
        known = (LANGUAGE, SOURCE_WORDS) if names is None else names
        self._numbers = {name: number for number, name in enumerate(known)}
        self._rows: WeakKeyDictionary[ReadyRule, dict[int, dict[int, float]]] = WeakKeyDictionary()

    @property
    def names(self) -> tuple[str, ...]:
        """All names in order of their numbers."""
        return tuple(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __call__(self, rule: ReadyRule, consumed: int) -> Mapping[int, float]:
        """The features of a rule that consumes or deletes so many source words."""
        rows = self._rows.get(rule)
        if rows is None:
            rows = self._rows[rule] = {0: self._numbered(rule)}
        if not self._counts_words:
            return rows[0]
        if consumed not in rows:
            rows[consumed] = {**rows[0], _SOURCE_WORDS: float(consumed)}
        return rows[consumed]

    def _numbered(self, rule: ReadyRule) -> dict[int, float]:
        found: dict[int, float] = {}
        types, groups = rule.types, self.groups
        if rule.count <= self.rare and self.rare:
            covered = types & ~RuleType.EXTRACTED
            types, groups = covered or types, groups & ~_OWN
        for name, value in rule_features(rule.rule, types, groups):
            number = self._numbers.get(name)
            if number is None and not self.fixed:
                number = self._numbers[name] = len(self._numbers)
            if number is not None:
                found[number] = value
        return found


def derivation_features(derivation: Derivation, language: float) -> FeatureVector:
    """The features of a derivation; `language` is ln p of its output, 0 without a language model."""
    forest = derivation.forest
    rows = forest.feature_rows[np.array(derivation.edges, dtype=np.int64)]
    spans = [slice(forest.feature_starts[row], forest.feature_starts[row + 1]) for row in rows]
    indices = [forest.feature_indices[span] for span in spans]
    values = [forest.feature_values[span] for span in spans]
    return FeatureVector.of(
        np.concatenate([*indices, [_LANGUAGE]]), np.concatenate([*values, [LANGUAGE_SCALE * language]])
    )


def language_weight(weights: np.ndarray) -> float:
    """What the logarithm of the output's probability is multiplied with."""
    return LANGUAGE_SCALE * float(weights[_LANGUAGE])
