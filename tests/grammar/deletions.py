"""Small grammars and trees for the tests of Markov grammars."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.markov import MarkovOptions
from tests.strategies import trees

small_trees = trees(
    max_words=5,
    phrases=("S", "NP", "VP"),
    tags=("NN", "VBD", ","),
    word=st.sampled_from(("rain", "Rain", "fell", "x1", "x2")),
)
annotations = st.sampled_from(  # type: ignore[assignment]
    [
        ("category",),
        ("category", "tag"),
        ("category", "word"),
        ("category", "tag", "word"),
        ("word",),
    ]
)
options = st.builds(
    MarkovOptions,
    sisters=st.integers(0, 3),
    ancestors=st.integers(0, 3),
    modifier=annotations,  # type: ignore[arg-type]
    head=annotations,  # type: ignore[arg-type]
    stops=st.booleans(),
)


@st.composite
def derivations(draw: DrawFn) -> DeletionDerivation:
    tree = draw(small_trees)
    return derive_by_words(tree, draw(st.sets(st.integers(0, len(tree.words) - 1), min_size=1)))
