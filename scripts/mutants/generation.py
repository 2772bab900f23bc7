"""The mutants of a module: every function, with one thing changed.

The changes are mutmut's (operators, numbers, names, arguments, strings); only text meant for people, that is strings
with a blank in them, stays as it is. Unlike mutmut we mutate decorated functions too.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor, OuterFunctionProvider
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode


@dataclass(frozen=True)
class Mutant:
    """A changed function."""

    module: str
    owner: str  # the class, or nothing
    function: str
    number: int  # within the function
    digest: str  # of the function as it is: another function has other mutants
    statement: tuple[int, int]  # first and last line of the changed statement, from the function's first line
    before: str  # the changed lines
    after: str
    source: str  # the changed function, in its class

    @property
    def name(self) -> str:
        """Of the function within its module."""
        return f"{self.owner}.{self.function}" if self.owner else self.function

    @property
    def key(self) -> str:
        """The same in every run, as long as the function stays as it is."""
        return f"{self.module}.{self.name}#{self.number}@{self.digest}"


class _Changes(MutationVisitor):
    """Every change of a module: function, place of what is changed, new text."""

    def __init__(self) -> None:
        super().__init__(mutation_operators, IgnoredCode(set(), set(), set()))
        self.found: list[tuple[cst.FunctionDef, CodeRange, str]] = []
        self._blank = cst.Module([])

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef):  # decorated or not
            return False
        if isinstance(node, cst.SimpleString) and " " in node.value:
            return True
        return bool(super()._skip_node_and_children(node))

    def _create_mutations(self, node: cst.CSTNode) -> None:
        function = self.get_metadata(OuterFunctionProvider, node, None)
        place = self.get_metadata(PositionProvider, node, None)
        if isinstance(function, cst.FunctionDef) and place is not None and not isinstance(node, cst.Match):
            for kind, operator in mutation_operators:
                if isinstance(node, kind):
                    self.found += [(function, place, self._blank.code_for_node(new)) for new in operator(node)]


def mutants_of(text: str, module: str) -> Iterator[Mutant]:
    """All mutants of a source text, in order."""
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    changes = _Changes()
    wrapper.visit(changes)
    owners, spans, lines = _owners(wrapper.module), _statements(text), text.splitlines(keepends=True)
    places = wrapper.resolve(PositionProvider)
    numbers = Counter[tuple[str, str]]()
    for function, place, new in changes.found:
        name, owner = function.name.value, owners.get(function, "")
        first, last = places[function].start.line, places[function].end.line
        original = "".join(lines[first - 1 : last])
        old = lines[place.start.line - 1 : place.end.line]
        changed = old[0][: place.start.column] + new + old[-1][place.end.column :]
        before, after = (" ".join(part.split()) for part in ("".join(old), changed))
        if before == after:
            continue
        numbers[owner, name] += 1
        start, end = spans.get(place.start.line, (place.start.line, place.start.line))
        source = "".join(lines[first - 1 : place.start.line - 1]) + changed + "".join(lines[place.end.line : last])
        yield Mutant(
            module=module,
            owner=owner,
            function=name,
            number=numbers[owner, name],
            digest=hashlib.sha256(original.encode()).hexdigest()[:8],
            statement=(start - first, end - first),
            before=before,
            after=after,
            source=f"class {owner}:\n{source}" if owner else source,
        )


def _owners(module: cst.Module) -> dict[cst.FunctionDef, str]:
    return {
        function: statement.name.value
        for statement in module.body
        if isinstance(statement, cst.ClassDef)
        for function in statement.body.body
        if isinstance(function, cst.FunctionDef)
    }


def _statements(text: str) -> dict[int, tuple[int, int]]:
    """First and last line of the innermost statement (of its head, where it has a body) by line."""
    spans: dict[int, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(text)):  # outer statements come before inner ones
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            for line in range(node.lineno, end + 1):
                spans[line] = (node.lineno, end)
    return spans
