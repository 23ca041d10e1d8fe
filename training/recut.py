"""Gold annotation moved onto our tokeniser's words: where ours joins what a treebank splits, tokens are merged."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.sentence import Sentence
from laconic.text.tokenise import token_spans

# What a treebank that splits hyphens calls a part of a word is no constituent of a treebank that does not.
INNER = frozenset({"ADJP", "NML", "QP", "NAC"})
Span = tuple[str, int, int]


def common_units(sentence: Sentence) -> list[int]:
    """For each token the number of its unit: the finest cut of which both ours and the treebank's are refinements."""
    text = sentence.text
    ours = {start for start, _ in token_spans(text)}
    unit, units, position = -1, [], len(sentence.lead)
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        if index == 0 or position in ours or sentence.spaces[index - 1]:
            unit += 1
        units.append(unit)
        position += len(word) + len(space)
    return units


def members(units: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(units[-1] + 1)]
    for token, unit in enumerate(units):
        groups[unit].append(token)
    return groups


def merged_tags(tags: Sequence[str], units: Sequence[int]) -> list[str]:
    """A merged word takes the tag of its last part; participles and adjectives make an adjective of it."""
    merged = []
    for group in members(units):
        tag = tags[group[-1]]
        merged.append("JJ" if len(group) > 1 and tag in ("VBN", "VBD", "VBG", "JJ") else tag)
    return merged


def merged_heads(
    heads: Sequence[int], relations: Sequence[str], units: Sequence[int]
) -> tuple[list[int], list[str]] | None:
    """Heads and relations of the merged words; None if the merger is no tree."""
    out_heads, out_relations = [], []
    for group in members(units):
        outward = [token for token in group if heads[token] == -1 or heads[token] not in group]
        if not outward:
            return None
        chosen = outward[0]
        out_heads.append(-1 if heads[chosen] == -1 else units[heads[chosen]])
        out_relations.append(relations[chosen])
    if out_heads.count(-1) != 1:
        return None
    for word in range(len(out_heads)):
        node, steps = word, 0
        while node != -1:
            node, steps = out_heads[node], steps + 1
            if steps > len(out_heads):
                return None
    return out_heads, out_relations


def merged_spans(spans: Sequence[Span], units: Sequence[int]) -> list[Span]:
    """Labelled spans over the merged words, without those that were only parts of a word."""
    sizes = [len(group) for group in members(units)]
    merged = []
    for label, start, end in spans:
        low, high = units[start], units[end - 1] + 1
        inside = end - start < sum(sizes[low:high])
        whole_word = high - low == 1 and sizes[low] > 1
        if inside and high - low == 1:
            continue
        if whole_word and label in INNER:
            continue
        merged.append((label, low, high))
    return merged
