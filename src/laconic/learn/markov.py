"""Training a Markov grammar of deletion: counting the decisions of derivations, then smoothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from laconic.errors import LaconicError
from laconic.grammar.context_tree import Numbers
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
    decisions,
    fold_word,
)
from laconic.learn.witten_bell import Smoothing, estimate
from laconic.trees.transform import bare_label

_WORD_COLUMNS = (2, 5)  # the words of modifier and head in a context


def train_markov(
    derivations: Iterable[DeletionDerivation],
    options: MarkovOptions | None = None,
    *,
    smoothing: Smoothing | None = None,
    least: int = 1,
    least_word: int = 2,
) -> MarkovGrammar:
    """The grammar whose distributions are estimated from derivations; without `smoothing`, by Witten and Bell.

    Contexts seen less than `least` times are not kept apart; words in less than `least_word` trees' places
    are unknown. O(decisions · log decisions · variables).
    """
    chosen = options or MarkovOptions()
    labels: dict[str, int] = {}
    words: dict[str, int] = {}
    counts: Counter[str] = Counter()
    lexicon = Lexicon(labels, words)
    parts: list[tuple[Numbers, Numbers, Numbers]] = []
    for derivation in derivations:
        tree = derivation.tree
        for label in tree.labels:
            labels.setdefault(bare_label(label), len(labels) + FIRST_NUMBER)
        for word in map(fold_word, tree.words):
            words.setdefault(word, len(words) + FIRST_NUMBER)
            counts[word] += 1
        parts.append(
            decisions(
                lexicon.lexicalise(tree),
                np.array(derivation.derived),
                np.array(derivation.kept),
                chosen.sisters,
                chosen.ancestors,
            )
        )
    if not parts:
        raise LaconicError("there is no derivation to train a Markov grammar on")
    contexts, sides, outcomes = (np.concatenate(part) for part in zip(*parts, strict=True))
    # Frequent words get the small numbers: they are stored in fewer bytes.
    frequent = [word for word, count in counts.most_common() if count >= least_word]
    renumbered = np.full(len(words) + FIRST_NUMBER, UNKNOWN, dtype=np.int32)
    renumbered[:FIRST_NUMBER] = range(FIRST_NUMBER)
    renumbered[[words[word] for word in frequent]] = np.arange(len(frequent)) + FIRST_NUMBER
    for column in _WORD_COLUMNS:
        contexts[:, column] = renumbered[contexts[:, column]]
    head, left, right = (
        estimate(
            contexts[sides == side],
            outcomes[sides == side],
            outcome_count=2,
            removal=chosen.removal(of_head=side == HEAD_SIDE),
            smoothing=smoothing,
            least=least,
        )
        for side in (HEAD_SIDE, LEFT_SIDE, RIGHT_SIDE)
    )
    return MarkovGrammar(chosen, Lexicon.of(tuple(labels), tuple(frequent)), head, left, right)
