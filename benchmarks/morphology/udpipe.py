"""UDPipe 1's tagger, trained on the same files: the peer of ``tagging.py``.

    pip install ufal.udpipe
    python benchmarks/morphology/udpipe.py en_ewt --models build/udpipe     # trains where no model is kept there yet

Its own defaults with ``models=1`` (one model for lemma and tags), no tokenizer and no parser; the development set
chooses the iteration. ``--iterations N`` trains fewer than its 20, for treebanks on which they take hours.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import plait
from plait.data.document import Sentence
from workbench import part_of


def sentences(path: Path) -> Any:
    """A file as UDPipe holds it."""
    from ufal import udpipe

    text = "".join(sentence.to_conllu() for sentence in plait.read(path))
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    error = udpipe.ProcessingError()
    found = udpipe.Sentences()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(error.message)
    return found


def trained(treebank: str, models: Path, iterations: int = 20) -> Path:
    """The model of a treebank; trained now if it is not kept from an earlier run."""
    from ufal import udpipe

    path = models / f"{treebank}.udpipe"
    if not path.exists():
        models.mkdir(parents=True, exist_ok=True)
        begin = time.process_time()
        error = udpipe.ProcessingError()
        data = [sentences(part_of(treebank, name)) for name in ("train", "dev")]
        model = udpipe.Trainer.train(
            "morphodita_parsito", *data, "none", f"models=1;iterations={iterations}", "none", error,
        )  # fmt: skip
        if error.occurred():
            raise SystemExit(error.message)
        path.write_bytes(bytes(model))
        (models / f"{treebank}.seconds").write_text(f"{time.process_time() - begin:.0f}")
    return path


def tagged(path: Path, file: Path) -> tuple[list[Sentence], Callable[[], Callable[[], None]]]:
    """What a model makes of a file, and a function that loads both afresh and returns the work of tagging."""
    from ufal import udpipe

    def loaded() -> Callable[[], None]:
        model, items = udpipe.Model.load(str(path)), list(sentences(file))

        def work() -> None:
            for sentence in items:
                model.tag(sentence, udpipe.Pipeline.DEFAULT)

        return work

    model, writer = udpipe.Model.load(str(path)), udpipe.OutputFormat.newConlluOutputFormat()
    text = ""
    for sentence in sentences(file):
        model.tag(sentence, udpipe.Pipeline.DEFAULT)
        text += writer.writeSentence(sentence)
    return plait.read(text.encode(), "conllu").sentences, loaded


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--models", type=Path, default=Path("build/udpipe"))
    parser.add_argument("--iterations", type=int, default=20)
    arguments = parser.parse_args()
    for treebank in arguments.treebanks:
        print(trained(treebank, arguments.models, arguments.iterations))
