"""``plait bench``: how fast a model is on a file."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from plait.pipeline.speed import Speed


@click.command("bench")
@click.argument("model", metavar="MODEL")
@click.argument("file", metavar="FILE")
@click.option("--from", "format", metavar="FORMAT", help="format of FILE; default: inferred from its name")
@click.option(
    "--limit", type=click.IntRange(1), default=2000, show_default=True, help="maximum number of sentences or paragraphs"
)
@click.option(
    "--runs", type=click.IntRange(1), default=3, show_default=True, help="number of runs; the median is reported"
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="number of threads")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object")
def command(model: str, file: str, format: str | None, limit: int, runs: int, threads: int, as_json: bool) -> None:
    """Measure the speed of MODEL on FILE: words and sentences per second, memory, and time by sentence length.

    The file is read into memory and stripped of its annotation, analysed once as a warm-up, and then timed. Reading and
    writing are not included.

    \b
    Examples:
      plait bench my.plait dev.conllu
      plait bench zh.plait news.txt --threads 2 --json
    """
    import json
    from time import perf_counter

    from plait.cli.progress import track
    from plait.pipeline import load
    from plait.pipeline.distilling import read_units
    from plait.pipeline.speed import measure_speed

    units = list(islice(read_units([file], format, raw=True), limit))
    begin = perf_counter()
    nlp = load(model)
    loading = perf_counter() - begin
    speed = measure_speed(nlp, units, runs=runs, threads=threads, track=track)
    if as_json:
        click.echo(json.dumps({"model": model, "file": file, "load_seconds": loading, **speed.to_dict()}))
        return
    for line in _report(model, loading, speed):
        click.echo(line)


def _report(model: str, loading: float, speed: Speed) -> list[str]:
    from plait.evaluation.tables import Table

    runs = ", ".join(f"{seconds:.2f}" for seconds in speed.runs)
    memory = "not available on this system" if speed.peak_memory is None else f"{speed.peak_memory / 1e6:.0f} MB"
    summary = (
        ("model", f"{model}, opened in {loading:.2f} s"),
        ("input", f"{speed.sentences:,} sentences, {speed.words:,} words"),
        ("time", f"{speed.seconds:.2f} s, the median of {runs}; threads: {speed.threads}"),
        ("speed", f"{speed.words_per_second:,.0f} words/s, {speed.sentences_per_second:,.0f} sentences/s"),
        ("peak memory", memory),
    )
    width = max(len(name) for name, _ in summary)
    rows = tuple((row.words, row.units, row.milliseconds, f"{row.words_per_second:,.0f}") for row in speed.by_length)
    table = Table("", ("words", "inputs", "ms each", "words/s"), rows)
    return [*(f"{name:<{width}}  {value}" for name, value in summary), "", table.to_text().rstrip("\n")]
