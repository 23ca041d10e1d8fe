"""Alignment of the words of a sentence with those of a free rewriting of it."""

from __future__ import annotations

from collections.abc import Sequence

from laconic.trees.alignment.constituents import Link
from laconic.trees.alignment.edits import align_common


def align_rewriting(source: Sequence[str], target: Sequence[str]) -> tuple[Link, ...]:
    """Links between kept, moved and substituted words, for targets that do more than delete.

    Words of a longest common subsequence are linked first. A word that appears once among the words left
    over on both sides was moved. Where one target word, and one source word, are then left over between linked
    neighbours, the one was substituted for the other. Case does not matter.

    >>> align_rewriting("officials said on Monday it fell".split(), "on Monday officials reported it fell".split())
    ((0, 2), (1, 3), (2, 0), (3, 1), (4, 4), (5, 5))
    """
    kept = align_common(source, target, fold_case=True).matches
    of_target = {t: s for s, t in kept}
    of_source = dict(kept)
    left = [s for s in range(len(source)) if s not in of_source]
    new = [t for t in range(len(target)) if t not in of_target]
    spelled = [source[s].casefold() for s in left]
    wanted = [target[t].casefold() for t in new]
    for s, word in zip(left, spelled, strict=True):
        if spelled.count(word) == 1 and wanted.count(word) == 1:
            t = new[wanted.index(word)]
            of_source[s], of_target[t] = t, s
    for t in new:
        before = of_target.get(t - 1, -1 if t == 0 else len(source))
        after = of_target.get(t + 1, len(source) if t + 1 == len(target) else -1)
        between = [s for s in range(before + 1, after) if s not in of_source]
        if t not in of_target and len(between) == 1:
            of_source[between[0]], of_target[t] = t, between[0]
    return tuple(sorted(of_source.items()))
