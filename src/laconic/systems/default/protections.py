"""What is declared, not learnt: negations, quantities, conditions, exceptions, doubts (`protections.toml`)."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import Any

from laconic.systems.default.learnt_ties import LEARNT_LOSSES
from laconic.systems.default.source_tree import SourceTree
from laconic.systems.default.tie import Tie, first_few

Selector = Callable[[SourceTree, int], list[int]]
Condition = Callable[[SourceTree, int, tuple[str, ...]], bool]
_OF_CLAUSES = frozenset(["xcomp", "ccomp", "csubj", "acl"])
_BUT = frozenset(["but", "yet"])
_LINKS = frozenset(["case", "mark", "cc"])
_PHRASES = frozenset(["obl", "nmod", "advcl", "advmod"])
_NOMINALS = frozenset(["nsubj", "obj", "iobj", "obl", "nmod", "conj", "appos", "flat", "root"])
_INVERTING = frozenset(
    ["not", "no", "never", "only", "nor", "hardly", "scarcely", "rarely", "seldom", "little"]
)
_RULING = frozenset(
    ["may", "must", "shall", "should", "can", "cannot", "could", "not", "n't", "n’t", "never", "no"]
)
_TO_COMPARATIVES = frozenset(["than"])
_ANSWERED_BY: Mapping[str, frozenset[str]] = {
    "as": frozenset(["as"]),
    "so": frozenset(["that"]),
    "such": frozenset(["that"]),
    "too": frozenset(["to", "for"]),
    "enough": frozenset(["to", "for"]),
}
_OF_ANY = frozenset(["a", "an", "any", "each", "every", "no", "some", "most"])
_GRAVE = 2.5
"""What is torn of a row of at least this price says something else than its source."""
_ANSWERED_WITHIN = 3
"""Words above a word of degree: earlier, left; more, books, bought."""


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
            instead = first_few(_SELECTORS[needed](tree, word))
            for words in product(*(_SELECTORS[each](tree, word) for each in given)):
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
        conditions=tuple((_CONDITIONS[name], tuple(row[name])) for name in row if name not in own),
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
def _of_any_word(relation: str) -> tuple[Protection, ...]:
    """The rows about no word in particular that may be about one in this relation."""
    named = (
        (row, [wanted for holds, wanted in row.conditions if holds is _PLAIN["relations"]])
        for row in protections()
    )
    return tuple(row for row, wanted in named if not row.words and all(relation in each for each in wanted))


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
        for row in _of_any_word(tree.relations[place]):
            yield from ((tie, row) for tie in row.of(tree, place))


def _head(tree: SourceTree, word: int) -> list[int]:
    return [tree.heads[word]] if tree.heads[word] >= 0 else []


def _governor(tree: SourceTree, word: int) -> list[int]:
    return [above for head in _head(tree, word) for above in _head(tree, head)]


def _complements(tree: SourceTree, word: int) -> list[int]:
    """The clauses that hang on a word, and on those: I doubt (it is right (to say (that he lied)))."""
    found = [word]
    for node in found:
        found.extend(child for child in tree.children[node] if tree.relations[child] in _OF_CLAUSES)
    return found[1:]


def _partners(tree: SourceTree, word: int) -> list[int]:
    """What stands beside the head in the same form and shares its subject: they can not come and (expect) a seat."""
    return [
        other
        for head in _head(tree, word)
        for other in tree.related(head, "conj")
        if tree.tags[other] == tree.tags[head]
        and not tree.subjects(other)
        and _BUT.isdisjoint(tree.words[child] for child in tree.children[other])
    ]


def _above_governor(tree: SourceTree, word: int) -> list[int]:
    """What a phrase is said of: (safe) for adults but not for children."""
    return [
        above
        for governor in _governor(tree, word)
        if tree.plain_relations[governor] in _PHRASES
        for above in _head(tree, governor)
    ]


def _denied_openers(tree: SourceTree, word: int) -> list[int]:
    """The denied or restricted phrase for which the auxiliary stands before its subject: (not until then) did he."""
    found = [
        child
        for head in _head(tree, word)
        for child in tree.children[head]
        if child < word
        and tree.plain_relations[child] in _PHRASES
        and not _INVERTING.isdisjoint(tree.words[part] for part in tree.subtree(child))
    ]
    return found[-1:]


def _named_before(tree: SourceTree, word: int) -> list[int]:
    """The nouns that a pronoun may stand for, the nearest first."""
    several = tree.words[word] == "they"
    return [
        noun
        for noun in reversed(range(word))
        if tree.tags[noun].startswith("NN")
        and tree.plain_relations[noun] in _NOMINALS
        and (several or not tree.tags[noun].endswith("S"))
        and (not several or tree.tags[noun].endswith("S") or bool(tree.related(noun, "conj")))
    ]


def _conjuncts(tree: SourceTree, word: int) -> list[int]:
    """What follows the head in the same list: both the cook and (the gardener)."""
    return [other for head in _head(tree, word) for other in tree.related(head, "conj") if other > word]


def _answers(tree: SourceTree, word: int) -> list[int]:
    """The small word that answers a word of degree, on something that hangs on what has that degree: so hot (that)."""
    above = tree.above(word)[:_ANSWERED_WITHIN]
    wanted = _ANSWERED_BY.get(tree.words[word], _TO_COMPARATIVES)
    for at in range(word + 1, len(tree)):
        if tree.words[at] in wanted and tree.relations[at] in ("case", "mark"):
            answering = tree.heads[at]
            if answering not in above and tree.heads[answering] in above:
                return [at]
    return []


def _portions(tree: SourceTree, word: int) -> list[int]:
    of = (child for child in tree.related(word, "nmod") if child > word)
    return [child for child in of if any(tree.words[case] == "of" for case in tree.related(child, "case"))]


def _neighbours(tree: SourceTree, word: int) -> list[int]:
    return [place for place in (word - 1, word + 1) if 0 <= place < len(tree)]


def _days(tree: SourceTree, word: int) -> list[int]:
    return [at for at in _neighbours(tree, word) if tree.tags[at] == "CD" and len(tree.words[at]) <= 2]


_SELECTORS: Mapping[str, Selector] = {
    "word": lambda _, word: [word],
    "head": _head,
    "governor": _governor,
    "before": lambda _, word: [word - 1] if word else [],
    "after": lambda tree, word: [word + 1] if word + 1 < len(tree) else [],
    "complement": _complements,
    "complement of head": lambda tree, word: [
        part for head in _head(tree, word) for part in _complements(tree, head) if part != word
    ],
    "partner": _partners,
    "conjunct": _conjuncts,
    "answer": _answers,
    "portion": _portions,
    "day": _days,
    "child": lambda tree, word: [child for child in tree.children[word] if not tree.is_mark(child)],
    "link of head": lambda tree, word: [
        link for head in _head(tree, word) for link in tree.related(head, "case")
    ],
    "head or its part": lambda tree, word: [
        part for head in _head(tree, word) for part in tree.stand_ins(head) if part not in tree.subtree(word)
    ],
    "above governor": _above_governor,
    "denied opener": _denied_openers,
    "named before": _named_before,
}


def _is_set_off(tree: SourceTree, word: int) -> bool:
    """Whether a phrase stands behind a comma, a dash or a bracket, as what restricts nothing does."""
    first = tree.spans[word][0]
    return tree.is_mark(first) or (first > 0 and tree.is_mark(first - 1))


def _opens(tree: SourceTree, word: int) -> bool:
    """Whether a phrase opens the sentence, and a comma follows it: not surprisingly, (…)."""
    first, last = tree.spans[word]
    return first == 0 and last + 1 < len(tree) and "," in (tree.words[last], tree.words[last + 1])


def _is_year(tree: SourceTree, word: int) -> bool:
    """Whether a number counts nothing: the year in October 1986."""
    text, head = tree.words[word], tree.heads[word]
    return len(text) == 4 and text.isdecimal() and "1000" <= text < "2200" and tree.tags[head][:3] == "NNP"


_PLAIN: Mapping[str, Condition] = {
    "relations": lambda tree, word, wanted: tree.relations[word] in wanted,
    "tags": lambda tree, word, wanted: tree.tags[word].startswith(wanted),
    "head words": lambda tree, word, wanted: any(tree.words[h] in wanted for h in _head(tree, word)),
    "head tags": lambda tree, word, wanted: any(tree.tags[h].startswith(wanted) for h in _head(tree, word)),
    "head relations": lambda tree, word, wanted: any(tree.relations[h] in wanted for h in _head(tree, word)),
    "governor is or has": lambda tree, word, wanted: any(
        tree.words[at] in wanted
        for governor in _governor(tree, word)
        for at in (governor, *tree.children[governor])
        if at < word
    ),
    "head has": lambda tree, word, wanted: any(
        tree.words[child] in wanted for h in _head(tree, word) for child in tree.children[h] if child < word
    ),
    "before tags": lambda tree, word, wanted: word > 0 and tree.tags[word - 1].startswith(wanted),
    "beside tags": lambda tree, word, wanted: any(
        tree.tags[at].startswith(wanted) for at in _neighbours(tree, word)
    ),
    "year": lambda tree, word, _: _is_year(tree, word),
    "linked": lambda tree, word, _: bool(tree.links[word]),
    "linked by": lambda tree, word, wanted: any(
        tree.words[child] in wanted for child in tree.related(word, *_LINKS)
    ),
    "joined by": lambda tree, word, wanted: any(
        tree.words[link] in wanted for other in _conjuncts(tree, word) for link in tree.related(other, "cc")
    ),
    "head clause": lambda tree, word, _: any(tree.subjects(head) for head in _head(tree, word)),
    "head bare": lambda tree, word, _: any(
        not tree.related(head, "det", "nmod:poss") for head in _head(tree, word)
    ),
    "head for any": lambda tree, word, _: any(
        all(tree.words[child] in _OF_ANY for child in tree.related(head, "det", "nmod:poss"))
        for head in _head(tree, word)
    ),
    "head under a rule": lambda tree, word, _: any(
        tree.words[child] in _RULING for verb in _governor(tree, word) for child in tree.children[verb]
    ),
    "described": lambda tree, word, _: bool(tree.related(word, "acl:relcl")),
    "set off": lambda tree, word, _: _is_set_off(tree, word),
    "head opens": lambda tree, word, _: any(_opens(tree, head) for head in _head(tree, word)),
    "before head": lambda tree, word, _: word < tree.heads[word],
    "before subject": lambda tree, word, _: any(
        word < subject for head in _head(tree, word) for subject in tree.subjects(head)
    ),
    "head set off": lambda tree, word, _: any(tree.between_commas(h) is not None for h in _head(tree, word)),
}


def _negated(condition: Condition) -> Condition:
    return lambda tree, word, wanted: not condition(tree, word, wanted)


_CONDITIONS = dict(_PLAIN) | {f"not {name}": _negated(condition) for name, condition in _PLAIN.items()}
