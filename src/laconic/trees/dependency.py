"""Dependency trees as an array of heads: 0-based, -1 for the root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from laconic.errors import LaconicError


def check_heads(heads: Sequence[int]) -> None:
    """Raise an error that names the first fault unless `heads` is a tree with one root; O(words)."""
    count = len(heads)
    for word, head in enumerate(heads):
        if not -1 <= head < count:
            raise LaconicError(f"word {word} has head {head}, outside a sentence of {count} words")
    roots = [word for word, head in enumerate(heads) if head == -1]
    if count and len(roots) > 1:
        raise LaconicError(f"a dependency tree has one root, not {len(roots)} (words {roots[:5]})")
    cycle = find_cycle(heads)
    if cycle:
        raise LaconicError(f"the heads of words {list(cycle[:10])} form a cycle")


def find_cycle(heads: Sequence[int]) -> tuple[int, ...]:
    """The words of the first cycle, ascending, or nothing if all words lead to a root; O(words)."""
    visit = [-1] * len(heads)  # the word from which a walk to the root first came by
    for word in range(len(heads)):
        node = word
        while node != -1 and visit[node] == -1:
            visit[node] = word
            node = heads[node]
        if node != -1 and visit[node] == word:  # this very walk has been here before
            cycle = [node]
            while heads[cycle[-1]] != node:
                cycle.append(heads[cycle[-1]])
            return tuple(sorted(cycle))
    return ()


def dependents(heads: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The dependents of every word, from left to right.

    >>> dependents((1, -1, 3, 1))
    ((), (0, 3), (), (2,))
    """
    found: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            found[head].append(word)
    return tuple(map(tuple, found))


def top_down(heads: Sequence[int]) -> tuple[int, ...]:
    """The words in an order in which every head comes before its dependents, breadth first."""
    below = dependents(heads)
    order = [word for word, head in enumerate(heads) if head == -1]
    for word in order:  # the list grows while it is read
        order.extend(below[word])
    return tuple(order)


def depths(heads: Sequence[int]) -> tuple[int, ...]:
    """The number of arcs between every word and the root."""
    found = [0] * len(heads)
    for word in top_down(heads):
        if heads[word] >= 0:
            found[word] = found[heads[word]] + 1
    return tuple(found)


def ancestors(heads: Sequence[int], word: int) -> tuple[int, ...]:
    """The head of a word, the head of that, and so on up to the root."""
    found = []
    above = heads[word]
    while above != -1:
        found.append(above)
        above = heads[above]
    return tuple(found)


def is_projective(heads: Sequence[int]) -> bool:
    """Whether every word's subtree is an unbroken stretch of the sentence; O(words).

    >>> is_projective((1, -1, 1)), is_projective((2, -1, 1, 0))
    (True, False)
    """
    first, last, size = list(range(len(heads))), list(range(len(heads))), [1] * len(heads)
    for word in reversed(top_down(heads)):
        if last[word] - first[word] + 1 != size[word]:
            return False
        head = heads[word]
        if head >= 0:
            first[head] = min(first[head], first[word])
            last[head] = max(last[head], last[word])
            size[head] += size[word]
    return True


def projectivise(heads: Sequence[int]) -> tuple[int, ...]:
    """The projective tree that arises from lifting: the baseline scheme of Nivre & Nilsson (2005).

    While some arc h -> d is not projective (it spans a word that h does not dominate), the shortest
    such arc, the leftmost of equals, is replaced by head(h) -> d. Each lift brings a word closer to the
    root, so this ends, after at most words * depth lifts of O(words + total arc length) each.
    """
    lifted = list(heads)
    while not is_projective(lifted):
        entry, leave = _preorder_ranges(lifted)
        shortest = None
        for word in range(len(lifted)):
            head = lifted[word]
            if head < 0 or (shortest is not None and abs(head - word) >= abs(lifted[shortest] - shortest)):
                continue
            between = range(min(head, word) + 1, max(head, word))
            if any(not entry[head] <= entry[other] < leave[head] for other in between):
                shortest = word
        assert shortest is not None, "a tree that is not projective has an arc that is not"
        lifted[shortest] = lifted[lifted[shortest]]
    return tuple(lifted)


def _preorder_ranges(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """The range of preorder ranks of every subtree: u dominates v iff entry[u] <= entry[v] < leave[u]."""
    sizes = [1] * len(heads)
    order = top_down(heads)
    for word in reversed(order):
        if heads[word] >= 0:
            sizes[heads[word]] += sizes[word]
    entry = [0] * len(heads)
    used = [1] * len(heads)  # ranks given out within the subtree of a word, its own first
    for word in order:
        head = heads[word]
        if head >= 0:
            entry[word] = entry[head] + used[head]
            used[head] += sizes[word]
    return entry, [start + size for start, size in zip(entry, sizes, strict=True)]


def restrict_heads(heads: Sequence[int], kept: Iterable[int]) -> tuple[int, ...]:
    """The tree of the kept words, renumbered: a dropped head gives way to its nearest kept ancestor.

    Words without a kept ancestor are roots; the first of them stays the root and the others attach to it.

    >>> restrict_heads((1, 2, -1, 2), [0, 2])
    (1, -1)
    """
    indices = sorted(set(kept))
    if indices and not 0 <= indices[0] <= indices[-1] < len(heads):
        raise LaconicError(f"kept words must lie within 0 to {len(heads) - 1}, not {indices}")
    renumbered = {word: index for index, word in enumerate(indices)}
    nearest = [-1] * len(heads)  # the kept word nearest above, or the word itself if it is kept
    new_heads = [-1] * len(indices)
    for word in top_down(heads):
        above = nearest[heads[word]] if heads[word] >= 0 else -1
        nearest[word] = above
        if word in renumbered:
            nearest[word] = word
            new_heads[renumbered[word]] = renumbered.get(above, -1)
    roots = [index for index, head in enumerate(new_heads) if head == -1]
    for index in roots[1:]:
        new_heads[index] = roots[0]
    return tuple(new_heads)
