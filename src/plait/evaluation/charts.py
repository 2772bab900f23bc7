"""Bars and intervals as SVG, for a page: no dependency, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plait.data.display import visible

COLORS = ("#2f7fd0", "#d9822b")  # of the first and the second system; both can be read on white and on black
PLOT = 420.0  # pixels from the smallest to the largest value
BAR, SPACE = 13.0, 8.0  # height of a bar, distance of groups
LETTER = 7.0  # about as wide as one


def bar_chart(
    title: str, labels: Sequence[str], values: Sequence[Sequence[float]], names: Sequence[str], top: float | None = None
) -> str:
    """Horizontal bars from zero, a group for each label and a colour for each of the systems.

    values: one row for each of ``names``. top: the end of the axis; the largest value when None.

    >>> svg = bar_chart("F1", ["NOUN"], [[50.0], [75.0]], ["A", "B"], top=100)
    >>> svg.count("<rect")
    4
    """
    top = top or max([1.0, *(value for row in values for value in row)])
    left = _label_room(labels)
    parts = _legend(names, left) if len(names) > 1 else []
    y = 24.0 if len(names) > 1 else 6.0
    for k, label in enumerate(labels):
        middle = y + BAR * len(names) / 2
        parts.append(_words(left - 8, middle + 4, label, "end"))
        for color, row in zip(COLORS, values, strict=False):
            long = PLOT * row[k] / top
            shown = f"{row[k]:.2f}" if isinstance(row[k], float) else f"{row[k]:,}"
            parts.append(f'<rect x="{left:.1f}" y="{y:.1f}" width="{long:.1f}" height="{BAR - 2:.1f}" fill="{color}"/>')
            parts.append(_words(left + long + 5, y + BAR - 4, shown, "start", 10))
            y += BAR
        y += SPACE
    return _svg(title, left + PLOT + 60, y, parts)


def interval_chart(
    title: str, labels: Sequence[str], rows: Sequence[tuple[float, float, float]], ends: tuple[str, str]
) -> str:
    """Differences with their intervals, (value, low, high), around zero; an interval that leaves zero out is filled.

    ends: what is written at the two ends of the axis.
    """
    reach = max([0.1, *(abs(value) for row in rows for value in row)])
    left = _label_room(labels)
    zero = left + PLOT / 2
    scale = PLOT / 2 / reach
    height = 30.0 + len(rows) * 22
    parts = [
        f'<path d="M{zero:.1f} 22V{height - 4:.1f}" stroke="currentColor" stroke-opacity=".5" stroke-dasharray="3 3"/>',
        _words(left, 14, f"{ends[0]} −{reach:.2f}", "start", 10),
        _words(left + PLOT, 14, f"+{reach:.2f} {ends[1]}", "end", 10),
    ]
    for k, (label, (value, low, high)) in enumerate(zip(labels, rows, strict=True)):
        y = 34.0 + 22 * k
        sure = low > 0 or high < 0
        color = COLORS[0] if value >= 0 else COLORS[1]
        parts.append(_words(left - 8, y + 4, label, "end"))
        parts.append(
            f'<path d="M{zero + low * scale:.1f} {y:.1f}H{zero + high * scale:.1f}" stroke="{color}" stroke-width="2"/>'
        )
        fill = color if sure else "none"
        parts.append(
            f'<circle cx="{zero + value * scale:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}" stroke="{color}" '
            'stroke-width="2"/>'
        )
        parts.append(_words(left + PLOT + 8, y + 4, f"{value:+.2f}", "start", 10))
    return _svg(title, left + PLOT + 60, height, parts)


def _legend(names: Sequence[str], left: float) -> list[str]:
    parts, x = [], left
    for name, color in zip(names, COLORS, strict=False):
        parts.append(f'<rect x="{x:.1f}" y="3" width="11" height="11" fill="{color}"/>')
        parts.append(_words(x + 16, 13, name, "start"))
        x += 40 + LETTER * len(name)
    return parts


def _label_room(labels: Sequence[str]) -> float:
    return 16 + LETTER * max(map(len, labels), default=0)


def _words(x: float, y: float, text: str, anchor: str, size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="currentColor">'
        f"{escape(visible(text))}</text>"
    )


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, sans-serif">\n'
        f"<title>{escape(visible(title))}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )
