"""``plait parse``: text or annotated files in, analysed sentences out, as a stream."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from plait.cli.data import for_terminal, is_given, on_error_option, report_skipped, strict_option
from plait.cli.progress import show_progress
from plait.data.document import Sentence
from plait.files.names import is_file

if TYPE_CHECKING:
    from plait.pipeline import Model
    from plait.pipeline.gap_filling import Keep

COMMENTLESS = ("conllx", "conll09", "conll2000")  # columns, but no comments that name the predicted ones


@click.command("parse")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--model", "-m", metavar="zh|en|PATH", help="shipped model or model file; default: chosen by the script of the text"
)
@click.option("--input", "-i", metavar="FILE|-", help="file to analyse; - is standard input")
@click.option(
    "--from", "source", metavar="FORMAT", help="format of the input; default: inferred from its name, or text"
)
@click.option(
    "--to", "target", metavar="FORMAT", help="format of the output; default: inferred from its name, or conllu"
)
@click.option("--output", "-o", default="-", metavar="FILE|-", help="file to write; - is standard output")
@click.option("--trace", is_flag=True, help="show the decisions in the order they were made (easy-first, transition)")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="number of threads")
@click.option(
    "--scores", is_flag=True, help="add the model's confidence for each token: in MISC (Score=0.9731), json, svg, html"
)
@click.option(
    "--nbest", type=click.IntRange(1), metavar="N", help="write the N best analyses of each sentence, best first"
)
@click.option(
    "--beam", type=click.IntRange(1), metavar="N",
    help="beam width: wider is slower and usually more accurate; default: as in training",
)  # fmt: skip
@click.option("--constrain", is_flag=True, help="keep the tags, heads and labels of the input and predict the rest")
@click.option("--keep", metavar="COLUMNS", help="like --constrain, for these columns only, such as upos,heads,deprels")
@click.option("--dictionary", metavar="FILE", help="user dictionary, one word per line: WORD, tab, TAG, tab, COST")
@click.option("--dictionary-mode", type=click.Choice(["force", "merge", "prefer"]), default="force", show_default=True,
              help="force: always cut the text there; merge: join the model's words; prefer: by cost")  # fmt: skip
@on_error_option
@strict_option
def command(
    texts: tuple[str, ...],
    model: str | None,
    input: str | None,
    source: str | None,
    target: str | None,
    output: str,
    trace: bool,
    threads: int,
    scores: bool,
    nbest: int | None,
    beam: int | None,
    constrain: bool,
    keep: str | None,
    dictionary: str | None,
    dictionary_mode: str,
    on_error: Literal["stop", "skip"],
    strict: bool,
) -> None:
    """Analyse TEXT, a file or standard input with a model.

    Formats: text (running text), lines (one sentence per line), segmented (words separated by spaces), conllu, conllx,
    conll09, conll2000, json; output only: tree (for the terminal), svg, html. The columns that the model predicts are
    replaced, all others are kept. Comments on the first sentence name the model and the predicted columns.

    \b
    Examples:
      plait parse "She reads a book."
      plait parse --model my.plait --to tree "She reads a book."
      plait parse --model my.plait --input news.txt --output news.html
      plait parse --model my.plait --input new.conllu --output tagged.conllu
      plait parse --model my.plait --nbest 3 --to tree "She reads a book."
      plait parse --model my.plait --beam 32 --input new.conllu --output parsed.conllu
      plait parse --model en --keep upos,heads --input half-done.conllu
      plait parse --model zh --dictionary words.txt --from text --input news.txt
      zcat news.txt.gz | plait parse --model my.plait --input - --from lines --to segmented | head
    """
    from plait.data.provenance import Origin, copied_columns, marked
    from plait.formats import Skipped, find_format, find_input_format, stream, stream_text, writable, write
    from plait.formats.scores import check_scored, with_scores
    from plait.formats.sink import write_pieces
    from plait.formats.source import Source
    from plait.models import choose_model, find_model, look_ahead
    from plait.pipeline import load
    from plait.pipeline.streams import BATCH

    if texts and input is not None:
        raise click.UsageError("give either TEXT or --input, not both")
    texts = tuple(map(_decoded, texts))
    if not texts and input is None and (sys.stdin.isatty() or getattr(sys.stdin, "name", "") == os.devnull):
        raise click.UsageError("nothing to analyse; give TEXT, --input FILE, or pipe text in")
    file = input or "-"
    read_format = find_input_format(source or ("text" if file == "-" else None), file)
    if output != "-" and Path(output).exists() and model is not None and Path(output).samefile(find_model(model)):
        raise click.UsageError(f"--output {output} is the model file; choose another name")
    trace_format = _trace_format(target, output) if trace else None
    write_format = find_format("conllu" if trace else target or ("conllu" if output == "-" else None), output)
    write_format = for_terminal(write_format, output)
    if dictionary is not None and read_format.read_text is None:
        raise click.UsageError("--dictionary requires raw text; this input is already segmented")
    if dictionary is None and is_given("dictionary_mode"):
        raise click.UsageError("--dictionary-mode requires --dictionary")
    if constrain and keep is not None:
        raise click.UsageError("--constrain keeps everything that is given; give either --constrain or --keep")
    if (constrain or keep is not None) and read_format.read is None:
        raise click.UsageError(
            "--constrain and --keep require annotated input such as conllu; raw text has no annotation to keep"
        )
    if nbest and (trace or scores or constrain or keep is not None or dictionary):
        raise click.UsageError("--nbest cannot be combined with --trace, --scores, --constrain, --keep or --dictionary")
    if trace and scores:
        raise click.UsageError("--trace cannot be combined with --scores; a trace has scores of its own, if any")
    if scores:
        check_scored(write_format.name)
    kept = constrain if keep is None else keep.split(",")
    skipped = Skipped()
    # a model that is not there is found before the input is read
    nlp = None if model is None else load(model, beam=beam)
    opened = click.get_current_context().with_resource(Source.open(file, on_error, skipped, strict=strict))

    origin = Origin("", frozenset())

    def chosen(sample: str, first: str | Sentence, keep: Keep) -> Model:
        nonlocal origin
        name = model or choose_model(sample)
        found = nlp or load(name, beam=beam)
        origin = Origin(Path(name).name, found.predicted_columns(first, keep=keep))
        return found

    def analysed() -> Iterator[Sentence]:
        if read_format.read_text is not None:
            units: Iterable[str] = texts or stream_text(opened, read_format)
            sample, units = look_ahead(units, str) if nlp is None else ("", units)
            borders: Keep = "sentences" if read_format.name == "lines" else ()
            used = chosen(sample, "", borders)
            if nbest and used.system.segments and "heads" not in used.system.predicts:
                yield from _nbest(used, units, nbest)
                return
            for document in used.pipe(
                units, threads=threads, scores=scores, dictionary=dictionary, mode=dictionary_mode, keep=borders
            ):
                yield from _nbest(used, document, nbest) if nbest else document
        else:
            given: list[_Argument | Source] = [_Argument(f"{t}\n".encode("utf-8", "surrogateescape")) for t in texts]
            given = given or [opened]
            sentences: Iterable[Sentence] = chain.from_iterable(
                stream(source, read_format, on_error=on_error, skipped=skipped, strict=strict) for source in given
            )
            sample, sentences = look_ahead(sentences, lambda s: " ".join(s.forms)) if nlp is None else ("", sentences)
            sentences = iter(sentences)
            for first in islice(sentences, 1):  # what it gives is taken to be given in all
                used = chosen(sample, first, kept)
                if write_format.name in COMMENTLESS and (copied := copied_columns(first, origin.columns)):
                    where = f"{', '.join(copied)} copied from the input, which {write_format.name} cannot record"
                    warnings.warn(f"{where}; choose --to conllu before plait evaluate", stacklevel=2)
                if nbest:
                    yield from _nbest(used, chain([first], sentences), nbest)
                else:
                    yield from used.annotate(
                        chain([first], sentences), threads=threads, batch_size=BATCH, scores=scores, keep=kept
                    )

    if trace:
        from plait.draw.steps import steps_page
        from plait.easyfirst.trace import trace_pieces

        write_pieces((steps_page(analysed()),) if trace_format == "html" else trace_pieces(analysed()), output)
        report_skipped(file, skipped)
        return
    sentences: Iterable[Sentence] = analysed()
    if scores:
        sentences = with_scores(sentences, write_format.name)
    if not texts and (output != "-" or not sys.stdout.isatty()):  # a bar among the output would spoil both
        sentences = show_progress(sentences, opened, "parse")
    if on_error == "skip":
        sentences = writable(sentences, write_format, skipped)
    write(marked(sentences, lambda: origin), output, write_format)
    report_skipped(file, skipped)


def _nbest(nlp: Model, inputs: Iterable[str | Sentence], count: int) -> Iterator[Sentence]:
    """The best analyses of each sentence or text, best first."""
    for each in inputs:
        for rank, document in enumerate(nlp.nbest(each, count), 1):
            yield from (_numbered(found, rank) for found in document)


def _numbered(sentence: Sentence, rank: int) -> Sentence:
    """The sentence with comments that say which analysis it is, and a sent_id of its own.

    The ending of the sent_id is one that treebanks do not use: ``doc-2`` would often be the next sentence of ``doc``.
    """
    sentence.set_comment("alternative", str(rank))
    if sentence.score is not None:
        sentence.set_comment("score", f"{sentence.score:.6g}")
    if rank > 1 and sentence.sent_id is not None:
        sentence.set_comment("sent_id", f"{sentence.sent_id}-alternative-{rank}")
    return sentence


def _trace_format(target: str | None, output: str) -> str:
    """The format of a trace, by name or suffix: a page or text, and no other."""
    from plait.errors import OptionError
    from plait.formats import find_format

    try:
        name = find_format(target, output).name
    except OptionError:
        if target is not None:
            raise
        name = "text"  # standard output, or a file with a suffix of its own
    if name not in ("text", "html"):
        raise click.UsageError(f"--trace cannot be written as {name}; choose --to text or --to html")
    return name


class _Argument(io.BytesIO):
    """An argument read as a file; errors name it as the usage of the command does."""

    name = "TEXT"


def _decoded(text: str) -> str:
    """An argument as text; Python has read it by the locale, which may know less than UTF-8."""
    try:
        text = text.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        raise click.UsageError(f"TEXT {text[:40]!r} is not UTF-8; convert it, or use --input FILE") from None
    if "." in text[-9:] and is_file(text):
        warnings.warn(
            f'"{text}" is analysed as text, although there is a file of that name; use --input to read it', stacklevel=2
        )
    return text
