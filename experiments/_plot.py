"""Curves as SVG, over amounts side by side or in logarithmic coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT, MARGIN, LETTER = 480, 360, 50, 7
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e")

Marks = Mapping[float, str]
"""What is written along an axis, by where it stands."""


def line_plot(places: Sequence[str], curves: Mapping[str, Sequence[float]], *, across: str, up: str) -> str:
    """The curves over places side by side; the legend has them in the order in which they end."""
    return _plot(
        {name: list(enumerate(curve)) for name, curve in sorted(curves.items(), key=lambda c: -c[1][-1])},
        dict(enumerate(places)),
        _round_marks([value for curve in curves.values() for value in curve]),
        across=across,
        up=up,
    )


def log_log_plot(
    numbers: Sequence[float], curves: Mapping[str, Sequence[float]], *, across: str, up: str
) -> str:
    """The curves over the numbers, all of them above 0; a power of n is a straight line."""
    logs = {name: [log10(value) for value in curve] for name, curve in curves.items()}
    values = [value for curve in logs.values() for value in curve]
    return _plot(
        {
            name: [(log10(number), value) for number, value in zip(numbers, curve, strict=True)]
            for name, curve in logs.items()
        },
        {log10(number): f"{number:g}" for number in numbers},
        {power: f"{10.0**power:g}" for power in range(floor(min(values)), ceil(max(values)) + 1)},
        across=across,
        up=up,
    )


def curve_plot(curves: Mapping[str, Sequence[tuple[float, float]]], *, across: str, up: str) -> str:
    """Curves through points; both axes have round numbers, and those beyond the colours are dashed."""
    across_marks, up_marks = (
        _round_marks([point[place] for points in curves.values() for point in points]) for place in (0, 1)
    )
    return _plot(curves, across_marks, up_marks, across=across, up=up)


def scatter_plot(dots: Mapping[str, Sequence[tuple[float, float]]], *, across: str, up: str) -> str:
    """Points that no line connects, each kind with its colour and its sign; both axes have round numbers."""
    across_marks, up_marks = (
        _round_marks([point[place] for points in dots.values() for point in points]) for place in (0, 1)
    )
    return _plot(dots, across_marks, up_marks, across=across, up=up, joined=False)


def bar_plot(bars: Sequence[tuple[str, float, bool]], *, across: str) -> str:
    """Bars, one below the other: name, value, and whether others have published it, which is drawn hollow."""
    low, high = min(0.0, *(value for _, value, _ in bars)), max(0.0, *(value for _, value, _ in bars))
    names = LETTER * max(len(name) for name, _, _ in bars)
    step, left = 20, MARGIN + names

    def parts() -> Iterator[str]:
        yield f'<text x="{left}" y="{MARGIN - 16}">{escape(across)}</text>'
        for rank, (name, value, is_published) in enumerate(bars):
            y = MARGIN + step * rank
            ends = [left + WIDTH * (each - low) / ((high - low) or 1.0) for each in sorted((0.0, value))]
            fill = "none" if is_published else COLOURS[0]
            yield f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{escape(name)}</text>'
            size = f'width="{ends[1] - ends[0]:.1f}" height="14"'
            yield f'<rect x="{ends[0]:.1f}" y="{y}" {size} fill="{fill}" stroke="{COLOURS[0]}"/>'
            yield f'<text x="{ends[1] + 6:.1f}" y="{y + 11}">{value:g}</text>'

    size = f'width="{left + WIDTH + MARGIN}" height="{MARGIN + step * len(bars) + MARGIN // 2}"'
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts())}</svg>\n'


def _round_marks(values: Sequence[float]) -> Marks:
    """About six to twelve multiples of 1, 2 or 5 times a power of ten, from below all values to above them."""
    low, high = min(values), max(values)
    spread = (high - low) or 1.0
    power = 10.0 ** floor(log10(spread / 5))
    step = max(factor * power for factor in (1, 2, 5) if factor * power <= spread / 5)
    return {number * step: f"{number * step:g}" for number in range(floor(low / step), ceil(high / step) + 1)}


def _plot(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    across_marks: Marks,
    up_marks: Marks,
    *,
    across: str,
    up: str,
    joined: bool = True,
) -> str:
    places = [*across_marks, *(x for curve in curves.values() for x, _ in curve)]
    left, right = min(places), max(places)
    heights = [*up_marks, *(y for curve in curves.values() for _, y in curve)]
    low, high = min(heights), max(heights)

    def place(x: float, y: float) -> tuple[float, float]:
        return MARGIN + WIDTH * (x - left) / (right - left), MARGIN + HEIGHT * (high - y) / (high - low)

    def text(x: float, y: float, content: str, anchor: str = "start") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'

    def parts() -> Iterator[str]:
        for value, name in up_marks.items():
            x, y = place(left, value)
            yield f'<path d="M{x:.1f} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
            yield text(x - 6, y + 4, name, "end")
        for value, name in across_marks.items():
            x, y = place(value, low)
            yield f'<path d="M{x:.1f} {y:.1f}v4" stroke="#666"/>'
            yield text(x, y + 18, name, "middle")
        yield f'<path d="M{MARGIN} {MARGIN + HEIGHT}h{WIDTH}" stroke="#666"/>'
        yield text(MARGIN + WIDTH / 2, MARGIN + HEIGHT + 34, across, "middle")
        yield text(MARGIN, MARGIN - 16, up)
        for rank, (name, curve) in enumerate(curves.items()):
            colour = COLOURS[rank % len(COLOURS)]
            dash = ' stroke-dasharray="5 3"' if rank >= len(COLOURS) else ""
            if joined:
                points = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in curve)
                yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
            else:
                for x, y in (place(*point) for point in curve):
                    yield _sign(rank, x, y, colour)
            y = MARGIN + 18 * rank
            if joined:
                yield f'<path d="M{MARGIN + WIDTH + 16} {y}h18" stroke="{colour}" stroke-width="2"{dash}/>'
            else:
                yield _sign(rank, MARGIN + WIDTH + 25, y, colour)
            yield text(MARGIN + WIDTH + 40, y + 4, name)

    legend = LETTER * max(map(len, curves))
    size = f'width="{2 * MARGIN + WIDTH + legend}" height="{2 * MARGIN + HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts())}</svg>\n'


def _sign(kind: int, x: float, y: float, colour: str) -> str:
    """A circle, a square, a triangle or a cross around a point, so that kinds differ without their colour."""
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"',
        f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"',
        f'<path d="M{x:.1f} {y - 4.5:.1f}l4.5 8h-9z"',
        f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" stroke-width="2"',
    )
    fill = "none" if kind % len(shapes) == 3 else colour
    return f'{shapes[kind % len(shapes)]} stroke="{colour}" fill="{fill}" fill-opacity="0.35"/>'
