import os
from pathlib import Path

import pytest

from plait.data.document import Sentence
from plait.formats import write
from plait.formats.atomic import open_atomic

posix = pytest.mark.skipif(os.name == "nt", reason="permissions and links are of another kind on Windows")


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    with pytest.raises(FileNotFoundError), open_atomic(target, "wb") as file:
        file.write(Path(tmp_path / "none").read_bytes())
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_failing_sentences_leave_no_file(tmp_path: Path) -> None:
    def sentences() -> object:
        yield Sentence(["a"])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(sentences(), tmp_path / "a.conllu.gz")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@posix
def test_new_file_has_ordinary_permissions_and_old_one_keeps_its_own(tmp_path: Path) -> None:
    target = tmp_path / "a"
    mask = os.umask(0o027)
    try:
        with open_atomic(target) as file:
            file.write("x")
        assert target.stat().st_mode & 0o777 == 0o640
        target.chmod(0o600)
        with open_atomic(target) as file:
            file.write("é\n")
    finally:
        os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.read_bytes() == "é\n".encode()


@posix
def test_link_stays_a_link_and_a_device_is_written_directly(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with open_atomic(tmp_path / "link") as file:
        file.write("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "x"
    with open_atomic(os.devnull) as file:
        file.write("x")


def test_folder_that_is_missing_is_named_by_the_target(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, open_atomic(tmp_path / "no" / "a"):
        pass
    assert caught.value.filename == str(tmp_path / "no" / "a")
