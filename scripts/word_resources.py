"""Word lists for the shipped models, out of packages on PyPI: the same packages give the same files.

    pip install jieba==0.42.1 opencc

A function writes one file into a folder and returns its name, so that model headers hold no paths of a machine.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

JIEBA = "jieba 0.42.1, dict.txt, simplified and traditional (OpenCC s2t)"
SOURCES = {
    "zh-words.txt": f"{JIEBA}; MIT",
}


def chinese_words(folder: Path) -> str:
    """The words of jieba's dictionary (MIT) in both scripts."""
    import opencc

    convert = opencc.OpenCC("s2t").convert
    counts: dict[tuple[str, str], int] = {}
    for line in (resources.files("jieba") / "dict.txt").read_text("utf-8").splitlines():
        word, count, tag = line.split(" ")
        for form in sorted({word, convert(word)}):
            counts[form, tag] = counts.get((form, tag), 0) + int(count)
    lines = [f"{form} {count} {tag}" for (form, tag), count in sorted(counts.items())]
    return _write(folder / "zh-words.txt", [f"# source: {JIEBA}", "# licence: MIT", *lines])


def _write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.name
