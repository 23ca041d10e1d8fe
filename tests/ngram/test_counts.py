from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.ngram.counts import count_ngrams
from laconic.ngram.vocabulary import encode_corpus
from tests.ngram.corpora import sentences, with_boundaries
from tests.oracles import ngram as oracle


@given(corpus=sentences, order=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_counts_equal_the_dictionary(corpus, order) -> None:
    vocabulary, tokens = encode_corpus(corpus)
    levels = count_ngrams(tokens, order=order, vocabulary_size=len(vocabulary))
    rows = [[(word,) for word in range(len(vocabulary))]]
    for level in levels[1:]:
        rows.append([(*rows[-1][p], w) for p, w in zip(level.prefixes, level.words.tolist(), strict=True)])
    counted = {}  # type: ignore[var-annotated]
    for length, (level, ngrams) in enumerate(zip(levels, rows, strict=True), start=1):
        assert length == 1 or ngrams == sorted(ngrams)
        counted |= dict(zip(ngrams, level.counts.tolist(), strict=True))
        assert [ngram[0] == 1 for ngram in ngrams] == level.opens.tolist()
        if length > 1:
            assert [rows[length - 2][suffix] for suffix in level.suffixes] == [ngram[1:] for ngram in ngrams]
    expected = oracle.count(with_boundaries(vocabulary, corpus), order)
    assert {ngram: count for ngram, count in counted.items() if count} == expected
