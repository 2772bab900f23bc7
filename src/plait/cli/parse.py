"""``plait parse``: text or annotated files in, analysed sentences out, as a stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from plait.cli.progress import track
from plait.data.document import Sentence


@click.command("parse", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option("--model", "-m", required=True, metavar="PATH", help="a model file made by plait train")
@click.option("--input", "-i", metavar="FILE|-", help="what to analyse; - is standard input")
@click.option("--from", "source", metavar="FORMAT", help="format of the input; else told from its name, else text")
@click.option("--to", "target", metavar="FORMAT", help="format of the output; else told from its name, else conllu")
@click.option("--output", "-o", default="-", metavar="FILE|-", help="where the result goes; - is standard output")
@click.option("--trace", is_flag=True, help="print the decisions in the order they were made (easy-first models)")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="threads to use")
@click.option("--scores", is_flag=True, help="give every token the model's confidence (in --to json)")
@click.option("--constrain", is_flag=True, help="tags, heads and labels that the input gives stay as they are")
@click.option("--dictionary", metavar="FILE", help="words of your own, one a line: WORD, tab, TAG, tab, COST")
@click.option("--dictionary-mode", type=click.Choice(["force", "merge", "prefer"]), default="force", show_default=True,
              help="cut the words so always; join words of the model; or favour them by their cost")  # fmt: skip
@click.option("--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
              help="what to do with sentences that cannot be read")  # fmt: skip
def command(
    texts: tuple[str, ...],
    model: str,
    input: str | None,
    source: str | None,
    target: str | None,
    output: str,
    trace: bool,
    threads: int,
    scores: bool,
    constrain: bool,
    dictionary: str | None,
    dictionary_mode: str,
    on_error: Literal["stop", "skip"],
) -> None:
    """Analyse TEXT, a file or standard input with a model.

    Formats: text (running text), lines (a sentence a line), segmented (words between spaces), conllu, conllx,
    conll09, conll2000, json; and only written: tree (for the terminal), svg, html. What the model predicts is
    replaced, everything else stays as it was.

    \b
    Examples:
      plait parse --model my.plait "Dogs bark ."
      plait parse --model my.plait --to tree "Dogs bark ."
      plait parse --model my.plait --input news.txt --output news.html
      plait parse --model my.plait --input new.conllu --output tagged.conllu
      plait parse --model zh.plait --dictionary words.txt --from text --input news.txt
      zcat news.txt.gz | plait parse --model my.plait --input - --from lines --to segmented | head
    """
    from plait.cli.data import dressed, tell_skipped
    from plait.formats import Skipped, find_format, stream, stream_text, writable, write
    from plait.pipeline import load

    if texts and input is not None:
        raise click.UsageError("give either TEXT or --input, not both")
    if not texts and input is None and sys.stdin.isatty():
        raise click.UsageError("nothing to analyse; give TEXT, --input FILE, or pipe text in")
    file = input or "-"
    read_format = find_format(source or ("text" if file == "-" else None), file)
    if output != "-" and Path(output).exists() and Path(output).samefile(model):
        raise click.UsageError(f"--output {output} is the model itself; name another file")
    write_format = find_format("conllu" if trace else target or ("conllu" if output == "-" else None), output)
    write_format = dressed(write_format, output)
    nlp = load(model)
    if dictionary is not None and read_format.read_text is None:
        raise click.UsageError("--dictionary is for raw text; the words of this input are given already")
    if constrain and read_format.read is None:
        raise click.UsageError("--constrain is for annotated input such as conllu; raw text gives nothing to keep")
    skipped = Skipped()

    def analysed() -> Iterator[Sentence]:
        if texts and read_format.read is not None:
            for text in texts:
                given = text.encode("utf-8", "surrogateescape")
                sentences = stream(given, read_format, on_error=on_error, skipped=skipped)
                yield from nlp.annotate(sentences, threads=threads, scores=scores, constrain=constrain)
        elif read_format.read_text is not None:
            units = texts or stream_text(file, read_format, on_error=on_error, skipped=skipped)
            for document in nlp.pipe(
                units, threads=threads, scores=scores, dictionary=dictionary, mode=dictionary_mode
            ):
                yield from document
        else:
            sentences = stream(file, read_format, on_error=on_error, skipped=skipped)
            yield from nlp.annotate(sentences, threads=threads, scores=scores, constrain=constrain)

    if trace:
        from plait.easyfirst.trace import write_traces

        write_traces(analysed(), output, html=target == "html" or (target is None and output.endswith(".html")))
        tell_skipped(file, skipped)
        return
    sentences = analysed() if output == "-" else track(analysed(), "parse")
    write(writable(sentences, write_format, skipped) if on_error == "skip" else sentences, output, write_format)
    tell_skipped(file, skipped)
