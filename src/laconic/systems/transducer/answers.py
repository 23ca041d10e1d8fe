"""From derivations to compressions: deletions where they only delete, rewritten sentences where not."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from laconic.compression import Compression
from laconic.decode.contract import Solution
from laconic.decode.transducer import Transduction
from laconic.later import later
from laconic.sentence import Sentence
from laconic.text.detokenise import standing
from laconic.trees.constituency import Tree
from laconic.trees.transform import restrict


def written(sentence: Sentence, space: Transduction, solution: Solution) -> Compression:
    """The compression of a solution, with its target tree and its derivation."""
    assert solution.derivation is not None, "a forest was searched"
    draft, rewriting = drafted(sentence, space, solution), space.rewriting(solution.derivation)
    symbols = solution.derivation.symbols()

    def tree() -> Tree | None:
        whole = rewriting.target()
        if draft.kept is None or len(draft.kept) == len(symbols):
            return whole
        stays = set(draft.kept)
        return restrict(whole, [place for place, word in enumerate(symbols) if word in stays])

    # Of the forest nothing is held.
    return replace(draft, tree=later(tree), derivation=later(rewriting.application))


def drafted(sentence: Sentence, space: Transduction, solution: Solution) -> Compression:
    """The same without tree and derivation, which take much longer than its words: to be measured."""
    assert solution.derivation is not None, "a forest was searched"
    symbols = solution.derivation.symbols()
    if max(symbols, default=-1) < len(sentence) and all(left < right for left, right in pairwise(symbols)):
        return Compression.by_deletion(sentence, standing(sentence, symbols), score=solution.score)
    words = tuple(space.symbols[symbol] for symbol in symbols)
    spaces = [_space(sentence, left, right, space) for left, right in pairwise(symbols)]
    text = "".join(word + gap for word, gap in zip(words, [*spaces, ""], strict=True))
    first_letter = sentence.words[0][:1]
    if first_letter.isupper():
        text = text[:1].upper() + text[1:]
    return Compression(sentence, None, words, text, score=solution.score)


def _space(sentence: Sentence, left: int, right: int, space: Transduction) -> str:
    """The white space between two words that follow each other in the output."""
    if left + 1 == right < len(sentence):
        return sentence.spaces[left]
    attached = right < len(sentence) and right > 0 and not sentence.spaces[right - 1]
    is_mark = not space.symbols[right][0].isalnum()
    return "" if is_mark and (attached or right >= len(sentence)) else " "
