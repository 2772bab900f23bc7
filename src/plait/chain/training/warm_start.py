"""Warm starts: the CRF inside an earlier model of the same system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.errors import OptionError
from plait.system import System
from plait.system.modelfile import open_model

if TYPE_CHECKING:
    from plait.chain.crf import Crf


def warm_model(path: str, system: type[System]) -> Crf | None:
    """The CRF of the model at ``path``; None for an empty path."""
    if not path:
        return None
    from plait.options import make_options

    header, arrays = open_model(path)
    if header.get("system") != system.name:
        raise OptionError(f"{path} is a {header.get('system')} model; a warm start needs one of {system.name}")
    options: Any = make_options(system.Options, header["options"], system.name)
    found: Crf | None = getattr(system.from_parts(options, header, arrays), "crf", None)
    return found
