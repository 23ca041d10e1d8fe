"""The constituent alignment of Cohn & Lapata (2009), Figure 6, from the trees of their Figure 1."""

from laconic.trees.alignment.constituents import align_constituents, unlinked_nodes
from laconic.trees.alignment.deletion import align_deletion
from laconic.trees.constituency import Tree

SOURCE = Tree.from_nested(
    (
        "S",
        (
            "SBAR",
            ("WHNP", ("RB", "exactly"), ("WP", "what")),
            ("S", ("NP", ("NNS", "records")), ("VP", ("VBD", "made"), ("NP", ("PRP", "it")))),
        ),
        ("CC", "and"),
        (
            "SBAR",
            ("WHNP", ("WP", "which")),
            ("S", ("NP", ("NNS", "ones")), ("VP", ("VBP", "are"), ("VP", ("VBN", "involved")))),
        ),
    )
)
TARGET = Tree.from_nested(
    (
        "S",
        ("WHNP", ("WP", "what")),
        ("S", ("NP", ("NNS", "records")), ("VP", ("VBP", "are"), ("VP", ("VBN", "involved")))),
    )
)


def phrase(tree: Tree, node: int) -> str:
    return f"{tree.labels[node]} {' '.join(tree.words[tree.starts[node] : tree.ends[node]])}"


def test_constituents_align_as_in_the_figure() -> None:
    kept = align_deletion(SOURCE.words, TARGET.words)
    pairs = align_constituents(SOURCE, TARGET, [(s, t) for t, s in enumerate(kept)])
    assert [(phrase(SOURCE, v), phrase(TARGET, w)) for v, w in pairs] == [
        ("S exactly what records made it and which ones are involved", "S what records are involved"),
        ("WHNP exactly what", "WHNP what"),
        ("WHNP exactly what", "WP what"),
        ("WP what", "WHNP what"),
        ("WP what", "WP what"),
        ("S records made it", "NP records"),
        ("S records made it", "NNS records"),
        ("NP records", "NP records"),
        ("NP records", "NNS records"),
        ("NNS records", "NP records"),
        ("NNS records", "NNS records"),
        ("SBAR which ones are involved", "VP are involved"),
        ("S ones are involved", "VP are involved"),
        ("VP are involved", "VP are involved"),
        ("VBP are", "VBP are"),
        ("VP involved", "VP involved"),
        ("VP involved", "VBN involved"),
        ("VBN involved", "VP involved"),
        ("VBN involved", "VBN involved"),
    ]


def test_deleted_constituents_are_unlinked() -> None:
    kept = align_deletion(SOURCE.words, TARGET.words)
    assert [phrase(SOURCE, node) for node in unlinked_nodes(SOURCE, kept)] == [
        "RB exactly",
        "VP made it",
        "VBD made",
        "NP it",
        "PRP it",
        "CC and",
        "WHNP which",
        "WP which",
        "NP ones",
        "NNS ones",
    ]
