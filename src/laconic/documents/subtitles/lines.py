"""Breaking what stands in a cue into lines: at constituents, evenly, the longer line below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby, pairwise

from laconic.documents.subtitles.composition import Atom, one_line
from laconic.sentence import Sentence

Lines = list[list[Atom]]

_UNEVEN = 4.0  # for a line that is longer or shorter than the others by all of its width
_TOP_HEAVY = 2.0  # more for one that is longer
_TORN = 20.0  # for a break after a word that leans on the next
_AFTER_NAME, _AT_NOTE = 10.0, 1.0
_LARGEST = 6.0  # for a break at a constituent of one word; less at a larger one

# By their relation to a later word: an article, a preposition, an auxiliary, half of a name, a subordinator …
_LEANS_RIGHT = frozenset(
    [
        *(
            "det",
            "case",
            "aux",
            "aux:pass",
            "cop",
            "mark",
            "cc",
            "compound",
            "amod",
            "nummod",
            "nmod:poss",
            "expl",
        ),
        *("goeswith", "det:predet", "cc:preconj"),
    ]
)
# By their relation to an earlier word: particles, the rest of names and of fixed expressions.
_LEANS_LEFT = frozenset(["compound:prt", "flat", "fixed", "goeswith", "flat:foreign"])


def break_cost(left: Atom, right: Atom, sentence_of: Callable[[int], Sentence]) -> float:
    """What it costs to break a line between two neighbours."""
    if left.sentence != right.sentence:
        return 0.0
    if left.sentence < 0:
        return _AFTER_NAME
    sentence = sentence_of(left.sentence)
    mark = sentence.words[left.word]
    if not any(map(str.isalnum, mark)) and mark not in "([{“‘«":
        return 0.5 if mark in ",;" else 0.0
    heads, relations, tags = sentence.heads, sentence.relations, sentence.tags
    if heads is None or relations is None or tags is None or sentence.tree is None:
        return _LARGEST / 2
    cost = 0.0
    leans = relations[left.word] in _LEANS_RIGHT and heads[left.word] > left.word
    negates = sentence.words[left.word].lower() in ("not", "n't", "never") and heads[left.word] > left.word
    subject = relations[left.word].startswith("nsubj") and tags[left.word] in ("PRP", "WP", "WDT", "EX")
    if leans or negates or (subject and heads[left.word] > left.word):
        cost += _TORN
    if relations[right.word] in _LEANS_LEFT and heads[right.word] <= left.word:
        cost += _TORN
    return cost + _LARGEST / _largest_beside(sentence, left.word, right.word)


def _largest_beside(sentence: Sentence, left: int, right: int) -> int:
    """The size of the largest constituent that begins with the right word or ends with the left one."""
    tree = sentence.tree
    assert tree is not None
    sizes = [
        end - start
        for start, end in zip(tree.starts, tree.ends, strict=True)
        if (start == right) or (end == left + 1)
    ]
    return max(sizes, default=1)


def lines_needed(atoms: Sequence[Atom], width: int) -> int:
    """The fewest lines of a width that atoms can be broken into; more than there are atoms if they cannot.

    >>> lines_needed([Atom(0, 2, "No", 0), Atom(3, 6, "way", 0, " ")], 5)
    2
    """
    groups = _groups(atoms)
    lines, used = 1, 0
    for group in groups:
        size = len(one_line(group))
        if size > width:
            return len(atoms) + 1
        gap = len(group[0].gap) if used else 0
        if used and used + gap + size > width:
            lines, used = lines + 1, size
        else:
            used += gap + size
    return lines


def by_turn(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """The atoms of each speaker of a cue, who begin lines of their own."""
    return [list(group) for _, group in groupby(atoms, key=lambda atom: atom.turn)]


def broken(
    atoms: Sequence[Atom], width: int, most: int, sentence_of: Callable[[int], Sentence]
) -> Lines | None:
    """The atoms of a cue in the best lines there are; None if they do not fit."""
    turns = by_turn(atoms)
    needed = [lines_needed(turn, width) for turn in turns]
    if sum(needed) > most or any(count > len(turn) for count, turn in zip(needed, turns, strict=True)):
        return None
    return [
        line
        for turn, count in zip(turns, needed, strict=True)
        for line in _best(turn, width, count, sentence_of)
    ]


def _groups(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """The atoms between which a line can be broken; others are glued, or have a space that does not break."""
    groups: list[list[Atom]] = []
    for atom in atoms:
        if groups and (not atom.gap or "\u00a0" in atom.gap):
            groups[-1].append(atom)
        else:
            groups.append([atom])
    return groups


def _best(atoms: Sequence[Atom], width: int, count: int, sentence_of: Callable[[int], Sentence]) -> Lines:
    """best(i, k) = min over j of uneven(i, j) + break(j) + best(j, k - 1): k lines from the i-th group on."""
    groups = _groups(atoms)
    if count == 1:
        return [list(atoms)]
    lengths = [len(one_line(group)) for group in groups]
    gaps = [len(group[0].gap) for group in groups]
    costs = [0.0, *(break_cost(left[-1], right[0], sentence_of) for left, right in pairwise(groups))]
    mean = (sum(lengths) + sum(gaps[1:]) + 1 - count) / count

    def length(start: int, end: int) -> int:
        return sum(lengths[start:end]) + sum(gaps[start + 1 : end])

    @cache
    def best(start: int, left: int) -> tuple[float, tuple[int, ...]]:
        last = left == 1
        found: tuple[float, tuple[int, ...]] = (float("inf"), ())
        for end in (len(groups),) if last else range(start + 1, len(groups) - left + 2):
            size = length(start, end)
            if size > width:
                break
            # The last line may be longer than the others.
            uneven = _UNEVEN * abs(size - mean) + _TOP_HEAVY * max(0.0, size - mean) * (not last)
            rest = (0.0, ()) if last else best(end, left - 1)
            found = min(found, (uneven / width + (0.0 if last else costs[end]) + rest[0], (end, *rest[1])))
        return found

    ends = best(0, count)[1]
    starts = (0, *ends[:-1])
    return [
        [atom for group in groups[low:high] for atom in group] for low, high in zip(starts, ends, strict=True)
    ]
