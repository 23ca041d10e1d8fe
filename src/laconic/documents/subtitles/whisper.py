"""The JSON of whisper and whisperX: segments with their text, their times and, mostly, those of their words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from laconic.documents.subtitles.cue import Change, Cue
from laconic.documents.subtitles.markup import PLAIN, Markup
from laconic.errors import FormatError

Word = dict[str, Any]

_INDENT = re.compile(r"\A\s*[\[{]\r?\n([ \t]+)")


@dataclass(frozen=True, slots=True)
class WhisperFile:
    """A transcript; a segment is a cue.

    Words that are cut go from the segment's text and from all lists of words, so that those left have their exact
    times; the segment keeps its own. Lines are not broken there: whoever shows the segments does that.
    """

    text: str
    content: dict[str, Any]
    cues: tuple[Cue, ...]
    markup: Markup = PLAIN

    def edited(self, changes: Mapping[int, Change]) -> str:
        """The transcript with these segments changed; the same text where nothing but lines would change."""
        content = deepcopy(self.content)
        segments = content["segments"]
        touched = False
        for number, change in changes.items():
            segment = segments[number]
            if change.end is not None:
                segment["end"] = change.end / 1000
                touched = True
            if change.text is None or not change.kept:
                continue
            old = segment["text"]
            new = re.sub(r"\s+", " ", change.text)
            segment["text"] = old[: len(old) - len(old.lstrip())] + new
            if segment["text"] == old:
                continue
            touched = True
            segment.pop("tokens", None)  # the pieces of a text that it no longer has
            news = _left(segment.get("words") or [], old, change)
            for words in (segment.get("words"), content.get("word_segments")):
                _replace(words, news)
        if not touched:
            return self.text
        if isinstance(content.get("text"), str):
            whole = "".join(segment["text"] for segment in self.content["segments"])
            if content["text"].strip() == whole.strip():
                content["text"] = "".join(segment["text"] for segment in segments)
        indent = _INDENT.match(self.text)
        ascii_only = self.text.isascii()
        return json.dumps(content, ensure_ascii=ascii_only, indent=None if indent is None else indent[1]) + (
            "\n" if self.text.endswith("\n") else ""
        )


def read_whisper(text: str) -> WhisperFile:
    """The segments of a transcript."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", line=error.lineno) from None
    segments = content.get("segments") if isinstance(content, dict) else None
    if not isinstance(segments, list):
        raise FormatError("JSON without the 'segments' of a transcript by whisper or whisperX")
    cues = []
    for number, segment in enumerate(segments, 1):
        try:
            voice = str(segment.get("speaker", ""))
            start, end = (round(1000 * float(segment[name])) for name in ("start", "end"))
            cues.append(Cue(start, end, str(segment["text"]), voice))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            raise FormatError(
                f"segment {number} needs a 'start' and an 'end' in seconds and a 'text'"
            ) from None
    return WhisperFile(text, content, tuple(cues))


def _left(words: list[Word], text: str, change: Change) -> list[tuple[Word, Word | None]]:
    """Each timed word and what is left of it, as it is written now; None if it is gone.

    A mark that outlives its word, as the last stop does, goes to the word before it.
    """
    found: list[tuple[Word, Word | None]] = []
    position, folded, last = 0, text.lower(), -1
    for word in words:
        spelt = str(word.get("word", "")).strip()
        start = folded.find(spelt.lower(), position)
        if not spelt or start < 0:
            found.append((word, word))  # which does not stand in the text: nothing is known of it
            continue
        position = end = start + len(spelt)
        left = "".join(new for low, high, new in change.kept if start <= low and high <= end)
        if any(map(str.isalnum, left)) or not any(map(str.isalnum, spelt)):
            last = len(found)
            found.append((word, {**word, "word": str(word["word"]).replace(spelt, left)}))
            continue
        found.append((word, None))
        if left and last >= 0:
            old, new = found[last]
            assert new is not None
            found[last] = old, {**new, "word": str(new["word"]) + left}
    return found


def _replace(words: object, news: list[tuple[Word, Word | None]]) -> None:
    """Put the new words in the place of the old ones in a list that says the same of them."""
    if isinstance(words, list):
        for old, new in news:
            if old in words:
                place = words.index(old)
                words[place : place + 1] = [] if new is None else [new]
