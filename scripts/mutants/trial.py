"""A pytest plugin that tries mutants: one collection, then a fork for each, which runs the tests that touch the change.

First a fork runs all tests and notes which lines of the room each of them executes, and how long it takes; what is
known of a test file is kept as long as the file stays as it is. A mutant is put in place by giving the function another
code object, and tried with quick tests of little else first, until one fails or the time for a mutant is over.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import mmap
import os
import resource
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .forks import in_fork, live_functions, put
from .generation import Mutant
from .observation import Spot, digest, observe

_INVALID = 99  # exit code: the mutant could not be put in place
MEMORY = 6 << 30  # bytes a mutant may map


class Trial:
    """Tries ``mutants`` and calls ``done(mutant, verdict)`` for each, until ``deadline``."""

    def __init__(
        self,
        mutants: list[Mutant],
        modules: dict[str, str],
        notes: Path,
        seconds: float,
        deadline: float,
        done: Callable[[Mutant, str], None],
    ) -> None:
        self.mutants, self.modules, self.notes = mutants, modules, notes
        self.seconds, self.deadline, self.done = seconds, deadline, done

    def pytest_collection(self) -> None:
        """Tests of hypothesis do the same each time, and do not look for the smallest example."""
        import hypothesis  # not before pytest has prepared it

        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutate", hypothesis.settings.get_profile("plait"), derandomize=True, database=None, phases=phases
        )
        hypothesis.settings.load_profile("mutate")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running the tests."""
        for module in self.modules.values():
            importlib.import_module(module)
        notes = self._notes(session)
        for module in notes["imported"]:  # once, not in every fork
            with contextlib.suppress(Exception):
                importlib.import_module(module)
        by_spot: dict[Spot, set[str]] = defaultdict(set)
        by_function: dict[tuple[str, str], set[str]] = defaultdict(set)
        breadth = {name: len(spots) for name, (_, spots) in notes["tests"].items()}
        for name, (_, spots) in notes["tests"].items():
            for module, function, line in spots:
                by_spot[module, function, line].add(name)
                by_function[module, function].add(name)
        items = {item.nodeid: item for item in session.items}
        live = live_functions(self.modules)
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined] # once, too
        killers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        gc.collect()
        gc.freeze()

        def tests(mutant: Mutant) -> dict[str, float]:
            """The tests that execute the changed statement, and their seconds."""
            function, (first, last) = (mutant.module, mutant.name), mutant.statement
            names = set().union(*(by_spot[(*function, line)] for line in range(first, last + 1)))
            names = (names if first > 0 else by_function[function]) & items.keys()
            return {name: notes["tests"][name][0] for name in names}

        # those first that cost least if they survive
        for mutant in sorted(self.mutants, key=lambda mutant: min(sum(tests(mutant).values()), self.seconds)):
            if time.time() > self.deadline:
                break
            function, seconds = (mutant.module, mutant.name), tests(mutant)
            likely = killers[function]
            chosen, total = [], 0.0
            # first what is quick, executes little else, and has killed other mutants of the function
            for name in sorted(seconds, key=lambda n: (seconds[n] * breadth[n] / (1 + 20 * likely[n]), n)):
                if chosen and total + seconds[name] > self.seconds:
                    break
                chosen.append(items[name])
                total += seconds[name]
            if not chosen or function not in live:
                self.done(mutant, "no test")
                continue
            verdict, killer = _try(mutant, live[function], chosen, [seconds[item.nodeid] for item in chosen])
            likely.update(killer)
            self.done(mutant, verdict)
        return True

    def _notes(self, session: pytest.Session) -> dict[str, Any]:
        """What each test executes; new and changed test files are run."""
        notes: dict[str, Any] = {"states": {}, "tests": {}, "imported": []}
        seen = self.notes.with_suffix(".new")  # perhaps of a run that was cut short

        def add(path: Path) -> None:
            if path.exists():
                found = json.loads(path.read_text(encoding="utf-8"))
                notes["imported"] = sorted({*notes["imported"], *found["imported"]})
                notes["tests"] |= found["tests"]
                notes["states"] |= found["states"]

        add(self.notes)
        add(seen)
        new = [item for item in session.items if notes["states"].get(item.nodeid) != digest(item.path)]
        if new:
            in_fork(lambda: observe(new, self.modules, seen))
            add(seen)
            self.notes.write_text(json.dumps(notes), encoding="utf-8")
        return notes


class _FirstFailure:
    """Ends the process at the first failure, before pytest describes it, which takes longer than most tests."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
            os._exit(1)


def _try(
    mutant: Mutant, live: list[FunctionType], items: list[pytest.Item], seconds: list[float]
) -> tuple[str, list[str]]:
    """The verdict of a fork, and the test that killed the mutant."""
    told = mmap.mmap(-1, 4)

    def run() -> None:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        items[0].config.pluginmanager.register(_FirstFailure())
        try:
            put(mutant, live)
        except Exception:
            os._exit(_INVALID)
        for k, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            told[:] = k.to_bytes(4)
            signal.setitimer(signal.ITIMER_PROF, 5 * seconds[k] + 0.5)  # of processor time; then a signal ends it
            runtestprotocol(item, log=False, nextitem=following)

    status = in_fork(run, limit=10 + 15 * sum(seconds))  # a deadlock takes no processor time
    if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF):
        return "timeout", []
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _INVALID:
        return "invalid", []
    return ("survived", []) if status == 0 else ("killed", [items[int.from_bytes(told)].nodeid])
