"""A pytest plugin that tries mutants: one collection, then a fork for each, which runs the tests that touch the change.

First a fork runs all tests and notes which lines of the package each of them executes, and how long it takes; what is
known of a test file is kept as long as the file stays as it is. Fixtures that tests share are made before the forks. A
mutant is put in place by giving the function another code object, and tried with quick tests of little else first,
until one fails or the time for a mutant is over.
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

from .fixtures import Keeper, Kept, shared_fixtures
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
        items = {item.nodeid: item for item in session.items}
        live = live_functions(self.modules)
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined] # once, too
        kept = Kept()
        session.config.pluginmanager.register(kept)
        session.config.pluginmanager.register(Keeper(kept))
        plan = Plan(notes, items, kept)
        killers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        gc.collect()
        gc.freeze()
        # those first that cost least if they survive
        for mutant in sorted(self.mutants, key=lambda mutant: min(sum(plan.tests(mutant).values()), self.seconds)):
            if time.time() > self.deadline:
                break
            function, seconds = (mutant.module, mutant.name), plan.tests(mutant)
            likely, breadth = killers[function], plan.breadth
            # half of the time for what has killed other mutants of the function, the rest for what is quick and
            # executes little else
            names: dict[str, None] = {}
            total = 0.0
            for share, weight in ((0.5, 20), (1.0, 0)):
                for name in sorted(seconds, key=lambda n: (seconds[n] * breadth[n] / (1 + weight * likely[n]), n)):
                    if name not in names and total + seconds[name] <= share * self.seconds:
                        names[name] = None
                        total += seconds[name]
            chosen = [items[name] for name in names or sorted(seconds, key=seconds.__getitem__)[:1]]
            if not chosen or function not in live:
                self.done(mutant, "no test")
                continue
            kept.stale = plan.stale(mutant)
            verdict, killer = _try(mutant, live[function], chosen, [seconds[item.nodeid] for item in chosen])
            likely.update(killer)
            self.done(mutant, verdict)
        return True

    def _notes(self, session: pytest.Session) -> dict[str, Any]:
        """What each test executes; new and changed test files are run."""
        notes: dict[str, Any] = {"states": {}, "tests": {}, "shared": {}, "imported": []}
        seen = self.notes.with_suffix(".new")  # perhaps of a run that was cut short

        def add(path: Path) -> None:
            if path.exists():
                found = json.loads(path.read_text(encoding="utf-8"))
                notes["imported"] = sorted({*notes["imported"], *found["imported"]})
                for part in ("states", "tests", "shared"):
                    notes[part] |= found[part]

        add(self.notes)
        add(seen)
        new = [item for item in session.items if notes["states"].get(item.nodeid) != digest(item.path)]
        if new:
            in_fork(lambda: observe(new, self.modules, seen))
            add(seen)
            self.notes.write_text(json.dumps(notes), encoding="utf-8")
        return notes


class Plan:
    """Which tests a mutant is tried with, and which fixtures have to be made again."""

    def __init__(self, notes: dict[str, Any], items: dict[str, Any], kept: Kept) -> None:
        self.own = {name: seconds for name, (seconds, _) in notes["tests"].items() if name in items}
        self.breadth = {name: 1 + len(spots) for name, (_, spots) in notes["tests"].items()}
        used = {name: shared_fixtures(items[name]) for name in self.own}
        kept.make([items[name] for name in self.own])
        self.uses = {name: [key for key in keys if key in notes["shared"]] for name, keys in used.items()}
        self.cost = {key: seconds for key, (seconds, _) in notes["shared"].items()}
        self.always = self.cost.keys() - kept.values.keys()  # those that could not be kept
        self.needs: dict[str, set[str]] = defaultdict(set)
        for keys in used.values():
            names = {definition.argname: key for key, definition in keys.items()}
            for key, definition in keys.items():
                self.needs[key].update(names[name] for name in definition.argnames if name in names)
        self.tests_by_spot = _by_spot({name: notes["tests"][name][1] for name in self.own})
        self.fixtures_by_spot = _by_spot({key: spots for key, (_, spots) in notes["shared"].items()})

    def stale(self, mutant: Mutant) -> set[str]:
        """The shared fixtures that execute the changed statement, and those that are made with them."""
        found = _at(self.fixtures_by_spot, mutant)
        while more := {key for key, needed in self.needs.items() if key not in found and needed & found}:
            found |= more
        return found

    def tests(self, mutant: Mutant) -> dict[str, float]:
        """The tests that execute the changed statement, or use a fixture that does, and their seconds."""
        direct, stale = _at(self.tests_by_spot, mutant), self.stale(mutant)
        again = stale | self.always
        return {
            name: self.own[name] + sum(self.cost[key] for key in keys if key in again)
            for name, keys in self.uses.items()
            if name in direct or not stale.isdisjoint(keys)
        }


def _by_spot(spots: dict[str, list[Spot]]) -> dict[tuple[Any, ...], set[str]]:
    """What executes a line, and what executes any line of a function."""
    found: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    for name, places in spots.items():
        for module, function, line in places:
            found[module, function, line].add(name)
            found[module, function].add(name)
    return found


def _at(by_spot: dict[tuple[Any, ...], set[str]], mutant: Mutant) -> set[str]:
    first, last = mutant.statement
    if first <= 0:  # defaults: whatever calls the function
        return set(by_spot[mutant.module, mutant.name])
    return set().union(*(by_spot[mutant.module, mutant.name, line] for line in range(first, last + 1)))


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
