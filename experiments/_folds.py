"""Parts of a corpus to choose options on, so that dev is left to report on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from laconic.corpora.pair import Pair


def folds(pairs: Sequence[Pair], count: int) -> Iterator[tuple[list[Pair], list[Pair]]]:
    """So many times, what to learn from and what is held out: every document is held out whole, once.

    The longest documents are dealt out first, each to the fold that holds the fewest sentences.
    """
    documents: dict[str, list[Pair]] = {}
    for pair in pairs:
        documents.setdefault(pair.doc or pair.id, []).append(pair)
    held: list[set[str]] = [set() for _ in range(count)]
    sizes = [0] * count
    for name, members in sorted(documents.items(), key=lambda item: (-len(item[1]), item[0])):
        smallest = sizes.index(min(sizes))
        held[smallest].add(name)
        sizes[smallest] += len(members)
    for names in held:
        inside = [(pair.doc or pair.id) in names for pair in pairs]
        yield (
            [pair for pair, out in zip(pairs, inside, strict=True) if not out],
            [pair for pair, out in zip(pairs, inside, strict=True) if out],
        )
