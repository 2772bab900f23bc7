"""The options of ``lemmatizer``."""

from __future__ import annotations

from dataclasses import dataclass

from plait.errors import OptionError
from plait.options import DEV, option

TAG_COLUMNS = ("upos", "xpos", "feats")


@dataclass(frozen=True)
class LemmatizerOptions:
    """How lemmas are learnt and stored."""

    tag: str = option("upos+xpos+feats", "columns of tags to look at, joined by +; empty: none")
    epochs: int = option(3, "passes over the words; with --dev the best one is kept", minimum=1)
    rate: float = option(0.2, "size of a step", minimum=1e-6, maximum=1e6)
    decay: float = option(0.001, "pull of weights towards 0 at every step", minimum=0.0, maximum=1.0)
    cutoff: int = option(2, "edit scripts seen with fewer forms are only remembered, form by form", minimum=1)
    form_templates: str = option("form", "features of forms and tags: form, or a table FILE or FILE:SET")
    lemma_templates: str = option("lemma", "features of lemmas: lemma, or a table FILE or FILE:SET")
    bits: int = option(0, "bits per stored weight; 0: as few as --slack allows", choices=(0, 8, 16, 32))
    prune: bool = option(True, "drop small weights from the stored model, as far as --slack allows")
    slack: float = option(
        0.05, "points that dev accuracy may lose at most for a smaller stored model", minimum=0.0, maximum=100.0,
        needs=DEV,
    )  # fmt: skip
    megabytes: float = option(
        0.0, "maximum size of the stored weights, whatever the dev scores; 0: no limit", minimum=0.0
    )


def tag_columns(spec: str) -> dict[str, bool]:
    """Which columns of tags the lemmatizer looks at.

    >>> tag_columns("upos+feats")
    {'upos': True, 'xpos': False, 'feats': True}
    """
    wanted = spec.split("+") if spec else []
    if not set(wanted) <= set(TAG_COLUMNS) or len(set(wanted)) != len(wanted):
        raise OptionError(f'tag is "{spec}"; expected upos, xpos, feats, or several of them joined by +, or nothing')
    return {column: column in wanted for column in TAG_COLUMNS}
