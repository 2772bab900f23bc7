"""Compressed files, whole, joined, padded, cut and with something else behind them."""

import gzip
import lzma
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from plait.cli.main import main
from plait.errors import FormatError
from plait.formats import read
from plait.formats.compression import zstd_library

SENTENCE = b"1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
DRAW = random.Random(1)
CONTENT = b"".join(SENTENCE.replace(b"Hi", b"%x" % DRAW.getrandbits(64)) for _ in range(2000))  # many slices, packed

SMALL = b"\n\n".join(CONTENT.split(b"\n\n")[:40]) + b"\n\n"

PACKERS = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd_library().compress}

Packer = Callable[[bytes], bytes]


@pytest.fixture(params=PACKERS)
def pack(request: pytest.FixtureRequest) -> Packer:
    return PACKERS[request.param]


def test_whole_joined_and_padded_files_are_read(pack: Packer) -> None:
    packed = pack(CONTENT)
    assert len(packed) > 5000
    for content, sentences in (
        (packed, 2000),
        (packed * 3, 6000),
        (packed + bytes(4), 2000),
        (packed + bytes(8192) + packed, 4000),
    ):
        assert len(read(content, "conllu")) == sentences


@pytest.mark.parametrize("garbage", [b"x", b"garbage", SENTENCE, b"\xff" * 100_000, b"\0\0\0\0x"], ids=repr)
def test_what_follows_the_compressed_data_is_refused(pack: Packer, garbage: bytes) -> None:
    with pytest.raises(FormatError, match=r"the compressed file is truncated or damaged \((something else|it ends)"):
        read(pack(CONTENT) + garbage, "conllu", on_error="skip")


def test_a_file_cut_anywhere_is_refused(pack: Packer) -> None:
    packed = pack(SMALL)
    for end in [*range(6, len(packed), 7), len(packed) - 1]:
        with pytest.raises(FormatError, match="the compressed file is truncated"):
            read(packed[:end], "conllu")
        with pytest.raises(FormatError, match="the compressed file is truncated"):
            read(packed + packed[:end], "conllu")


def test_a_flipped_byte_is_never_read_as_the_same_content(pack: Packer) -> None:
    packed = bytearray(pack(SMALL))
    whole = read(bytes(packed), "conllu")
    for at in range(len(packed) // 2, len(packed) - 4, 5):
        packed[at] ^= 0x55
        with suppress(FormatError):
            assert read(bytes(packed), "conllu", on_error="skip") != whole
        packed[at] ^= 0x55


def test_the_command_names_the_file(pack: Packer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.conllu.packed"
    for content in (pack(CONTENT)[:-5], pack(CONTENT) + b"garbage"):
        path.write_bytes(content)
        assert (
            main(["convert", "--from", "conllu", "--to", "json", "--input", str(path), "--output", f"{path}.json"]) == 2
        )
        error = capsys.readouterr().err
        assert error.startswith(f"error: {path}:")
        assert "truncated or damaged" in error
        assert not Path(f"{path}.json").exists()
