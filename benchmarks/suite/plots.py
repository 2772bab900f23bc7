"""Points and lines as SVG inside the page: the same bytes for the same numbers, and nothing to install."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 620, 360, 64, 44, 16, 12
COLOURS = ("#2563c9", "#c2410c", "#15803d", "#9333ea", "#0e7490", "#b45309", "#be123c", "#4d7c0f", "#6d28d9", "#475569",
           "#0369a1", "#a16207")  # fmt: skip


@dataclass(frozen=True)
class Series:
    """The points of one contender, with ``line`` joined; ``colour`` is its number, the same in all plots."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    line: bool = False


def plot(title: str, x_label: str, y_label: str, series: Sequence[Series], *, log_x: bool, log_y: bool = False) -> str:
    """One diagram with its legend; empty without any point."""
    shown = [s for s in series if s.points]
    if not shown:
        return ""
    xs = _Axis([x for s in shown for x, _ in s.points], log_x, LEFT, WIDTH - RIGHT)
    ys = _Axis([y for s in shown for _, y in s.points], log_y, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" '
        'xmlns="http://www.w3.org/2000/svg">'
    ]
    for value in xs.ticks():
        at = xs.place(value)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{_shown(value)}</text>')
    for value in ys.ticks():
        at = ys.place(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_shown(value)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>')
    at = f'x="14" y="{HEIGHT / 2 - 10}" transform="rotate(-90 14 {HEIGHT / 2 - 10})"'
    parts.append(f'<text {at} text-anchor="middle">{escape(y_label)}</text>')
    legend = []
    for s in shown:
        colour = COLOURS[s.colour % len(COLOURS)]
        places = [(xs.place(x), ys.place(y)) for x, y in s.points]
        if s.line and len(places) > 1:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (x, y), (x_value, y_value) in zip(places, s.points, strict=True):
            told = escape(f"{s.name}: {_shown(x_value)}, {_shown(y_value)}")
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"><title>{told}</title></circle>')
        legend.append(f'<span><i style="background:{colour}"></i>{escape(s.name)}</span>')
    parts.append("</svg>")
    caption = f'<figcaption>{escape(title)}</figcaption><div class="legend">{"".join(legend)}</div>'
    return f"<figure>{''.join(parts)}{caption}</figure>\n"


class _Axis:
    """Values to places, evenly or by their logarithm, with a little room at both ends."""

    def __init__(self, values: Sequence[float], log: bool, first: float, last: float) -> None:
        self.log = log and min(values) > 0
        low, high = (self._scale(value) for value in (min(values), max(values)))
        room = (high - low) * 0.06 or 0.5
        self.low, self.high, self.first, self.last = low - room, high + room, first, last

    def _scale(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def place(self, value: float) -> float:
        share = (self._scale(value) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        if self.log:
            whole = range(math.floor(self.low), math.ceil(self.high) + 1)
            found = [m * 10.0**k for k in whole for m in (1, 2, 5)]
        else:
            step = 10.0 ** math.floor(math.log10((self.high - self.low) / 2))
            step *= 1 if (self.high - self.low) / step <= 8 else 2 if (self.high - self.low) / step <= 16 else 5
            found = [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        return [value for value in found if self.low <= self._scale(value) <= self.high]


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4g}"
