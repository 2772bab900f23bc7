"""The options of ``lemmatizer``."""

from __future__ import annotations

from plait.data.tags import TAG_COLUMNS
from plait.errors import OptionError
from plait.options import option, options_class
from plait.system.shared_options import StorageOptions


@options_class
class LemmatizerOptions(StorageOptions):
    """How lemmas are learnt and stored."""

    tag: str = option("upos+xpos+feats", "tag columns to use, joined by +; empty: none")
    epochs: int = option(3, "passes over the words; with --dev the best one is kept", minimum=1)
    rate: float = option(0.2, "learning rate", minimum=1e-6, maximum=1e6)
    decay: float = option(0.001, "weight decay per step", minimum=0.0, maximum=1.0)
    lexicon: str = option(
        "", "FILE of forms with tags and lemmas, for known words and irregular forms; several separated by commas",
    )  # fmt: skip
    cutoff: int = option(2, "edit scripts seen with fewer forms are only stored as exceptions", minimum=1)
    form_templates: str = option("form", "feature templates of forms and tags: form, or your own FILE or FILE:SET")
    lemma_templates: str = option("lemma", "feature templates of lemmas: lemma, or your own FILE or FILE:SET")


def tag_columns(spec: str) -> dict[str, bool]:
    """Which columns of tags the lemmatizer looks at.

    >>> tag_columns("upos+feats")
    {'upos': True, 'xpos': False, 'feats': True}
    """
    wanted = spec.split("+") if spec else []
    if not set(wanted) <= set(TAG_COLUMNS) or len(set(wanted)) != len(wanted):
        raise OptionError(f'tag is "{spec}"; expected upos, xpos, feats, or several of them joined by +, or nothing')
    return {column: column in wanted for column in TAG_COLUMNS}
