"""The page of a run: tables, plots, commands, versions. Rows that lose stay in, and what was not measured says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from statistics import median
from typing import Any

from plait.draw.page import FOOT, page_head
from suite.plots import Series, plot
from suite.published import PUBLISHED
from suite.tasks import MEASURES

STYLE = """table { border-collapse: collapse; font-size: .9rem } td, th { padding: 2px 10px; text-align: right }
td:first-child, th:first-child { text-align: left } tr.published { color: var(--faint); font-style: italic }
figure { margin: 0 0 1rem; flex: 1 1 420px; max-width: 640px }
.plot { width: 100%; height: auto; font: 11px var(--font) }
.plot text { fill: var(--ink) } .plot .grid { stroke: var(--line) } figcaption { font-size: .9rem }
.legend span { display: inline-block; margin-right: 1rem; font-size: .8rem }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 4px }
.plots { display: flex; flex-wrap: wrap; gap: 1rem } code { font-size: .85rem }
"""
NAMES = {
    "upos": "UPOS",
    "uas": "UAS",
    "las": "LAS",
    "chunk_f1": "chunk F1",
    "words": "words F1",
    "tags": "tagged words F1",
}
DECIDES = {"trees": "las", "chunks": "chunk_f1", "words": "words"}


def render(run: dict[str, Any]) -> str:
    """The whole page, from what was stored of the run."""
    parts = [page_head("plait and its peers", STYLE), "<h1>plait and its peers</h1>\n", _conditions(run)]
    for task in run["tasks"]:
        rows = [row for row in run["rows"] if row["task"] == task["name"]]
        parts.append(f"<section>\n<h2>{escape(task['name'])}</h2>\n")
        parts.append(_table(task, rows))
        parts.append(f'<div class="plots">\n{"".join(_plots(task, rows))}</div>\n</section>\n')
    parts.append(_commands(run))
    return "".join(parts) + FOOT


def _conditions(run: dict[str, Any]) -> str:
    machine = run["machine"]
    quick = (
        " <strong>A quick run: little data and few epochs, to see that everything works.</strong>"
        if run["quick"]
        else ""
    )
    return (
        f"<section><p><code>{escape(run['command'])}</code></p><p>Gold words except for segmentation, punctuation "
        f"counted, one thread, all sentences in one call; training set, development set and test set the same for all. "
        f"Speeds are sentences per second of processor time, the median of {run['repeats']} repetitions with the "
        f"slowest and the fastest; what only turns data into a contender's own objects is not timed. Training times "
        f"are processor time. Rows in italics were published by others, on other versions of the treebanks, and not "
        f"run here.{quick}</p><p><small>{escape(machine)}</small></p></section>\n"
    )


def _table(task: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    measures = MEASURES[task["kind"]]
    head = [*(NAMES[m] for m in measures), "sentences/s", "slowest–fastest", "words/s", "training s", "model MB",
            "memory in use MB", "memory in training MB", "load s"]  # fmt: skip
    lines = [f"<tr><th>system</th>{''.join(f'<th>{name}</th>' for name in head)}</tr>"]
    decides = DECIDES[task["kind"]]
    for row in sorted(rows, key=lambda row: -row.get("use", {}).get("scores", {}).get(decides, 0.0)):
        if "missing" in row:
            lines.append(
                f"<tr><td>{escape(row['contender'])}</td><td colspan='{len(head)}'>{escape(row['missing'])}</td></tr>"
            )
            continue
        used, trained = row["use"], row["training"][-1]
        speeds, words = used["sentences_per_second"], median(used["words_per_second"])
        cells = [
            *(f"{used['scores'][m]:.2f}" if m in used["scores"] else "–" for m in measures),
            f"{median(speeds):,.0f}", f"{min(speeds):,.0f}–{max(speeds):,.0f}", f"{words:,.0f}",
            f"{trained['cpu_seconds']:,.1f}", f"{trained['megabytes']:.1f}", f"{used['peak_megabytes']:,.0f}",
            f"{trained['peak_megabytes']:,.0f}", f"{used['load_seconds']:.2f}",
        ]  # fmt: skip
        lines.append(f"<tr><td>{escape(row['contender'])}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    for told in PUBLISHED if task["kind"] == "trees" else ():
        if told.treebank == task["name"]:
            cells = [f"{value:.2f}" if value is not None else "–" for value in (told.upos, told.uas, told.las)]
            cells += [""] * (len(head) - 3)
            name = f"{told.system}, published: {told.conditions} ({told.source})"
            lines.append(
                f'<tr class="published"><td>{escape(name)}</td>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            )
    return f'<div class="scroll"><table>\n{chr(10).join(lines)}\n</table></div>\n'


def _plots(task: dict[str, Any], rows: Sequence[dict[str, Any]]) -> list[str]:
    measured = [row for row in rows if "use" in row]
    colour = {row["contender"]: k for k, row in enumerate(measured)}
    decides = DECIDES[task["kind"]]

    def series(row: dict[str, Any], points: list[tuple[float, float]], *, line: bool = False) -> Series:
        return Series(row["contender"], points, colour[row["contender"]], line)

    def points(x: Callable[[dict[str, Any]], float], measure: str) -> list[Series]:
        return [
            series(row, [(x(row), row["use"]["scores"][measure])])
            for row in measured
            if measure in row["use"]["scores"]
        ]

    def speed(row: dict[str, Any]) -> float:
        return float(median(row["use"]["sentences_per_second"]))

    shown = [decides, "upos"] if task["kind"] == "trees" else [decides]
    found = [
        plot(f"{NAMES[m]} against speed", "sentences per second", NAMES[m], points(speed, m), log_x=True) for m in shown
    ]
    by_length = [
        series(row, [(b["words"], b["words_per_second"]) for b in row["use"]["by_length"]], line=True)
        for row in measured
    ]
    found.append(
        plot(
            "Speed against sentence length",
            "words in a sentence",
            "words per second",
            by_length,
            log_x=True,
            log_y=True,
        )
    )
    by_data = [
        series(row, [(t["sentences"], t["cpu_seconds"]) for t in row["training"]], line=True) for row in measured
    ]
    found.append(
        plot("Training time against data", "training sentences", "processor seconds", by_data, log_x=True, log_y=True)
    )
    found.append(
        plot("Memory", "model, MB", "memory in use, MB", [
            series(row, [(row["training"][-1]["megabytes"], row["use"]["peak_megabytes"])]) for row in measured
        ], log_x=True)
    )  # fmt: skip
    found.append(
        plot(f"{NAMES[decides]} against model size", "model, MB", NAMES[decides],
             points(lambda row: row["training"][-1]["megabytes"], decides), log_x=True)
    )  # fmt: skip
    return found


def _commands(run: dict[str, Any]) -> str:
    lines = [
        f"<tr><td>{escape(c['name'])}</td><td>{escape(c['version'] or 'not installed')}</td>"
        f"<td><code>{escape(c['command'])}</code></td></tr>"
        for c in run["contenders"]
    ]
    return (
        "<section>\n<h2>Versions and commands</h2>\n<div class='scroll'><table>\n<tr><th>contender</th><th>version</th>"
        f"<th>as by hand</th></tr>\n{chr(10).join(lines)}\n</table></div>\n</section>\n"
    )
