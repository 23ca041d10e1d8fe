"""A cue put together again from what is left of its sentences and from what is never cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from laconic.documents.subtitles.cue import Cue
from laconic.documents.subtitles.markup import MarkedText, Piece
from laconic.documents.subtitles.sentences import SpokenSentence, spoken_sentences
from laconic.documents.subtitles.speech import Part, parts_of
from laconic.sentence import Sentence
from laconic.text.detokenise import detokenise, removed_words, space_between

Kept = Mapping[int, frozenset[int]]
"""The words that are left of sentences, by the number of the sentence; of those not in it, all."""

_CLOSING = frozenset(",;:.!?…)]}”’»") | {"...", "--", "-", "–", "—", "'", '"', "''"}


class Atom(NamedTuple):
    """What is never broken into two lines: visible characters of a cue, as they are written now.

    `gap` is the white space before it; `word` is that of a sentence, if it is spoken.
    """

    start: int
    end: int
    text: str
    turn: int
    gap: str = ""
    sentence: int = -1
    word: int = -1


@dataclass(frozen=True)
class Script:
    """All cues of a file, taken apart, and the sentences spoken in them."""

    cues: tuple[Cue, ...]
    texts: tuple[MarkedText, ...]
    parts: tuple[tuple[Part, ...], ...]
    sentences: tuple[SpokenSentence, ...]

    @classmethod
    def of(cls, cues: Sequence[Cue], texts: Sequence[MarkedText]) -> Script:
        """The script of some cues and what is visible of them."""
        parts = tuple(
            () if cue.left_alone else tuple(parts_of(text.visible))
            for cue, text in zip(cues, texts, strict=True)
        )
        return cls(tuple(cues), tuple(texts), parts, tuple(spoken_sentences(cues, texts, parts)))

    @cached_property
    def spoken(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each cue the words that are spoken in it: the number of the sentence and that of the word."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.cues]
        for number, spoken in enumerate(self.sentences):
            for word, place in enumerate(spoken.places):
                found[place.cue].append((number, word))
        return tuple(map(tuple, found))

    def atoms(self, cue: int, kept: Kept) -> list[Atom]:
        """What is left of a cue, in order."""
        visible = self.texts[cue].visible
        atoms: list[Atom] = []
        for part in self.parts[cue]:
            if not part.is_speech:
                atoms += _fixed(visible, part)
        first: dict[int, int] = {}
        written: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        for number, word in self.spoken[cue]:
            if number not in written:
                written[number] = self._written(number, kept)
            stays, capitals = written[number]
            place = self.sentences[number].places[word]
            first.setdefault(place.turn, place.start)
            if word in stays:
                text = visible[place.start : place.end]
                text = text[0].upper() + text[1:] if word in capitals else text
                atoms.append(Atom(place.start, place.end, text, place.turn, "", number, word))
        atoms.sort()
        return self._spaced(visible, self._without_stray_marks(atoms, first))

    def _written(self, number: int, kept: Kept) -> tuple[frozenset[int], frozenset[int]]:
        """The words of a sentence that stand in its text, and those that get a capital."""
        sentence = self.sentences[number].sentence
        if number not in kept:
            return frozenset(range(len(sentence))), frozenset()
        _, repairs = detokenise(sentence, sorted(kept[number]))
        capitals = frozenset(repair.where for repair in repairs if repair.kind == "capitalised")
        return kept[number] - removed_words(repairs), capitals

    def _without_stray_marks(self, atoms: list[Atom], first: Mapping[int, int]) -> list[Atom]:
        """The atoms less marks that have come to stand at the start of what somebody says in a cue."""
        left: list[Atom] = []
        speaks: set[int] = set()
        for atom in atoms:
            if atom.sentence >= 0 and atom.turn not in speaks:
                if atom.text in _CLOSING and atom.start != first[atom.turn]:
                    continue
                speaks.add(atom.turn)
            left.append(atom)
        return left

    def _spaced(self, visible: str, atoms: list[Atom]) -> list[Atom]:
        spaced: list[Atom] = []
        for atom in atoms:
            gap = self._gap(visible, spaced[-1], atom) if spaced else ""
            spaced.append(atom._replace(gap=gap))
        return spaced

    def _gap(self, visible: str, left: Atom, right: Atom) -> str:
        between = visible[left.end : right.start]
        if not between.strip():
            gap = between
        elif left.sentence == right.sentence >= 0:
            gap = space_between(self.sentences[left.sentence].sentence, left.word, right.word)
        elif visible[left.end - 1].isspace():
            gap = ""  # a dash with the space after it
        else:
            gap = " "
        return " " if "\n" in gap else gap

    def sentence(self, number: int) -> Sentence:
        """A sentence by its number."""
        return self.sentences[number].sentence


def _fixed(visible: str, part: Part) -> list[Atom]:
    """What is fixed, word by word; a dash keeps the space behind it."""
    text = visible[part.start : part.end]
    if not text.strip("-‐‑–—> \t\u00a0"):
        return [Atom(part.start, part.end, text, part.turn)]
    atoms, position = [], part.start
    for word in text.split():
        start = visible.index(word, position)
        position = start + len(word)
        atoms.append(Atom(start, position, word, part.turn))
    return atoms


def one_line(atoms: Sequence[Atom]) -> str:
    """The text of atoms, with the space before the first left out.

    >>> one_line([Atom(0, 2, "No", 0), Atom(2, 3, ".", 0)])
    'No.'
    """
    return "".join(atom.gap * (place > 0) + atom.text for place, atom in enumerate(atoms))


def pieces_of(lines: Sequence[Sequence[Atom]]) -> list[Piece]:
    """The atoms of lines as pieces to be written."""
    return [
        Piece(atom.start, atom.end, atom.text, atom.gap if place else "\n" if number else "")
        for number, line in enumerate(lines)
        for place, atom in enumerate(line)
    ]
