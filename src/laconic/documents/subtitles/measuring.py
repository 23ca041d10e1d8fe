"""Whether a cue is within its limits, as it stands or put together anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laconic.documents.subtitles.composition import Atom, one_line
from laconic.documents.subtitles.lines import by_turn, lines_needed
from laconic.documents.subtitles.norms import Norm


@dataclass(frozen=True, slots=True)
class Measure:
    """What a viewer has to read of a cue, and in what time."""

    characters: int
    duration: int
    lines: int
    widest: int

    @classmethod
    def of(cls, visible: str, duration: int, norm: Norm) -> Measure:
        """The measure of a visible text; white space around its lines does not count."""
        lines = [line.strip() for line in visible.strip().split("\n")]
        return cls(norm.count(" ".join(lines)), duration, len(lines), max(map(len, lines)))

    @property
    def speed(self) -> float:
        """Characters a second."""
        if not self.characters:
            return 0.0
        return 1000 * self.characters / self.duration if self.duration > 0 else float("inf")

    def faults(self, norm: Norm) -> tuple[str, ...]:
        """The limits it is above of, in words."""
        most = norm.most_characters(self.duration)
        found = []
        if self.characters > most:
            seconds = f"{self.duration / 1000:g} s"
            found.append(f"{self.characters} characters in {seconds}, where {most} can be read")
        if self.lines > norm.lines:
            found.append(f"{self.lines} lines of {norm.lines}")
        if self.widest > norm.line:
            found.append(f"a line of {self.widest} characters of {norm.line}")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Excess:
    """By about how many characters what a speaker says in a cue is too long; `wide` are atoms wider than a line."""

    turn: int
    characters: int
    wide: tuple[Atom, ...] = ()


def excess_of(
    atoms: Sequence[Atom], duration: int, norm: Norm, spare: frozenset[int] = frozenset()
) -> Excess | None:
    """What is too much in a cue, whatever its lines; None if it fits.

    Speakers to `spare` are named only if all are.
    """
    turns = by_turn(atoms)
    if not turns:
        return None
    over = norm.count(one_line(atoms)) - norm.most_characters(duration)
    wide = tuple(atom for atom in atoms if len(atom.text) > norm.line)
    if wide:
        return Excess(wide[0].turn, max(1, over), wide)
    needed = [lines_needed(turn, norm.line) for turn in turns]
    # One speaker can have the lines that the others leave.
    spares = [norm.lines - sum(needed) + count for count in needed]
    if sum(needed) > norm.lines:
        choices = [
            place for place, turn in enumerate(turns) if needed[place] > 1 and turn[0].turn not in spare
        ]
        place = max(choices or range(len(turns)), key=lambda each: needed[each])
        length = len(one_line(turns[place]))
        left = length - norm.line * max(1, spares[place])
        return Excess(turns[place][0].turn, max(1, over, (left + 1) // 2))
    if over > 0:
        choices = [place for place, turn in enumerate(turns) if turn[0].turn not in spare]
        lengths = [len(one_line(turn)) for turn in turns]
        place = max(choices or range(len(turns)), key=lengths.__getitem__)
        # Each speaker gives up a share.
        share = over if len(choices) < 2 else -(-over * lengths[place] // sum(lengths))
        return Excess(turns[place][0].turn, share)
    return None
