"""Hypothesis strategies for pairs of trees with aligned words."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from laconic.grammar.grammar import AlignedTrees
from laconic.trees.transform import restrict, with_root
from tests.strategies import trees

WORDS = st.sampled_from(("the", "dog", "cat", "old", "barks", "_1", "a]b", "x\\"))


@st.composite
def deletion_pairs(draw: DrawFn, *, max_words: int = 7) -> AlignedTrees:
    """A tree and another one over some of its words: its own without the rest, or any."""
    source = with_root(draw(trees(max_words=max_words, word=WORDS)))
    kept = sorted(draw(st.sets(st.integers(0, len(source.words) - 1), min_size=1)))
    links = tuple((s, t) for t, s in enumerate(kept))
    if draw(st.booleans()):
        target = restrict(source, kept)
        assert target is not None
        return source, target, links
    words = iter([source.words[s] for s in kept])
    other = draw(trees(min_words=len(kept), max_words=len(kept), word=st.builds(lambda: next(words))))
    return source, with_root(other), links


@st.composite
def rewriting_pairs(draw: DrawFn, *, max_words: int = 6) -> AlignedTrees:
    """Two trees over any words with any links between them, at least one."""
    source = with_root(draw(trees(max_words=max_words, word=WORDS)))
    target = with_root(draw(trees(max_words=max_words, word=WORDS)))
    link = st.tuples(st.integers(0, len(source.words) - 1), st.integers(0, len(target.words) - 1))
    return source, target, tuple(draw(st.lists(link, min_size=1, max_size=6)))
