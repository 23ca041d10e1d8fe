"""Links stay whole or go whole: what is cut within one is cut again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from laconic.budgets.parts import Part
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget

Links = tuple[frozenset[int], ...]
"""The words of each link of a sentence."""

_TRIES = 50  # a text of links under a limit that they cannot meet is refused after so many


def with_whole_links(
    cut: Callable[[Sequence[Part]], Sequence[Compression | None]],
    parts: Sequence[Part],
    links: Sequence[Links],
) -> list[Compression | None]:
    """What `cut` makes of sentences, with every link whole or gone.

    A link of which more than half would stay is kept where that can be, and others are dropped where that can be.
    """
    tries = count()

    def settled(parts: Sequence[Part]) -> list[Compression | None]:
        answers = list(cut(parts))
        for number, link, stays in _torn(answers, links):
            part, refused = parts[number], None
            for keeps in (stays, not stays):
                if link & (part.drop if keeps else part.keep) or next(tries) >= _TRIES:
                    continue
                try:
                    return settled([*parts[:number], _pinned(part, link, keeps), *parts[number + 1 :]])
                except InfeasibleBudget as error:
                    refused = refused or error
            if refused is not None:
                raise refused
        return answers

    return settled(parts)


def _pinned(part: Part, link: frozenset[int], keeps: bool) -> Part:
    if keeps:
        return replace(part, keep=part.keep | link, droppable=False)
    return replace(part, drop=part.drop | link)


def _torn(
    answers: Sequence[Compression | None], links: Sequence[Links]
) -> Iterator[tuple[int, frozenset[int], bool]]:
    """The links of which some words stay and some go, and whether most stay."""
    for number, (answer, own) in enumerate(zip(answers, links, strict=True)):
        if answer is None or answer.kept is None:
            continue
        for link in own:
            kept = len(link.intersection(answer.kept))
            if 0 < kept < len(link):
                yield number, link, 2 * kept > len(link)
