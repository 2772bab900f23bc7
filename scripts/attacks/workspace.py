"""What all attacks share: a folder with tiny models of every system, and ways to call plait."""

from __future__ import annotations

import io
import random
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from attacks import ACCEPTED, REFUSED

ROOT = Path(__file__).parents[2]
TINY = ROOT / "examples" / "tiny.conllu"
FAULT = "internal error"  # how the command line begins what it did not expect

# every system, small enough to be trained in a second or two; several of some, for what their options switch on
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "easyfirst-tagger": ("easyfirst-tagger", {"epochs": 2, "bits": 32}),
    "easyfirst-parser": ("easyfirst-parser", {"epochs": 2, "folds": 2, "tagger_epochs": 2, "bits": 32}),
    "easyfirst-parser-beam": ("easyfirst-parser", {"epochs": 2, "folds": 2, "tagger_epochs": 2, "beam": 4, "bits": 8}),
    "easyfirst-joint": ("easyfirst-joint", {"epochs": 2, "bits": 16}),
    "easyfirst-joint-beam": ("easyfirst-joint", {"epochs": 2, "beam": 3, "table": "hash", "hash_bits": 10}),
    "perceptron-tagger": ("perceptron-tagger", {"epochs": 2}),
    "crf-tagger": ("crf-tagger", {"optimizer": "adagrad", "epochs": 2}),
    "crf-chunker": ("crf-chunker", {"optimizer": "adagrad", "epochs": 2}),
    "crf-segmenter": ("crf-segmenter", {"optimizer": "adagrad", "epochs": 2}),
    "crf-segmenter-hybrid": ("crf-segmenter", {"optimizer": "adagrad", "epochs": 2, "structure": "hybrid"}),
    "transition-parser": ("transition-parser", {"epochs": 2, "folds": 2, "tagger_epochs": 2, "beam": 1}),
    "transition-joint": (
        "transition-joint",
        {"epochs": 2, "folds": 2, "tagger_epochs": 2, "beam": 4, "graph_features": True},
    ),
    "graph-parser": ("graph-parser", {"folds": 2, "epochs": 2}),
    "graph-joint": ("graph-joint", {"folds": 2, "epochs": 2}),
    "pipeline": ("pipeline", {}),
    "morph-tagger": ("morph-tagger", {"epochs": 2}),
    "lemmatizer": ("lemmatizer", {"epochs": 2}),
    "transition-morphology": (
        "transition-joint",
        {"epochs": 2, "folds": 2, "tagger_epochs": 2, "beam": 2, "morphology": "on"},
    ),
    "transition-weave": ("transition-weave", {"epochs": 2, "folds": 2, "tagger_epochs": 2, "beam": 4}),
    "graph-guided": ("graph-joint", {"folds": 2, "epochs": 2, "guide": "easyfirst-parser epochs=1", "guide_folds": 2}),
    "committee": (
        "committee",
        {
            "members": "easyfirst-joint epochs=2; transition-joint epochs=2 beam=2 folds=2; perceptron-tagger epochs=2",
            "weights": "equal",
        },
    ),
}


class Workspace:
    """A folder for one run; models are trained when they are first asked for, by whichever worker is first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._content: dict[str, bytes] = {}

    def model_bytes(self, name: str) -> bytes:
        """The file of a tiny model."""
        if name not in self._content:
            self._content[name] = self.model_path(name).read_bytes()
        return self._content[name]

    def model_path(self, name: str) -> Path:
        """Where the tiny model is; it is trained now if it is not there yet."""
        path = self.folder / f"{name}.plait"
        if not path.exists():
            import plait

            system, options = SYSTEMS[name]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plait.train(system, train=str(self.treebank(name)), **options).save(path)
        return path

    def treebank(self, name: str) -> Path:
        """What the model of this name is trained on."""
        if name in ("morph-tagger", "lemmatizer", "transition-morphology"):
            return self._with_features()
        if not name.startswith("crf-chunker"):
            return TINY
        path = self.folder / "tiny.conll2000"
        if not path.exists():
            path.write_text(CHUNKS, encoding="utf-8")
        return path

    def _with_features(self) -> Path:
        """The tiny treebank with features that follow from the forms."""
        path = self.folder / "features.conllu"
        if not path.exists():
            import plait

            document = plait.read(TINY)
            for sentence in document:
                sentence.feats = [
                    f"Case={form[0].isupper()}|End={form[-1]}" if form[-1].isalpha() else "_" for form in sentence.forms
                ]
            plait.write(document, path)
        return path


CHUNKS = "\n".join(
    "\n".join(line.split(" | ")) + "\n"
    for line in (
        "The DT B-NP | cat NN I-NP | sleeps VBZ B-VP | . . O",
        "A DT B-NP | small JJ I-NP | dog NN I-NP | saw VBD B-VP | the DT B-NP | house NN I-NP | . . O",
        "She PRP B-NP | walks VBZ B-VP | quickly RB B-ADVP | . . O",
    )
)


def command(*arguments: str, stdin: str | None = None) -> str:
    """Run a command of plait in this process; an exit code that means nothing, or a fault, is an error of its own."""
    from plait.cli.main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))  # commands may write bytes
    with redirect_stdout(out), redirect_stderr(err), _given(stdin), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(list(arguments))
    err.flush()
    told = err.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]
    if code not in (0, 1, 2) or FAULT in told or "No such option" in told or "extra argument" in told:
        raise AssertionError(f"plait {' '.join(arguments)}: exit code {code}: {told.strip()[-400:]}")
    return REFUSED if code == 2 else ACCEPTED


class _given:  # noqa: N801 (used as a function)
    """Standard input for a while."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __enter__(self) -> None:
        import sys

        self.old = sys.stdin
        if self.text is not None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(self.text.encode("utf-8", "surrogatepass")), encoding="utf-8")

    def __exit__(self, *error: object) -> None:
        import sys

        sys.stdin = self.old


WILD_NUMBERS = [
    0, 1, -1, 2, 7, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30, -(10**30),
    0.5, -0.0, 1e-30, 1e30, 9e29, -9e29, 3.4e38, 1e308, 5e-324,
]  # fmt: skip
WILD_TEXTS = [
    "", " ", "a", "w0", "\t", "\n", "\0", "\x1b[31m", "的", "😀", "e\u0301", "\u202e", "\ufeff", "_", "root",
    "B-NP", "O", "upos", "a" * 10_000, "x\ty", "../../etc/passwd", "%s%n", "{}", "<script>", "-" * 50, "1" * 400,
]  # fmt: skip


def wild(rng: random.Random, depth: int = 0) -> Any:
    """An unexpected value, as JSON can hold it."""
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind < 2:
        return rng.choice(WILD_NUMBERS)
    if kind < 4:
        return rng.choice(WILD_TEXTS)
    if kind == 4:
        return rng.choice([None, True, False])
    if kind == 5:
        return rng.choice([[], {}, [[]], {"": {}}])
    if kind == 6:
        return [wild(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {str(wild(rng, 9))[:20]: wild(rng, depth + 1) for _ in range(rng.randrange(4))}
    inner: Any = wild(rng, 9)
    for _ in range(rng.choice([3, 50, 900])):
        inner = [inner]
    return inner


@cache
def alphabet() -> str:
    """Characters of all kinds: letters of many scripts, marks, spaces, controls, symbols beyond the first plane."""
    blocks = [
        (0, 0x250), (0x300, 0x370), (0x370, 0x600), (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200),
        (0x2000, 0x2070), (0x20D0, 0x20F0), (0x3000, 0x3100), (0x4E00, 0x4E80), (0xAC00, 0xAC40), (0xFE00, 0xFE10),
        (0xFFF0, 0x10000), (0x1F1E6, 0x1F200), (0x1F3FB, 0x1F400), (0x1F468, 0x1F470), (0xE0000, 0xE0080),
    ]  # fmt: skip
    return "".join(chr(c) for first, end in blocks for c in range(first, end) if not 0xD800 <= c < 0xE000)


def random_text(rng: random.Random, longest: int = 200) -> str:
    """Text of known words and of anything at all."""
    words = [
        "The",
        "cat",
        "sleeps",
        ".",
        "Dogs",
        "bark",
        "don't",
        "狗",
        "在",
        "北京",
        "\n",
        "\n\n",
        "\t",
        "123",
        "a.b.c",
        "http://x.y",
    ]
    pieces = []
    for _ in range(rng.randrange(1, max(2, int(rng.paretovariate(0.7)) % longest))):
        if rng.random() < 0.5:
            pieces.append(rng.choice(words))
        else:
            pieces.append("".join(rng.choices(alphabet(), k=rng.randrange(1, 8))))
        pieces.append(rng.choice(["", " ", " ", "  ", "\u3000"]))
    return "".join(pieces)
