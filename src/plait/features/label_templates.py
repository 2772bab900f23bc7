"""Templates that name the labels they refer to: ``w0 s0``, ``c0 t-1 t0``, as in the tables of the CRF papers.

========== ======================== ===============================================================
view       label atoms              one row of weights has
========== ======================== ===============================================================
``s``      s0                       a weight for each segmentation label
``t``      t0, y0 or none           for each tag (or whatever the model labels)
``st``     s0 t0                    for each pair of both at the item
``ss``     s-1 s0                   for each pair of segmentation labels
``tt``     t-1 t0 (y-1 y0, t-1)     for each pair of tags
========== ======================== ===============================================================

Label-only templates (``t-1 t0``, ``s-1 t-1 s0``, ``t-1 s0 t0``) refer to tables that every chain has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.arrays import UInt64Array
from plait.core._templates import Templates
from plait.errors import OptionError
from plait.features.sequence import place_atom
from plait.features.templates import Template, compile_templates

VIEWS = ("s", "t", "st", "ss", "tt")

_LABEL_ATOMS = {"s0", "s-1", "t0", "t-1", "y0", "y-1"}
_VIEW_OF = {
    frozenset(): "t",
    frozenset({"s0"}): "s",
    frozenset({"t0"}): "t",
    frozenset({"s0", "t0"}): "st",
    frozenset({"s-1", "s0"}): "ss",
    frozenset({"s-1"}): "ss",
    frozenset({"t-1", "t0"}): "tt",
    frozenset({"t-1"}): "tt",
}


class LabelTemplates:
    """A template set sorted by view and compiled for the columns of a task.

    >>> from plait.features.templates import Template
    >>> parts = [Template(("w0", "s0")), Template(("w0", "t-1", "t0")), Template(("s-1", "t-1", "s0"))]
    >>> found = LabelTemplates(parts, ("w",))
    >>> [(view, [t.text for t in templates]) for view, templates in found.by_view.items()]
    [('s', ['w0']), ('tt', ['w0'])]
    """

    def __init__(self, templates: Sequence[Template], known: Sequence[str]) -> None:
        self.templates = tuple(templates)
        by_view: dict[str, list[Template]] = {}
        for template in templates:
            view, observed = split_labels(template)
            if observed.atoms:
                by_view.setdefault(view, []).append(observed)
        self.by_view = {view: tuple(by_view[view]) for view in VIEWS if view in by_view}
        atoms = {atom for part in self.by_view.values() for template in part for atom in template.atoms}
        self._places = {atom: place_atom(atom, known) for atom in sorted(atoms)}
        used = {column for column, _ in self._places.values()}
        self.columns = tuple(column for column in known if column in used)
        self.pad = max((abs(offset) for _, offset in self._places.values()), default=0)
        self.compiled = {view: self._compile(part) for view, part in self.by_view.items()}

    def by_word(self, view: str) -> tuple[list[tuple[int, Templates]], Templates]:
        """The single-word templates of a view by distance, compiled for the word itself; and all others."""
        single: dict[int, list[Template]] = {}
        several: list[Template] = []
        for template in self.by_view.get(view, ()):
            distances = {self._places[atom][1] for atom in template.atoms}
            (single.setdefault(distances.pop(), []) if len(distances) == 1 else several).append(template)

        def place(atom: str) -> int:
            return self.columns.index(self._places[atom][0])

        found = [(k, compile_templates(part, place)) for k, part in sorted(single.items())]
        return found, self._compile(several)

    def segments(self, view: str) -> list[list[int]]:
        """The templates of a view by number: those that use the same single position together, and last the others.

        >>> from plait.features.templates import Template
        >>> templates = [Template((*atoms, "t0")) for atoms in (("w0",), ("w0", "w-1"), ("p0",), ("w-1",))]
        >>> LabelTemplates(templates, ("w", "p")).segments("t")
        [[0, 2], [1, 3]]
        """
        by_place: dict[int, list[int]] = {}
        for number, template in enumerate(self.by_view[view]):
            offsets = {self._places[atom][1] for atom in template.atoms}
            if len(offsets) == 1:
                by_place.setdefault(offsets.pop(), []).append(number)
        together = [numbers for _, numbers in sorted(by_place.items()) if len(numbers) > 1]
        alone = set(range(len(self.by_view[view]))).difference(*together)
        return [*together, sorted(alone)]

    def _compile(self, templates: Sequence[Template]) -> Templates:
        def place(atom: str) -> int:
            column, offset = self._places[atom]
            return offset * len(self.columns) + self.columns.index(column)

        return compile_templates(templates, place)

    def keys(self, atoms: UInt64Array) -> Iterator[tuple[str, UInt64Array]]:
        """(view, keys [items][templates]) for a padded matrix of atoms."""
        width = len(self.columns)
        flat = atoms.reshape(-1)
        for view, compiled in self.compiled.items():
            yield view, compiled.table(flat, self.pad * width, width, len(atoms) - 2 * self.pad)


def split_labels(template: Template) -> tuple[str, Template]:
    """(view, the template without its label atoms); combinations that the chart does not support are rejected."""
    labels = frozenset(atom.replace("y", "t") for atom in template.atoms if atom in _LABEL_ATOMS)
    observed = Template(tuple(atom for atom in template.atoms if atom not in _LABEL_ATOMS))
    if not observed.atoms:
        return "", observed
    if labels not in _VIEW_OF:
        raise OptionError(
            f'template "{template.text}" combines the labels {" ".join(sorted(labels))} with the text; '
            "expected s0, t0, s0 t0, s-1 s0 or t-1 t0 beside the text"
        )
    return _VIEW_OF[labels], observed
