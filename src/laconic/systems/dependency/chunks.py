"""Base phrases: the flat chunks that a constituency tree cuts a sentence into."""

from __future__ import annotations

from laconic.trees.constituency import Tree
from laconic.trees.transform import bare_label


def chunks(tree: Tree) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The number and the label of the chunk of every word.

    A chunk is a longest run of words right under the same phrase, where a verb phrase right inside another
    counts as the outer one, so that the verbs of a group stay together.

    >>> tree = Tree.from_nested(
    ...     ("S", ("NP", ("PRP", "It")), ("VP", ("MD", "may"), ("VP", ("VB", "end"), ("NP", ("NN", "today")))))
    ... )
    >>> chunks(tree)
    ((0, 1, 1, 2), ('NP', 'VP', 'VP', 'NP'))
    """
    phrase_of = list(range(len(tree.labels)))
    numbers: list[int] = []
    labels: list[str] = []
    previous = -1
    for node, parent in enumerate(tree.parents):
        label = bare_label(tree.labels[node])
        if tree.is_preterminal(node):
            phrase = phrase_of[max(parent, 0)]
            numbers.append(numbers[-1] + (phrase != previous) if numbers else 0)
            labels.append(bare_label(tree.labels[phrase]))
            previous = phrase
        elif parent >= 0 and label == "VP" == bare_label(tree.labels[parent]):
            phrase_of[node] = phrase_of[parent]
    return tuple(numbers), tuple(labels)
