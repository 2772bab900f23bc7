"""The peers: spaCy, UDPipe 1, CRFsuite, pkuseg and jieba, trained on the same files where they can be trained."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from plait.data.document import Document, Sentence
from plait.data.schemes import BIES, BIO
from suite.contenders import CHUNKS, TREES, WORDS, Contender

SPACY_STEPS, QUICK_STEPS = 8000, 60


def train_spacy(train: list[Sentence], dev: list[Sentence], path: Path, quick: bool) -> None:
    """spaCy's own recipe for a small CPU pipeline: tok2vec, a tagger for UPOS, a parser; no pretraining."""
    from spacy.tokens import DocBin

    from plait.integrations.conversion import to_spacy

    work = path.with_name(f"{path.name}.work")
    work.mkdir(parents=True, exist_ok=True)
    for part, sentences in (("train", train), ("dev", dev or train)):
        docs = DocBin()
        for sentence in sentences:
            doc = to_spacy(Document([sentence]))
            for token, tag in zip(doc, sentence.upos, strict=True):
                token.tag_ = tag
            docs.add(doc)
        docs.to_disk(work / f"{part}.spacy")
    spacy = [sys.executable, "-m", "spacy"]
    config = ["--lang", "xx", "--pipeline", "tagger,parser", "--optimize", "efficiency", "--force"]
    paths = [f"--paths.{part}={work / part}.spacy" for part in ("train", "dev")]
    limits = [f"--training.max_steps={QUICK_STEPS if quick else SPACY_STEPS}", "--training.patience=1000"]
    if quick:
        limits += ["--training.eval_frequency=30"]
    for command in (
        [*spacy, "init", "config", str(work / "config.cfg"), *config],
        [*spacy, "train", str(work / "config.cfg"), "--output", str(work), *paths, *limits],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (work / "model-best").rename(path)


class SpacyAnalyser:
    """A pipeline of spaCy, in batches of its default size, which are several times as fast as single sentences."""

    def __init__(self, path: Path, kind: str) -> None:
        import spacy

        self.nlp = spacy.load(path)

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        from spacy.tokens import Doc

        return [Doc(self.nlp.vocab, words=sentence.forms) for sentence in sentences]

    def run(self, items: list[Any]) -> list[Any]:
        return [*self.nlp.pipe(items)]

    def finish(self, results: list[Any]) -> list[Sentence]:
        """Trees with one root: further roots hang from the first."""
        found = []
        for doc in results:
            root = next(token.i for token in doc if token.head.i == token.i)
            heads = [0 if t.i == root else (root if t.head.i == t.i else t.head.i) + 1 for t in doc]
            labels = ["root" if t.i == root else t.dep_ or "dep" for t in doc]
            tags = [t.tag_ or "X" for t in doc]
            found.append(Sentence([t.text for t in doc], upos=tags, heads=heads, deprels=labels))
        return found


class SpacyOneByOne(SpacyAnalyser):
    """The same, one sentence at a time, as a server or an interactive program has them."""

    def run(self, items: list[Any]) -> list[Any]:
        return [doc for item in items for doc in self.nlp.pipe([item])]


def udpipe_sentences(sentences: Sequence[Sentence]) -> list[Any]:
    """Sentences as UDPipe holds them."""
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText("".join(sentence.to_conllu() for sentence in sentences))
    error = udpipe.ProcessingError()
    found = []
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(f"run: UDPipe: {error.message}")
    return found


def train_udpipe(train: list[Sentence], dev: list[Sentence], path: Path, quick: bool) -> None:
    """UDPipe 1's defaults, one model of tags and lemmas, and its parser; no tokenizer."""
    from ufal import udpipe

    data = []
    for part in (train, dev):
        data.append(udpipe.Sentences())
        for sentence in udpipe_sentences(part):
            data[-1].append(sentence)
    error = udpipe.ProcessingError()
    tagger, parser = ("models=1;iterations=2", "iterations=1") if quick else ("models=1", "")
    model = udpipe.Trainer.train("morphodita_parsito", *data, "none", tagger, parser, error)
    if error.occurred():
        raise SystemExit(f"run: UDPipe: {error.message}")
    path.write_bytes(bytes(model))


class UdpipeAnalyser:
    """A model of UDPipe, on its own objects."""

    def __init__(self, path: Path, kind: str) -> None:
        from ufal import udpipe

        self.udpipe = udpipe
        self.model = udpipe.Model.load(str(path))

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        return udpipe_sentences([sentence.bare() for sentence in sentences])

    def run(self, items: list[Any]) -> list[Any]:
        for item in items:
            self.model.tag(item, self.udpipe.Pipeline.DEFAULT)
            self.model.parse(item, self.udpipe.Pipeline.DEFAULT)
        return items

    def finish(self, results: list[Any]) -> list[Sentence]:
        from plait.formats import read

        writer = self.udpipe.OutputFormat.newConlluOutputFormat()
        text = "".join(writer.writeSentence(sentence) for sentence in results)
        return read(text.encode(), "conllu").sentences


class UdpipeTagging(UdpipeAnalyser):
    """Its tagger alone."""

    def run(self, items: list[Any]) -> list[Any]:
        for item in items:
            self.model.tag(item, self.udpipe.Pipeline.DEFAULT)
        return items


def crfsuite_attributes(sentence: Sentence) -> list[list[str]]:
    """Attributes of words for CRFsuite: tags are given for chunks, else spelling; neighbours up to two words away."""
    tagged = any(tag != "_" for tag in sentence.xpos)
    columns = {"w": sentence.forms} | ({"p": sentence.xpos} if tagged else {})
    rows = []
    for i, form in enumerate(sentence.forms):
        row = ["bias"]
        for name, column in columns.items():
            around = {k: column[i + k] if 0 <= i + k < len(column) else "</>" for k in (-2, -1, 0, 1, 2)}
            row += [f"{name}{k}={value}" for k, value in around.items()]
            row += [f"{name}{k}{k + 1}={around[k]}|{around[k + 1]}" for k in (-2, -1, 0, 1)]
        if not tagged:
            row += [f"pre{k}={form[:k]}" for k in (1, 2, 3)] + [f"suf{k}={form[-k:]}" for k in (1, 2, 3)]
        rows.append(row)
    return rows


def crfsuite_labels(sentence: Sentence) -> list[str]:
    if "chunk" in sentence.extra:
        return BIES.encode(len(sentence), BIO.decode(sentence.extra["chunk"]))
    return sentence.upos


def _for_crfsuite(sentence: Sentence) -> Sentence:
    """The words, and tags where chunks are to be found."""
    twin = sentence.bare()
    twin.xpos = list(sentence.xpos) if "chunk" in sentence.extra else twin.xpos
    return twin


def train_crfsuite(train: list[Sentence], dev: list[Sentence], path: Path, quick: bool) -> None:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.0, "c2": 0.5, "max_iterations": 20 if quick else 150})
    for sentence in train:
        trainer.append(crfsuite_attributes(_for_crfsuite(sentence)), crfsuite_labels(sentence))
    trainer.train(str(path))


class CrfsuiteAnalyser:
    """CRFsuite from words: attributes are made in Python, as its users do."""

    def __init__(self, path: Path, kind: str) -> None:
        import pycrfsuite

        self.kind = kind
        self.sequence = pycrfsuite.ItemSequence
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(path))

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        self.given = [_for_crfsuite(sentence) for sentence in sentences]
        return list(self.given)

    def run(self, items: list[Any]) -> list[Any]:
        return [self.tagger.tag(crfsuite_attributes(item)) for item in items]

    def finish(self, results: list[Any]) -> list[Sentence]:
        for sentence, labels in zip(self.given, results, strict=True):
            if self.kind == "chunks":
                sentence.extra["chunk"] = BIO.encode(len(sentence), BIES.decode(labels))
            else:
                sentence.upos = list(labels)
        return self.given


class BareCrfsuite(CrfsuiteAnalyser):
    """Its decoder alone, on attributes made beforehand."""

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        return [self.sequence(crfsuite_attributes(sentence)) for sentence in super().prepare(sentences)]

    def run(self, items: list[Any]) -> list[Any]:
        return [*map(self.tagger.tag, items)]


class JiebaAnalyser:
    """jieba with its own dictionary and its own tags."""

    def __init__(self, path: Path, kind: str) -> None:
        import jieba
        import jieba.posseg

        with redirect_stdout(io.StringIO()):
            jieba.setLogLevel(60)
            jieba.initialize()
        self.cut = jieba.posseg.cut

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        return ["".join(sentence.forms) for sentence in sentences]

    def run(self, items: list[Any]) -> list[Any]:
        return [list(self.cut(item)) for item in items]

    def finish(self, results: list[Any]) -> list[Sentence]:
        return [Sentence([p.word for p in pairs], upos=[p.flag for p in pairs]) for pairs in results]


class FastJiebaAnalyser(JiebaAnalyser):
    """jieba's words alone, by its port to C."""

    def __init__(self, path: Path, kind: str) -> None:
        import jieba_fast

        jieba_fast.setLogLevel(60)
        jieba_fast.initialize()
        self.cut = jieba_fast.cut

    def finish(self, results: list[Any]) -> list[Sentence]:
        return [Sentence(words) for words in results]


def train_pkuseg(train: list[Sentence], dev: list[Sentence], path: Path, quick: bool) -> None:
    """A model of words alone, from files of words between spaces."""
    import spacy_pkuseg

    path.mkdir(exist_ok=True)
    files = [path / "train.txt", path / "dev.txt"]
    for file, sentences in zip(files, (train, dev or train[:100]), strict=True):
        file.write_text("".join(" ".join(sentence.forms) + "\n" for sentence in sentences), encoding="utf-8")
    with redirect_stdout(io.StringIO()):
        spacy_pkuseg.train(*map(str, files), str(path), train_iter=2 if quick else 20)
    for file in files:
        file.unlink()


class PkusegAnalyser(FastJiebaAnalyser):
    """A model of pkuseg, without its dictionary."""

    def __init__(self, path: Path, kind: str) -> None:
        import spacy_pkuseg

        self.cut = spacy_pkuseg.pkuseg(model_name=str(path), user_dict=None).cut


def train_nothing(train: list[Sentence], dev: list[Sentence], path: Path, quick: bool) -> None:
    """What comes with its own model."""
    path.write_text("comes with its own model\n")


SPACY_COMMAND = "spacy init config --pipeline tagger,parser --optimize efficiency; spacy train"
UDPIPE_COMMAND = "ufal.udpipe.Trainer.train('morphodita_parsito', ..., 'none', 'models=1', '')"
CRFSUITE_COMMAND = "pycrfsuite.Trainer, L-BFGS, c2 = 0.5, 150 iterations"
SPACY, UDPIPE, CRFSUITE = "spaCy, small pipeline", "UDPipe 1", "CRFsuite"
PEERS = (
    Contender(SPACY, "spacy", TREES, train_spacy, SpacyAnalyser, SPACY_COMMAND),
    Contender("spaCy, one sentence at a time", "spacy", TREES, train_spacy, SpacyOneByOne, SPACY_COMMAND, SPACY),
    Contender(UDPIPE, "ufal.udpipe", TREES, train_udpipe, UdpipeAnalyser, UDPIPE_COMMAND),
    Contender(
        "UDPipe 1, tagger alone", "ufal.udpipe", TREES, train_udpipe, UdpipeTagging, UDPIPE_COMMAND, UDPIPE, ("upos",)
    ),
    Contender(
        CRFSUITE, "python-crfsuite", (*TREES, *CHUNKS), train_crfsuite, CrfsuiteAnalyser, CRFSUITE_COMMAND,
        measured=("upos", "chunk_f1"),
    ),
    Contender(
        "CRFsuite, decoder alone", "python-crfsuite", (*TREES, *CHUNKS), train_crfsuite, BareCrfsuite,
        CRFSUITE_COMMAND, CRFSUITE, ("upos", "chunk_f1"),
    ),
    Contender(
        "pkuseg, words alone", "spacy-pkuseg", WORDS, train_pkuseg, PkusegAnalyser, "spacy_pkuseg.train",
        measured=("words",),
    ),
    Contender("jieba", "jieba", WORDS, train_nothing, JiebaAnalyser, "jieba.posseg.cut", measured=("words",)),
    Contender(
        "jieba_fast, words alone", "jieba-fast", WORDS, train_nothing, FastJiebaAnalyser, "jieba_fast.cut",
        measured=("words",),
    ),
)  # fmt: skip
