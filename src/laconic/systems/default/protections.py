"""What is declared, not learnt: negations, quantities, conditions, exceptions, doubts (`protections.toml`)."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import Any

from laconic.systems.default.learnt_ties import LEARNT_LOSSES
from laconic.systems.default.protection_terms import CONDITIONS, SELECTORS, Condition
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Tie, first_few

_GRAVE = 2.5
"""What is torn of a row of at least this price says something else than its source."""


@dataclass(frozen=True, slots=True)
class Protection:
    """One row of the table; without a price it is torn only where nothing else is possible."""

    name: str
    torn: str
    price: float | None
    words: tuple[tuple[str, ...], ...]
    conditions: tuple[tuple[Condition, tuple[str, ...]], ...]
    ties: tuple[tuple[tuple[str, ...], str], ...]
    tears: tuple[str, ...]
    allows: tuple[str, ...]

    def of(self, tree: SourceTree, word: int) -> Iterator[Tie]:
        """The ties that the row makes of a word."""
        for holds, wanted in self.conditions:
            if not holds(tree, word, wanted):
                return
        for given, needed in self.ties:
            instead = first_few(SELECTORS[needed](tree, word))
            for words in product(*(SELECTORS[each](tree, word) for each in given)):
                if instead and not set(words) & set(instead):
                    yield Tie(tuple(dict.fromkeys(words)), instead, self.torn)


@cache
def protections() -> tuple[Protection, ...]:
    """The rows of the table."""
    text = resources.files(__package__).joinpath("protections.toml").read_text(encoding="utf-8")
    return tuple(_row(row) for row in tomllib.loads(text)["protection"])


def _row(row: dict[str, Any]) -> Protection:
    own = ("name", "torn", "words", "ties", "tears", "allows", "price")
    given_needed = [tie.split(" -> ") for tie in row["ties"]]
    return Protection(
        name=row["name"],
        torn=row["torn"],
        price=row.get("price"),
        words=tuple(tuple(words.split()) for words in row.get("words", ())),
        conditions=tuple((CONDITIONS[name], tuple(row[name])) for name in row if name not in own),
        ties=tuple((tuple(given.split(" and ")), needed) for given, needed in given_needed),
        tears=tuple(row["tears"]),
        allows=tuple(row["allows"]),
    )


@cache
def declared_losses() -> frozenset[str]:
    """What is torn by the table alone: the answer says something else than its source, however often people do it."""
    grave = (row.torn for row in protections() if row.price is None or row.price >= _GRAVE)
    return frozenset(grave) - LEARNT_LOSSES


@cache
def words_of(*names: str) -> frozenset[str]:
    """The single words that rows are about."""
    return frozenset(
        words[0] for row in protections() if row.name in names for words in row.words if len(words) == 1
    )


@cache
def _by_first_word() -> Mapping[str, list[tuple[tuple[str, ...], Protection]]]:
    """The rows by the first of the words they are about."""
    found = defaultdict(list)
    for row in protections():
        for words in row.words:
            found[words[0]].append((words, row))
    return found


@cache
def _of_any_word(relation: str, tag: str) -> tuple[Protection, ...]:
    """The rows about no word in particular that may be about one of this relation and tag."""
    return tuple(
        row
        for row in protections()
        if not row.words
        and all(relation in wanted for holds, wanted in row.conditions if holds is CONDITIONS["relations"])
        and all(tag.startswith(wanted) for holds, wanted in row.conditions if holds is CONDITIONS["tags"])
    )


def protecting_ties(tree: SourceTree) -> Iterator[tuple[Tie, Protection]]:
    """The ties that the table makes of a sentence, each with its row."""
    rows = _by_first_word()
    for place, text in enumerate(tree.words):
        for words, row in rows.get(text, ()):
            if tuple(tree.words[place : place + len(words)]) == words:
                inside = range(place, place + len(words))
                # Of several words, the one that the others hang on.
                meant = next((word for word in inside if tree.heads[word] not in inside), place)
                yield from ((tie, row) for tie in row.of(tree, meant))
        for row in _of_any_word(tree.relations[place], tree.tags[place]):
            yield from ((tie, row) for tie in row.of(tree, place))
