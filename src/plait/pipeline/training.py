"""Training by name: data and options in, a model out."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index as as_index
from pathlib import Path
from typing import Any

from plait.data.document import COLUMNS, Document, Sentence
from plait.data.feats import in_order
from plait.errors import DataError, OptionError
from plait.files.names import is_file
from plait.learn.notices import notices
from plait.learn.records import Record
from plait.learn.task import Track, TrainingTask, no_track
from plait.logs import logger
from plait.options import check_positive, user_options
from plait.pipeline.missing import missing_lemmas
from plait.pipeline.model import Model
from plait.system import System, find_system, find_trainer

LEARN_LEMMAS = ("lemmatizer", "pipeline")  # systems that learn lemmas where the treebank has them

Data = str | Path | Document | Sequence[Sentence] | Sequence[str | Path]


def train(
    system: str,
    *,
    train: Data,
    dev: Data | None = None,
    seed: int = 1,
    threads: int = 1,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    licence: str = "",
    attribution: str = "",
    on_epoch: Callable[[Record], None] | None = None,
    track: Track = no_track,
    sources: Sequence[str | Path] = (),
    **options: Any,
) -> Model:
    """Train a system and return the model.

    ``train`` and ``dev`` are files, documents or lists of sentences; with ``dev`` the best epoch is kept. With a
    ``checkpoint`` the state is saved after each epoch, and ``resume=True`` goes on from there. ``licence`` and
    ``attribution`` of the data are kept in the model. Every epoch is reported to ``on_epoch`` and, at the level of
    information, to the logger ``plait``. ``sources`` names files that the data was read from, for
    messages. Further keywords are the system's options.

    >>> from plait.data.document import Sentence
    >>> data = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"])]
    >>> model = train("perceptron-tagger", train=data, epochs=2)
    >>> [token.upos for token in model(["dogs", "bark"])[0]]
    ['NOUN', 'VERB']
    """
    seed = _checked_seed(seed)
    check_positive("threads", threads)
    if resume and checkpoint is None:
        raise OptionError("resume has no effect without a checkpoint; name its file")
    found = find_system(system)
    chosen: Any = user_options(found.Options, options, system, dev=dev is not None)
    sentences = _sentences(train)
    if not any(map(len, sentences)):
        raise DataError("the training data has no words; expected at least one annotated sentence")
    held_out = [] if dev is None else _sentences(dev)
    if system in LEARN_LEMMAS and (missing := missing_lemmas(_files(train), sentences)) is not None:
        logger.warning("%s: %s", system, missing)
    data = {"train": _digest(sentences), **({"dev": _digest(held_out)} if dev is not None else {})}
    header = {"system": system, "options": dataclasses.asdict(chosen), "data": data, "seed": seed}
    if getattr(chosen, "tidy", True):  # two orders of the same features would be two tags
        sentences, held_out = in_order(sentences), in_order(held_out)
    identity = _without_length(header)
    if identity["options"].get("warmup", 0) < 0:  # a share of the epochs: with more of them it would be another one
        identity["options"]["warmup"] = chosen.greedy_epochs() if chosen.beam > 1 else 0

    def report_epoch(record: Record) -> None:
        logger.info("%s: %s", system, record.line())
        if on_epoch is not None:
            on_epoch(record)

    task = TrainingTask(
        train=sentences,
        dev=held_out,
        sources=tuple(file for file in (*sources, *_files(train), *_files(dev)) if is_file(str(file))),
        seed=seed,
        threads=threads,
        checkpoint=None if checkpoint is None else Path(checkpoint),
        resume=resume,
        identity=hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest(),
        on_epoch=report_epoch,
        track=track,
    )
    trained = find_trainer(system)(task, chosen)
    _log_notices(system, trained)
    header["options"] = dataclasses.asdict(trained.options)  # what was left to the system is decided by now
    return Model(trained, {**header, "training": trained.training, "licence": licence, "attribution": attribution})


def _checked_seed(seed: int) -> int:
    """The seed as a Python int that the model file can represent."""
    try:
        number = as_index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 63:
        raise OptionError(f"seed is {seed!r}; expected an integer from 0 to 2^63 - 1")
    return number


def _log_notices(name: str, trained: System) -> None:
    """Log notices about options that the development scores speak against, including those of parts and members."""
    for notice in notices(trained.training, trained.options):
        logger.warning("%s: %s", name, notice)
    parts = [getattr(trained, part, None) for part in ("segmenter", "parser", "tagger", "lemmatizer")]
    for inner in parts if trained.name == "pipeline" else getattr(trained, "members", ()):
        if inner is not None:
            _log_notices(f"{name}, {inner.name}", inner)


def _without_length(header: dict[str, Any]) -> dict[str, Any]:
    """What a checkpoint must agree on: everything except the numbers of epochs and runs, which may be increased.

    Files named by options (template tables) are included by content.
    """
    free = ("epochs", "runs", "bits", "prune", "prune_below", "slack", "megabytes")
    options = {name: value for name, value in header["options"].items() if name not in free}
    files = {
        f"{name} {part}": hashlib.sha256(Path(part).read_bytes()).hexdigest()
        for name, value in options.items()
        if isinstance(value, str)
        for part in _paths(value)
        if is_file(part)
    }
    return {**header, "options": options, "files": files}


def _paths(value: str) -> Iterator[str]:
    """The possible file names in an option: the whole value, FILE:SET, or a value in the options of a pipeline part."""
    for text in (value, *(piece.partition("=")[2] for piece in value.split())):
        yield from (part for part in (text, text.rpartition(":")[0]) if part)


def _sentences(data: Data) -> list[Sentence]:
    if isinstance(data, (str, Path)):
        from plait.formats import read

        return read(data).sentences
    if isinstance(data, Document):
        return data.sentences
    if not isinstance(data, Iterable):
        raise DataError(f"cannot train on {type(data).__name__}; expected a file, a Document or a list of Sentences")
    sentences: list[Sentence] = []
    for item in data:
        sentences.extend([item] if isinstance(item, Sentence) else _sentences(item))
    return sentences


def _files(data: Data | None) -> Iterator[str | Path]:
    """The files among some data."""
    if isinstance(data, (str, Path)):
        yield data
    elif data is not None and not isinstance(data, Document):
        yield from (item for item in data if isinstance(item, (str, Path)))


def _digest(sentences: Iterable[Sentence]) -> dict[str, Any]:
    """Size and digest of the training data: its columns, not its comments or file format."""
    digest = hashlib.sha256()
    count = words = 0
    for sentence in sentences:
        columns = [getattr(sentence, name) for name in COLUMNS]
        columns += [[name, *column] for name, column in sorted(sentence.extra.items())]
        columns += [sentence.ranges, sentence.empties]
        text = "\x1d".join("\x1f".join(map(str, column)) for column in columns) + "\x1e"
        digest.update(text.encode("utf-8", "surrogatepass"))
        count += 1
        words += len(sentence)
    return {"sentences": count, "words": words, "sha256": digest.hexdigest()}
