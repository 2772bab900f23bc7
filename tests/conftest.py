"""Where the large data files are: PLAIT_DATA, or ``../shared/data`` beside the checkout; tests without them skip."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("plait", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("plait")

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(autouse=True, scope="session")
def default_signals():
    """Signals have their default effect, also where tests run in the background and inherit that they are ignored."""
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(scope="session")
def data_files() -> Callable[[str], list[Path]]:
    """The data files that match a pattern; the test is skipped, with the reason, when there are none."""

    def find(pattern: str) -> list[Path]:
        found = sorted(DATA.glob(pattern))
        if not found:
            pytest.skip(f"no {pattern} in {DATA}; set PLAIT_DATA to the folder with the data")
        return found

    return find


@pytest.fixture(scope="session")
def tiny_file() -> Path:
    """A treebank of our own, learnt by heart in a second."""
    return Path(__file__).parents[1] / "examples" / "tiny.conllu"
