"""Feature templates as readable tables.

A table file holds named sets. Templates are separated by ``|`` or a new line, the atoms of one template by spaces:

    set collins                     # a comment runs to the end of the line
        w0 | w-1 | w-1 w0
    set wide : collins              # everything in collins, and more
        for k in 1 2 3: suf<k>      # one template for each k
        for p q in (0 +1) (-1 0): w@<p> low@<q> | w@<p>

A template with an absent atom (a suffix longer than the word, a tag not yet assigned) does not fire.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from plait.core._hashing import text_hash
from plait.core._templates import Templates
from plait.errors import FormatError, OptionError, nearest
from plait.files.names import is_file

# Limits far above any table that was ever useful, so that a mistake or a forged file costs no time or memory
TABLES = Path(__file__).with_name("tables")  # not importlib.resources, which takes 5 ms of every start
MAX_TEMPLATES = 4096  # of a set; core/rows.py relies on it
MAX_ATOMS = 32  # of a template
DEEPEST_LOOP = 8
MAX_UNROLLED = 10_000  # lines that the loops of one line come to
LONGEST_LINE = 20_000  # characters, also of a line whose loops are being unrolled
_LINE_LIMIT = f"at most {LONGEST_LINE} characters"
_LOOP_LIMIT = f"{DEEPEST_LOOP} at most, which come to {MAX_UNROLLED} lines at most"

Fault = Callable[..., FormatError]  # in a line: what, and what was expected

_SET = re.compile(r"set\s+(\S+)(?:\s*:\s*(.+))?$")
_GROUP = re.compile(r"\(([^()]*)\)|(\S+)")


class Template(NamedTuple):
    """The atoms that one feature joins, in order."""

    atoms: tuple[str, ...]
    written: str = ""  # in the table, where that differs from the atoms

    @property
    def text(self) -> str:
        """Its text in the table; all its keys start from the hash of this text."""
        return self.written or " ".join(self.atoms)

    @property
    def seed(self) -> int:
        """The initial hash of this template's keys."""
        return text_hash(self.text)


def parse_table(text: str, file: str = "<templates>") -> dict[str, tuple[Template, ...]]:
    """All sets of a table file, by name, in the order written and without repetitions.

    >>> sets = parse_table("set a\\n w0 | w-1 w0\\nset b : a\\n for k in 1 2: suf<k>")
    >>> [t.text for t in sets["b"]]
    ['w0', 'w-1 w0', 'suf1', 'suf2']
    """
    sets: dict[str, dict[Template, None]] = {}
    current: dict[Template, None] | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        fault = partial(FormatError, file=file, line=number)
        heading = _SET.match(line)
        if heading:
            name, parents = heading[1], (heading[2] or "").split()
            if name in sets:
                raise fault(f'set "{name}" is defined twice', hint="rename one of them")
            above = ", ".join(sets) or "none yet"
            current = sets[name] = {}
            for parent in parents:
                if parent not in sets:
                    raise fault(f'set "{name}" builds on "{parent}"', expected=f"a set defined above ({above})")
                current.update(sets[parent])
            continue
        if current is None:
            raise fault("a template before any set", expected='a line "set NAME" first')
        for template in _expand(line, fault, count()):
            current[template] = None
            if len(current) > MAX_TEMPLATES:
                raise fault("too many templates in a set", expected=f"at most {MAX_TEMPLATES}")
    if not sets:
        raise FormatError("no template set", file=file, expected='a line "set NAME" and templates below it')
    for name, templates in sets.items():
        if not templates:
            raise FormatError(f'set "{name}" is empty', file=file, expected="at least one template")
    return {name: tuple(templates) for name, templates in sets.items()}


def _expand(line: str, fault: Fault, unrolled: Iterator[int], depth: int = 0) -> Iterator[Template]:
    """The templates of one line, its loops unrolled; ``unrolled`` counts how often."""
    if len(line) > LONGEST_LINE:
        raise fault("a line that is too long", value=line, expected=_LINE_LIMIT)
    if depth > DEEPEST_LOOP or next(unrolled) > MAX_UNROLLED:
        raise fault("too many nested loops", value=line, expected=_LOOP_LIMIT)
    names, groups, body = _loop(line)
    if not names or not groups:
        if line.startswith("for ") or "<" in line:
            raise fault("a loop with a syntax error", value=line, expected='"for x in a b: w@<x>"')
        for part in line.split("|"):
            atoms = tuple(part.split())
            if len(atoms) > MAX_ATOMS:
                raise fault(f"a template of {len(atoms)} atoms", expected=f"at most {MAX_ATOMS}")
            if atoms:
                yield Template(atoms)
        return
    for match in _GROUP.finditer(groups):
        values = match[1].split() if match[1] is not None else [match[2]]
        if len(values) != len(names):
            what = f"{len(values)} values for {len(names)} loop names"
            raise fault(what, value=match[0], expected="one value for each name, groups in parentheses")
        inner = body
        for name, value in zip(names, values, strict=True):
            inner = inner.replace(f"<{name}>", value)
        yield from _expand(inner, fault, unrolled, depth + 1)


def _loop(line: str) -> tuple[list[str], str, str]:
    """``for NAMES in GROUPS: BODY`` → its parts; empty ones for anything else."""
    head, colon, body = line.partition(": " if ": " in line else ":")  # "feat:Case" has one as well
    words = head.split()
    if not colon or words[:1] != ["for"] or "in" not in words:
        return [], "", ""
    at = words.index("in")
    return words[1:at], " ".join(words[at + 1 :]), body.strip()


def template_texts(templates: Iterable[Template]) -> list[str]:
    """Templates for the header of a model file."""
    return [template.text for template in templates]


def stored_templates(texts: Any) -> list[Template]:
    """Templates from a model file's header; a ValueError for templates that training cannot produce."""
    if not isinstance(texts, list) or len(texts) > MAX_TEMPLATES or not all(isinstance(text, str) for text in texts):
        raise ValueError("templates that are not a list of strings, or too many")
    templates = [Template(tuple(text.split())) for text in texts]
    if not all(1 <= len(template.atoms) <= MAX_ATOMS for template in templates):
        raise ValueError("a template without atoms, or with too many")
    if len(set(templates)) != len(templates):
        raise ValueError("a template occurs twice")
    return templates


def load_templates(name: str, *tables: str) -> tuple[Template, ...]:
    """A named set: of the shipped ``tables``, or of a user's own file when ``name`` is ``FILE`` or ``FILE:SET``."""
    shipped: dict[str, tuple[Template, ...]] = {}
    for table in tables:
        text = (TABLES / f"{table}.txt").read_text("utf-8")
        shipped |= parse_table(text, table)
    if name in shipped:
        return shipped[name]
    path, _, chosen = name.rpartition(":") if not is_file(name) else (name, "", "")
    if path and is_file(path):
        try:
            sets = parse_table(Path(path).read_text("utf-8-sig"), path)
        except UnicodeDecodeError as error:
            raise FormatError("not UTF-8 text", file=path, expected="a template table") from error
        if not chosen:
            return list(sets.values())[-1]
        if chosen in sets:
            return sets[chosen]
        raise OptionError(f'{path} has no template set "{chosen}"; it has {", ".join(sets)}')
    raise OptionError(
        f'unknown template set "{name}"{nearest(name, list(shipped))}; available: {", ".join(shipped)}, '
        "or your own FILE"
    )


def united(*sets: Sequence[Template]) -> tuple[Template, ...]:
    """All templates of several sets, each once."""
    return tuple(dict.fromkeys(template for each in sets for template in each))


def spread(template: Template, sets: Mapping[str, Sequence[str]]) -> list[Template]:
    """One template for each combination of the columns that its atoms stand for; all share the keys of the first.

    >>> [t.atoms for t in spread(Template(("pre1", "rest")), {"rest": ("rest1", "rest2")})]
    [('pre1', 'rest1'), ('pre1', 'rest2')]
    """
    choices = [sets.get(atom, (atom,)) for atom in template.atoms]
    if prod(map(len, choices)) > MAX_TEMPLATES:
        raise OptionError(f'template "{template.text:.60}" expands to more than {MAX_TEMPLATES} templates')
    return [Template(atoms, template.text) for atoms in product(*choices)]


def compile_templates(templates: Sequence[Template], place: Callable[[str], int]) -> Templates:
    """Compile templates with the offset of every atom, which ``place`` returns or rejects with an OptionError."""
    if len(templates) > MAX_TEMPLATES:
        raise OptionError(f"{len(templates)} templates; expected at most {MAX_TEMPLATES}")
    return Templates([t.seed for t in templates], [[place(atom) for atom in t.atoms] for t in templates])


def unknown_atom(atom: str, known: Sequence[str]) -> str:
    """The message for an atom that a family does not have."""
    return f'unknown atom "{atom}"{nearest(atom, known)}; available: {", ".join(known)}'
