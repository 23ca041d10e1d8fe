"""Texts of several sentences, shortened by any system."""

from __future__ import annotations

from collections.abc import Collection

from laconic.budget import Budget
from laconic.budgets.documents import DocumentCompression, Part, meet_as_document
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.phrases import find_phrase, phrases_of
from laconic.systems.system import System
from laconic.text.split import split_sentences


def compress_document(
    system: System,
    text: str,
    budget: Budget | None = None,
    *,
    keep: Collection[str] = (),
    drop: Collection[str] = (),
    drop_sentences: bool = False,
) -> DocumentCompression:
    """Shorten a text to one budget; sentences stay in order, each whole, shortened or, if allowed, dropped.

    Among the best compressions of every sentence at every length, one each is chosen so that the sum of
    their scores is highest and the text they make meets the budget. `keep` and `drop` are words or phrases,
    pinned wherever they appear; a sentence with a word to keep or to protect is not dropped.
    """
    keep, drop = phrases_of(keep), phrases_of(drop)
    sentences = tuple(sentence for sentence in split_sentences(text) if sentence.words)
    for phrase in (*keep, *drop):
        if not any(find_phrase(sentence, phrase) for sentence in sentences):
            raise LaconicError(f"{phrase!r}, to be kept or dropped, is not in the text")
    parts = [_part(system, sentence, keep, drop, drop_sentences) for sentence in sentences]
    if budget is None:
        natural = (system.compress(part.sentence, keep=part.keep, drop=part.drop) for part in parts)
        return DocumentCompression(sentences, tuple(natural))
    if not sentences:
        if budget.limits(0)[0] > 0:
            raise InfeasibleBudget("a text without words has nothing to keep", possible=(0, 0))
        return DocumentCompression((), ())
    return meet_as_document(system, parts, budget)


def _part(
    system: System, sentence: Sentence, keep: Collection[str], drop: Collection[str], drop_sentences: bool
) -> Part:
    kept, dropped = (
        frozenset(index for phrase in phrases for index in find_phrase(sentence, phrase))
        for phrases in (keep, drop)
    )
    droppable = drop_sentences and not kept and not system.protected(sentence) - dropped
    return Part(sentence, kept, dropped, droppable)
