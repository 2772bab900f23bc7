import errno
import os
import stat
from pathlib import Path

import pytest

from plait.data.document import Sentence
from plait.files import disk, open_atomic
from plait.formats import write

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


@posix
def test_the_content_is_on_the_disk_before_the_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        order.append(
            "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else f"{os.fstat(descriptor).st_size} bytes"
        )
        fsync(descriptor)

    def replaced(self: Path, target: Path) -> Path:
        order.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    with open_atomic(tmp_path / "a") as file:
        file.write("whole")
    assert order == ["5 bytes", "name", "folder"]


def test_windows_waits_for_a_reader_of_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Path] = []
    replace = Path.replace

    def refused_twice(self: Path, target: Path) -> Path:
        tries.append(target)
        if len(tries) <= 2:
            raise PermissionError(errno.EACCES, "The process cannot access the file")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refused_twice)
    with pytest.raises(PermissionError), open_atomic(tmp_path / "a") as file:  # elsewhere it is a matter of rights
        file.write("new")
    assert len(tries) == 1
    tries.clear()
    monkeypatch.setattr(disk, "WINDOWS", True)
    with open_atomic(tmp_path / "a") as file:
        file.write("new")
    assert len(tries) == 3
    assert (tmp_path / "a").read_text() == "new"


def test_windows_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, target: Path) -> Path:
        raise PermissionError(errno.EACCES, "The process cannot access the file", str(self), 32, str(target))

    monkeypatch.setattr(Path, "replace", refused)
    monkeypatch.setattr(disk, "WINDOWS", True)
    monkeypatch.setattr(disk, "PATIENCE", 0.05)
    (tmp_path / "a").write_text("old")
    with pytest.raises(PermissionError) as caught, open_atomic(tmp_path / "a") as file:
        file.write("new")
    assert caught.value.filename == str(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@posix
def test_macos_writes_through_the_cache_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(disk.fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(disk.fcntl, "fcntl", lambda descriptor, command: asked.append(command))
    with open_atomic(tmp_path / "a") as file:
        file.write("whole")
    assert 51 in asked


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_a_full_disk_is_named_by_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def write_to_full_disk() -> None:
        with open_atomic(tmp_path / "a") as file:
            file.write("new")
            if step == "write":
                full()

    (tmp_path / "a").write_text("old")
    if step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as caught:
        write_to_full_disk()
    assert caught.value.filename == str(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_device_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space") as caught, open_atomic("/dev/full") as file:
        file.write("x")
    assert caught.value.filename == "/dev/full"


def test_an_error_that_names_another_file_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="source") as caught, open_atomic(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "No space left on device", "source")
    assert caught.value.filename == "source"


@pytest.mark.parametrize("step", ["claim", "os.fdopen"])
def test_a_signal_between_the_first_steps_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupted(*args: object, **options: object) -> None:
        assert len(list(tmp_path.iterdir())) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(f"plait.files.atomic.{step}", interrupted)
    with pytest.raises(KeyboardInterrupt), open_atomic(tmp_path / "a.txt") as file:
        file.write("never")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
