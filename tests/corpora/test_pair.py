import pytest

from laconic.corpora.pair import Pair
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree

SOURCE = Sentence.from_words(["the", "dog", "and", "the", "cat", "left"])
CAT_LEFT = Tree.from_nested(("S", ("NP", ("DT", "the"), ("NN", "cat")), ("VP", ("VBD", "left"))))


def test_references_are_aligned_where_they_are_deletions() -> None:
    pair = Pair.aligned("7", SOURCE, [["the", "cat", "left"], ["it", "left"]], doc="d")
    assert pair.kept == ((3, 4, 5), None)
    assert pair.references == (("the", "cat", "left"), ("it", "left"))
    assert pair.doc == "d"


def test_an_empty_reference_is_a_deletion() -> None:
    assert Pair.aligned("7", SOURCE, [[]]).kept == ((),)


@pytest.mark.parametrize(
    ("references", "kept", "message"),
    [
        ((), (), "no reference"),
        ((("the",),), ((0,), (0,)), "1 references but 2 kept"),
        ((("the",),), ((1,),), r"source words at \(1,\) are not the reference 'the'"),
        ((("the", "the"),), ((3, 0),), "are not the reference"),
        ((("the",),), ((6,),), "are not the reference"),
        ((("left",),), ((-1,),), "are not the reference"),
    ],
)
def test_what_is_kept_spells_the_reference(references, kept, message: str) -> None:
    with pytest.raises(LaconicError, match=f"pair '7'.*{message}"):
        Pair("7", SOURCE, references, kept)


def test_trees_belong_to_the_references() -> None:
    references = (("the", "cat", "left"),)
    assert Pair("7", SOURCE, references, ((3, 4, 5),), reference_trees=(CAT_LEFT,)).reference_trees == (
        CAT_LEFT,
    )
    with pytest.raises(LaconicError, match="1 references but 2 trees"):
        Pair("7", SOURCE, references, ((3, 4, 5),), reference_trees=(CAT_LEFT, CAT_LEFT))
    with pytest.raises(LaconicError, match="the tree is over 'the cat left', not over the reference 'left'"):
        Pair("7", SOURCE, (("left",),), ((5,),), reference_trees=(CAT_LEFT,))
