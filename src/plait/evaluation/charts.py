"""Bars and intervals as plain HTML: as wide as the page, labels in full, the same bytes for the same numbers.

The page that holds them needs the style sheet ``report.css`` of ``draw``.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.draw.display import markup


def bar_chart(
    title: str, labels: Sequence[str], values: Sequence[Sequence[float]], names: Sequence[str], top: float | None = None
) -> str:
    """Horizontal bars from zero, a group for each label and a colour for each of the (at most two) systems.

    values: one row for each of ``names``. top: the end of the axis; the largest value when None.

    >>> chart = bar_chart("F1", ["NOUN"], [[50.0], [75.0]], ["A", "B"], top=100)
    >>> "width:50.0%" in chart, "width:75.0%" in chart
    (True, True)
    """
    top = top or max([1.0, *(value for row in values for value in row)])
    parts = []
    if len(names) > 1:
        legend = "".join(f'<span class="{side}">{markup(name)}</span>' for side, name in zip("ab", names, strict=False))
        parts.append(f'<div class="legend">{legend}</div>')
    for k, label in enumerate(labels):
        bars = "".join(_bar(side, row[k], top) for side, row in zip("ab", values, strict=False))
        parts.append(f'<span class="name">{markup(label)}</span><span class="group">{bars}</span>')
    return _chart(title, parts)


def _bar(side: str, value: float, top: float) -> str:
    shown = f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
    return f'<span class="bar"><i class="{side}" style="width:{100 * value / top:.1f}%"></i><em>{shown}</em></span>'


def interval_chart(
    title: str, labels: Sequence[str], rows: Sequence[tuple[float, float, float]], ends: tuple[str, str]
) -> str:
    """Differences with their intervals, (value, low, high), around zero; an interval that leaves zero out is filled.

    ends: what is written at the two ends of the axis.
    """
    reach = max([0.1, *(abs(value) for row in rows for value in row)])
    low_end, high_end = f"{markup(ends[0])} −{reach:.2f}", f"+{reach:.2f} {markup(ends[1])}"
    parts = [f'<div class="ends"><span>{low_end}</span><span>{high_end}</span></div>']
    for label, (value, low, high) in zip(labels, rows, strict=True):
        side = "a" if value >= 0 else "b"
        sure = " sure" if low > 0 or high < 0 else ""
        at, left, right = (50 + 50 * x / reach for x in (value, low, high))
        parts.append(
            f'<span class="name">{markup(label)}</span><span class="interval">'
            f'<i class="{side}" style="left:{left:.1f}%;width:{right - left:.1f}%"></i>'
            f'<u class="{side}{sure}" style="left:{at:.1f}%"></u><em>{value:+.2f}</em></span>'
        )
    return _chart(title, parts)


def _chart(title: str, parts: Sequence[str]) -> str:
    return f'<div class="chart" role="group" aria-label="{markup(title)}">\n' + "\n".join(parts) + "\n</div>\n"
