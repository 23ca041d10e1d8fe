"""Curves over a few amounts as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor

WIDTH, HEIGHT, MARGIN, LEGEND = 420, 300, 50, 190
COLOURS = ("#8a929b", "#b07d2b", "#c23b22", "#0b5cad", "#2e7d32", "#6a1b9a", "#1b1f24")


def line_plot(places: Sequence[str], curves: Mapping[str, Sequence[float]], *, across: str, up: str) -> str:
    """The curves over places side by side; the legend has them in the order in which they end."""
    values = [value for curve in curves.values() for value in curve]
    low, high = floor(min(values)), ceil(max(values))

    def point(place: int, value: float) -> tuple[float, float]:
        return (
            MARGIN + WIDTH * place / (len(places) - 1),
            MARGIN + HEIGHT * (high - value) / (high - low),
        )

    def text(x: float, y: float, content: str, anchor: str = "start") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'

    def parts() -> Iterator[str]:
        for value in range(low, high + 1, max(1, (high - low) // 8)):
            x, y = point(0, value)
            yield f'<path d="M{x:.1f} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
            yield text(x - 6, y + 4, str(value), "end")
        for place, name in enumerate(places):
            yield text(point(place, low)[0], MARGIN + HEIGHT + 16, name, "middle")
        yield text(MARGIN + WIDTH / 2, MARGIN + HEIGHT + 34, across, "middle")
        yield text(MARGIN, MARGIN - 16, up)
        colours = dict(zip(curves, COLOURS, strict=False))
        for rank, (name, curve) in enumerate(sorted(curves.items(), key=lambda item: -item[1][-1])):
            points = " ".join("{:.1f},{:.1f}".format(*point(*each)) for each in enumerate(curve))
            yield f'<polyline points="{points}" fill="none" stroke="{colours[name]}" stroke-width="2"/>'
            y = MARGIN + 18 * rank
            yield f'<path d="M{MARGIN + WIDTH + 16} {y}h18" stroke="{colours[name]}" stroke-width="2"/>'
            yield text(MARGIN + WIDTH + 40, y + 4, name)

    size = f'width="{2 * MARGIN + WIDTH + LEGEND}" height="{2 * MARGIN + HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts())}</svg>\n'
