"""One typed, immutable options class per component: name, default, one line of help.

Command-line flags, documentation and the model header are all made from it.
"""

from __future__ import annotations

import dataclasses
import math
import shlex
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, NoReturn, TypeVar, dataclass_transform

from plait.errors import OptionError, nearest

O = TypeVar("O")


# Larger numbers overflow somewhere between the options and the weights, which are kept in single precision.
LARGEST: dict[type, float] = {int: 2**53, float: 1e18}

TYPES: dict[str, type] = {kind.__name__: kind for kind in (bool, int, float, str)}  # that an option can have

# values of options: what they were called before
RENAMED_VALUES: dict[str, dict[Any, str]] = {
    "learner": {"ap": "perceptron"},
    "morphology": {False: "off", True: "on"},
}


class Needs(NamedTuple):
    """The condition on other options under which an option has an effect, as text and as a function."""

    text: str
    met: Callable[[Any], bool]


DEV = Needs("development data (--dev)", lambda options: True)  # the one condition that is not an option


def option(
    default: Any,
    help: str,
    *,
    choices: Sequence[Any] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    needs: Needs | None = None,
    formerly: str = "",
) -> Any:
    """A field of an options class. What an option ``needs`` to have an effect is checked before training.

    Model files with its former name (``formerly``) load silently; scripts that use it get a warning.
    """
    bounds = {"help": help, "choices": tuple(choices), "minimum": minimum, "maximum": maximum, "needs": needs}
    return dataclasses.field(default=default, metadata={**bounds, "formerly": formerly})


@dataclass_transform(frozen_default=True, field_specifiers=(option,))
def options_class(cls: type[O]) -> type[O]:
    """A dataclass for options, frozen and compared by value, with keyword arguments.

    All such classes share their methods. ``dataclass`` would compile them for each class, which took a fifteenth of the
    time of ``plait parse``.

    >>> @options_class
    ... class Demo:
    ...     epochs: int = option(10, "passes over the data", minimum=1)
    ...     beam: int = option(1, "width")
    >>> Demo(epochs=3), Demo(epochs=3) == Demo(epochs=3, beam=1), Demo(beam=2) == Demo()
    (Demo(epochs=3, beam=1), True, False)
    >>> Demo(width=2)
    Traceback (most recent call last):
    TypeError: Demo has no field width
    """
    made = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    for name, method in METHODS.items():
        setattr(made, name, method)
    return made


def _init(self: Any, **values: Any) -> None:
    for field in dataclasses.fields(self):
        object.__setattr__(self, field.name, values.pop(field.name, field.default))
    if values:
        raise TypeError(f"{type(self).__name__} has no field {', '.join(values)}")


def _values(options: Any) -> list[tuple[str, Any]]:
    return [(field.name, getattr(options, field.name)) for field in dataclasses.fields(options)]


def _repr(self: Any) -> str:
    return f"{type(self).__qualname__.rpartition('.')[2]}({', '.join(f'{k}={v!r}' for k, v in _values(self))})"


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(tuple(_values(self)))


def _refuse_change(self: Any, name: str, value: Any) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


METHODS: dict[str, Any] = {
    "__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": _hash, "__setattr__": _refuse_change,
    "__delattr__": _refuse_deletion,
}  # fmt: skip


class OptionSpec(NamedTuple):
    """One option as the command line and the documentation need it."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[Any, ...]
    minimum: float | None
    maximum: float | None
    needs: Needs | None
    formerly: str


def describe(cls: type) -> list[OptionSpec]:
    """The options of a class: its own, then those that it shares with others."""
    owner = {
        name: k for k, base in reversed([*enumerate(cls.__mro__)]) for name in vars(base).get("__annotations__", ())
    }
    return [
        OptionSpec(
            field.name,
            TYPES[field.type] if isinstance(field.type, str) else field.type,
            field.default,
            *(field.metadata[k] for k in ("help", "choices", "minimum", "maximum", "needs", "formerly")),
        )
        for field in sorted(dataclasses.fields(cls), key=lambda field: owner[field.name])
    ]


def make_options(cls: type[O], values: Mapping[str, Any], owner: str) -> O:
    """Check names, types and bounds, and build the options; every error is an OptionError that says what is expected.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Demo:
    ...     epochs: int = option(10, "passes over the data", minimum=1)
    >>> make_options(Demo, {"epochs": 3}, "demo").epochs
    3
    >>> make_options(Demo, {"epoch": 3}, "demo")
    Traceback (most recent call last):
    plait.errors.OptionError: demo has no option "epoch" (did you mean epochs?); it has epochs
    """
    known = {described.name: described for described in describe(cls)}
    checked: dict[str, Any] = {}
    for old, value in values.items():
        name = current_name(old, known.values())
        if name not in known:
            raise OptionError(f'{owner} has no option "{name}"{nearest(name, known)}; it has {", ".join(known)}')
        checked[name] = _check(known[name], _current_value(name, value))
    return cls(**checked)


def current_name(name: str, known: Iterable[OptionSpec]) -> str:
    """The current name of an option that was renamed; any other name is returned unchanged."""
    return next((described.name for described in known if name and described.formerly == name), name)


def user_options(cls: type[O], values: Mapping[str, Any], owner: str, *, dev: bool) -> O:
    """``make_options`` for the options of a user: old names and options without effect are reported."""
    known = describe(cls)
    for old, value in values.items():
        name = current_name(old, known)
        if name != old:
            _warn(f"{owner}: option {old} is now called {name}")
        if _current_value(name, value) is not value:
            _warn(f"{owner}: {name}={value} is now called {name}={_current_value(name, value)}")
    options = make_options(cls, values, owner)
    check_needs(options, [current_name(name, known) for name in values], owner, dev=dev)
    return options


def _warn(change: str) -> None:
    warnings.warn(f"{change}; the old name will not work in the next version", FutureWarning, stacklevel=3)


def _current_value(name: str, value: Any) -> Any:
    return RENAMED_VALUES.get(name, {}).get(value, value) if isinstance(value, str | bool) else value


def check_needs(options: Any, given: Iterable[str], owner: str, *, dev: bool) -> None:
    """Reject given options (except for 0 and "") that would have no effect.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Demo:
    ...     beam: int = option(1, "width")
    ...     warmup: int = option(0, "greedy epochs", needs=Needs("a beam (--beam 2 or more)", lambda o: o.beam > 1))
    >>> check_needs(Demo(warmup=3), ["warmup"], "demo", dev=False)
    Traceback (most recent call last):
    plait.errors.OptionError: demo: option warmup has no effect without a beam (--beam 2 or more); remove it
    """
    needs = {described.name: described.needs for described in describe(type(options))}
    needs |= getattr(options, "further_needs", {})  # of options that the class shares with others
    for name in given:
        need, value = needs.get(name), getattr(options, name)
        if need is None or not (value or isinstance(value, bool)):
            continue
        if not (dev if need is DEV else need.met(options)):
            raise OptionError(f"{owner}: option {name} has no effect without {need.text}; remove it")


def check_positive(name: str, number: Any) -> None:
    """Reject what is not a positive integer.

    >>> check_positive("threads", "2")
    Traceback (most recent call last):
    plait.errors.OptionError: threads is '2'; expected an integer
    """
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise OptionError(f"{name} is {number!r}; expected an integer")
    if number < 1:
        raise OptionError(f"{name} is {number}; expected at least 1")


def keeping_all_weights(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with which a component drops no small weights, whatever they say themselves."""
    off = {"prune": False, "prune_below": 0.0}
    return {**values, **{described.name: off[described.name] for described in describe(cls) if described.name in off}}


def parse_options(cls: type, text: str, owner: str) -> dict[str, Any]:
    """Options written as ``NAME=VALUE``, with spaces between them; a value with spaces is quoted.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Demo:
    ...     epochs: int = option(10, "passes over the data", minimum=1)
    ...     table: str = option("exact", "kind of table")
    >>> parse_options(Demo, "epochs=3 table='my own'", "demo")
    {'epochs': 3, 'table': 'my own'}
    """
    known = describe(cls)
    types = {described.name: described.type for described in known}
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise OptionError(f"the options of {owner} are {text!r}: {error}; expected NAME=VALUE") from error
    values: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if not equals:
            raise OptionError(f'the options of {owner} contain {word!r}; expected NAME=VALUE, such as "epochs=8"')
        kind = types.get(current_name(name, known), str)
        values[name] = _parsed(value, kind, f"option {name} of {owner}")
    return values


def written_options(cls: type[O], text: str, owner: str, *, dev: bool, prune: bool = True) -> O:
    """The options that a user wrote as one text; without ``prune`` no weights are dropped, whatever they say."""
    values = parse_options(cls, text, owner)
    return user_options(cls, values if prune else keeping_all_weights(cls, values), owner, dev=dev)


def _parsed(value: str, kind: type, owner: str) -> Any:
    if kind is bool:
        if value.lower() not in ("true", "false"):
            raise OptionError(f"{owner} is {value!r}; expected true or false")
        return value.lower() == "true"
    try:
        return kind(value)
    except ValueError as error:
        raise OptionError(f"{owner} is {value!r}; expected {kind.__name__}") from error


def shown_options(options: Any) -> str:
    """The inverse of ``parse_options``: what differs from the defaults.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Demo:
    ...     epochs: int = option(10, "passes over the data", minimum=1)
    ...     prune: bool = option(True, "smaller models")
    >>> shown_options(Demo(prune=False))
    'prune=false'
    """
    pairs = [(field.name, getattr(options, field.name), field.default) for field in dataclasses.fields(options)]
    return " ".join(
        f"{name}={shlex.quote(str(value).lower() if isinstance(value, bool) else str(value))}"
        for name, value, default in pairs
        if value != default
    )


def _plain_number(value: Any, kind: type) -> Any:
    """Numbers of other packages, such as those of NumPy, as Python's own; an int where a float belongs as a float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    if isinstance(value, Integral):
        value = int(value)
    if kind is int and isinstance(value, int):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _check(described: OptionSpec, value: Any) -> Any:
    if described.type in (int, float):
        value = _plain_number(value, described.type)
    if type(value) is not described.type:
        raise OptionError(f"option {described.name} is {value!r}; expected {described.type.__name__}")
    if described.choices and value not in described.choices:
        raise OptionError(
            f"option {described.name} is {value!r}; expected one of {', '.join(map(str, described.choices))}"
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        largest = LARGEST[type(value)]
        low = -largest if described.minimum is None else described.minimum
        high = largest if described.maximum is None else described.maximum
        if not low <= value <= high:  # what is not a number is neither
            bounds = f"{low} to {high}" if high < largest or value > largest else f"at least {low}"
            raise OptionError(f"option {described.name} is {value}; expected {bounds}")
    return value
