"""Every length of a text as a slider in plain HTML, which notebooks show without extensions."""

from __future__ import annotations

import json
from html import escape
from secrets import token_hex
from typing import TYPE_CHECKING

from laconic.compression import Compression
from laconic.text.detokenise import removed_words

if TYPE_CHECKING:
    from laconic.documents.lengths import TextLengths

_STYLE = "opacity:.5;text-decoration:line-through"
_SCRIPT = """(() => {
  const here = document.getElementById("ID"), data = DATA;
  const slider = here.querySelector("input"), said = here.querySelector("output");
  const words = here.querySelectorAll("[data-word]");
  slider.addEventListener("input", () => {
    const [total, gone, notes] = data[slider.value];
    const out = new Set(gone);
    words.forEach((word, at) => { word.style.cssText = out.has(at) ? "STYLE" : ""; });
    said.textContent = total + (total === 1 ? " word" : " words");
    here.querySelector("[data-notes]").textContent = notes;
  });
})()"""


def slider_html(lengths: TextLengths) -> str:
    """The text, what goes struck through, at half of its length at first; the slider moves where scripts may run."""
    totals = lengths.totals
    if not totals:
        return f'<div style="white-space:pre-wrap">{escape(lengths.text)}</div>'
    frames = [_frame(lengths, total) for total in totals]
    start = len(totals) // 2
    name = f"laconic-{token_hex(4)}"
    total, gone, notes = frames[start]
    # What closes a script must not stand in it, whatever the notes quote.
    data = json.dumps(frames).replace("<", "\\u003c")
    script = _SCRIPT.replace("ID", name, 1).replace("STYLE", _STYLE).replace("DATA", data, 1)
    return (
        f'<div id="{name}"><label>Length <input type="range" min="0" max="{len(totals) - 1}" value="{start}" '
        f'style="width:60%;vertical-align:middle" aria-label="Length in words"></label> '
        f"<output>{total} word{'s' * (total != 1)}</output>"
        f'<p style="white-space:pre-wrap">{_words(lengths, set(gone))}</p>'
        f"<p><small data-notes>{escape(notes)}</small></p><script>{script}</script></div>"
    )


def _frame(lengths: TextLengths, total: int) -> tuple[int, list[int], str]:
    """What goes at a length, as numbers of words of the whole text, and what is to be said of it."""
    gone: list[int] = []
    notes: list[str] = []
    first = 0
    for each, answer in zip(lengths.sentences, lengths.choice(total), strict=True):
        kept = _kept(answer, len(each.sentence))
        gone += [first + word for word in range(len(each.sentence)) if word not in kept]
        notes += () if answer is None else answer.notes
        first += len(each.sentence)
    return total, gone, "; ".join(notes)


def _kept(answer: Compression | None, count: int) -> set[int]:
    if answer is None or answer.kept is None:
        return set(range(count))
    return set(answer.kept) - removed_words(answer.repairs)


def _words(lengths: TextLengths, gone: set[int]) -> str:
    parts: list[str] = []
    position = number = 0
    for each in lengths.sentences:
        parts.append(escape(lengths.text[position : each.start]))
        for word, space in zip(each.sentence.words, each.sentence.spaces, strict=True):
            style = f' style="{_STYLE}"' if number in gone else ""
            parts.append(f"<span data-word{style}>{escape(word)}</span>{escape(space)}")
            number += 1
        position = each.end
    return "".join([*parts, escape(lengths.text[position:])])
