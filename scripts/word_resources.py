"""Word lists and clusters for the shipped models, out of packages on PyPI: the same packages give the same files.

    pip install jieba==0.42.1 spacy-lookups-data==1.0.5 opencc

Each function writes one file into a folder and returns its name, so that model headers hold no paths of a machine.
"""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path
from typing import Any

JIEBA = "jieba 0.42.1, dict.txt, simplified and traditional (OpenCC s2t)"
WORDNET = "WordNet 3.0, lemmas of spacy-lookups-data 1.0.5"
CLUSTERS = "spacy-lookups-data 1.0.5, Brown clusters of frequent words"
SOURCES = {
    "zh-words.txt": f"{JIEBA}; MIT",
    "en-words.txt": f"{WORDNET}; the licence of WordNet",
    "en-clusters.txt": f"{CLUSTERS}; MIT",
}
FREQUENT = -15.2  # log-probability: some 60,000 words
TAGS = {"adj": "ADJ", "adv": "ADV", "noun": "NOUN", "verb": "VERB"}


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


def english_words(folder: Path) -> str:
    """The lemmas of WordNet with their parts of speech, and its irregular forms."""
    entries: set[tuple[str, str]] = set()
    for kind, lemmas in _lookups("lemma_index").items():
        entries |= {(lemma, TAGS[kind]) for lemma in lemmas if kind in TAGS}
    for kind, forms in _lookups("lemma_exc").items():
        entries |= {(form, f"{TAGS[kind]}-form") for form in forms if kind in TAGS}
    lines = [f"{form}\t{tag}" for form, tag in sorted(entries) if " " not in form and "_" not in form]
    return _write(folder / "en-words.txt", [f"# source: {WORDNET}", "# licence: WordNet", "form\ttag", *lines])


def english_clusters(folder: Path) -> str:
    """Brown clusters (MIT) of frequent words; their bit strings stand in the package backwards, as numbers."""
    clusters, chances = _lookups("lexeme_cluster"), _lookups("lexeme_prob")
    lines = [
        f"{bin(number)[:1:-1]:0<4}\t{word}"
        for word, number in sorted(clusters.items())
        if number and chances[word] >= FREQUENT and word.strip() and "\t" not in word and "\n" not in word
    ]
    return _write(folder / "en-clusters.txt", lines)


def _lookups(name: str) -> dict[str, Any]:
    packed = (resources.files("spacy_lookups_data") / "data" / f"en_{name}.json.gz").read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return found


def _write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.name
