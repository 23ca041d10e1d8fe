"""The terms of the table of protections: what a row may ask of a word, and whom it can name beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from laconic.systems.default.source_tree import SourceTree

Selector = Callable[[SourceTree, int], list[int]]
Condition = Callable[[SourceTree, int, tuple[str, ...]], bool]
_OF_CLAUSES = frozenset(["xcomp", "ccomp", "csubj", "acl"])
_BUT = frozenset(["but", "yet"])
_LINKS = ("case", "mark", "cc")
_DETERMINERS = ("det", "nmod:poss")
_PHRASES = frozenset(["obl", "nmod", "advcl", "advmod"])
_NOMINALS = frozenset(["nsubj", "obj", "iobj", "obl", "nmod", "conj", "appos", "flat", "root"])
_TO_COMPARATIVES = frozenset(["than"])
_ANSWERED_BY: Mapping[str, frozenset[str]] = {
    "as": frozenset(["as"]),
    "so": frozenset(["that"]),
    "such": frozenset(["that"]),
    "too": frozenset(["to", "for"]),
    "enough": frozenset(["to", "for"]),
}
_ANSWERED_WITHIN = 3
"""Words above a word of degree: earlier, left; more, books, bought."""


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


def _openers(tree: SourceTree, word: int) -> list[int]:
    """The phrase for which an auxiliary stands before its subject: (not until then) did he."""
    found = [
        child
        for head in _head(tree, word)
        for child in tree.children[head]
        if child < word and tree.plain_relations[child] in _PHRASES
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


SELECTORS: Mapping[str, Selector] = {
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
    "opener": _openers,
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
    "linked by": lambda tree, word, wanted: any(
        not wanted or tree.words[child] in wanted for child in tree.related(word, *_LINKS)
    ),
    "joined by": lambda tree, word, wanted: any(
        tree.words[link] in wanted for other in _conjuncts(tree, word) for link in tree.related(other, "cc")
    ),
    "head clause": lambda tree, word, _: any(tree.subjects(head) for head in _head(tree, word)),
    "head determined": lambda tree, word, but: any(
        tree.words[child] not in but
        for head in _head(tree, word)
        for child in tree.related(head, *_DETERMINERS)
    ),
    "governor has": lambda tree, word, wanted: any(
        tree.words[child] in wanted for verb in _governor(tree, word) for child in tree.children[verb]
    ),
    "opener has": lambda tree, word, wanted: any(
        tree.words[part] in wanted for opener in _openers(tree, word) for part in tree.subtree(opener)
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


CONDITIONS = dict(_PLAIN) | {f"not {name}": _negated(condition) for name, condition in _PLAIN.items()}
