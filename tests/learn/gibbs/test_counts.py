"""The flat table of rules is a dictionary."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.learn.gibbs.counts import add_rule, empty_counts, remove_rule, row_of

# Few rows, and first hashes that meet in them, at their end and around it, or are the same.
hashes = st.sampled_from((0, 1, 2, 6, 7, 8 + 7, 16 + 7, 2**63 + 7))
rules = st.tuples(hashes, st.integers(1, 2), st.integers(0, 2))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.booleans(), rules), max_size=40))
def test_counting_is_that_of_a_dictionary(steps) -> None:
    counts = empty_counts(3, 3)
    assert len(counts.rules) == 8
    expected: Counter = Counter()  # type: ignore[type-arg]
    roots: Counter = Counter()  # type: ignore[type-arg]
    for adds, (first, second, root) in steps:
        key = (first, second)
        if adds and (key in expected or len(expected) < 6):
            add_rule(counts, np.uint64(first), np.uint64(second), root)
            expected[key] += 1
            roots[root] += 1
        elif not adds and expected[key] and roots[root]:
            remove_rule(counts, np.uint64(first), np.uint64(second), root)
            expected[key] -= 1
            roots[root] -= 1
        expected += Counter()  # forgets what is zero
        assert counts.size[0] == len(expected)
        assert counts.roots.tolist() == [roots[number] for number in range(3)]
        assert {(a, b): n for a, b, n in counts.rules.tolist() if n} == dict(expected)
        for (first_hash, second_hash), count in expected.items():
            row = row_of(counts.rules, np.uint64(first_hash), np.uint64(second_hash))
            assert counts.rules[row, 2] == count
