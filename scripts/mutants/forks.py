"""A fork that does something with a limit, and a function that is replaced in it."""

from __future__ import annotations

import ast
import contextlib
import gc
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType

from .generation import Mutant

ANNOTATIONS = 0x1000000  # compiler flag of "from __future__ import annotations", which all modules have


def in_fork(run: Callable[[], None], limit: float = 3600.0) -> int | None:
    """Exit status of a fork that runs the function, or nothing if it takes longer than the limit."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgid(0, 0)
            run()
            code = 0
        except BaseException as error:  # whatever the mutant does
            if os.environ.get("MUTATE_DEBUG"):
                print(repr(error), file=sys.__stderr__, flush=True)
        finally:
            os._exit(code)
    end, pause = time.time() + limit, 0.001
    while time.time() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it started
            return status
        time.sleep(pause)
        pause = min(0.02, 1.5 * pause)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def live_functions(modules: dict[str, str]) -> dict[tuple[str, str], list[FunctionType]]:
    """The functions of the modules, whatever decorates them."""
    found: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename in modules:
            found[modules[thing.__code__.co_filename], thing.__code__.co_qualname].append(thing)
    return found


def put(mutant: Mutant, live: list[FunctionType]) -> None:
    """Give a function the code and defaults of the mutant."""
    tree = ast.parse(mutant.source)
    changed = tree.body[0].body[0] if isinstance(tree.body[0], ast.ClassDef) else tree.body[0]
    assert isinstance(changed, ast.FunctionDef)
    arguments = [a.arg for a in (*changed.args.posonlyargs, *changed.args.args, *changed.args.kwonlyargs)]
    (function,) = [  # a property has several functions of the same name
        f
        for f in live
        if arguments == [*f.__code__.co_varnames[: f.__code__.co_argcount + f.__code__.co_kwonlyargcount]]
    ]
    if function.__code__.co_freevars:  # super() may be gone, but the closure stays
        changed.body += ast.fix_missing_locations(ast.parse("if 0: __class__")).body
    flags = ANNOTATIONS
    code = compile(tree, function.__code__.co_filename, "exec", flags, dont_inherit=True)
    (function.__code__,) = [c for c in _codes(code) if c.co_qualname == mutant.name]
    given = function.__defaults__ or ()
    function.__defaults__ = tuple(map(_constant, changed.args.defaults, given)) or None
    for argument, value in zip(changed.args.kwonlyargs, changed.args.kw_defaults, strict=True):
        if value is not None and function.__kwdefaults__ is not None:
            function.__kwdefaults__[argument.arg] = _constant(value, function.__kwdefaults__[argument.arg])


def _constant(value: ast.expr, otherwise: object) -> object:
    """What an expression says, if it is a constant."""
    try:
        return ast.literal_eval(value)
    except ValueError:
        return otherwise


def _codes(code: CodeType) -> Iterable[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
