"""What was found and done, cue by cue: as text and as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from laconic.documents.subtitles.measuring import Measure
from laconic.documents.subtitles.norms import Norm
from laconic.documents.subtitles.timestamps import write_clock

Outcome = Literal["fits", "extended", "broken anew", "shortened", "above"]
"""What became of a cue; "above" is one that is left above its limits, its text as it was."""


@dataclass(frozen=True, slots=True)
class CueReport:
    """A cue before and after; `stretches` are its visible words in order, each with whether it stayed."""

    number: int
    start: int
    end: int
    new_end: int
    before: Measure
    after: Measure
    outcome: Outcome
    stretches: tuple[tuple[str, bool], ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def cut(self) -> str:
        """The words that were cut, gaps between them as an ellipsis."""
        return " … ".join(text for text, stays in self.stretches if not stays)


_COLUMNS = (
    *("cue", "start", "end", "new_end", "outcome", "speed_before", "speed_after", "characters_before"),
    *(
        "characters_after",
        "lines_before",
        "lines_after",
        "widest_before",
        "widest_after",
        "cut",
        "reason",
        "notes",
    ),
)


@dataclass(frozen=True, slots=True)
class SubtitleReport:
    """All cues of a file, in their order, and the norm they were held to."""

    cues: tuple[CueReport, ...]
    norm: Norm

    @property
    def above(self) -> tuple[CueReport, ...]:
        """The cues that are above their limits."""
        return tuple(cue for cue in self.cues if cue.outcome == "above")

    @property
    def changed(self) -> tuple[CueReport, ...]:
        """The cues that are not as they were."""
        return tuple(cue for cue in self.cues if cue.stretches or cue.new_end != cue.end)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row a cue, times in seconds."""
        for cue in self.cues:
            before, after = cue.before, cue.after
            values = (
                *(cue.number, cue.start / 1000, cue.end / 1000, cue.new_end / 1000, cue.outcome),
                *(round(before.speed, 2), round(after.speed, 2), before.characters, after.characters),
                *(before.lines, after.lines, before.widest, after.widest),
                *(cue.cut, cue.reason, "; ".join(cue.notes)),
            )
            yield dict(zip(_COLUMNS, values, strict=True))

    def to_csv(self) -> str:
        """The rows as CSV, with a line that names the columns."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return stream.getvalue()

    @property
    def summary(self) -> str:
        """How many cues there are, and what became of them."""
        counts = Counter(cue.outcome for cue in self.cues)
        parts = [
            f"{counts[name]} {name}" for name in ("extended", "broken anew", "shortened") if counts[name]
        ]
        parts.append(f"{counts['above']} above {'its' if counts['above'] == 1 else 'their'} limits")
        return f"{len(self.cues)} cue{'s' * (len(self.cues) != 1)}: {', '.join(parts)}"

    @property
    def text(self) -> str:
        """A line for each cue that was changed or is above its limits, and a summary."""
        lines = []
        for cue in self.cues:
            if cue.outcome == "fits":
                continue
            time = write_clock(cue.start, "00:00:00.000")
            speed = f"{cue.before.speed:.1f} -> {cue.after.speed:.1f} cps"
            line = f"{cue.number:5} {time} {speed:>20}  {cue.outcome}"
            if cue.cut:
                line += f": {cue.cut}"
            if cue.reason:
                line += f": {cue.reason}"
            lines.append(line + "".join(f" ({note})" for note in cue.notes))
        return "\n".join([*lines, self.summary])
