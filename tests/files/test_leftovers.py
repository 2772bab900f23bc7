"""Temporary files of processes that died are removed, those of living ones are not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plait.files import leftovers, locks, open_atomic
from plait.files.leftovers import remove_leftover, sweep
from plait.files.locks import LockedError, hold

pytestmark = pytest.mark.skipif(os.name == "nt", reason="on Windows, open files and age tell")

WRITER = """
import sys
from plait.files import open_atomic
with open_atomic(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""

HOLDER = """
import sys
from pathlib import Path
from plait.files.locks import hold
with hold(Path(sys.argv[1])):
    print("begun", flush=True)
    sys.stdin.read()
"""


def started(code: str, path: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_the_file_of_a_living_writer_stays_and_that_of_a_dead_one_goes(tmp_path: Path) -> None:
    process = started(WRITER, tmp_path / "a.conllu")
    (left,) = tmp_path.iterdir()
    sweep(tmp_path)
    assert not remove_leftover(left)
    assert left.exists()
    kill(process)
    assert left.exists()
    leftovers._swept.discard(tmp_path)
    with open_atomic(tmp_path / "b.conllu") as file:
        file.write("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b.conllu"]


def test_a_living_writer_finishes_while_others_sweep(tmp_path: Path) -> None:
    with open_atomic(tmp_path / "a") as file:
        file.write("whole")
        sweep(tmp_path)
    assert (tmp_path / "a").read_text() == "whole"


def test_files_of_others_are_never_swept(tmp_path: Path) -> None:
    for name in (".a.tmp", "a.plait-x.tmp", ".a.plait-x.tmp.gz", ".vimrc.swp"):
        (tmp_path / name).touch()
    sweep(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_folder_is_swept_once_by_a_process(tmp_path: Path) -> None:
    with open_atomic(tmp_path / "a"):
        pass
    (tmp_path / ".b.plait-x.tmp").touch()
    with open_atomic(tmp_path / "c"):
        pass
    assert (tmp_path / ".b.plait-x.tmp").exists()


def test_a_file_swept_before_it_was_claimed_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swept = []

    def claim(descriptor: int) -> bool:
        if not swept:
            (victim,) = tmp_path.iterdir()
            swept.append(victim)
            assert remove_leftover(victim)
        return leftovers.claim(descriptor)

    monkeypatch.setattr("plait.files.atomic.claim", claim)
    with open_atomic(tmp_path / "a") as file:
        file.write("whole")
    assert swept
    assert (tmp_path / "a").read_text() == "whole"


def test_a_lock_is_held_by_one_process_and_freed_by_death(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process = started(HOLDER, path)
    with pytest.raises(LockedError, match=f"process {process.pid} on "), hold(path):
        pass
    kill(process)
    assert path.exists()  # left by the dead process, and free
    with hold(path):
        assert f"process {os.getpid()} " in path.read_text()
        with pytest.raises(LockedError), hold(path):
            pass
    assert not path.exists()


def test_a_lock_file_that_its_holder_removed_in_the_meantime_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    tried: list[int] = []
    try_lock = locks.try_lock

    def late(descriptor: int) -> bool | None:
        if not tried:
            path.unlink()  # the holder ends between our opening the file and our locking it
        tried.append(descriptor)
        return try_lock(descriptor)

    monkeypatch.setattr(locks, "try_lock", late)
    with hold(path):
        assert path.exists()
    assert len(tried) == 2
