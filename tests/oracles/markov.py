"""Markov grammars of deletion by their definition: contexts as tuples of names, probabilities counted afresh."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.markov import MarkovOptions, fold_word
from laconic.learn.witten_bell import WittenBell
from laconic.trees.constituency import Tree
from laconic.trees.heads import HeadRules
from laconic.trees.transform import bare_label
from tests.oracles import smoothing

Decision = tuple[str, tuple[Any, ...], int]  # side, context from general to specific, outcome


def head_words(tree: Tree) -> tuple[int, ...]:
    """The head word of every node: a preterminal's own word, else the head word of the head child."""
    rules, found = HeadRules.load(), list(tree.starts)
    for node in reversed(range(len(tree.labels))):
        if children := tree.children(node):
            head = rules.head_child(tree.labels[node], [tree.labels[child] for child in children])
            found[node] = found[children[head]]
    return tuple(found)


@dataclass(frozen=True)
class MarkovTwin:
    """Equation 7 over the decisions of the training derivations; the paper's order of removal."""

    derivations: Sequence[DeletionDerivation]
    options: MarkovOptions
    least_word: int

    def log_probability(self, tree: Tree, kept: Collection[int], phrase: int) -> float:
        """ln p of the children of one phrase that stay, given as nodes."""
        training = [
            each for d in self.derivations for node in phrases(d) for each in self._decisions(d, node)
        ]
        total = 0.0
        flags = tuple(node in kept for node in range(len(tree.labels)))
        for side, context, outcome in self._decisions(DeletionDerivation(tree, (), flags), phrase):
            data = [(row, k) for other, row, k in training if other == side]
            columns = range(len(context))
            total += math.log(
                smoothing.probability(
                    data, context, outcome, columns, outcome_count=2, smoothing=WittenBell()
                )
            )
        return total

    def score(self, tree: Tree, words: Collection[int]) -> float:
        """ln p of keeping exactly these words."""
        derivation = derive_by_words(tree, words)
        kept = {node for node, stays in enumerate(derivation.kept) if stays}
        return sum(self.log_probability(tree, kept, node) for node in phrases(derivation))

    def _decisions(self, derivation: DeletionDerivation, phrase: int) -> list[Decision]:
        tree, kept, options = derivation.tree, derivation.kept, self.options
        rules = HeadRules.load()
        word_of = head_words(tree)
        children = tree.children(phrase)
        head_place = rules.head_child(tree.labels[phrase], [tree.labels[child] for child in children])
        head = children[head_place]

        def annotated(node: int, chosen: Collection[str]) -> dict[str, list[str]]:
            """Category, tag and word, each in a list that is empty if the options leave it out."""
            word = word_of[node]
            values = (
                bare_label(tree.labels[node]),
                bare_label(tree.tags[word]),
                self._word(tree.words[word]),
            )
            names = ("category", "tag", "word")
            return {n: [value] if n in chosen else [] for n, value in zip(names, values, strict=True)}

        ancestors, node = [], phrase
        for _ in range(options.ancestors):
            ancestors.append(bare_label(tree.labels[node]) if node >= 0 else "<none>")
            node = tree.parents[node] if node >= 0 else -1
        of_head = annotated(head, options.head)
        context = (*of_head["category"], *ancestors, *of_head["tag"], *of_head["word"])
        found: list[Decision] = [("head", context, int(kept[head]))]
        sides = {"left": children[:head_place][::-1], "right": children[head_place + 1 :]}
        for side, modifiers in sides.items():
            for place, modifier in enumerate(modifiers):
                of_modifier = annotated(modifier, options.modifier)
                keeps, labels = [], []
                for step in range(1, options.sisters + 1):
                    if step <= place:
                        sister = modifiers[place - step]
                        keeps.append(str(kept[sister]))
                        labels.append(bare_label(tree.labels[sister]))
                    else:
                        keeps.append("<none>")
                        labels.append("<head>" if step == place + 1 else "<none>")
                stop = [place == len(modifiers) - 1] if options.stops else []
                context = (
                    *(*of_modifier["category"], *of_head["category"], kept[head], *keeps, *labels),  # type: ignore[arg-type]
                    *(*stop, *ancestors, *of_modifier["tag"], *of_head["tag"]),  # type: ignore[arg-type]
                    *(*of_modifier["word"], *of_head["word"]),
                )
                found.append((side, context, int(kept[modifier])))
        return found

    def _word(self, word: str) -> str:
        counts = Counter(fold_word(each) for d in self.derivations for each in d.tree.words)
        folded = fold_word(word)
        return folded if counts[folded] >= self.least_word else "<unknown>"


def phrases(derivation: DeletionDerivation) -> list[int]:
    return [node for node, derived in enumerate(derivation.derived) if derived]
