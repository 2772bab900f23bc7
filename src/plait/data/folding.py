"""Full-width characters that a model has not seen in training are read as ASCII: Ｐｌａｉｔ１２ as Plait12.

Each is one character before and after, so that offsets do not change; the output keeps the original text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

ASCII = {chr(code + 0xFEE0): chr(code) for code in range(ord("!"), ord("~") + 1)}  # by the full-width character


class Folding:
    """The full-width characters to be read as ASCII.

    >>> folding = Folding.learn(["，Plait"])
    >>> folding.text("Ｐｌａｉｔ，１"), Folding().text("Ｐ")
    ('Plait，1', 'Ｐ')
    """

    def __init__(self, characters: Iterable[str] = ()) -> None:
        self.characters = "".join(sorted(characters))
        if not set(self.characters) <= set(ASCII):
            raise ValueError("its folded characters are not full-width ASCII")
        self._table = str.maketrans({wide: ASCII[wide] for wide in self.characters})
        self._any = re.compile(f"[{re.escape(self.characters)}]") if self.characters else None

    @classmethod
    def learn(cls, texts: Iterable[str]) -> Folding:
        """All full-width characters that do not occur in the texts."""
        seen: set[str] = set()
        for text in texts:
            seen.update(text)
        return cls(set(ASCII) - seen)

    def text(self, text: str) -> str:
        """The text as the model is to read it."""
        return text if self._any is None or self._any.search(text) is None else text.translate(self._table)

    def words(self, forms: Sequence[str]) -> list[str] | None:
        """The words as the model is to read them; None if they are unchanged."""
        if self._any is None or not any(map(self._any.search, forms)):
            return None
        return [form.translate(self._table) for form in forms]
