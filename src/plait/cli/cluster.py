"""``plait cluster``: word clusters from text, for the cluster features of parsers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from plait.cli.outputs import check_output


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--from", "format", metavar="FORMAT", help="format of the files; default: inferred from their names")
@click.option("--clusters", type=click.IntRange(2, 4096), default=800, show_default=True, help="number of clusters")
@click.option(
    "--min-count", type=click.IntRange(1), default=10, show_default=True, help="ignore words that occur less often"
)
@click.option("--output", "-o", required=True, metavar="FILE", help="output file: bit string, word, count on each line")
def command(files: tuple[str, ...], format: str | None, clusters: int, min_count: int, output: str) -> None:
    """Cluster the words of a text by their neighbours (Brown et al. 1992).

    Text files (--from lines or text) must be tokenised: words separated by spaces, one sentence per line. The time is
    proportional to the number of words and to the square of the number of clusters.

    \b
    Example: plait cluster news.txt --clusters 400 --output news.clusters
             plait train transition-joint --clusters news.clusters --train ...
    """
    from plait.cli.progress import track
    from plait.features.brown import cluster_lines, cluster_words
    from plait.formats.sink import write_pieces

    check_output("--output", output, files)
    found = cluster_words(_sentences(files, format), clusters, min_count, lambda items, label: track(items, label))
    write_pieces(cluster_lines(found), output)
    click.echo(f"{output}: {len(found):,} words, {len({bits for bits, _, _ in found}):,} clusters", err=True)


def _sentences(files: Sequence[str], format: str | None) -> Iterator[Sequence[str]]:
    from plait.formats import find_input_format, stream, stream_text

    for file in files:
        chosen = find_input_format(format, file)
        if chosen.read_text is not None:
            for unit in stream_text(file, chosen):
                yield from (line.split() for line in unit.split("\n"))
        else:
            yield from (sentence.forms for sentence in stream(file, chosen))
