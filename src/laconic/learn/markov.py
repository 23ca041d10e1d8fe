"""Training a Markov grammar of deletion: counting the decisions of derivations, then smoothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from laconic.arrays import Int32
from laconic.errors import LaconicError
from laconic.grammar.deletion_scfg import DeletionDerivation
from laconic.grammar.markov import (
    FIRST_NUMBER,
    HEAD_SIDE,
    LEFT_SIDE,
    RIGHT_SIDE,
    UNKNOWN,
    Lexicon,
    MarkovGrammar,
    MarkovOptions,
    context_columns,
    decisions,
    fold_word,
)
from laconic.learn.witten_bell import Smoothing, estimate
from laconic.trees.transform import bare_label

_WORD_COLUMNS = (2, 5)  # the words of modifier and head in a context


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """The decisions of derivations, as grammars of one sister and ancestor order see them.

    Labels and words are numbered in the order of their first appearance; `word_counts` tells how often each
    word appeared.
    """

    sisters: int
    ancestors: int
    labels: tuple[str, ...]
    word_counts: Mapping[str, int]
    contexts: Int32
    sides: Int32
    outcomes: Int32

    def narrowed(self, *, sisters: int, ancestors: int) -> Observations:
        """The same decisions as grammars of these orders see them, neither of which is higher."""
        if not (0 <= sisters <= self.sisters and 0 <= ancestors <= self.ancestors):
            raise LaconicError(
                f"decisions observed with {self.sisters} sisters and {self.ancestors} ancestors do not serve a "
                f"grammar of {sisters} and {ancestors}"
            )
        if (sisters, ancestors) == (self.sisters, self.ancestors):
            return self
        columns = context_columns(sisters, ancestors, of=(self.sisters, self.ancestors))
        return replace(self, sisters=sisters, ancestors=ancestors, contexts=self.contexts[:, columns])


class Observer:
    """Collects the decisions of derivations, which it does not keep; what was seen can be had at any time."""

    def __init__(self, *, sisters: int = 1, ancestors: int = 1) -> None:
        self._orders = sisters, ancestors
        self._labels: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._counts: Counter[str] = Counter()
        self._parts: list[tuple[Int32, Int32, Int32]] = []

    def see(self, derivations: Iterable[DeletionDerivation]) -> None:
        """Add the decisions of derivations."""
        labels, words = self._labels, self._words
        lexicon = Lexicon(labels, words)
        for derivation in derivations:
            tree = derivation.tree
            for label in tree.labels:
                labels.setdefault(bare_label(label), len(labels) + FIRST_NUMBER)
            for word in map(fold_word, tree.words):
                words.setdefault(word, len(words) + FIRST_NUMBER)
                self._counts[word] += 1
            flags = np.array(derivation.derived), np.array(derivation.kept)
            self._parts.append(decisions(lexicon.lexicalise(tree), *flags, *self._orders))

    def seen(self) -> Observations:
        """All decisions so far."""
        if not self._parts:
            raise LaconicError("there is no derivation to train a Markov grammar on")
        contexts, sides, outcomes = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        self._parts = [(contexts, sides, outcomes)]
        return Observations(*self._orders, tuple(self._labels), dict(self._counts), contexts, sides, outcomes)


def observe(
    derivations: Iterable[DeletionDerivation], *, sisters: int = 1, ancestors: int = 1
) -> Observations:
    """The decisions of derivations, which are read once and not kept."""
    observer = Observer(sisters=sisters, ancestors=ancestors)
    observer.see(derivations)
    return observer.seen()


def estimate_grammar(
    observations: Observations,
    options: MarkovOptions,
    *,
    smoothing: Smoothing | None = None,
    least: int = 1,
    least_word: int = 2,
) -> MarkovGrammar:
    """The grammar of observed decisions; without `smoothing`, by Witten and Bell.

    Decisions observed with higher orders serve as well. Contexts seen less than `least` times are not kept
    apart; words seen less than `least_word` times are unknown. O(variables · decisions · log decisions).
    """
    observations = observations.narrowed(sisters=options.sisters, ancestors=options.ancestors)
    # Frequent words get the small numbers: they are stored in fewer bytes.
    numbers = {word: number for number, word in enumerate(observations.word_counts)}
    ordered = sorted(observations.word_counts.items(), key=lambda item: -item[1])
    frequent = tuple(word for word, count in ordered if count >= least_word)
    renumbered = np.full(len(numbers) + FIRST_NUMBER, UNKNOWN, dtype=np.int32)
    renumbered[:FIRST_NUMBER] = range(FIRST_NUMBER)
    places = np.array([numbers[word] for word in frequent], dtype=np.int64) + FIRST_NUMBER
    renumbered[places] = np.arange(len(frequent)) + FIRST_NUMBER
    trees = []
    for side in (HEAD_SIDE, LEFT_SIDE, RIGHT_SIDE):
        here = observations.sides == side
        contexts = observations.contexts[here]
        for column in _WORD_COLUMNS:
            contexts[:, column] = renumbered[contexts[:, column]]
        trees.append(
            estimate(
                contexts,
                observations.outcomes[here],
                outcome_count=2,
                removal=options.removal(of_head=side == HEAD_SIDE),
                smoothing=smoothing,
                least=least,
            )
        )
    return MarkovGrammar(options, Lexicon.of(observations.labels, frequent), *trees)


def train_markov(
    derivations: Iterable[DeletionDerivation],
    options: MarkovOptions | None = None,
    *,
    smoothing: Smoothing | None = None,
    least: int = 1,
    least_word: int = 2,
) -> MarkovGrammar:
    """The grammar estimated from derivations in one go: `observe`, then `estimate_grammar`."""
    chosen = options or MarkovOptions()
    seen = observe(derivations, sisters=chosen.sisters, ancestors=chosen.ancestors)
    return estimate_grammar(seen, chosen, smoothing=smoothing, least=least, least_word=least_word)
