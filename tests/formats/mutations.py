"""Treebanks damaged as files are in practice and in malice: seeded, so that a failure can be made again.

python tests/formats/mutations.py train.conllu 7 > damaged.conllu
"""

from __future__ import annotations

import gzip
import lzma
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

# what a field, line or stretch of bytes is replaced by
FIELDS = [
    *(b"", b"_", b" ", b"0", b"1", b"2", b"-1", b"+1", b"01", b"1-2", b"2-1", b"1.1", b"0.1", b"1e3", b"1.5", b"nan"),
    *(b"99999999999999999999", b"4294967296", b"-9223372036854775809", "１".encode(), "٣".encode(), "²".encode()),
    *(b"a b", b"a\xc2\xa0b", "\u3000".encode(), "\u2028".encode(), b"\x85", b"\x0b", b"\x0c", b"\x1c", b"\x7f"),
    *(b"A=1|B=2", b"|", b"=", b"A=", b"=1", b"A=1|A=1", b"0:root", b"1:", b":x", b"9:x", b"1.1:x", b"SpaceAfter=No"),
    *(b"Extra:a=1", b"Extra:=", b"Extra:a=%7C|Extra:a=2", b"%", b"%zz", b"{}", b"%s%n", b"../../x", b"<b>&amp;", b"\\"),
    *("é".encode(), "e\u0301".encode(), "\u200f".encode(), "\U0001f469\u200d\U0001f4bb".encode(), b"\xed\xa0\x80"),
    *(
        b"\xff",
        b"\xfe\xff",
        b"\xc3",
        b"\xf4\x90\x80\x80",
        b"\0",
        b"\r",
        b"\t",
        b"\t\t",
        b"#",
        b"# sent_id = ",
        b"x" * 70_000,
    ),
]
LINES = [
    *(
        b"",
        b" ",
        b"\t",
        b"#",
        b"# text = ",
        b"# sent_id = x",
        b"# newdoc",
        b"# newpar id = ",
        b"#" * 5000,
        b"\xef\xbb\xbf",
    ),
    *(
        b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        b"1-2\tab" + b"\t_" * 8,
        b"0.1\te" + b"\t_" * 8,
        b"a b c",
        b"{",
        b'{"forms": []}',
    ),
    b"\t".join([b"1"] * 14),
]

Mutation = Callable[[bytes, random.Random], bytes]


def _field(content: bytes, draw: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    fields = lines[at].split(b"\t")
    fields[draw.randrange(len(fields))] = draw.choice(FIELDS)
    lines[at] = b"\t".join(fields)
    return b"\n".join(lines)


def _field_count(content: bytes, draw: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    fields = lines[at].split(b"\t")
    if draw.random() < 0.5:
        del fields[draw.randrange(len(fields))]
    else:
        fields.insert(draw.randrange(len(fields) + 1), draw.choice(FIELDS))
    lines[at] = b"\t".join(fields)
    return b"\n".join(lines)


def _line(content: bytes, draw: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = draw.randrange(len(lines))
    kind = draw.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, draw.choice(LINES))
    elif kind == 2:
        lines.insert(at, lines[draw.randrange(len(lines))])
    else:
        other = draw.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)


def _bytes(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 10])):
        if changed:
            changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _stretch(content: bytes, draw: random.Random) -> bytes:
    begin = draw.randrange(len(content) + 1)
    end = min(len(content), begin + draw.choice([0, 1, 5, 100]))
    return content[:begin] + draw.choice(FIELDS + LINES) + content[end:]


def _cut(content: bytes, draw: random.Random) -> bytes:
    return content[: draw.randrange(len(content) + 1)]


def _whole(content: bytes, draw: random.Random) -> bytes:
    """What a program on another system does to the whole file."""
    ways: list[Mutation] = [
        lambda c, _: c.replace(b"\n", b"\r\n"),
        lambda c, _: c.replace(b"\n", b"\r"),
        lambda c, _: c.replace(b"\n\n", b"\n \n"),
        lambda c, _: c.replace(b"\n\n", b"\n"),
        lambda c, _: c.replace(b"\t", b"    "),
        lambda c, _: b"\xef\xbb\xbf" + c,
        lambda c, _: c.decode("utf-8", "replace").encode("utf-16"),
        lambda c, _: c.decode("utf-8", "replace").encode("latin-1", "replace"),
        lambda c, _: c.rstrip(b"\n"),
        lambda c, _: gzip.compress(c, mtime=0),
        lambda c, d: gzip.compress(c, mtime=0)[: -d.randrange(1, 20)],
        lambda c, _: lzma.compress(c) + b"tail",
        lambda c, _: b"",
    ]
    return draw.choice(ways)(content, draw)


MUTATIONS: list[Mutation] = [_field, _field, _field_count, _line, _line, _bytes, _stretch, _cut, _whole]


def mutate(content: bytes, seed: int) -> bytes:
    """The content with one to four things done to it, the same for the same seed."""
    draw = random.Random(seed)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        content = draw.choice(MUTATIONS)(content, draw)
    return content


def mutants(content: bytes, count: int, first_seed: int = 0) -> Iterator[tuple[int, bytes]]:
    """(seed, damaged content) for so many seeds."""
    for seed in range(first_seed, first_seed + count):
        yield seed, mutate(content, seed)


if __name__ == "__main__":
    sys.stdout.buffer.write(mutate(Path(sys.argv[1]).read_bytes(), int(sys.argv[2])))
