"""Treebanks in every format, mutated, through every command that reads them."""

from __future__ import annotations

import random
from functools import cache

from attacks.workspace import TINY, WILD_TEXTS, Workspace, alphabet, command

TRAINED = ("perceptron-tagger", "easyfirst-joint", "crf-segmenter", "transition-joint", "graph-parser", "crf-chunker")

MODELS = ("easyfirst-joint", "transition-joint", "graph-joint", "crf-tagger", "pipeline")


def run(seed: int, workspace: Workspace) -> str:
    """Mutate one file and give it to one command."""
    rng = random.Random(seed)
    format = rng.choice(["conllu", "conllu", "conllu", *known_formats()])
    content = mutate(rng, _sound(format, workspace))
    path, out = workspace.folder / f"treebank-{seed}", workspace.folder / f"out-{seed}"
    path.write_bytes(content)
    model = str(workspace.model_path(rng.choice(MODELS)))
    other = rng.choice(known_formats())
    rest = [
        ("validate", str(path)),
        ("convert", "--input", str(path), "--from", format, "--to", other, "--output", str(out)),
        ("convert", "--input", str(path), "--from", format, "--to", other, "--on-error", "skip", "--output", str(out)),
        ("evaluate", str(TINY), str(path)),
        ("evaluate", str(path), str(path)),
        ("parse", "--model", model, "--to", "conllu", "--from", format, "--input", str(path), "--output", str(out)),
        (
            "parse",
            "--model",
            model,
            "--to",
            "conllu",
            "--from",
            format,
            "--input",
            str(path),
            "--keep",
            "heads",
            "--output",
            str(out),
        ),
        ("train", rng.choice(TRAINED), "--train", str(path), "--output", str(out), "--epochs", "1", "--seed", "1"),
    ]
    try:
        return command(*rng.choice(rest))
    finally:
        for left in (path, out):
            left.unlink(missing_ok=True)


@cache
def known_formats() -> tuple[str, ...]:
    """Those that plait reads and writes."""
    from plait.formats import FORMATS as REGISTERED

    return tuple(name for name, format in REGISTERED.items() if format.read is not None and format.write is not None)


def _sound(format: str, workspace: Workspace) -> bytes:
    path = workspace.folder / f"sound.{format}"
    if not path.exists():
        command("convert", "--input", str(TINY), "--to", format, "--output", str(path))
    return path.read_bytes()


def mutate(rng: random.Random, content: bytes) -> bytes:
    """A few changes of bytes, fields or lines."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        lines = content.split(b"\n")
        at = rng.randrange(len(lines))
        change = rng.randrange(9)
        if change == 0 and content:
            damaged = bytearray(content)
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            content = bytes(damaged)
            continue
        if change == 1:
            content = content[: rng.randrange(len(content) + 1)]
            continue
        if change == 2:
            lines[at] = rng.choice(lines)
        elif change == 3:
            lines.insert(at, rng.choice(lines))
        elif change == 4:
            del lines[at]
        elif change == 5:
            fields = lines[at].split(b"\t")
            fields[rng.randrange(len(fields))] = _field(rng)
            lines[at] = b"\t".join(fields)
        elif change == 6:
            fields = lines[at].split(b"\t")
            rng.shuffle(fields)
            lines[at] = b"\t".join(fields)
        elif change == 7:
            lines[at] = lines[at].replace(rng.choice([b"\t", b" ", b"_", b"1"]), _field(rng))
        else:
            lines[at] += rng.choice([b"\r", b"\x0c", b"\xe2\x80\xa8", b"\x00", b"\t", b"|", b"=", b"\xef\xbb\xbf"])
        content = b"\n".join(lines)
    return content


def _field(rng: random.Random) -> bytes:
    chosen = rng.choice(
        [rng.choice(WILD_TEXTS), str(rng.choice([0, -1, 1, 2, 99, 10**20])), "1-2", "2.1", "1-1", "0:root", "A=B|A=B",
         "SpaceAfter=No", "".join(rng.choices(alphabet(), k=rng.randrange(1, 6)))]
    )  # fmt: skip
    return chosen.encode("utf-8", "surrogatepass")
