"""Curves in logarithmic coordinates as SVG, in which a power of n is a straight line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT, MARGIN, LEGEND = 480, 360, 50, 280
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e")


def log_log_plot(
    numbers: Sequence[float], curves: Mapping[str, Sequence[float]], *, across: str, up: str
) -> str:
    """The curves over the numbers, all of them above 0, with a legend of their names."""
    values = [value for curve in curves.values() for value in curve]
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    left, right = log10(min(numbers)), log10(max(numbers))

    def place(number: float, value: float) -> tuple[float, float]:
        x = MARGIN + (log10(number) - left) / (right - left) * WIDTH
        return x, MARGIN + (high - log10(value)) / (high - low) * HEIGHT

    def text(x: float, y: float, content: str, anchor: str = "start") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'

    def parts() -> Iterator[str]:
        for power in range(low, high + 1):
            x, y = place(numbers[0], 10.0**power)
            yield f'<path d="M{x:.1f} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
            yield text(x - 6, y + 4, f"{10.0**power:g}", "end")
        for number in numbers:
            x, y = place(number, 10.0**low)
            yield text(x, y + 16, f"{number:g}", "middle")
        yield text(MARGIN + WIDTH / 2, MARGIN + HEIGHT + 34, across, "middle")
        yield text(MARGIN, MARGIN - 16, up)
        for place_in_legend, (name, curve) in enumerate(curves.items()):
            colour = COLOURS[place_in_legend % len(COLOURS)]
            points = " ".join(
                "{:.1f},{:.1f}".format(*place(*point)) for point in zip(numbers, curve, strict=True)
            )
            yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            y = MARGIN + 18 * place_in_legend
            yield f'<path d="M{MARGIN + WIDTH + 16} {y}h18" stroke="{colour}" stroke-width="2"/>'
            yield text(MARGIN + WIDTH + 40, y + 4, name)

    size = f'width="{2 * MARGIN + WIDTH + LEGEND}" height="{2 * MARGIN + HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts())}</svg>\n'
