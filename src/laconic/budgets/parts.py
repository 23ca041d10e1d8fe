"""The sentences of a text, what stands between them, and the text that their compressions make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.compression import Compression
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of a text, the words of it that must stay or go, and whether it may go as a whole.

    `fixed` stands before it whatever becomes of the text. A part with a `lead` is the first of a block, such as a
    paragraph or an item of a list: the lead, white space and the mark of the item, stands before the block where
    something of the block is left. `worth` is what dropping the sentence as a whole costs beyond what that costs for
    any sentence of its length.
    """

    sentence: Sentence
    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()
    droppable: bool = False
    fixed: str = ""
    lead: str | None = None
    worth: float = 0.0

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it may stay."""
        return len(self.drop) == len(self.sentence)


@dataclass(frozen=True, slots=True)
class DocumentCompression:
    """A shortened text: the compression of each of its sentences, None for those that were dropped.

    `tail` is what stands behind the last of them.
    """

    parts: tuple[Part, ...]
    compressions: tuple[Compression | None, ...]
    tail: str = ""

    @property
    def written(self) -> tuple[tuple[str, str], ...]:
        """For every sentence what is written before it and of it; nothing of it, and nothing before, if it is gone."""
        found: list[tuple[str, str]] = []
        anything = inside = False
        for number, (part, answer) in enumerate(zip(self.parts, self.compressions, strict=True)):
            inside = inside and part.lead is None
            anything = anything or bool(part.fixed.strip())
            text = "" if answer is None else answer.text
            gap = ""
            if text:
                gap = lead_before(self.parts, number, anything, inside)
                anything = inside = True
            found.append((part.fixed + gap, text))
        return tuple(found)

    @property
    def text(self) -> str:
        """The sentences that are left, with what their author put between them."""
        return "".join(gap + text for gap, text in self.written) + self.tail

    @property
    def words(self) -> tuple[str, ...]:
        """All words that stand in the text."""
        found: list[str] = []
        for (gap, _), answer in zip(self.written, self.compressions, strict=True):
            found += () if not gap or gap.isspace() else tokenise(gap).words
            found += () if answer is None else answer.standing
        return (*found, *(tokenise(self.tail).words if self.tail.strip() else ()))


def lead_before(parts: Sequence[Part], number: int, anything: bool, inside: bool) -> str:
    """What stands before a sentence, given whether anything of the text, and of its block, stands before it."""
    if inside:
        gap = parts[number - 1].sentence.spaces[-1]
        # There is white space even where the author put none: what sentences cost in words must add up.
        return gap if any(map(str.isspace, gap)) else gap + " "
    place = number
    while place and parts[place].lead is None:
        place -= 1
    lead = parts[place].lead or ""
    return lead if anything else lead.lstrip()
