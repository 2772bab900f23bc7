"""Fixtures that are made once for many tests: made before the forks, and made again where a mutant would change them.

A model that a module trains for its tests takes longer than the tests; most mutants have no part in its training.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest


def shared_fixtures(item: pytest.Item) -> dict[str, Any]:
    """The fixtures of a test that live longer than it, by a name of their own."""
    numbers = getattr(getattr(item, "callspec", None), "indices", {})
    found: dict[str, Any] = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    last = {name: definitions[-1] for name, definitions in found.items()}
    return {key_of(d, numbers.get(name, 0)): d for name, d in last.items() if d.scope != "function"}


def key_of(definition: Any, number: int) -> str:
    """The name of a fixture; one with parameters has several values."""
    return f"{definition.baseid}::{definition.argname}#{number}"


class Kept:
    """Values of shared fixtures, but for those that are ``stale``."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.stale: set[str] = set()

    def make(self, items: list[Any]) -> None:
        """Set up what these tests share, and keep it."""
        for item in items:
            wanted = {key for key, d in shared_fixtures(item).items() if not inspect.isgeneratorfunction(d.func)}
            if not wanted <= self.values.keys():
                item._initrequest()
                fails = Exception, pytest.skip.Exception, pytest.fail.Exception
                with contextlib.suppress(*fails):
                    item.session._setupstate.setup(item)
                with contextlib.suppress(*fails):
                    item.session._setupstate.teardown_exact(None)
                item._request, item.funcargs = False, None

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """The value that is kept."""
        key = key_of(fixturedef, request.param_index)
        if key in self.stale or key not in self.values:
            return None
        fixturedef.cached_result = (self.values[key], fixturedef.cache_key(request), None)
        return self.values[key]


class Keeper:
    """Keeps the values of shared fixtures as they are made; those that clean up after themselves cannot be kept."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        """Note the value."""
        value = yield
        if fixturedef.scope != "function" and not inspect.isgeneratorfunction(fixturedef.func):
            key = key_of(fixturedef, request.param_index)
            self.kept.values[key] = value
            self.kept.stale.discard(key)
        return value
