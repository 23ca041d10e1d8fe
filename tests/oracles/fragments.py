"""All elementary trees of a context-free grammar, up to a depth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from laconic.grammar.fragments import Fragment
from laconic.grammar.word_pcfg import WordPcfg


def elementary_trees(grammar: WordPcfg, label: str, *, depth: int) -> Iterator[Fragment]:
    """Every elementary tree of at most so many levels of nodes; those at its frontier are bare labels."""
    yield Fragment(label)
    if depth == 1:
        return
    for production in grammar.log_probabilities:
        if production.label != label:
            continue
        if production.word is not None:
            yield Fragment(label, word=production.word)
            continue
        below = [list(elementary_trees(grammar, child, depth=depth - 1)) for child in production.children]
        for children in product(*below):
            yield Fragment(label, children)
