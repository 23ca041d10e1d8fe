"""What every system answers, whatever is inside it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

from laconic.budget import Budget, Unit
from laconic.budgets import Costs, Pins, Request
from laconic.budgets.lengths import Lengths, Outline
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, check_k
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.reasons import Explanation, Hold, Rival, Why, reasons_for
from laconic.text.tokenise import as_sentence


class System(ABC):
    """Something that learns from pairs, shortens sentences, and can be stored in a folder and read again."""

    name: ClassVar[str]
    learnt: ClassVar[tuple[str, ...]] = ()
    """The fields that `fit` sets, and that are therefore no options of training."""

    @abstractmethod
    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system after learning from sentences and their compressions."""

    @abstractmethod
    def compress(
        self,
        sentence: str | Sentence,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> Compression:
        """The best compression that meets the budget, keeps the words `keep` and drops the words `drop`.

        Without a budget the system chooses the length. What cannot be met raises `InfeasibleBudget`, which says
        what is possible.
        """

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the system as JSON and numeric arrays."""

    @classmethod
    @abstractmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote; never runs code from the folder."""

    @property
    def threads(self) -> int:
        """On how many threads streams are compressed."""
        return os.cpu_count() or 1

    def compress_all(
        self,
        sentences: Iterable[str | Sentence],
        budget: Budget | None = None,
        *,
        impossible: Literal["error", "leave"] = "error",
    ) -> Iterator[Compression]:
        """Stream the compressions of many sentences, in their order, on all threads.

        A sentence that cannot meet the budget is an error, or left as it is, with a note.
        """

        def compressed(sentence: str | Sentence) -> Compression:
            source = as_sentence(sentence)
            try:
                return self.compress(source, budget)
            except InfeasibleBudget as error:
                if impossible == "error":
                    raise
                return Compression.left_as_it_is(source, error)

        return map_in_order(compressed, sentences, threads=self.threads)

    def lengths(
        self,
        sentence: Sentence,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        """The best compression at every number of words."""

        def find(words: int) -> Compression | None:
            try:
                return self.compress(sentence, Budget.exactly(words, unit="pieces"), keep=keep, drop=drop)
            except InfeasibleBudget:
                return None

        answers = ((words, find(words)) for words in range(1, len(sentence) + 1))
        found = {words: answer for words, answer in answers if answer is not None}
        outlines = {words: Outline(answer.score or 0.0, answer.kept or ()) for words, answer in found.items()}
        return Lengths(outlines, found.get)

    def costs(
        self, sentence: Sentence, unit: Unit, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> Costs:
        """What the compressions of a sentence can cost in a unit; who does not search has one of each length."""
        request = Request.of(sentence, Budget.at_least(0, unit=unit), keep, drop)
        found = {request.cost(answer) for answer in self.lengths(sentence, keep=keep, drop=drop)}
        return Costs(sum(1 << cost for cost in found), are_all=True)

    def frontier(
        self, sentence: str | Sentence, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> tuple[Compression, ...]:
        """The best compression at every number of words there can be, from the shortest to the longest."""
        return tuple(self.lengths(as_sentence(sentence), keep=keep, drop=drop))

    def k_best(
        self,
        sentence: str | Sentence,
        k: int,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> tuple[Compression, ...]:
        """The k best compressions with different texts, best first (fewer if fewer are found)."""
        check_k(k)
        return (self.compress(sentence, budget, keep=keep, drop=drop),)

    def explain(
        self,
        sentence: str | Sentence,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> Explanation:
        """The compression of a sentence, with the reason why each word of it stayed or went.

        Rivals are answers to the same request with one more word pinned; each is searched when it is asked for.
        """
        source = as_sentence(sentence)
        request = Request.of(source, budget, keep, drop)
        answer = self.compress(source, budget, keep=keep, drop=drop)

        def search(place: int) -> Rival | None:
            stays = place not in (answer.kept or ())
            kept, dropped = ((place,), ()) if stays else ((), (place,))
            try:
                found = self.compress(
                    source, budget, keep=request.keep.union(kept), drop=request.drop.union(dropped)
                )
            except InfeasibleBudget:
                return None
            cost = None
            if answer.score is not None and found.score is not None:
                cost = float(answer.score - found.score)
            return Rival(found.text, cost, request.cost(found), found.notes)

        return self.explained(
            answer, budget, search, pinned=request.keep | request.drop, length=request.cost(answer)
        )

    def explained(
        self,
        answer: Compression,
        budget: Budget | None,
        search: Callable[[int], Rival | None],
        *,
        pinned: Collection[int],
        length: int,
    ) -> Explanation:
        """The explanation of an answer, whose rivals a search finds, and of which some words were pinned."""
        decided: dict[int, Why] = {}
        gone = set(range(len(answer.sentence))).difference(answer.kept or ())
        if budget is not None and budget.least is None and gone <= set(pinned):
            decided = dict.fromkeys(range(len(answer.sentence)), "fits")
        decided |= dict.fromkeys(self.protected(answer.sentence), "protected")
        decided |= dict.fromkeys(pinned, "pinned")
        [sentence] = annotated([answer.sentence])
        reasons = reasons_for(answer, sentence, decided=decided, holds=self.holds(answer, budget))
        return Explanation(answer, reasons, search, length=length)

    def holds(
        self,
        compression: Compression,  # noqa: ARG002  (systems with ties heed both)
        budget: Budget | None = None,  # noqa: ARG002
    ) -> Mapping[int, Sequence[Hold]]:
        """The ties that would be torn if a word of the source alone had gone the other way, by the word."""
        return {}

    def protected(self, sentence: Sentence) -> frozenset[int]:  # noqa: ARG002
        """The words that are kept though nobody named them."""
        return frozenset()
