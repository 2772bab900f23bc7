"""``plait annotate``: whole folders of Parquet, JSON lines or text, in many processes, resumable."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from plait.integrations.bulk.partitions import Outcome, Partition


@click.command("annotate")
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--model", "-m", required=True, metavar="NAME|PATH", help="shipped model or model file")
@click.option("--from", "kind", type=click.Choice(["parquet", "jsonl", "text", "lines"]),
              help="type of the input; default: inferred from the file suffixes")  # fmt: skip
@click.option("--to", default="conllu", show_default=True, metavar="FORMAT",
              help="output format: conllu, json, segmented, ..., or tokens (not for text input)")  # fmt: skip
@click.option("--text-column", default="text", show_default=True, metavar="NAME", help="column or key with the text")
@click.option("--output-column", metavar="NAME", help="column or key for the analyses; default: the name of the format")
@click.option("--scores", is_flag=True, help="add the model's confidence for each token (conllu, json, tokens, ...)")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True,
              help="local processes or a Ray cluster")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), metavar="N", help="number of processes  [default: all cores]")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="threads per process")
@click.option(
    "--address", metavar="ADDRESS", help="ray: address of a running cluster; default: RAY_ADDRESS, or a new local one"
)
@click.option("--partition-size", type=click.IntRange(1), default=2000, show_default=True, metavar="N",
              help="documents per output file")  # fmt: skip
@click.option("--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
              help="stop at a document that cannot be analysed, or skip it")  # fmt: skip
@click.option("--restart", is_flag=True, help="discard the results of an earlier run in OUT")
def command(
    input: str,
    output: str,
    model: str,
    kind: str | None,
    to: str,
    text_column: str,
    output_column: str | None,
    scores: bool,
    engine: str,
    workers: int | None,
    threads: int,
    address: str | None,
    partition_size: int,
    on_error: str,
    restart: bool,
) -> None:
    """Annotate a file or folder IN into the folder OUT.

    Parquet and JSON lines files keep their columns and get a new one with the analyses. In text files each paragraph
    (with --from lines: each line) is a document, and the output is a file of sentences. Output files are written
    atomically; to continue after an interruption, run the same command again. Workers that die are replaced. The
    output does not depend on the engine or the number of workers.

    \b
    Examples:
      plait annotate reviews.jsonl out --model en --text-column body
      plait annotate corpus/ out --model zh --workers 8
      plait annotate crawl/ out --model zh --to tokens --engine ray --address auto
    """
    from plait.core.ahead import usable_cores
    from plait.integrations.annotator import Annotator
    from plait.integrations.bulk.job import annotate_files

    if address is not None and engine != "ray":
        raise click.UsageError("--address requires --engine ray")
    annotator = Annotator(
        model,
        text_column=text_column,
        output=to,
        output_column=output_column,
        on_error=on_error,
        scores=scores,
        threads=threads,
    )
    bar = Bar()
    try:
        summary = annotate_files(
            input,
            output,
            annotator,
            kind=kind,
            partition_size=partition_size,
            engine=engine,
            workers=workers or usable_cores(),
            address=address,
            restart=restart,
            on_plan=bar.begin,
            on_partition=bar.advance,
        )
    finally:
        bar.close()
    for message in summary.messages:
        click.echo(f"skipped: {message}", err=True)
    if summary.faults > len(summary.messages):
        click.echo(f"skipped: {summary.faults - len(summary.messages):,} more", err=True)
    done = f"{summary.documents:,} documents, {summary.sentences:,} sentences, {summary.words:,} words"
    files = f"{summary.partitions:,} files written" + (
        f", {summary.resumed:,} already there" if summary.resumed else ""
    )
    click.echo(f"{output}: {done}; {files}; {summary.faults:,} documents skipped", err=True)


class Bar:
    """Progress by bytes of input, with rate and time left, when stderr is a terminal."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._documents = 0

    def begin(self, partitions: Sequence[Partition]) -> None:
        """Show the bar for this much work."""
        if sys.stderr.isatty() and partitions:
            from tqdm import tqdm

            total = sum(partition.cut.bytes for partition in partitions)
            self._bar = tqdm(total=total, unit="B", unit_scale=True, desc="annotate", leave=False, dynamic_ncols=True)

    def advance(self, outcome: Outcome) -> None:
        """A partition is done."""
        if self._bar is not None:
            self._documents += outcome.documents
            self._bar.set_postfix_str(f"{self._documents:,} documents", refresh=False)
            self._bar.update(outcome.partition.cut.bytes)

    def close(self) -> None:
        """Clear the bar away."""
        if self._bar is not None:
            self._bar.close()
