"""Systems with a decoder: everything they answer follows from one search over one sentence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from itertools import islice

from laconic.budget import Budget, Unit
from laconic.budgets import Costs, Lengths, Meeting, Pins, Request, SearchSpace
from laconic.compression import Compression
from laconic.decode.contract import Decoder
from laconic.errors import InfeasibleBudget, LaconicError, check_k
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.system import System

ANY_LENGTH = Budget.at_least(0, unit="pieces")
"""The budget that only says that pieces are counted."""


class DecodingSystem(System):
    """A system whose compressions a decoder searches: every question is answered from its search space."""

    @abstractmethod
    def decoder(self, sentence: Sentence) -> Decoder:
        """The search over the compressions of a sentence of at least one word, which is parsed if it must be."""

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """What the system makes of a sentence of at least one word."""
        [parsed] = annotated([sentence])
        return SearchSpace(parsed, self.decoder(parsed))

    def deletion_space(self, sentence: Sentence) -> SearchSpace:
        """The same as `search_space`, but only what keeps or drops words of the sentence: for joint decoding."""
        space = self.search_space(sentence)
        if space.rewrites:
            raise LaconicError(
                f"system {self.name!r} writes new words and has no search for deletions alone: name another"
            )
        return space

    def meeting(self, request: Request) -> Meeting:
        """The search for what meets a request."""
        return Meeting(self.search_space(request.sentence), request)

    def meeting_of_lengths(self, request: Request) -> Meeting:
        """The search for the best compression of each length."""
        return self.meeting(request)

    def compress(
        self,
        sentence: str | Sentence,
        budget: Budget | None = None,
        *,
        keep: Pins = (),
        drop: Pins = (),
    ) -> Compression:
        """The best compression that meets the budget, keeps the words `keep` and drops the words `drop`."""
        request = Request.of(sentence, budget, keep, drop)
        if request.sentence.words:
            meeting = self.meeting(request)
            try:
                return meeting.answer()
            except InfeasibleBudget as refused:
                is_open = len(request.drop) < len(request.sentence)
                is_open = is_open and meeting.request.least <= meeting.request.most
                if is_open and (why := self.why_none(request)):
                    raise request.refusal(refused.possible, why, proven=meeting.is_exhaustive) from None
                raise
        if not request.least <= 0 <= request.most:
            raise request.refusal((0, 0))
        return Compression.by_deletion(request.sentence, ())

    def why_none(self, request: Request) -> str:  # noqa: ARG002  (systems with more to say do)
        """Why no compression meets a request, as far as the system knows more than that."""
        return ""

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
        request = Request.of(sentence, budget, keep, drop)
        if not request.sentence.words:
            return (self.compress(sentence, budget),)
        return tuple(islice(self.meeting(request).answers(), k))

    def lengths(
        self,
        sentence: Sentence,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        """The best compression at every number of words, each found when it is asked for."""
        if not sentence.words:
            return Lengths({}, lambda _: None)
        return Lengths.of(self.meeting_of_lengths(Request.of(sentence, ANY_LENGTH, keep, drop)))

    def costs(
        self, sentence: Sentence, unit: Unit, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> Costs:
        """What the compressions of a sentence can cost in a unit."""
        request = Request.of(sentence, Budget.at_least(0, unit=unit), keep, drop)
        meeting = self.meeting(request)
        return Costs(meeting.costs(), meeting.is_exhaustive)
