"""Alignment of the words of a sentence with those of a free rewriting of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from laconic.trees.alignment.constituents import Link
from laconic.trees.alignment.edits import align_common

_LONGEST_PHRASE = 3  # words that were replaced together
_SHORT = 3  # letters that words may have in common by chance


def align_rewriting(source: Sequence[str], target: Sequence[str]) -> tuple[Link, ...]:
    """Links between kept, moved and substituted words, for targets that do more than delete.

    Words of a longest common subsequence are linked first. A word that appears once among the words left
    over on both sides was moved. Words left over on both sides between linked neighbours were substituted:
    by a word that is the beginning of the other, as in abbreviations, if there is one such, else all of them,
    if they are few, by all of them. Sentences without a common word have no links. Case does not matter.

    >>> align_rewriting("officials said on Monday it fell".split(), "on Monday officials reported it fell".split())
    ((0, 2), (1, 3), (2, 0), (3, 1), (4, 4), (5, 5))
    >>> align_rewriting("we are able to go".split(), "we can go".split())
    ((0, 0), (1, 1), (2, 1), (3, 1), (4, 2))
    """
    kept = align_common(source, target, fold_case=True).matches
    if not kept:
        return ()
    of_target = {t: s for s, t in kept}
    linked = {s for s, _ in kept}
    source_words = [word.casefold() for word in source]
    target_words = [word.casefold() for word in target]
    left = [s for s in range(len(source)) if s not in linked]
    new = [t for t in range(len(target)) if t not in of_target]
    spelled = [source_words[s] for s in left]
    wanted = [target_words[t] for t in new]
    for s, word in zip(left, spelled, strict=True):
        if spelled.count(word) == 1 and wanted.count(word) == 1:
            of_target[new[wanted.index(word)]] = s
            linked.add(s)
    links = {(s, t) for t, s in of_target.items()}
    for start, end in _runs(t for t in new if t not in of_target):
        before = of_target.get(start - 1, -1 if start == 0 else len(source))
        after = of_target.get(end, len(source) if end == len(target) else -1)
        replaced = [s for s in range(before + 1, after) if s not in linked]
        added = list(range(start, end))
        for t in range(start, end):
            alike = [s for s in replaced if _alike(source_words[s], target_words[t])]
            if len(alike) == 1:
                links.add((alike[0], t))
                replaced.remove(alike[0])
                added.remove(t)
        if max(len(replaced), len(added)) <= _LONGEST_PHRASE:
            links.update((s, t) for s in replaced for t in added)
    return tuple(sorted(links))


def _alike(word: str, other: str) -> bool:
    """Whether one is the beginning of the other, and long enough for that to mean something; or a and an."""
    shorter, longer = sorted((word, other), key=len)
    return longer.startswith(shorter) and (len(shorter) > _SHORT or {word, other} == {"a", "an"})


def _runs(positions: Iterator[int]) -> Iterator[tuple[int, int]]:
    """The half-open spans of positions that follow each other."""
    for _, run in groupby(enumerate(positions), key=lambda item: item[1] - item[0]):
        members = [position for _, position in run]
        yield members[0], members[-1] + 1
