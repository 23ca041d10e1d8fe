import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.trees.alignment.constituents import align_constituents, unlinked_nodes
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.alignment.edits import Alignment, Edit, align_common, align_edits
from laconic.trees.constituency import Tree
from tests.oracles import alignment as oracle
from tests.strategies import trees

WORDS = st.lists(st.sampled_from("abc"), max_size=5)


class TestDeletion:
    @given(st.lists(st.sampled_from("abc"), max_size=8), st.data())
    def test_equals_enumeration(self, source, data: st.DataObject) -> None:
        kept = data.draw(st.sets(st.integers(0, max(0, len(source) - 1)), max_size=len(source)))
        target = [source[i] for i in sorted(kept)] if source else []
        assert align_deletion(source, target) == oracle.last_deletion(source, target)

    @given(WORDS, WORDS)
    def test_raises_exactly_when_there_is_no_placement(self, source, target) -> None:
        expected = oracle.last_deletion(source, target)
        if expected is None:
            with pytest.raises(LaconicError, match="no deletion"):
                align_deletion(source, target)
        else:
            assert align_deletion(source, target) == expected

    def test_ties_go_to_the_last_appearance(self) -> None:
        assert align_deletion(["a", "b", "a", "b", "c"], ["a", "b", "c"]) == (2, 3, 4)

    def test_names_the_first_word_that_cannot_be_placed(self) -> None:
        with pytest.raises(LaconicError, match=r"word 1 of the compression, 'went'"):
            align_deletion(["he", "left", "home"], ["he", "went", "home", "away"])

    def test_names_a_word_that_is_there_but_out_of_order(self) -> None:
        with pytest.raises(LaconicError, match=r"word 1 of the compression, 'he'"):
            align_deletion(["he", "left", "home"], ["left", "he", "home"])

    def test_folds_case_only_when_asked(self) -> None:
        assert align_deletion(["The", "THE", "end"], ["the", "End"], fold_case=True) == (1, 2)
        with pytest.raises(LaconicError, match="'the'"):
            align_deletion(["The", "end"], ["the", "end"])

    def test_nothing_is_a_deletion_of_anything(self) -> None:
        assert align_deletion([], []) == ()
        assert align_deletion(["a"], []) == ()


class TestEdits:
    @given(WORDS, WORDS)
    def test_edits_equal_enumeration(self, source, target) -> None:
        assert align_edits(source, target).edits == oracle.fewest_edits(source, target, substitute=True)

    @given(WORDS, WORDS)
    def test_common_subsequence_equals_enumeration(self, source, target) -> None:
        assert align_common(source, target).edits == oracle.fewest_edits(source, target, substitute=False)

    @given(st.lists(st.sampled_from("abc"), max_size=12), st.data())
    def test_a_deletion_aligns_as_align_deletion_says(self, source, data: st.DataObject) -> None:
        target = [word for word in source if data.draw(st.booleans())]
        expected = tuple(zip(align_deletion(source, target), range(len(target)), strict=True))
        assert align_common(source, target).links == expected
        assert align_edits(source, target).links == expected

    @given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
    def test_edits_consume_both_sides_and_links_say_what_they_claim(self, source, target) -> None:
        alignment = align_edits(source, target)
        edits = alignment.edits
        assert len(edits) - edits.count(Edit.INSERT) == len(source)
        assert len(edits) - edits.count(Edit.DELETE) == len(target)
        assert all(source[s] == target[t] for s, t in alignment.matches)
        assert all(source[s] != target[t] for s, t in set(alignment.links) - set(alignment.matches))
        assert alignment.distance == align_edits(target, source).distance

    def test_equal_words_align_before_unequal_ones_at_the_same_cost(self) -> None:
        # Two substitutions, or a deletion and an insertion around the match of b.
        assert align_edits(["a", "b"], ["b", "c"]) == Alignment((Edit.DELETE, Edit.MATCH, Edit.INSERT))

    def test_a_word_before_a_foreign_one_still_aligns_to_its_last_appearance(self) -> None:
        assert align_common(["a", "b", "a"], ["a", "x"]).links == ((2, 0),)

    def test_folds_case_only_when_asked(self) -> None:
        assert align_common(["The", "end"], ["the", "end"]).links == ((1, 1),)
        assert align_common(["The", "end"], ["the", "end"], fold_case=True).links == ((0, 0), (1, 1))


class TestConstituents:
    @settings(max_examples=150)
    @given(trees(max_words=5), trees(max_words=5), st.data())
    def test_equals_the_literal_definition(self, source, target, data: st.DataObject) -> None:
        link = st.tuples(st.integers(0, len(source.words) - 1), st.integers(0, len(target.words) - 1))
        links = data.draw(st.lists(link, max_size=6))
        assert align_constituents(source, target, links) == oracle.aligned_constituents(source, target, links)

    @given(trees(), st.data())
    def test_unlinked_nodes_hold_no_linked_word(self, tree, data: st.DataObject) -> None:
        positions = data.draw(st.sets(st.integers(0, len(tree.words) - 1)))
        expected = tuple(
            node
            for node in range(len(tree.labels))
            if positions.isdisjoint(range(tree.starts[node], tree.ends[node]))
        )
        assert unlinked_nodes(tree, positions) == expected

    def test_a_link_outside_the_trees_is_named(self) -> None:
        tree = Tree.from_nested(("S", ("T", "w")))
        with pytest.raises(LaconicError, match=r"link \(0, 1\)"):
            align_constituents(tree, tree, [(0, 1)])
