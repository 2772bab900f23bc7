"""The process of the ``plait`` command, with fast startup and exit."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from typing import NoReturn

from plait.cli.main import main

YOUNG = 200_000  # objects made before the garbage collector looks for cycles: importing alone makes more than 100,000


def run() -> NoReturn:
    """Run one command and end the process with its exit code.

    Tearing down an interpreter with a loaded model would take as long as parsing a dozen sentences; the operating
    system frees its memory anyway. Exit handlers are run first.
    """
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
    code = main()
    if threading.active_count() > 1 or sys.gettrace() is not None or sys.getprofile() is not None:
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # a full disk, a closed stream
        sys.exit(code)  # Python's own end says what it can
    os._exit(code)
