"""Annotated sentences for the tests: drawn by hypothesis, and a few written by hand."""

from __future__ import annotations

from hypothesis import strategies as st

from laconic.sentence import Sentence
from laconic.trees.constituency import Tree
from tests.strategies import trees

LABELS = ("nsubj", "obj", "case", "det", "punct")
WORDS = st.sampled_from(
    ("The", "dog", "NATO", "(", ")", "n't", "not", "tries", "closed", "$", ",", "May", "10")
)


@st.composite
def projective_heads(draw: st.DrawFn, count: int) -> tuple[int, ...]:
    """The heads of a projective tree, by joining neighbouring subtrees."""
    roots, heads = list(range(count)), [-1] * count
    while len(roots) > 1:
        place = draw(st.integers(0, len(roots) - 2))
        rightward = draw(st.booleans())
        head, dependent = (roots[place + 1], roots[place])[:: -1 if rightward else 1]
        heads[dependent] = head
        roots.remove(dependent)
    return tuple(heads)


@st.composite
def annotated_sentences(draw: st.DrawFn, max_words: int = 7) -> Sentence:
    tree = draw(trees(max_words=max_words, word=WORDS))
    count = len(tree.words)
    tags = ("DT", "NN", "VBZ", "MD", ",", "PRP$", "NNP")
    return Sentence.from_words(tree.words, tree=tree).annotated(
        tags=draw(st.lists(st.sampled_from(tags), min_size=count, max_size=count)),
        heads=draw(projective_heads(count)),
        relations=draw(st.lists(st.sampled_from(LABELS), min_size=count, max_size=count)),
    )


@st.composite
def compressions(draw: st.DrawFn, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Some words of a sentence and a projective tree over them."""
    kept = sorted(draw(st.sets(st.integers(0, count - 1), min_size=1)))
    return tuple(kept), draw(projective_heads(len(kept)))


PRODUCTION = Sentence.from_words(
    ["Production", "was", "closed", "down", "at", "Ford", "last", "night", "."],
    tree=Tree.from_nested(
        (
            "S",
            ("NP", ("NN", "Production")),
            (
                "VP",
                ("VBD", "was"),
                (
                    "VP",
                    ("VBN", "closed"),
                    ("PRT", ("RP", "down")),
                    ("PP", ("IN", "at"), ("NP", ("NNP", "Ford"))),
                    ("NP", ("JJ", "last"), ("NN", "night")),
                ),
            ),
            (".", "."),
        )
    ),
).annotated(
    tags=["NN", "VBD", "VBN", "RP", "IN", "NNP", "JJ", "NN", "."],
    heads=(2, 2, -1, 2, 5, 2, 7, 2, 2),
    relations=["nsubj:pass", "aux:pass", "root", "compound:prt", "case", "obl", "amod", "obl:tmod", "punct"],
)
