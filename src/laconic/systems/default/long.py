"""Sentences longer than the network reads at once: shortened in pieces, under one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.errors import InfeasibleBudget
from laconic.sentence import Sentence
from laconic.systems.request import Request
from laconic.text.detokenise import detokenise

_CORRECTIONS = 60  # amounts to try for the last piece until the whole meets the budget


def compress_in_pieces(compress: Callable[..., Compression], request: Request, size: int) -> Compression:
    """The compressions of consecutive pieces of `size` words, joined, within the request's limits.

    Each piece gets its share of what is left, in proportion to its words; the last one takes the rest, and
    is corrected until the text of the whole is as it must be.
    """
    sentence, budget = request.sentence, request.budget
    pieces = list(_pieces(sentence, size))
    kept: list[int] = []

    def shortened(start: int, piece: Sentence, share: Budget | None) -> list[int]:
        keep, drop = (
            [word - start for word in words if start <= word < start + len(piece)]
            for words in (request.keep, request.drop)
        )
        return [start + word for word in compress(piece, share, keep=keep, drop=drop).kept or ()]

    if budget is None:
        for start, piece in pieces:
            kept += shortened(start, piece, None)
        return Compression.by_deletion(sentence, kept)

    def cost(words: list[int]) -> int:
        return budget.measure([sentence.words[word] for word in words], detokenise(sentence, words)[0])

    def share(least: int, most: int) -> Budget:
        return Budget(
            None if budget.least is None else max(0, least),
            None if budget.most is None else max(0, most),
            budget.unit,
        )

    for start, piece in pieces[:-1]:
        spent, part = cost(kept), len(piece) / (len(sentence) - start)
        try:
            kept += shortened(
                start, piece, share(int((request.least - spent) * part), int((request.most - spent) * part))
            )
        except InfeasibleBudget:
            # Too little for a word: the next pieces have more.
            kept += sorted(word for word in request.keep if start <= word < start + len(piece))
    start, piece = pieces[-1]
    spent, reached = cost(kept), [cost(kept)]
    for correction in sorted(range(-_CORRECTIONS // 2, _CORRECTIONS // 2), key=abs):
        try:
            rest = shortened(
                start, piece, share(request.least - spent + correction, request.most - spent + correction)
            )
        except InfeasibleBudget:
            continue
        reached.append(cost(kept + rest))
        if request.least <= reached[-1] <= request.most:
            return Compression.by_deletion(sentence, kept + rest)
    if request.least <= spent <= request.most and not request.keep & set(range(start, len(sentence))):
        return Compression.by_deletion(sentence, kept)
    raise request.refusal((min(reached), max(reached)))


def _pieces(sentence: Sentence, size: int) -> Iterator[tuple[int, Sentence]]:
    for start in range(0, len(sentence), size):
        end = start + size
        yield start, Sentence(words=sentence.words[start:end], spaces=sentence.spaces[start:end])
