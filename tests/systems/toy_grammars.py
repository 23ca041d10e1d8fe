"""A few trees and their compressions, to train the systems that delete constituents."""

from __future__ import annotations

from laconic.corpora.pair import Pair
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree

TREES = [
    (
        (
            "ROOT",
            (
                "S",
                ("NP", ("DT", "The"), ("JJ", "old"), ("NN", "bridge")),
                ("VP", ("VBD", "fell")),
                (".", "."),
            ),
        ),
        (0, 2, 3, 4),
    ),
    (
        (
            "ROOT",
            (
                "S",
                ("ADVP", ("RB", "Yesterday")),
                (",", ","),
                ("NP", ("NP", ("NNS", "stocks")), ("PP", ("IN", "of"), ("NP", ("NNS", "banks")))),
                ("VP", ("VBD", "rose"), ("ADVP", ("RB", "sharply"))),
                (".", "."),
            ),
        ),
        (2, 5, 7),
    ),
    (
        (
            "ROOT",
            (
                "S",
                ("NP", ("PRP", "It")),
                ("VP", ("VP", ("VBD", "rained")), ("CC", "and"), ("VP", ("VBD", "stormed"))),
                (".", "."),
            ),
        ),
        (0, 3, 4),
    ),
    (("ROOT", ("S", ("NP", ("NN", "Rain")), ("VP", ("VBZ", "falls"), ("ADVP", ("RB", "often"))))), (0, 1)),
]


def toy_pairs() -> list[Pair]:
    """Each sentence with its tree and one compression."""
    pairs = []
    for number, (nested, kept) in enumerate(TREES):
        tree = Tree.from_nested(nested)
        sentence = Sentence.from_words(tree.words, tree=tree)
        reference = tuple(tree.words[word] for word in kept)
        pairs.append(Pair(str(number), sentence, (reference,), (kept,)))
    return pairs


def flat_tree(sentence: Sentence) -> Sentence:
    """The sentence under a tree of two levels, for sentences that nobody parsed."""
    if not sentence.words:
        return sentence
    half = (len(sentence) + 1) // 2
    spans = [("S", 0, len(sentence)), ("NP", 0, half)]
    if half < len(sentence):
        spans.append(("VP", half, len(sentence)))
    tags = ["NN" if word.isalpha() else "," for word in sentence.words]
    return sentence.annotated(tree=Tree.from_spans(sentence.words, tags, spans))
