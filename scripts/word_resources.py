"""Word lists and clusters for the shipped models, out of packages on PyPI: the same packages give the same files.

    pip install jieba==0.42.1 opencc==1.4.2 spacy-lookups-data==1.0.5

A function writes one file into a folder and returns its name, so that model headers hold no paths of a machine.
"""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path
from typing import Any

JIEBA = "jieba 0.42.1, dict.txt, simplified and traditional (OpenCC s2t)"
WORDNET = "WordNet 3.0, lemmas and irregular forms, from spacy-lookups-data 1.0.5"
CLUSTERS = "Brown clusters of frequent English words, from spacy-lookups-data 1.0.5"
SOURCES = {
    "zh-words.txt": f"{JIEBA}; MIT",
    "en-words.txt": f"{WORDNET}; WordNet licence",
    "en-clusters.txt": f"{CLUSTERS}; MIT",
}
FREQUENT = -15.2  # log-probability: some 42,000 words
UPOS = {"adj": "ADJ", "adv": "ADV", "noun": "NOUN", "verb": "VERB"}


def chinese_words(folder: Path) -> str:
    """The words of jieba's dictionary in both scripts."""
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
    """The lemmas of WordNet with their parts of speech, and the lemmas of its irregular forms."""
    entries = {(lemma, UPOS[kind], "_", lemma) for kind, lemmas in _lookups("lemma_index").items() for lemma in lemmas}
    for kind, forms in _lookups("lemma_exc").items():
        entries |= {(form, UPOS[kind], "Irregular=Yes", lemmas[0]) for form, lemmas in forms.items() if lemmas}
    lines = ["\t".join(entry) for entry in sorted(entries) if not {" ", "_"} & {*entry[0], *entry[3]}]
    named = "form\ttag\tfeats\tlemma"
    return _write(folder / "en-words.txt", [f"# source: {WORDNET}", "# licence: WordNet", named, *lines])


def english_clusters(folder: Path) -> str:
    """Clusters of frequent words; the package has their bit strings backwards, as numbers."""
    clusters, log_probabilities = _lookups("lexeme_cluster"), _lookups("lexeme_prob")
    lines = [
        f"{bin(number)[:1:-1]:0<4}\t{word}"
        for word, number in sorted(clusters.items())
        if number and log_probabilities[word] >= FREQUENT and word.strip() and not set(word) & set("\t\n")
    ]
    return _write(folder / "en-clusters.txt", lines)


def _lookups(name: str) -> dict[str, Any]:
    packed = (resources.files("spacy_lookups_data") / "data" / f"en_{name}.json.gz").read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return found


def _write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.name
