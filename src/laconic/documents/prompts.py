"""Prompts: many documents shortened together to a limit in a model's tokens, instruction and question untouched."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Unpack

from laconic.budget import Budget, TextCost, Unit
from laconic.budgets import Costs, Lengths
from laconic.budgets.documents import SentenceSystem, meet_as_document
from laconic.budgets.parts import DocumentCompression, Part
from laconic.compression import Compression
from laconic.documents.pins import Pins, find_beside, words_at
from laconic.documents.protected import json_spans, protected_spans
from laconic.documents.query import IRRELEVANT, WHOLE, Query
from laconic.documents.structure import Segment
from laconic.documents.units import read, units_of
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.options import Given, Kind, Options
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.text.phrases import find_phrase
from laconic.text.tokenise import tokenise
from laconic.units.tokenizers import open_tokenizer

SEPARATOR = "\n\n"
"""What stands between the parts of a prompt."""

PROTECTED: tuple[Kind, ...] = ("numbers", "urls", "code", "quotes")
"""What stays in the sentences that stay, unless other kinds are named."""

_UNTAGGED = PROTECTED[1:]  # numbers are written in words, too, which only a system that tags words can tell
_LETTERS = 8  # of a long word, such as an address, that are a token at least
_ROUNDS = 12  # of making the limit on the documents less until the prompt as a whole meets its own


@dataclass(frozen=True, slots=True)
class CompressedPrompt:
    """A prompt that meets its limit: its text, its documents ("" where nothing is left), its cost now and before."""

    text: str
    documents: tuple[str, ...]
    cost: int
    source_cost: int
    notes: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """The share that is left."""
        return self.cost / max(1, self.source_cost)


def compress_prompt(
    documents: str | Sequence[str],
    *,
    instruction: str = "",
    question: str = "",
    query: str | None = None,
    separator: str = SEPARATOR,
    **options: Unpack[Given],
) -> CompressedPrompt:
    """Shorten documents together so that the prompt as a whole meets a limit, such as `tokens=500`, always.

    The prompt is the instruction, the documents and the question, with the separator between them; it is counted as
    it is sent. Words of the `query`, by default the question, are worth more, and so are the sentences they stand in;
    "" is no query. Code, JSON, tables and headings stay as they are; so do numbers, addresses, inline code and
    quotations in the sentences that stay, or what `protect` names instead. Whole sentences may go unless
    `drop_sentences=False`, but not those with words to `keep`. A `ratio` is that of the documents' tokens. Without
    a `tokenizer`, tokens are the pieces that laconic's own network reads, about as many as other models'.
    """
    texts = (documents,) if isinstance(documents, str) else tuple(documents)
    for text in (*texts, instruction, question, separator, query or ""):
        if not isinstance(text, str):
            raise LaconicError(f"a prompt is made of strings, not {text!r:.60}")
    usual = options.get("protect") is None
    kinds = {"protect": _UNTAGGED} if usual else {}
    wanted, limit = _wanted({"drop_sentences": True, **options, **kinds})
    frame = _Frame(instruction, question, separator, limit)
    most = frame.most(texts)
    source = frame.cost(texts)
    if source <= most and not wanted.drop:
        return CompressedPrompt(frame.text(texts), texts, source, source)
    context = _Context.read(texts, wanted, usual)
    found = context.shortened(question if query is None else query, frame, most)
    return replace(found, source_cost=source)


@cache
def own_tokens() -> TextCost:
    """The pieces that laconic's own network reads: tokens where nobody names a tokenizer."""
    from laconic.annotate.network import Network

    pieces = Network.shipped().pieces

    def count(text: str) -> int:
        # The network does not look at the ends of long words.
        return sum(max(len(pieces.of_word(word)), len(word) // _LETTERS) for word in tokenise(text).words)

    return TextCost(count, "tokens")


def _wanted(given: dict[str, Any]) -> tuple[Options, Budget]:
    """The options, and the limit that they set; a share is one of tokens, too."""
    if given.get("per", "text") != "text" or given.get("length") is not None:
        raise LaconicError("a prompt has one limit for all of its text: per and length are for other texts")
    counted = given.get("tokenizer")
    if counted is None and any(given.get(name) is not None for name in ("tokens", "ratio")):
        counted = own_tokens()
    options = Options(**{**given, "tokenizer": None if given.get("tokens") is None else counted})
    limit = options.budget()
    if limit is None:
        raise LaconicError("a prompt needs a limit, such as tokens=500 or ratio=0.5")
    if limit.most is None or limit.least is not None:
        raise LaconicError("a prompt's limit is an upper one: give a number alone")
    return options, replace(limit, unit=open_tokenizer(counted)) if limit.relative else limit


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands around the documents and is never touched, and the limit."""

    instruction: str
    question: str
    separator: str
    limit: Budget

    def text(self, documents: Sequence[str]) -> str:
        parts = (self.instruction, *documents, self.question)
        return self.separator.join(part for part in parts if part)

    def cost(self, documents: Sequence[str]) -> int:
        return self.measure(self.text(documents))

    def measure(self, text: str) -> int:
        words = () if isinstance(self.limit.unit, TextCost) else tokenise(text).words
        return self.limit.measure(words, text)

    def most(self, documents: Sequence[str]) -> int:
        """How much the prompt may cost."""
        if not self.limit.relative:
            return self.limit.limits(0)[1]
        around = self.cost(())
        return around + self.limit.limits(max(0, self.cost(documents) - around))[1]


@dataclass(frozen=True, slots=True)
class _Context:
    """The sentences of the documents, how many each has, what stands behind the last of each, and what is asked."""

    parts: tuple[Part, ...]
    counts: tuple[int, ...]
    tails: tuple[str, ...]
    options: Options
    usual: bool  # whether what is protected is what usually is

    @classmethod
    def read(cls, texts: Sequence[str], options: Options, usual: bool) -> _Context:
        pins = Pins(options)
        parts: list[Part] = []
        counts, tails = [], []
        for text in texts:
            units, tail = units_of(list(_segments(text, options)))
            find_beside(options, units, tail, pins)
            parts += [
                _part(unit.fixed.source, unit.lead, unit.place.sentence, options, pins, usual)
                for unit in units
            ]
            counts.append(len(units))
            tails.append(tail.source)
        pins.check()
        return cls(tuple(parts), tuple(counts), tuple(tails), options, usual)

    def shortened(self, query: str, frame: _Frame, most: int) -> CompressedPrompt:
        """The documents shortened until the prompt as a whole meets the limit."""
        system, parts = self._heeding(query)
        pool = _Pool(system)
        whole = tuple(Compression.by_deletion(part.sentence, range(len(part.sentence))) for part in parts)
        around = frame.cost(self._written(parts, whole)) - frame.measure(
            DocumentCompression(parts, whole, "".join(self.tails)).text
        )
        target, least = most - around, None
        for _ in range(_ROUNDS):
            try:
                found = meet_as_document(
                    pool,
                    parts,
                    Budget.at_most(max(0, target), unit=frame.limit.unit),
                    tail="".join(self.tails),
                ).compressions
            except InfeasibleBudget as error:
                least = None if error.possible is None else error.possible[1] + around
                break
            documents = self._written(parts, found)
            cost = frame.cost(documents)
            if cost <= most:
                notes = tuple(note for answer in found if answer is not None for note in answer.notes)
                return CompressedPrompt(frame.text(documents), documents, cost, 0, notes)
            if not any(found):  # there is nothing more to give up
                least = cost
                break
            target -= max(1, cost - most)
        stays = frame.cost(self._written(parts, (None,) * len(parts)))
        raise InfeasibleBudget(
            f"the prompt cannot be held to {most}: what must stay of it, such as instruction and question, "
            f"costs {stays} alone",
            possible=None if least is None else (least, least),
        )

    def _heeding(self, query: str) -> tuple[SentenceSystem, tuple[Part, ...]]:
        """The system and the sentences, for both of which what a query asks for is worth more."""
        system = system_for(self.options)
        if self.usual and hasattr(system, "with_manner"):
            system = system_for(replace(self.options, protect=PROTECTED))
        if not query.strip():
            return system, self.parts
        wanted = Query.of(query, [part.sentence for part in self.parts])
        relevant: dict[str, float] = {}
        weighed = []
        for part, relevance in zip(self.parts, wanted.relevance(list(self._by_document())), strict=True):
            relevant[part.sentence.text] = max(relevance, relevant.get(part.sentence.text, 0.0))
            weighed.append(replace(part, worth=(WHOLE * relevance + IRRELEVANT) * len(part.sentence)))
        if not hasattr(system, "favouring"):
            return system, tuple(weighed)
        favouring = system.favouring(
            lambda sentence: wanted.worth(sentence, relevant.get(sentence.text, 0.0))
        )
        return favouring, tuple(weighed)

    def _by_document(self) -> Iterator[list[Sentence]]:
        start = 0
        for count in self.counts:
            yield [part.sentence for part in self.parts[start : start + count]]
            start += count

    def _written(self, parts: tuple[Part, ...], answers: Sequence[Compression | None]) -> tuple[str, ...]:
        """The documents, each with its own white space."""
        texts, start = [], 0
        for count, tail in zip(self.counts, self.tails, strict=True):
            end = start + count
            texts.append(DocumentCompression(parts[start:end], tuple(answers[start:end]), tail).text.strip())
            start = end
        return tuple(texts)


def _segments(text: str, options: Options) -> Iterator[Segment]:
    """The blocks of a document, between what stays as it is: JSON on lines of its own, too."""
    position = 0
    for start, end in json_spans(text):
        before, after = text[:start].rpartition("\n")[2], text[end:].partition("\n")[0]
        if before.strip() or after.strip():
            continue
        yield from read(text[position:start], options)
        yield text[start:end]
        position = end
    yield from read(text[position:], options)


def _part(
    fixed: str, lead: str | None, sentence: Sentence, options: Options, pins: Pins, usual: bool
) -> Part:
    kept, dropped = (
        {word for pin in named for word in _found(sentence, pin, pins)}
        for named in (options.keep, options.drop)
    )
    spans = protected_spans(sentence.text, options.protect)
    stays = {word for span in spans for word in words_at(sentence, *span)}
    if usual or "numbers" in options.protect:
        stays |= {number for number, word in enumerate(sentence.words) if any(map(str.isdigit, word))}
    keep = frozenset((kept | stays) - dropped)
    return Part(sentence, keep, frozenset(dropped), options.drop_sentences and not kept, fixed, lead)


def _found(sentence: Sentence, pin: object, pins: Pins) -> list[int]:
    if not isinstance(pin, str):
        raise LaconicError(
            f"{pin!r}: words of a prompt are kept or dropped by naming them, not by their places"
        )
    found = find_phrase(sentence, pin)
    if found:
        pins.found(pin)
    return found


class _Pool:
    """A system that remembers what it found of each sentence."""

    def __init__(self, system: SentenceSystem) -> None:
        self._system = system
        self._lengths: dict[tuple[Sentence, frozenset[int], frozenset[int]], Lengths] = {}

    def compress(
        self,
        sentence: Sentence,
        budget: Budget | None = None,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Compression:
        """The best compression that meets the budget."""
        return self._system.compress(sentence, budget, keep=keep, drop=drop)

    def lengths(
        self,
        sentence: Sentence,
        *,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        """The best compression at every number of words."""
        key = sentence, frozenset(keep), frozenset(drop)
        if key not in self._lengths:
            self._lengths[key] = self._system.lengths(sentence, keep=keep, drop=drop)
        return self._lengths[key]

    def costs(
        self, sentence: Sentence, unit: Unit, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> Costs:
        """What its compressions can cost in a unit."""
        return self._system.costs(sentence, unit, keep=keep, drop=drop)

    def protected(self, sentence: Sentence) -> frozenset[int]:
        """The words that are kept though nobody named them."""
        return self._system.protected(sentence)
