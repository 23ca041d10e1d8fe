"""Why each word of a sentence stayed or went: what the other way would have cost, and what holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from laconic.compression import Compression
from laconic.errors import LaconicError
from laconic.sentence import Sentence

MOST = 50
"""Words for which a rival is looked for unless more are asked for: each is a search of its own."""

Why = Literal["chosen", "pinned", "protected", "fits"]
"""What decided a word: the search, a pin (the caller's, or of markup), a kind that always stays, or that all fits."""

_DECIDED = {"protected": "of a kind that always stays", "fits": "all of it fits"}


@dataclass(frozen=True, slots=True)
class Hold:
    """A tie that would be torn if a word had gone the other way: what would be left, and what that is charged."""

    torn: str
    price: float

    def __str__(self) -> str:
        return f"{self.torn} ({self.price:.2f})"


@dataclass(frozen=True, slots=True)
class Rival:
    """The best answer to the same request with one word the other way.

    `cost` is how much lower its score is than the answer's; where systems do not score, None. It is negative where
    the answer is not the one of the highest score: a limit is there to be used, tearing is avoided before that, and of
    the best few the one that reads best as a whole is taken.
    `length` is what the rival comes to in the unit of the limit, words without one.
    """

    text: str
    cost: float | None
    length: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """What became of one word of the source, and why.

    A word that went did so with the words `phrase` (indices, itself included), which hung on the word `under` by the
    relation `relation`; `under` is None where the whole sentence went. `ties` would be torn if this word alone had
    gone the other way, the dearest first.
    """

    place: int
    word: str
    kept: bool
    why: Why = "chosen"
    ties: tuple[Hold, ...] = ()
    phrase: tuple[int, ...] = ()
    under: int | None = None
    relation: str | None = None

    def described(self, sentence: Sentence) -> str:
        """The decision in words, with the dearest of its ties."""
        if self.why == "pinned":
            return "must stay" if self.kept else "must go"
        if self.why != "chosen":
            return _DECIDED[self.why]
        held = str(self.ties[0]) if self.ties else ""
        if self.kept:
            return f"without it, {held}" if held else ""
        gone = " ".join(sentence.words[word] for word in self.phrase)
        what = "deleted" if len(self.phrase) == 1 else f"deleted with {gone!r}"
        if self.under is not None:
            what += f", {self.relation} of {sentence.words[self.under]!r}"
        return f"{what}; with it alone, {held}" if held else what


class Explanation:
    """Why a sentence was cut as it was; rivals are looked for when they are asked for, and remembered.

    `length` is what the answer comes to in the unit of the limit.
    """

    def __init__(
        self,
        compression: Compression,
        reasons: tuple[Reason, ...],
        search: Callable[[int], Rival | None],
        *,
        length: int,
    ) -> None:
        self.compression, self.reasons, self.length = compression, reasons, length
        self._search = search
        self._found: dict[int, Rival | None] = {}

    def __repr__(self) -> str:
        return f"<Explanation of {self.compression.text!r}>"

    def rival(self, place: int) -> Rival | None:
        """The best answer with this word the other way; None if there is none, or if the search did not decide it."""
        if self.reasons[place].why != "chosen":
            return None
        if place not in self._found:
            self._found[place] = self._search(place)
        return self._found[place]

    def lines(self, most: int = MOST) -> list[str]:
        """The explanation as text: the answer, its notes, and a line for each word, with rivals for so many."""
        sentence = self.compression.sentence
        width = max(map(len, sentence.words), default=0)
        found = [f"=> {self.compression.text}", *(f"!! {note}" for note in self.compression.notes)]
        for reason in self.reasons:
            cost, rival = self._told(reason, most)
            sign = "+" if reason.kept else "-"
            why = "  ".join(filter(None, (reason.described(sentence), rival)))
            found.append(f"{sign} {reason.word:<{width}} {cost:>6}  {why}".rstrip())
        return found

    def to_dict(self, most: int = MOST) -> dict[str, Any]:
        """The explanation as JSON holds it; words beyond the most have no `rival`, those that must be so null."""
        return {
            "source": self.compression.sentence.text.strip(),
            "text": self.compression.text,
            "score": self.compression.score,
            "length": self.length,
            "notes": list(self.compression.notes),
            "words": [self._word(reason, most) for reason in self.reasons],
        }

    def html(self, most: int = MOST) -> str:
        """The explanation as a piece of HTML: the sentence, deletions struck through, and a table of its words."""
        from html import escape

        sentence = self.compression.sentence
        rows = []
        for reason in self.reasons:
            cost, rival = self._told(reason, most)
            word = escape(reason.word)
            cells = (
                word if reason.kept else f"<del>{word}</del>",
                cost,
                escape(reason.described(sentence)),
                escape(rival),
            )
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.compression.notes)
        heads = "".join(f"<th>{head}</th>" for head in ("word", "cost", "why", "else"))
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        return f"<p>{self.compression.marked()}</p>{notes}{table}"

    def _repr_html_(self) -> str:
        return self.html()

    def _word(self, reason: Reason, most: int) -> dict[str, Any]:
        found: dict[str, Any] = {"word": reason.word, "kept": reason.kept, "why": reason.why}
        if reason.ties:
            found["ties"] = [{"torn": tie.torn, "price": tie.price} for tie in reason.ties]
        if not reason.kept:
            found |= {"phrase": list(reason.phrase), "under": reason.under, "relation": reason.relation}
        if reason.why == "chosen" and reason.place < most:
            rival = self.rival(reason.place)
            found["rival"] = rival and {
                "text": rival.text,
                "cost": rival.cost,
                "length": rival.length,
                "notes": list(rival.notes),
            }
        return found

    def _told(self, reason: Reason, most: int) -> tuple[str, str]:
        """The cost of a word's other way and the rival, as text."""
        if reason.why != "chosen" or reason.place >= most:
            return "", ""
        rival = self.rival(reason.place)
        if rival is None:
            return "", "no answer without it" if reason.kept else "no answer with it"
        cost = "" if rival.cost is None else f"{rival.cost:.2f}"
        how = "else" if rival.cost is None or rival.cost >= 0 else self._not_taken(rival)
        return cost, f"{how}: {rival.text}"

    def _not_taken(self, rival: Rival) -> str:
        if rival.length < self.length:
            return f"higher, but uses only {rival.length} of the limit, not {self.length}"
        return "higher, but tears more apart" if rival.notes else "higher, but not what the system prefers"


def reasons_for(
    compression: Compression,
    sentence: Sentence,
    *,
    decided: Mapping[int, Why],
    holds: Mapping[int, Sequence[Hold]],
) -> tuple[Reason, ...]:
    """What became of every word of a compression's source, which is given annotated."""
    if compression.kept is None:
        raise LaconicError("only deletions can be explained: this compression rewrites its source")
    assert sentence.heads is not None and sentence.relations is not None
    kept = frozenset(compression.kept)
    top = [_top(word, sentence.heads, kept) for word in range(len(sentence))]
    found = []
    for place, word in enumerate(sentence.words):
        why, ties = decided.get(place, "chosen"), tuple(holds.get(place, ()))
        if place in kept:
            found.append(Reason(place, word, True, why, ties))
            continue
        phrase = tuple(
            other for other in range(len(sentence)) if other not in kept and top[other] == top[place]
        )
        head = sentence.heads[top[place]]
        under = head if head >= 0 else None
        relation = sentence.relations[top[place]]
        found.append(Reason(place, word, False, why, ties, phrase, under, relation))
    return tuple(found)


def _top(word: int, heads: Sequence[int], kept: frozenset[int]) -> int:
    """The highest word above a deleted one that went together with it."""
    while heads[word] >= 0 and heads[word] not in kept:
        word = heads[word]
    return word
