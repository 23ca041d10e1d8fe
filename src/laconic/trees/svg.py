"""Trees as SVG: self-contained pictures, as strings of well-formed XML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from xml.sax.saxutils import escape

from laconic.trees.constituency import Tree
from laconic.trees.dependency import check_heads
from laconic.trees.drawing import check_lengths

_CHARACTER = 8.5  # estimated width of a character in pixels at font size 14
_GAP = 16.0  # between the boxes of neighbouring words
_LEVEL = 44.0  # from one level of a constituency tree to the next
_ARC = 26.0  # from one level of dependency arcs to the next
_MARGIN = 14.0
_DASHES = ' stroke-dasharray="3 3"'
_INK, _PHRASE, _DROPPED, _LINE = "#1b1f24", "#0b5cad", "#a0a6ad", "#8a929b"
# What XML 1.0 cannot hold even as a reference: most control characters, surrogates, two non-characters.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def tree_to_svg(tree: Tree, *, kept: Collection[int] | None = None) -> str:
    """A constituency tree from the top down over its words.

    With `kept`, words that are not in it are grey and struck through; phrases left without words are grey.
    """
    stays = _stays(tree.words, kept)
    centres, width = _place(
        [max(_width(word), _width(tag)) for word, tag in zip(tree.words, tree.tags, strict=True)]
    )
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    # Words share one line at the bottom, their tags the line above it; phrases hang at their depth.
    tag_level = max(depths)
    x = [0.0] * len(tree.labels)
    y = [0.0] * len(tree.labels)
    for node in reversed(range(len(tree.labels))):
        children = tree.children(node)
        x[node] = (x[children[0]] + x[children[-1]]) / 2 if children else centres[tree.starts[node]]
        y[node] = _MARGIN + 14 + _LEVEL * (depths[node] if children else tag_level)
    kept_before = [0]
    for stay in stays:
        kept_before.append(kept_before[-1] + stay)
    parts: list[str] = []
    for node, label in enumerate(tree.labels):
        holds_kept = kept_before[tree.starts[node]] < kept_before[tree.ends[node]]
        parent = tree.parents[node]
        if parent >= 0:
            parts.append(
                f'<line x1="{x[parent]:.1f}" y1="{y[parent] + 6:.1f}" '
                f'x2="{x[node]:.1f}" y2="{y[node] - 16:.1f}" '
                f'stroke="{_LINE if holds_kept else _DROPPED}"{"" if holds_kept else _DASHES}/>'
            )
        parts.append(_text(x[node], y[node], label, fill=_PHRASE if holds_kept else _DROPPED))
    bottom = _MARGIN + 14 + _LEVEL * tag_level + 24
    for word, stay, centre in zip(tree.words, stays, centres, strict=True):
        parts.append(_text(centre, bottom, word, fill=_INK if stay else _DROPPED, struck=not stay))
    return _svg(width, bottom + _MARGIN, "Constituency tree: " + " ".join(tree.words), parts)


def dependencies_to_svg(
    words: Sequence[str],
    heads: Sequence[int],
    *,
    relations: Sequence[str] | None = None,
    kept: Collection[int] | None = None,
) -> str:
    """A dependency tree as arcs above the words, from head to dependent, labelled with relations.

    With `kept`, words that are not in it are grey and struck through, and arcs to them are dashed.
    """
    check_heads(heads)
    check_lengths(words, heads, relations)
    stays = _stays(words, kept)
    names = [""] * len(words) if relations is None else list(relations)
    centres, width = _place(
        [max(_width(word), _width(name)) for word, name in zip(words, names, strict=True)]
    )
    levels = arc_levels(heads)
    base = _MARGIN + 14 + _ARC * max(levels, default=0) + 10
    parts: list[str] = []
    for word, (head, level, name) in enumerate(zip(heads, levels, names, strict=True)):
        colour = _LINE if stays[word] else _DROPPED
        dashes = "" if stays[word] else _DASHES
        x, top = centres[word], base - 10 - _ARC * level
        if head < 0:
            path = f"M{x:.1f} {top:.1f}V{base:.1f}"
            label_x = x
        else:
            # An arc leaves its head a little towards the dependent, so that arcs stay apart.
            start = centres[head] + (4 if word > head else -4)
            bend = min(10.0, abs(x - start) / 2) * (1 if x > start else -1)
            path = (
                f"M{start:.1f} {base:.1f}V{top + 10:.1f}Q{start:.1f} {top:.1f} {start + bend:.1f} {top:.1f}"
                f"H{x - bend:.1f}Q{x:.1f} {top:.1f} {x:.1f} {top + 10:.1f}V{base:.1f}"
            )
            label_x = (start + x) / 2
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}"{dashes}/>')
        parts.append(f'<path d="M{x - 3.5:.1f} {base - 6:.1f}h7L{x:.1f} {base:.1f}z" fill="{colour}"/>')
        if name:
            parts.append(_text(label_x, top - 3, name, fill=_PHRASE if stays[word] else _DROPPED, size=11))
    bottom = base + 18
    for form, stay, centre in zip(words, stays, centres, strict=True):
        parts.append(_text(centre, bottom, form, fill=_INK if stay else _DROPPED, struck=not stay))
    return _svg(width, bottom + _MARGIN, "Dependency tree: " + " ".join(words), parts)


def arc_levels(heads: Sequence[int]) -> tuple[int, ...]:
    """The height of the arc to each word, from 1: shorter arcs lie below the longer ones that span them.

    The arc that enters the root comes from above all others.
    """
    levels = [0] * len(heads)
    skyline = [0] * len(heads)  # the highest arc so far over the gap behind each word
    arcs = sorted((abs(word - head), word) for word, head in enumerate(heads) if head >= 0)
    for _, word in arcs:
        first, last = min(word, heads[word]), max(word, heads[word])
        levels[word] = 1 + max(skyline[first:last])
        skyline[first:last] = [levels[word]] * (last - first)
    top = 1 + max(levels, default=0)
    return tuple(top if head < 0 else level for head, level in zip(heads, levels, strict=True))


def _stays(words: Sequence[str], kept: Collection[int] | None) -> list[bool]:
    indices = set(range(len(words)) if kept is None else kept)
    return [index in indices for index in range(len(words))]


def _width(text: str) -> float:
    """The estimated width of a text: East Asian wide characters take two places, combining marks none."""
    places = 0
    for character in text:
        if not unicodedata.combining(character):
            places += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return _CHARACTER * max(places, 1)


def _place(widths: Sequence[float]) -> tuple[list[float], float]:
    """The centres of boxes of the given widths side by side, and the width of the picture."""
    centres = []
    edge = _MARGIN
    for width in widths:
        centres.append(edge + width / 2)
        edge += width + _GAP
    return centres, (edge - _GAP if widths else edge) + _MARGIN


def _text(x: float, y: float, text: str, *, fill: str, size: int = 14, struck: bool = False) -> str:
    decoration = ' text-decoration="line-through"' if struck else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" font-size="{size}"{decoration}>{_clean(text)}</text>'


def _clean(text: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", text))


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif" text-anchor="middle">\n'
        f"<title>{_clean(title)}</title>\n{body}\n</svg>\n"
    )
