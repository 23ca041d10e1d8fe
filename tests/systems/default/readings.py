"""Sentences with random scores and random trees: the compressor without its network."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from laconic.annotate.annotator import Analysis
from laconic.annotate.network import Scores
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise
from laconic.trees.constituency import Tree

# Words and marks that break easily when others go.
TOKENS = [
    *("The", "an", "old", "it", "rose", "'s", "n't", "not", "Inc.", "$", "5", "million", "né"),
    *(",", ";", "--", ".", "?", "“", "”", "(", ")"),
]
RELATIONS = [
    *("nsubj", "aux", "advmod", "obj", "case", "det", "punct", "ccomp", "conj", "acl:relcl"),
    *("nummod", "mark", "obl", "appos"),
]
TAGS = ["NN", "VBD", "CD", "RB", "DT", "PRP", "IN", ","]


def random_sentence(generator: np.random.Generator, words: int) -> Sentence:
    """Random tokens, with and without spaces; the tokeniser may join or cut them."""
    picked = generator.choice(TOKENS, size=words)
    spaces = generator.choice(["", " ", " ", "  "], size=words)
    return tokenise("".join(word + space for word, space in zip(picked, spaces, strict=True)))


def random_analysis(generator: np.random.Generator, sentence: Sentence) -> Analysis:
    """The sentence with a random tree and random scores."""
    count = len(sentence)
    heads = [-1] + [int(generator.integers(0, word)) for word in range(1, count)]
    order = generator.permutation(count)  # the root may stand anywhere
    moved = [-1] * count
    for word, head in enumerate(heads):
        moved[order[word]] = int(order[head]) if head >= 0 else -1
    tags = tuple(generator.choice(TAGS, size=count).tolist())
    relations = tuple("root" if head < 0 else str(generator.choice(RELATIONS)) for head in moved)
    annotated = sentence.annotated(
        tags=tags,
        heads=moved,
        relations=relations,
        tree=Tree.from_spans(sentence.words, tags, [("ROOT", 0, count)]),
    )
    square = (count + 1, count + 1)
    scores = Scores(
        tags=np.zeros(count, np.int64),
        gains=np.zeros(square, np.float32),
        labels=np.zeros(square, np.int64),
        arcs=np.zeros(square, np.float32),
        relations=np.zeros(square, np.int64),
        keep=generator.normal(size=count).astype(np.float32),
        follow=(3 * generator.normal(size=(count + 2, count + 2))).astype(np.float32),
        kept_arcs=(3 * generator.normal(size=square)).astype(np.float32),
    )
    return Analysis(annotated, scores)


@st.composite
def analyses(draw: st.DrawFn, most: int = 8) -> Analysis:
    """An analysis of a sentence of at least one word."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sentence = random_sentence(generator, draw(st.integers(1, most)))
    return random_analysis(generator, sentence)
