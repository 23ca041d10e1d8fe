"""Compression under linguistic constraints, by integer linear programming.

James Clarke and Mirella Lapata: Global Inference for Sentence Compression: An Integer Linear Programming Approach. JAIR
31, 2008. The objective is that of another system here, n-grams with a significance of words or the discriminative
model; the constraints are theirs, read off the dependency tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from laconic.budget import Budget
from laconic.budgets import Pins, Request, SearchSpace
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.decode.constrained import ConstrainedPath, Constraint
from laconic.decode.constrained_roughly import RoughConstrainedPath
from laconic.decode.path import NgramPathDecoder, PathDecoder
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import annotated
from laconic.systems.decoding import ANY_LENGTH, DecodingSystem
from laconic.systems.dependency import Discriminative
from laconic.systems.ngram import Ngram
from laconic.systems.registry import open_system
from laconic.systems.truncate import Truncate
from laconic.text.tokenise import as_sentence

KINDS = (
    "modifier",
    "argument",
    "negation",
    "possessive",
    "coordination",
    "subordinate clause",
    "at least one verb",
)
"""The kinds of constraints; the length is the budget's."""

MOST_PROVEN = 100
"""Words of a sentence whose best compression is proven: beyond, the programme would take minutes."""

_NOT_PROVEN = f"longer than {MOST_PROVEN} words: near the best under the constraints, not proven to be it"
_MODIFIERS = ("amod", "advmod", "nmod", "nummod", "det", "compound", "appos", "acl", "obl", "case", "mark")
_ARGUMENTS = ("nsubj", "csubj", "obj", "iobj", "xcomp")
_NEGATIONS = frozenset(("not", "n't", "n’t", "never", "no"))


def constraints_of(sentence: Sentence, kinds: Collection[str] = KINDS) -> tuple[Constraint, ...]:
    """The constraints of these kinds on a sentence with tags and a dependency tree; x(i) is 1 where word i is kept."""
    unknown = sorted(set(kinds) - set(KINDS))
    if unknown:
        raise LaconicError(f"no constraint {unknown[0]!r}; there are {', '.join(KINDS)}")
    return tuple(constraint for constraint in _all(sentence) if constraint.kind in kinds)


def _all(sentence: Sentence) -> Iterator[Constraint]:
    tags, heads, relations = sentence.tags, sentence.heads, sentence.relations
    assert tags is not None and heads is not None and relations is not None
    dependents: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            dependents[head].append(word)
    for word, (head, whole) in enumerate(zip(heads, relations, strict=True)):
        if head < 0:
            continue
        relation = whole.partition(":")[0]
        negates = sentence.words[word].lower() in _NEGATIONS
        if relation in _MODIFIERS or relation == "aux":  # x(head) - x(modifier) >= 0
            yield _implies("modifier", word, head)
        if negates:  # what is negated stays negated
            yield _implies("negation", head, word)
        if whole == "nmod:poss":  # both or neither
            yield Constraint("possessive", ((head, 1.0), (word, -1.0)), 0.0, 0.0)
        if relation in _ARGUMENTS:  # a verb and its arguments: all or none
            yield Constraint("argument", ((head, 1.0), (word, -1.0)), 0.0, 0.0)
        if relation == "case":  # what a preposition governs is not kept without it
            yield _implies("argument", head, word)
        if relation in ("ccomp", "advcl", "acl"):
            yield from _clause(word, dependents, relations, tags)
        if relation == "conj":
            # Both conjuncts and the conjunction, or no conjunction and at most one of them.
            joins = [each for each in dependents[word] if relations[each].startswith("cc")]
            for join in joins[:1]:
                yield _implies("coordination", join, head)
                yield _implies("coordination", join, word)
                terms = ((join, 1.0), (head, -1.0), (word, -1.0))
                yield Constraint("coordination", terms, low=-1.0)
    verbs = tuple((word, 1.0) for word, tag in enumerate(tags) if tag.startswith("VB"))
    if verbs:
        yield Constraint("at least one verb", verbs, low=1.0)


def _implies(kind: str, one: int, other: int) -> Constraint:
    """Where one word is kept, the other is."""
    return Constraint(kind, ((other, 1.0), (one, -1.0)), low=0.0)


def _clause(
    verb: int, dependents: list[list[int]], relations: tuple[str, ...], tags: tuple[str, ...]
) -> Iterator[Constraint]:
    """The word that introduces a clause is kept with anything of the clause, and not without anything of it."""
    inside, pending = [], [verb]
    while pending:
        inside.append(pending.pop())
        pending += dependents[inside[-1]]
    openers = [
        word
        for word in dependents[verb]
        if word < verb and (relations[word] == "mark" or tags[word].startswith(("W", "IN")))
    ]
    for opener in openers[:1]:
        others = [word for word in sorted(inside) if word != opener and relations[word] != "punct"]
        for word in others:
            yield _implies("subordinate clause", word, opener)
        terms = (*((word, 1.0) for word in others), (opener, -1.0))
        yield Constraint("subordinate clause", terms, low=0.0)


@dataclass(frozen=True, eq=False)
class Ilp(DecodingSystem):
    """The best words that keep to the constraints of these `kinds`, by the scores of `objective`.

    The objective is an `Ngram`, with a significance of words, or a `Discriminative` model. Without a budget at least
    `ratio` of the words are kept, which `fit` learns, where the constraints allow it. Needs SciPy: pip install
    'laconic[ilp]'.
    """

    objective: Ngram | Discriminative = field(default_factory=lambda: Ngram(significance=1.0))
    kinds: tuple[str, ...] = KINDS
    ratio: float = 0.4
    name: ClassVar[str] = "ilp"
    learnt: ClassVar[tuple[str, ...]] = ("ratio",)

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system after its objective has learnt from the pairs, and the ratio from the shortest of them."""
        shown = list(pairs)
        return replace(self, objective=self.objective.fit(shown), ratio=Truncate().fit(shown).ratio)

    def decoder(self, sentence: Sentence) -> ConstrainedPath:
        """The programme of a sentence."""
        [parsed] = annotated([sentence])
        decoder = self.objective.decoder(parsed)
        assert isinstance(decoder, PathDecoder | NgramPathDecoder)
        constraints = constraints_of(parsed, self.kinds)
        path = ConstrainedPath if len(parsed) <= MOST_PROVEN else RoughConstrainedPath
        return path(
            decoder.ngrams(),
            len(parsed),
            constraints,
            likely=lambda prices: decoder.word_marginals(prices=prices),
        )

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """What keeps to the constraints."""
        space = replace(super().search_space(sentence), selective=bool(self.kinds))
        if len(sentence) <= MOST_PROVEN:
            return space
        return replace(space, write=lambda solution: replace(space.written(solution), notes=(_NOT_PROVEN,)))

    def compress(
        self,
        sentence: str | Sentence,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> Compression:
        """The best compression that meets the budget and all constraints; an error names those that forbid it."""
        source = as_sentence(sentence)
        if len(source):
            [source] = annotated([source])  # once for the answer and for the reason why there is none
        if budget is not None or not len(source):
            return super().compress(source, budget, keep=keep, drop=drop)
        least = max(1, round(self.ratio * (len(source) - len(Request.of(source, None, (), drop).drop))))
        try:
            return super().compress(source, Budget.at_least(least, unit="pieces"), keep=keep, drop=drop)
        except InfeasibleBudget as error:
            if error.possible is None:
                raise
            return super().compress(source, ANY_LENGTH, keep=keep, drop=drop)

    def why_none(self, request: Request) -> str:
        """The constraint that forbids what is asked for; of a long sentence, that none was found."""
        if len(request.sentence) > MOST_PROVEN:
            return "the constraints and the limit leave no compression that was found"
        prices = np.zeros(len(request.sentence))
        prices[list(request.keep)], prices[list(request.drop)] = np.inf, -np.inf
        meeting = self.meeting(request)
        limit = meeting.space.counting(meeting.counting).limit(meeting.request.least, meeting.request.most)
        try:
            meeting.space.decoder.best(prices=prices, limit=limit)
        except InfeasibleBudget as reason:
            return str(reason)
        return ""

    def save(self, folder: Path) -> None:
        """Write the options and the objective."""
        write_model(folder, self.name, Content({"kinds": list(self.kinds), "ratio": self.ratio}))
        self.objective.save(folder / "objective")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            kinds = stored.settings.get("kinds")
            if not (isinstance(kinds, list) and all(kind in KINDS for kind in kinds)):
                raise stored.fault("kinds", f"a list of some of {', '.join(KINDS)}", kinds)
            ratio = stored.number("ratio", low=0, high=1)
        objective = open_system(folder / "objective")
        if not isinstance(objective, Ngram | Discriminative):
            raise LaconicError(f"{folder}: an objective of {objective.name!r} is no path")
        return cls(objective, tuple(kinds), ratio)
