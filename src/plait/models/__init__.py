"""The models that come with plait: found by name, listed with what they do, chosen by the script of a text.

They are built by ``scripts/train_models``; the README.md in this folder documents their data, scores and licence, which
is that of the data, not that of the code.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from plait.errors import ModelError, OptionError
from plait.files.names import exists

SUFFIX = ".plait"
DEFAULT = "en"  # for text without letters
LOOKED_AT = 1000  # letters of a text by which its model is chosen, and items that are searched for the first letter

T = TypeVar("T")


def shipped() -> dict[str, Path]:
    """The shipped models by name.

    >>> sorted(shipped())
    ['en', 'zh']
    """
    return {path.stem: path for path in sorted(Path(__file__).parent.glob(f"*{SUFFIX}"))}


def find_model(name: str | Path) -> Path:
    """The file of a model: a shipped one by its name, any other by its path.

    >>> find_model("my/own.plait").name, find_model("zh").name
    ('own.plait', 'zh.plait')
    >>> find_model("klingon")
    Traceback (most recent call last):
    plait.errors.ModelError: unknown model "klingon"; shipped models: en, zh; or give the path of a model file
    """
    path = Path(name)
    if isinstance(name, str) and name in (known := shipped()):
        return known[name]  # ./zh is a file of this name
    if path.name == str(name) and not path.suffix and not exists(path):
        names = ", ".join(shipped()) or "none"
        raise ModelError(f'unknown model "{name}"; shipped models: {names}; or give the path of a model file')
    return path


def choose_model(text: str) -> str:
    """The shipped model for a text, by its script: Chinese characters without kana or hangul, or Latin letters.

    Text without letters has no script, and all models segment it in the same way: the default model is chosen.

    >>> choose_model("Dogs bark."), choose_model("iPhone 很貴"), choose_model("12:30")
    ('en', 'zh', 'en')
    >>> choose_model("Собака лает.")
    Traceback (most recent call last):
    plait.errors.OptionError: no shipped model matches this script; choose one: --model en, --model zh, or a path
    """
    scripts = Counter(filter(None, map(_script, islice(filter(str.isalpha, text), LOOKED_AT))))
    known = shipped()
    name = ""
    if not scripts:
        name = DEFAULT
    elif scripts["CJK"] and not any(scripts[other] for other in ("HIRAGANA", "KATAKANA", "HANGUL")):
        name = "zh"
    elif 2 * scripts["LATIN"] > scripts.total():
        name = "en"
    if name not in known:
        choices = "".join(f"--model {name}, " for name in known)
        raise OptionError(f"no shipped model matches this script; choose one: {choices}or a path")
    return name


def look_ahead(items: Iterable[T], text: Callable[[T], str]) -> tuple[str, Iterable[T]]:
    """The text by which ``choose_model`` can choose, up to the first item with a letter, and all items.

    >>> sample, lines = look_ahead(["1.", "Dogs", "bark"], str)
    >>> sample, list(lines)
    ('1. Dogs', ['1.', 'Dogs', 'bark'])
    """
    source = iter(items)
    seen: list[T] = []
    texts: list[str] = []
    for item in islice(source, LOOKED_AT):
        seen.append(item)
        texts.append(text(item))
        if any(map(str.isalpha, texts[-1])):
            break
    return " ".join(texts), chain(seen, source)


def _script(letter: str) -> str:
    """The script of a letter, as its name in Unicode begins; empty for letters that all scripts share.

    >>> [_script(c) for c in "aａª狗ｲµʰ"]
    ['LATIN', 'LATIN', 'LATIN', 'CJK', 'KATAKANA', '', '']
    """
    if unicodedata.category(letter) == "Lm" or letter == "\N{MICRO SIGN}":
        return ""
    return unicodedata.name(unicodedata.normalize("NFKC", letter)[0], "").partition(" ")[0]
