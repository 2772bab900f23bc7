"""Which lines of some modules each test executes, and how long it takes."""

from __future__ import annotations

import ast
import hashlib
import json
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .fixtures import key_of

Spot = tuple[str, str, int]  # module, function, line from the function's first line

ENOUGH = 100  # calls of a function that are watched in a test
SLOWEST = 3.0  # seconds of processor time that a test may take, watched
SLOWEST_FIXTURE = 30.0  # and a fixture that is made once


def observe(items: list[pytest.Item], modules: dict[str, str], result: Path) -> None:
    """Run the tests and write down what was seen, of fixtures that are made once apart."""
    names = dict(modules)
    for path in names:
        _read_definitions(path)
    spots: set[Spot] = set()

    def line(frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        function = code.co_qualname.partition(".<locals>")[0]
        spots.add((names[code.co_filename], function, frame.f_lineno - _first_line(code)))
        return line

    calls: Counter[CodeType] = Counter()

    def call(frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        if code.co_filename not in names:
            return None
        calls[code] += 1  # a loop that calls it thousands of times shows nothing new, and watching is slow
        return line(frame, event, argument) if calls[code] < ENOUGH else None

    shared: dict[str, tuple[float, list[Spot]]] = {}
    in_fixtures = [0.0]

    class Fixtures:
        """Notes what fixtures execute that are made once."""

        @pytest.hookimpl(wrapper=True)
        def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
            if fixturedef.scope == "function":
                return (yield)
            before, start = set(spots), time.process_time()
            spots.clear()
            left, _ = signal.setitimer(signal.ITIMER_PROF, SLOWEST_FIXTURE)
            try:
                return (yield)
            finally:
                signal.setitimer(signal.ITIMER_PROF, left)
                seconds = time.process_time() - start
                in_fixtures[0] += seconds
                shared[key_of(fixturedef, request.param_index)] = (round(seconds, 4), sorted(spots))
                spots.clear()
                spots.update(before)

    items[0].session.config.pluginmanager.register(Fixtures())
    tests: dict[str, tuple[float, list[Spot]]] = {}
    states: dict[str, str] = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        spots.clear()
        calls.clear()
        in_fixtures[0] = 0.0
        start = time.process_time()
        threading.settrace(call)
        sys.settrace(call)
        signal.signal(signal.SIGPROF, _too_slow)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        reports = runtestprotocol(item, log=False, nextitem=following)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.settrace(None)
        if any(report.failed for report in reports):
            print(f"{item.nodeid} is slow, or fails without any mutant: left out", file=sys.__stderr__, flush=True)
        elif not any(report.skipped for report in reports):
            tests[item.nodeid] = (round(time.process_time() - start - in_fixtures[0], 4), sorted(spots))
        states[item.nodeid] = digest(item.path)
        if following is None or following.path != item.path:  # what is known is kept, whatever comes next
            imported = [name for name in sys.modules if not name.startswith(("_", "test"))]
            seen = {"states": states, "tests": tests, "shared": shared, "imported": imported}
            result.write_text(json.dumps(seen), encoding="utf-8")


@cache
def digest(path: Path) -> str:
    """Of a test file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _too_slow(*_: object) -> None:
    raise TimeoutError


_FIRST: dict[CodeType, int] = {}
_DEFINITIONS: dict[str, list[tuple[int, int, int]]] = {}  # of a file: with decorators from, to, and the ``def`` itself


def _read_definitions(path: str) -> None:
    """Before any test runs, which may put something else in the place of what reads files."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    _DEFINITIONS[path] = [
        (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or node.lineno, node.lineno)
        for node in (*tree.body, *(n for c in tree.body if isinstance(c, ast.ClassDef) for n in c.body))
        if isinstance(node, ast.FunctionDef)
    ]


def _first_line(code: CodeType) -> int:
    """Line of the outermost ``def`` around the code."""
    if code not in _FIRST:
        around = [line for a, b, line in _DEFINITIONS[code.co_filename] if a <= code.co_firstlineno <= b]
        _FIRST[code] = around[-1] if around else code.co_firstlineno
    return _FIRST[code]
