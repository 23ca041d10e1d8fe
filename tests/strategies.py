"""Hypothesis strategies for the values of laconic."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from laconic.sentence import Sentence
from laconic.trees.constituency import Tree

PHRASES = ("S", "NP", "VP", "PP", "SBAR", "ADJP", "NP-SBJ-1")
TAGS = ("NN", "DT", "VBD", "JJ", "IN", "CC", ",", "-LRB-", "PRP$")
SPACES = ("", " ", "  ", "\n", "\u00a0")

_escapes = ("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-", "\\/", "\\*")


def words() -> SearchStrategy[str]:
    """A word: no white space, and nothing that reads as a Penn escape."""
    anything = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=5)
    common = st.sampled_from(("the", "dog", "(", ")", "[", "}", "U.S.", "…", "naïve", "n't", "/"))
    return common | anything.filter(lambda word: not any(escape in word for escape in _escapes))


@st.composite
def trees(
    draw: DrawFn,
    *,
    min_words: int = 1,
    max_words: int = 8,
    phrases: tuple[str, ...] = PHRASES,
    tags: tuple[str, ...] = TAGS,
    word: SearchStrategy[str] | None = None,
) -> Tree:
    """A constituency tree: random words, tags, nesting spans and unary chains."""
    word = words() if word is None else word
    leaves = draw(st.lists(word, min_size=min_words, max_size=max_words))
    count = len(leaves)
    spans = [(draw(st.sampled_from(phrases)), 0, count)]
    # Cutting intervals until none is left: every interval of at least two words may be cut into two or three.
    open_intervals = [(0, count)]
    while open_intervals:
        start, end = open_intervals.pop()
        for _ in range(draw(st.integers(0, 2))):
            spans.append((draw(st.sampled_from(phrases)), start, end))
        if end - start > 1 and draw(st.integers(0, 3)):
            cuts = sorted(draw(st.sets(st.integers(start + 1, end - 1), min_size=1, max_size=2)))
            open_intervals.extend(zip([start, *cuts], [*cuts, end], strict=True))
    return Tree.from_spans(leaves, [draw(st.sampled_from(tags)) for _ in leaves], spans)


@st.composite
def head_sequences(
    draw: DrawFn, *, min_words: int = 1, max_words: int = 8, projective: bool = False
) -> tuple[int, ...]:
    """A dependency tree as heads, -1 for the one root."""
    count = draw(st.integers(min_words, max_words))
    heads = [-1] * count
    if projective:
        # The words of an interval are split by its head into two intervals, each a sequence of dependents.
        intervals = [(0, count, -1, True)]
        while intervals:
            start, end, above, single = intervals.pop()
            if start == end:
                continue
            cut = end if single else draw(st.integers(start + 1, end))
            root = draw(st.integers(start, cut - 1))
            heads[root] = above
            intervals += [(start, root, root, False), (root + 1, cut, root, False), (cut, end, above, False)]
        return tuple(heads)
    order = draw(st.permutations(range(count)))
    for position, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, position - 1))]
    return tuple(heads)


@st.composite
def sentences(draw: DrawFn, *, min_words: int = 1, max_words: int = 8) -> Sentence:
    """A sentence with the author's spacing and any subset of the annotation."""
    tree = draw(trees(min_words=max(min_words, 1), max_words=max_words))
    count = len(tree.words)
    some = st.booleans()
    heads = draw(head_sequences(min_words=count, max_words=count)) if draw(some) else None
    return Sentence(
        words=tree.words,
        spaces=tuple(draw(st.sampled_from(SPACES)) for _ in range(count)),
        lead=draw(st.sampled_from(SPACES)),
        tags=tree.tags if draw(some) else None,
        tree=tree if draw(some) else None,
        heads=heads,
        relations=tuple(draw(st.sampled_from(("nsubj", "obj", "root", "nmod:of"))) for _ in range(count))
        if draw(some)
        else None,
    )
