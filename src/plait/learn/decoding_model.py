"""A model in training that decodes: its decoder is rebuilt whenever its tables are replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from plait.core._weights import Trainable
from plait.learn.online import OnlineModel

D = TypeVar("D")


class DecodingModel(OnlineModel[Any], Generic[D]):
    """Tables of weights, one for each feature group, and the decoder that looks them up."""

    def __init__(self, make_decoder: Callable[[Mapping[str, Trainable]], D], tables: Mapping[str, Trainable]) -> None:
        self._make_decoder = make_decoder
        self.tables = tables

    @property
    def tables(self) -> Mapping[str, Trainable]:
        """The weights; reassigned when training is resumed."""
        return self._tables

    @tables.setter
    def tables(self, tables: Mapping[str, Trainable]) -> None:
        self._tables = tables
        self._decoder = self._make_decoder(tables)
