"""Prompts: many documents shortened together to a limit in a model's tokens, instruction and question untouched."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache

from laconic.budget import Budget, TextCost, Unit
from laconic.budgets.documents import DocumentCompression, Part, SentenceSystem, meet_as_document
from laconic.budgets.lengths import Lengths, Outline
from laconic.compression import Compression
from laconic.documents.query import IRRELEVANT, WHOLE, Query
from laconic.documents.verbatim import KINDS, blocks, check_kinds, verbatim_spans
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.phrases import find_phrase, phrases_of
from laconic.text.split import split_sentences
from laconic.units.tokenizers import open_tokenizer

SEPARATOR = "\n\n"
"""What stands between the parts of a prompt."""

_LETTERS = 8  # of a long word, such as an address, that are a token at least
_ROUNDS = 12  # of making the limit on the documents less until the prompt as a whole meets its own


@dataclass(frozen=True, slots=True)
class CompressedPrompt:
    """A prompt that meets its limit: its text, its documents ("" where nothing is left), its tokens now and before."""

    text: str
    documents: tuple[str, ...]
    tokens: int
    source_tokens: int
    notes: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """The share of the tokens that is left."""
        return self.tokens / max(1, self.source_tokens)


def compress_prompt(
    documents: str | Sequence[str],
    *,
    tokens: int | None = None,
    ratio: float | None = None,
    tokenizer: object = None,
    instruction: str = "",
    question: str = "",
    query: str | None = None,
    keep: str | Collection[str] = (),
    drop: str | Collection[str] = (),
    protect: str | Collection[str] = KINDS,
    drop_sentences: bool = True,
    separator: str = SEPARATOR,
    system: str = "default",
) -> CompressedPrompt:
    """Shorten documents together so that the whole prompt has at most `tokens`, or they `ratio` of their own.

    The prompt is the instruction, the documents and the question, with the separator between them; its tokens are
    counted as it is sent. What stands in the `query`, by default the question, is worth more, and so are the
    sentences it stands in; "" is no query. Code, JSON, tables and headings stay as they are, and so do addresses,
    numbers and quotations in the sentences that stay: `protect` names what. Words to `keep` hold their sentences.
    Without a `tokenizer` the pieces are counted that laconic's own network reads, about as many as other models'.
    """
    texts = (documents,) if isinstance(documents, str) else tuple(documents)
    for text in (*texts, instruction, question, separator):
        if not isinstance(text, str):
            raise LaconicError(f"a prompt is made of strings, not {text!r:.60}")
    count = own_tokens() if tokenizer is None else open_tokenizer(tokenizer)
    frame = _Frame(instruction, question, separator, count)
    limit = _limit(frame, texts, tokens, ratio)
    source = frame.cost(texts)
    if source <= limit:
        return CompressedPrompt(frame.text(texts), texts, source, source)
    context = _Context.read(texts, check_kinds(protect), phrases_of(keep), phrases_of(drop), drop_sentences)
    wanted = question if query is None else query
    shortened = context.shortened(system, wanted, frame, limit)
    return replace(shortened, source_tokens=source)


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands around the documents and is never touched."""

    instruction: str
    question: str
    separator: str
    count: TextCost

    def text(self, documents: Sequence[str]) -> str:
        parts = (self.instruction, *documents, self.question)
        return self.separator.join(part for part in parts if part)

    def cost(self, documents: Sequence[str]) -> int:
        return self.count.count(self.text(documents))


def _limit(frame: _Frame, documents: Sequence[str], tokens: int | None, ratio: float | None) -> int:
    if (tokens is None) == (ratio is None):
        raise LaconicError("give a prompt a limit: either tokens or a ratio")
    budget = Budget.at_most(tokens, ratio=ratio, unit=frame.count)  # refuses what is no number
    if tokens is not None:
        return budget.limits(0)[1]
    around = frame.cost(())
    return around + budget.limits(max(0, frame.cost(documents) - around))[1]


@cache
def own_tokens() -> TextCost:
    """The pieces that laconic's own network reads: tokens where nobody names a tokenizer."""
    from laconic.annotate.network import Network
    from laconic.text.tokenise import tokenise

    pieces = Network.shipped().pieces

    def count(text: str) -> int:
        # The network does not look at the ends of long words.
        return sum(max(len(pieces.of_word(word)), len(word) // _LETTERS) for word in tokenise(text).words)

    return TextCost(count, "tokens")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a document, or a block that stays as it is, which is a sentence of one word."""

    document: int
    part: Part
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class _Context:
    """The documents in pieces."""

    texts: tuple[str, ...]
    pieces: tuple[_Piece, ...]
    kinds: tuple[str, ...]

    @classmethod
    def read(
        cls,
        texts: tuple[str, ...],
        kinds: tuple[str, ...],
        keep: tuple[str, ...],
        drop: tuple[str, ...],
        drop_sentences: bool,
    ) -> _Context:
        pieces = []
        for number, text in enumerate(texts):
            for block in blocks(text, kinds):
                if block.fixed:
                    stripped = block.text.rstrip()
                    sentence = Sentence((stripped,), (block.text[len(stripped) :],))
                    pieces.append(_Piece(number, Part(sentence, frozenset([0])), fixed=True))
                    continue
                for sentence in split_sentences(block.text):
                    if sentence.words:
                        part = _part(sentence, kinds, keep, drop, drop_sentences)
                        pieces.append(_Piece(number, part))
        for phrase in (*keep, *drop):
            if not any(find_phrase(piece.part.sentence, phrase) for piece in pieces if not piece.fixed):
                raise LaconicError(
                    f"{phrase!r}, to be kept or dropped, is in no document outside of code and tables"
                )
        return cls(texts, tuple(pieces), kinds)

    def shortened(self, system: str, query: str, frame: _Frame, limit: int) -> CompressedPrompt:
        """The documents shortened until the prompt as a whole meets the limit."""
        pool, parts = self._weighed(system, query)
        around = frame.cost(self.texts) - frame.count.count(frame.separator.join(self.texts))
        target = limit - around
        for _ in range(_ROUNDS):
            if target < 0:
                break
            try:
                found = meet_as_document(pool, parts, Budget.at_most(target, unit=frame.count))
            except InfeasibleBudget as error:
                raise self._refusal(frame, limit, error) from None
            documents = self._written(found)
            cost = frame.cost(documents)
            if cost <= limit:
                return CompressedPrompt(frame.text(documents), documents, cost, 0, found.notes)
            target -= max(1, cost - limit)
        raise self._refusal(frame, limit, None)

    def _refusal(self, frame: _Frame, limit: int, error: InfeasibleBudget | None) -> InfeasibleBudget:
        fixed = frame.cost(()) + sum(frame.count.count(p.part.sentence.text) for p in self.pieces if p.fixed)
        least = None if error is None or error.possible is None else error.possible[1] + frame.cost(())
        possible = None if least is None else (least, least)
        return InfeasibleBudget(
            f"the prompt cannot have at most {limit} tokens: instruction, question and what stays as it is "
            f"have about {fixed}",
            possible=possible,
        )

    def _weighed(self, system: str, query: str) -> tuple[_Pool, tuple[Part, ...]]:
        """The system and the parts, both heeding a query."""
        from laconic.systems.default.compressor import Compressor
        from laconic.systems.one_call import open_cached

        parts = tuple(piece.part for piece in self.pieces)
        fixed = frozenset(piece.part.sentence for piece in self.pieces if piece.fixed)
        opened = open_cached(system)
        if isinstance(opened, Compressor) and "numbers" in self.kinds:
            opened = opened.with_manner(protect=("numbers",))
        if not query.strip():
            return _Pool(opened, fixed), parts
        documents: list[list[Sentence]] = [[] for _ in self.texts]
        for piece in self.pieces:
            documents[piece.document].append(piece.part.sentence)
        wanted = Query.of(query, [part.sentence for part in parts])
        relevances = [each for sentences in wanted.relevance(documents) for each in sentences]
        relevant: dict[str, float] = {}
        weighed = []
        for part, relevance in zip(parts, relevances, strict=True):
            relevant[part.sentence.text] = max(relevance, relevant.get(part.sentence.text, 0.0))
            weighed.append(replace(part, worth=(WHOLE * relevance + IRRELEVANT) * len(part.sentence)))
        if isinstance(opened, Compressor):
            opened = opened.favouring(
                lambda sentence: wanted.worth(sentence, relevant.get(sentence.text, 0.0))
            )
        return _Pool(opened, fixed), tuple(weighed)

    def _written(self, found: DocumentCompression) -> tuple[str, ...]:
        """The documents, each with its own white space; where a sentence went, the wider gap stays."""
        texts = [""] * len(self.texts)
        gaps = [""] * len(self.texts)
        for piece, answer in zip(self.pieces, found.compressions, strict=True):
            number, sentence = piece.document, piece.part.sentence
            if answer is not None and answer.text:
                texts[number] += (gaps[number] or " ") + answer.text if texts[number] else answer.text
                gaps[number] = ""
            gaps[number] = max(gaps[number], sentence.spaces[-1], key=lambda gap: (gap.count("\n"), len(gap)))
        return tuple(texts)


def _part(
    sentence: Sentence, kinds: tuple[str, ...], keep: tuple[str, ...], drop: tuple[str, ...], droppable: bool
) -> Part:
    pinned, dropped = (
        frozenset(index for phrase in phrases for index in find_phrase(sentence, phrase))
        for phrases in (keep, drop)
    )
    spans = verbatim_spans(sentence.text, kinds)
    kept, position = set(pinned), len(sentence.lead)
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        if any(start < position + len(word) and position < end for start, end in spans):
            kept.add(index)
        position += len(word) + len(space)
    return Part(sentence, frozenset(kept) - dropped, dropped, droppable and not pinned)


class _Pool:
    """A system that leaves some sentences as they are, and remembers what it found of the others."""

    def __init__(self, system: SentenceSystem, fixed: frozenset[Sentence]) -> None:
        self._system, self._fixed = system, fixed
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
        if sentence not in self._fixed:
            return self._system.compress(sentence, budget, keep=keep, drop=drop)
        whole = Compression.by_deletion(sentence, (0,), score=0.0)
        if budget is not None:
            cost = budget.measure(whole.standing, whole.text)
            least, most = budget.limits(cost)
            if not least <= cost <= most:
                raise InfeasibleBudget("a block that stays as it is has one length", possible=(cost, cost))
        return whole

    def lengths(
        self,
        sentence: Sentence,
        *,
        ratio: float | None = None,
        keep: Collection[int] = (),
        drop: Collection[int] = (),
    ) -> Lengths:
        """The best compression at every number of words."""
        if sentence in self._fixed:
            return Lengths({1: Outline(0.0, (0,))}, lambda _: self.compress(sentence))
        key = sentence, frozenset(keep), frozenset(drop)
        if key not in self._lengths:
            self._lengths[key] = self._system.lengths(sentence, ratio=ratio, keep=keep, drop=drop)
        return self._lengths[key]

    def costs(
        self, sentence: Sentence, unit: Unit, *, keep: Collection[int] = (), drop: Collection[int] = ()
    ) -> int:
        """What its compressions can cost in a unit, as the bits of an integer."""
        if sentence in self._fixed:
            return 1 << Budget.at_least(0, unit=unit).measure(sentence.words, sentence.words[0])
        return self._system.costs(sentence, unit, keep=keep, drop=drop)
