"""Bringing a file of subtitles within a norm."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from os import PathLike
from pathlib import Path

from laconic.documents.protected import protected_spans
from laconic.documents.subtitles.composition import Atom, Script, pieces_of
from laconic.documents.subtitles.conversion import converted, format_for, other_as_subrip
from laconic.documents.subtitles.cue import Change, Cue, SubtitleFile
from laconic.documents.subtitles.cutting import Cut, Cutter
from laconic.documents.subtitles.lines import Lines, broken
from laconic.documents.subtitles.measuring import Measure, excess_of
from laconic.documents.subtitles.norms import Norm, norm_of
from laconic.documents.subtitles.reading import UTF_8, Encoding, decode, format_named, read_subtitles
from laconic.documents.subtitles.report import CueReport, Outcome, SubtitleReport
from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.options import Kind, Like, Options
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.manner import system_for
from laconic.systems.system import System
from laconic.text.phrases import find_phrase


@dataclass(frozen=True, slots=True)
class FittedSubtitles:
    """Subtitles within their limits, and the report of what was done; `format` is that of the text."""

    text: str
    report: SubtitleReport
    format: str
    encoding: Encoding = UTF_8

    def __repr__(self) -> str:
        return f"FittedSubtitles({self.report.summary})"

    @property
    def content(self) -> bytes:
        """The text as the bytes of a file, in the encoding it was read in."""
        return self.encoding.encode(self.text)

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        with write_whole(path) as stream:
            stream.write(self.content)


@dataclass(frozen=True, slots=True)
class Subtitles:
    """A file of subtitles as it was read."""

    file: SubtitleFile
    format: str
    encoding: Encoding = UTF_8

    @classmethod
    def read(
        cls,
        source: str | bytes | Path,
        *,
        format: str | None = None,  # noqa: A002
        encoding: str | None = None,
    ) -> Subtitles:
        """Subtitles from a path, from the bytes of a file or from its text.

        A string of one line is a path, unless it looks like JSON or XML.
        """
        if isinstance(source, str) and not (
            set("\r\n") & set(source) or source.lstrip().startswith(("{", "<"))
        ):
            source = Path(source)
        if isinstance(source, str):
            name, file = read_subtitles(source, format)
            return cls(file, name)
        path = source if isinstance(source, Path) else None
        where = None if path is None else str(path)
        text, found = decode(_content(source), encoding=encoding, source=where)
        wanted = format or (None if path is None else format_named(path))
        if (
            wanted is None
            and path is not None
            and path.suffix
            and "-->" not in text
            and "[Events]" not in text
        ):
            text, wanted = other_as_subrip(text, path.suffix.lower(), source=where), "srt"
        name, file = read_subtitles(text, wanted, source=where)
        return cls(file, name, found)


def _content(source: bytes | Path) -> bytes:
    if isinstance(source, bytes):
        return source
    if not isinstance(source, Path):
        raise LaconicError(f"subtitles are a path, text or bytes, not {source!r:.60}")
    if source.is_dir():
        raise LaconicError(f"{source}: is a directory, expected a file")
    try:
        return source.read_bytes()
    except FileNotFoundError:
        raise LaconicError(f"{source}: no such file") from None


def check(
    source: str | bytes | Path | Subtitles,
    for_: str | Norm = "netflix",
    *,
    cps: float | None = None,
    line: int | None = None,
    lines: int | None = None,
    count_spaces: bool | None = None,
) -> SubtitleReport:
    """Which cues are above the limits of a norm; nothing is changed."""
    norm = norm_of(for_, cps=cps, line=line, lines=lines, count_spaces=count_spaces)
    subtitles = source if isinstance(source, Subtitles) else Subtitles.read(source)
    rows = []
    for number, cue in enumerate(subtitles.file.cues):
        measure = Measure.of(subtitles.file.markup.read(cue.text).visible, cue.duration, norm)
        faults = () if cue.left_alone == "a drawing" else measure.faults(norm)
        rows.append(_row(number, cue, cue.end, measure, measure, "above" if faults else "fits", faults))
    return SubtitleReport(tuple(rows), norm)


def fit(
    source: str | bytes | Path | Subtitles,
    for_: str | Norm = "netflix",
    *,
    cps: float | None = None,
    line: int | None = None,
    lines: int | None = None,
    count_spaces: bool | None = None,
    extend: bool = False,
    only: Collection[int] | None = None,
    keep: str | Collection[str] = (),
    protect: Kind | Collection[Kind] = (),
    drop_sentences: bool = False,
    like: Like | None = None,
    system: str | PathLike[str] | System = "default",
    to: str | Path | None = None,
) -> FittedSubtitles:
    """Bring every cue within a norm: its reading speed, the width of its lines and their number.

    `for_` names the norm; `cps`, `line`, `lines` and `count_spaces` replace its numbers. What fits stays as it is, byte
    for byte. Of the rest each cue is first, with `extend`, shown longer where there is time until the next, then broken
    into other lines, and only then cut; `only` names the cues, from 1, that may be changed. Words stay in their cues.
    A cue that cannot be met is left as it is, and the report says why. `keep` are words or phrases that stay wherever
    they are, `protect` kinds of words; `like` and `system` are those of `laconic.compress`. With `to`, a format or the
    name of a file, the answer is in another format.

    >>> text = "1\\n00:00:01,000 --> 00:00:02,000\\nWell, I really do not think so.\\n"
    >>> print(fit(text, cps=20).report.cues[0].before.characters)
    31
    """
    norm = norm_of(for_, cps=cps, line=line, lines=lines, count_spaces=count_spaces)
    subtitles = source if isinstance(source, Subtitles) else Subtitles.read(source)
    options = Options(keep=keep, protect=protect, drop_sentences=drop_sentences, like=like, system=system)
    work = Fitting(subtitles.file, norm, extend=extend, only=only)
    if work.too_long:
        work.cut(options)
    changes, report = work.finished()
    target = (
        subtitles.format if to is None else format_for(Path(to)) if isinstance(to, Path) or "." in to else to
    )
    if target == subtitles.format:
        text = subtitles.file.edited(changes)
    else:
        text = converted(subtitles.file, changes, source=subtitles.format, target=target)
    return FittedSubtitles(text, report, target, subtitles.encoding)


class Fitting:
    """The cues of a file on their way into the norm."""

    def __init__(self, file: SubtitleFile, norm: Norm, *, extend: bool, only: Collection[int] | None) -> None:
        self.file, self.norm = file, norm
        cues = file.cues
        self.texts = tuple(file.markup.read(cue.text) for cue in cues)
        self.before = [
            Measure.of(text.visible, cue.duration, norm) for cue, text in zip(cues, self.texts, strict=True)
        ]
        self.may_change = [
            not cue.left_alone and (only is None or number in only) for number, cue in enumerate(cues, 1)
        ]
        self.ends = [cue.end for cue in cues]
        if extend:
            self._extend()
        above = [number for number in range(len(cues)) if self._as_it_is(number).faults(norm)]
        self.above = [number for number in above if cues[number].left_alone != "a drawing"]
        self.kept: dict[int, frozenset[int]] = {}
        self.impossible: dict[int, str] = {}
        self.notes: dict[int, tuple[str, ...]] = {}
        self.annotated: dict[int, Sentence] = {}
        self.too_long: list[int] = []
        if self.above:
            self.script = Script.of(cues, self.texts)
            for number in self.above:
                if not self.may_change[number]:
                    self.impossible[number] = cues[number].left_alone or "not among the cues to be changed"
                elif excess_of(self.script.atoms(number, {}), self._duration(number), norm) is not None:
                    self.too_long.append(number)

    def _duration(self, number: int) -> int:
        return max(0, self.ends[number] - self.file.cues[number].start)

    def _as_it_is(self, number: int) -> Measure:
        return Measure.of(self.texts[number].visible, self._duration(number), self.norm)

    def _extend(self) -> None:
        """Let cues that are too fast stand longer, as long as there is time before the next one."""
        starts = sorted(cue.start for cue in self.file.cues)
        for number, cue in enumerate(self.file.cues):
            wanted = cue.start + self.norm.needed_time(self.before[number].characters)
            if not self.may_change[number] or wanted <= cue.end:
                continue
            following = bisect_right(starts, cue.start)
            latest = cue.start + self.norm.longest
            if following < len(starts):
                latest = min(latest, starts[following] - self.norm.gap)
            # Up to the next hundredth, which is as fine as some formats write times.
            self.ends[number] = max(cue.end, min(latest, -(-wanted // 10) * 10))

    def cut(self, options: Options) -> None:
        """Cut the cues that are too long however they are broken."""
        script, system = self.script, system_for(options)
        pinned = {
            number: _pinned(spoken.sentence, options)
            for number, spoken in enumerate(script.sentences)
            if options.keep or options.protect
        }
        durations = [self._duration(number) for number in range(len(script.cues))]
        cutter = Cutter(script, self.norm, durations, system, pinned, options.drop_sentences)
        found: Cut
        for found in map_in_order(cutter.cut, cutter.groups(self.too_long), threads=system.threads):
            self.kept |= found.kept
            self.impossible |= found.impossible
            self.notes |= found.notes
            self.annotated |= found.annotated

    def finished(self) -> tuple[dict[int, Change], SubtitleReport]:
        """What changes, and the report."""
        changes: dict[int, Change] = {}
        rows = []
        anew = [number for number in self.above if number not in self.impossible]
        self._annotate(anew)
        for number, cue in enumerate(self.file.cues):
            end = self.ends[number] if self.ends[number] != cue.end else None
            if number in self.impossible or number not in self.above:
                row = self._untouched(number)
            else:
                written, row = self._written(number)
                if written is not None:
                    changes[number] = written
            if end is not None:
                changes[number] = replace(changes.get(number, Change()), end=end)
            rows.append(row)
        return changes, SubtitleReport(tuple(rows), self.norm)

    def _annotate(self, cues: Sequence[int]) -> None:
        """Parse the sentences whose lines are to be broken, as far as they are not."""
        wanted = sorted(
            {number for cue in cues for number, _ in self.script.spoken[cue]} - set(self.annotated)
        )
        found = annotated(self.script.sentence(number) for number in wanted)
        self.annotated |= dict(zip(wanted, found, strict=True))

    def _untouched(self, number: int) -> CueReport:
        cue, after = self.file.cues[number], self._as_it_is(number)
        faults = after.faults(self.norm) if number in self.above else ()
        reasons = (*faults, *((self.impossible[number],) if number in self.impossible else ()))
        outcome: Outcome = "above" if faults else "extended" if self.ends[number] != cue.end else "fits"
        return _row(number, cue, self.ends[number], self.before[number], after, outcome, reasons)

    def _written(self, number: int) -> tuple[Change | None, CueReport]:
        """The new text of a cue, and its row; no text if it would be above its limits."""
        cue, text, norm = self.file.cues[number], self.texts[number], self.norm
        atoms = self.script.atoms(number, self.kept)
        lines = broken(atoms, norm.line, norm.lines, self.annotated.__getitem__)
        if lines is None:
            self.impossible[number] = "its lines cannot be broken"
            return None, self._untouched(number)
        new = text.written(pieces_of(lines), self.file.markup.line_break)
        # What counts is what will stand in the file.
        after = Measure.of(self.file.markup.read(new).visible, self._duration(number), norm)
        if after.faults(norm):
            self.impossible[number] = "no cut of its sentences was found that fits"
            return None, self._untouched(number)
        stretches = self._stretches(number, lines)
        outcome: Outcome = "broken anew" if all(stays for _, stays in stretches) else "shortened"
        notes = tuple(
            note
            for sentence in dict.fromkeys(s for s, _ in self.script.spoken[number])
            for note in self.notes.get(sentence, ())
        )
        row = _row(number, cue, self.ends[number], self.before[number], after, outcome, (), stretches, notes)
        return Change(new, kept=tuple((atom.start, atom.end, atom.text) for atom in atoms)), row

    def _stretches(self, number: int, lines: Lines) -> tuple[tuple[str, bool], ...]:
        """The visible text of a cue in stretches that stayed or were cut."""
        visible = self.texts[number].visible
        starts = {atom.start for line in lines for atom in line}
        every = self.script.atoms(number, {})

        def stays(atom: Atom) -> bool:
            return atom.start in starts

        found = []
        for kept, group in groupby(every, key=stays):
            atoms = list(group)
            found.append((visible[atoms[0].start : atoms[-1].end].replace("\n", " "), kept))
        return tuple(found)


def _pinned(sentence: Sentence, options: Options) -> set[int]:
    """The words of a sentence that are to be kept, by name or by kind."""
    found: set[int] = set()
    for phrase in options.keep:
        if not isinstance(phrase, str):
            raise LaconicError(f"keep={phrase!r}: subtitles have no places, only words and phrases")
        found.update(find_phrase(sentence, phrase))
    spans = list(protected_spans(sentence.text, options.protect))
    position = len(sentence.lead)
    for number, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        if any(low < position + len(word) and position < high for low, high in spans):
            found.add(number)
        position += len(word) + len(space)
    return found


def _row(
    number: int,
    cue: Cue,
    end: int,
    before: Measure,
    after: Measure,
    outcome: Outcome,
    reasons: Sequence[str] = (),
    stretches: tuple[tuple[str, bool], ...] = (),
    notes: tuple[str, ...] = (),
) -> CueReport:
    reason = "; ".join(reasons)
    return CueReport(number + 1, cue.start, cue.end, end, before, after, outcome, stretches, reason, notes)
