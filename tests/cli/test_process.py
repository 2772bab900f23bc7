"""The process of the command: what it leaves behind when it ends without taking the interpreter apart."""

import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = "import sys; sys.argv = ['plait', *{arguments!r}]; import plait.cli.process as p\n"


def run(arguments, before="", **streams):
    program = BEFORE.format(arguments=arguments) + before + "\np.run()"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=not streams, text=True, timeout=60, **streams, check=False
    )


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["parse", "--model", "klingon", "x"], 2)])
def test_exit_codes_are_those_of_the_command(arguments, code):
    ended = run(arguments)
    assert ended.returncode == code
    assert (ended.stdout if code == 0 else ended.stderr).strip()
    assert subprocess.run([sys.executable, "-m", "plait", *arguments], capture_output=True).returncode == code


def test_all_output_arrives():
    """More than a pipe or a buffer holds at once."""
    ended = run(["--version"], "p.main = lambda: print('x' * 1_000_000) or 0")
    assert ended.stdout == "x" * 1_000_000 + "\n"


def test_what_is_registered_for_the_end_is_done():
    ended = run(["--version"], "import atexit; atexit.register(print, 'at the end')")
    assert ended.stdout.splitlines()[-1] == "at the end"


def test_threads_may_finish():
    begin = "import threading, time\ndef late():\n    time.sleep(0.3)\n    print('late', flush=True)\n"
    ended = run(["--version"], begin + "threading.Thread(target=late).start()")
    assert ended.stdout.splitlines()[-1] == "late"
    assert ended.returncode == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_no_success():
    with Path("/dev/full").open("w") as full:
        ended = run([], "p.main = lambda: print('x') or 0", stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode != 0
    assert "No space left" in ended.stderr


def test_the_interpreter_is_not_taken_apart():
    """That takes longer than an analysis; who measures or traces still gets it."""
    kept = "import os\nclass Kept:\n    def __del__(self, write=os.write): write(1, b'taken apart')\nkept = Kept()\n"
    assert "taken apart" not in run(["--version"], kept).stdout
    assert "taken apart" in run(["--version"], kept + "sys.setprofile(lambda *_: None)").stdout


def test_a_closed_stream_is_no_traceback():
    ended = run(["--version"], "p.main = lambda: sys.stdout.close() or 0")
    assert ended.returncode == 0
    assert "Traceback" not in ended.stderr
