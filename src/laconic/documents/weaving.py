"""Markup woven into what is left of a text: around the words that it was around, gone where they are gone.

Characters that are left are spelt as their author spelt them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import count, takewhile

from laconic.compression import Compression
from laconic.documents.structure import Mark, Place
from laconic.text.detokenise import standing_at


@dataclass(frozen=True, slots=True)
class Written:
    """What is written for a sentence: what stands before it whatever happens, then the gap before its text, its text.

    The first of a block has the `lead` that the author put before that. Gap and text are empty where nothing is left of
    it.
    """

    place: Place
    lead: str | None
    fixed: str
    gap: str
    answer: Compression | None

    @property
    def opens(self) -> bool:
        """Whether it is the first of its block."""
        return self.lead is not None

    @property
    def break_before(self) -> str:
        """The white space before its block, up to the mark of an item."""
        lead = self.lead or ""
        return lead[: len(lead) - len(lead.lstrip())]

    @property
    def text(self) -> str:
        """What is left of it, without markup."""
        return "" if self.answer is None else self.answer.text


def weave(sentences: Sequence[Written]) -> tuple[list[tuple[str, str]], str]:
    """For each sentence what is written before it, and of it, with its markup; and what is written behind the last.

    Markup that opens stands before the first word left of those that it was around, and markup that closes behind the
    last. A pair around words of which none is left goes with them; what stands by itself always stays, behind the white
    space before its block if that has no words left. All stays in its order, so that what was balanced is balanced.
    """
    if not any(each.place.marks for each in sentences):
        return [(each.fixed + each.gap, each.text) for each in sentences], ""
    standing = [_standing(each) for each in sentences]
    found: list[tuple[str, str]] = []
    pending: list[Mark] = []  # since the last word that was written
    last: tuple[int, int] | None = None
    break_before = ""  # what is written before what is left of a block of which nothing has been written
    is_behind_marks = False
    for number, (each, words, marks) in enumerate(
        zip(sentences, standing, _staying(sentences, standing), strict=True)
    ):
        between = each.fixed
        if each.opens or each.fixed:
            left = _left(break_before, pending)
            between = left + between
            pending, last, break_before = [], None, each.break_before
            is_behind_marks = bool(left) and not each.fixed
        text, body, position = each.text, "", 0
        waiting = list(marks)
        if text:
            # The first words of a text have no white space before them, but marks may be left of what went before.
            between += break_before if is_behind_marks and not each.gap[:1].isspace() else ""
            break_before, is_behind_marks = "", False
        if text and not words:
            between += _joint(pending, each.gap, by_place=False)
            pending = []
        for place, (word, start, end) in enumerate(words):
            while waiting and waiting[0].is_before(word):
                pending.append(waiting.pop(0))
            gap = text[position:start] if place else each.gap
            beside = last == ((number, word - 1) if word else (number - 1, _last(sentences, number - 1)))
            by_place = beside and gap == _author_gap(sentences, number, word)
            later: list[Mark] = []
            if not gap and not by_place and not _is_spoken(each.place, word):
                # Emphasis cannot begin right behind a word, before punctuation.
                while pending and pending[-1].role == "opens" and not _is_tag(pending[-1]):
                    later.insert(0, pending.pop())
            if place:
                body += _joint(pending, gap, by_place=by_place)
            elif start:  # behind words that a system has put there
                between += gap
                body = _joint(pending, text[:start], by_place=False)
            else:
                between += _joint(pending, gap, by_place=by_place, opens=last is None)
            pending, last, position = later, (number, word), start
            while waiting and waiting[0].before == word:
                mark = waiting.pop(0)
                at = min(start + (mark.inside or 0), end)
                read = text[at : min(at + len(mark.read), end)]
                # A letter that has become a capital is spelt as it is now.
                body += text[position:at] + (mark.source if read == mark.read else read)
                position = at + len(read)
            body += text[position:end]
            position = end
        pending += waiting
        found.append((between, body + text[position:]))
    return found, _left(break_before, pending)


def _last(sentences: Sequence[Written], number: int) -> int:
    return len(sentences[number].place.sentence) - 1 if number >= 0 else -1


def _author_gap(sentences: Sequence[Written], number: int, word: int) -> str:
    """The white space that the author put before a word that is not the first of its block."""
    return sentences[number if word else number - 1].place.sentence.spaces[word - 1]


def _sources(marks: Sequence[Mark]) -> str:
    return "".join(mark.source for mark in marks if not mark.read)


def _left(break_before: str, marks: Sequence[Mark]) -> str:
    """The marks behind the last word of a block, or all that is left of it."""
    sources = _sources(marks)
    return sources and break_before + sources


def _joint(marks: Sequence[Mark], gap: str, *, by_place: bool, opens: bool = False) -> str:
    """The white space between two words, with marks: where they were, or behind what closes around words before.

    Where it opens a block, it is the lead of that, and marks stand behind it.
    """
    if by_place:
        written, position = "", 0
        for mark in marks:
            # A mark before the first word of a sentence stands behind the white space of the sentence before.
            at = mark.space if mark.before else len(gap)
            written += gap[position:at] + mark.source
            position = max(position, at + len(mark.read))
        return written + gap[position:]
    spelt = {mark.read: mark.source for mark in marks if mark.read and mark.inside is None}
    marks = [mark for mark in marks if not mark.read]
    opened = {mark.pair for mark in marks if mark.role == "opens"}
    closing = [at for at, mark in enumerate(marks) if mark.role == "closes" and mark.pair not in opened]
    middle = closing[-1] + 1 if closing else 0
    before, behind = list(marks[:middle]), list(marks[middle:])
    while not gap and before and behind and _is_one(before[-1], behind[0]):
        del before[-1], behind[0]
    # What stands by itself has white space on both sides if it had.
    alone = [] if opens else list(takewhile(lambda mark: mark.role == "stands", behind))
    at = alone[0].space if alone and 0 < alone[0].space < len(gap) else len(gap)
    left, right = ("".join(spelt.get(char, char) for char in part) for part in (gap[:at], gap[at:]))
    return _sources(before) + left + _sources(alone) + right + _sources(behind[len(alone) :])


def _is_tag(mark: Mark) -> bool:
    return mark.source.lstrip().startswith("<")


def _is_spoken(place: Place, word: int) -> bool:
    return any(map(str.isalnum, place.sentence.words[word]))


def _is_one(closes: Mark, opens: Mark) -> bool:
    """Whether emphasis ends where the same begins: its marks side by side would be other marks."""
    return (closes.role, opens.role) == ("closes", "opens") and closes.source == opens.source


def _standing(each: Written) -> list[tuple[int, int, int]]:
    """The words of a sentence that are left of it, with their places in its text."""
    answer = each.answer
    if answer is None or not answer.text:
        return []
    if answer.kept is not None:
        found = standing_at(each.place.sentence, answer.kept)
        if found and found[-1][2] == len(answer.text):
            return found
    # Not by deletion: the words that it shares with its source, in order.
    position, places = 0, []
    for word in answer.words:
        at = answer.text.lower().find(word.lower(), position)
        places.append((max(position, at), max(position, at) + len(word) * (at >= 0)))
        position = places[-1][1]
    source = [word.lower() for word in each.place.sentence.words]
    blocks = SequenceMatcher(None, source, [word.lower() for word in answer.words], autojunk=False)
    return [
        (first + step, *places[second + step])
        for first, second, size in blocks.get_matching_blocks()
        for step in range(size)
    ]


def _staying(
    sentences: Sequence[Written], standing: Sequence[Sequence[tuple[int, int, int]]]
) -> list[list[Mark]]:
    """The marks of every sentence that stay."""
    stays: list[list[Mark]] = []
    block: list[int] = []
    for number, each in enumerate(sentences):
        if each.opens and block:
            stays += _staying_in([sentences[at] for at in block], [standing[at] for at in block])
            block = []
        block.append(number)
    return stays + _staying_in([sentences[at] for at in block], [standing[at] for at in block])


def _staying_in(
    sentences: Sequence[Written], standing: Sequence[Sequence[tuple[int, int, int]]]
) -> list[list[Mark]]:
    """The marks that stay of a block, in which pairs find each other."""
    left, spoken = (
        list[int](),
        list[int](),
    )  # the words that are left, and those of them that are no punctuation
    alone = list[int]()  # the marks that stand by themselves, by their numbers
    spans: dict[
        int, list[tuple[int, int]]
    ] = {}  # of each pair: its marks' numbers, and the words that they stand before
    first, numbers = 0, count()
    for each, words in zip(sentences, standing, strict=True):
        left += (first + word for word, _, _ in words)
        spoken += (first + word for word, _, _ in words if _is_spoken(each.place, word))
        for number, mark in zip(numbers, each.place.marks, strict=False):
            if mark.role == "stands":
                alone.append(number)
            elif mark.role != "spells":
                # What closes inside a word is around it.
                at = first + mark.before + (mark.role == "closes" and mark.inside is not None)
                spans.setdefault(mark.pair, []).append((number, at))
        first += len(each.place.sentence)

    def stays(mark: Mark) -> bool:
        if (
            mark.role in ("stands", "spells") or len(spans[mark.pair]) < 2
        ):  # its partner stands where no words are
            return True
        (opener, start), (closer, end) = spans[mark.pair]
        if start >= end:
            return True
        if not _is_tag(mark):
            return bisect_left(spoken, end) > bisect_left(spoken, start)
        # A tag is there for pictures, too.
        of_words = bisect_left(left, end) > bisect_left(left, start)
        return of_words or bisect_left(alone, closer) > bisect_left(alone, opener)

    return [[mark for mark in each.place.marks if stays(mark)] for each in sentences]
