"""Head finding by rules held in a data file, and the dependencies that follow from heads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal, cast, get_args

from laconic.errors import FormatError
from laconic.files import read_lines
from laconic.trees.transform import ROOT_LABELS, bare_label

How = Literal["left", "right", "leftmost-of", "rightmost-of", "last"]
ANY_CATEGORY = "*"


@dataclass(frozen=True, slots=True)
class Search:
    """One search for a head: where to look (the data file explains each `how`), and for which labels."""

    how: How
    labels: tuple[str, ...]

    def matches(self, children: Sequence[str]) -> list[int]:
        """All children that match, in the order in which the search finds them."""
        if self.how == "last":
            return [len(children) - 1] if children[-1] in self.labels else []
        order = range(len(children))
        if self.how in ("right", "rightmost-of"):
            order = order[::-1]
        if self.how in ("leftmost-of", "rightmost-of"):
            return [child for child in order if children[child] in self.labels]
        return [child for label in self.labels for child in order if children[child] == label]


@dataclass(frozen=True)
class HeadRules:
    """Which child is the head of a phrase, and how important the others are.

    >>> rules = HeadRules.load()
    >>> rules.head_child("NP", ("DT", "JJ", "NN"))
    2
    >>> rules.ranked("NP", ("DT", "JJ", "NN"))
    (2, 0, 1)
    """

    searches: Mapping[str, tuple[Search, ...]]
    conjunctions: frozenset[str]
    punctuation: frozenset[str]

    @staticmethod
    def load(path: Path | None = None) -> HeadRules:
        """The rules of a file, or Collins' rules (1999, Appendix A), which are read once."""
        return _collins() if path is None else _parse(read_lines(path), source=str(path))

    def head_child(self, label: str, children: Sequence[str]) -> int:
        """The index of the head among the children of a phrase, all given by label."""
        return self.ranked(label, children)[0]

    def ranked(self, label: str, children: Sequence[str]) -> tuple[int, ...]:
        """All children in order of importance, the head first.

        Behind the head come the other matches of the search that found it, in the order in which the
        search finds them, then the children that do not match, from left to right, then punctuation.
        This is the ranking from which Cohn & Lapata (2009, section 3.2) make deletion rules.
        """
        category = bare_label(label)
        bare = [bare_label(child) for child in children]
        searches = (
            self.searches.get("ROOT" if category in ROOT_LABELS else category) or self.searches[ANY_CATEGORY]
        )
        found = next((matches for search in searches if (matches := search.matches(bare))), [])
        words = [child for child, name in enumerate(bare) if name not in self.punctuation]
        marks = [child for child, name in enumerate(bare) if name in self.punctuation]
        if not found:
            candidates = words or marks
            found = [candidates[-1 if searches[-1].how == "right" else 0]]
        head = self._first_conjunct(bare, found[0])
        return tuple(dict.fromkeys([head, *found, *words, *marks]))

    def _first_conjunct(self, children: Sequence[str], head: int) -> int:
        if head < 2 or children[head - 1] not in self.conjunctions:
            return head
        before = [child for child in range(head - 1) if children[child] not in self.punctuation]
        return before[-1] if before else head


@cache
def _collins() -> HeadRules:
    with as_file(files("laconic.trees") / "collins.headrules") as path:
        return _parse(read_lines(path), source=path.name)


def _parse(lines: Iterable[tuple[int, str]], *, source: str) -> HeadRules:
    searches: dict[str, tuple[Search, ...]] = {}
    sets: dict[str, frozenset[str]] = {}
    for number, line in lines:
        # A comment is a whole line, since # is also the tag of the pound sign.
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, *rest = line.split()
        if name in ("%coordination", "%punctuation"):
            sets[name] = frozenset(rest)
            continue
        if name.startswith("%") or not rest or rest[0] not in get_args(How):
            raise FormatError(
                f"expected 'CATEGORY HOW LABEL …' with HOW one of {', '.join(get_args(How))}, or "
                f"%coordination or %punctuation, not {line!r:.60}",
                source=source,
                line=number,
            )
        search = Search(cast(How, rest[0]), tuple(rest[1:]))
        searches[name] = (*searches.get(name, ()), search)
    if ANY_CATEGORY not in searches:
        raise FormatError(
            f"no rule for every other category: add a line '{ANY_CATEGORY} left'", source=source
        )
    return HeadRules(searches, sets.get("%coordination", frozenset()), sets.get("%punctuation", frozenset()))
