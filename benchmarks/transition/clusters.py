"""Word clusters for the rows with C, in the usual format (bit string, word).

    python benchmarks/transition/clusters.py en_ewt|zh_gsd1 --output FILE
    python benchmarks/transition/clusters.py --news FILE.seg

English: the ready clusters of the package ``spacy-lookups-data``. Chinese: clusters of the People's Daily of January
1998 (its words, in traditional characters by OpenCC) together with the training data, made as ``plait cluster`` makes
them. With --news only these newspaper sentences are written, a line each, their words between spaces: text for a
student. The data is looked for in PLAIT_DATA, else in ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.resources
import json
import lzma
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from plait.features.brown import cluster_lines, cluster_words
from plait.formats import stream

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data"))
BITS = 16
CLUSTERS, MIN_COUNT = 400, 5


def english() -> Iterator[str]:
    """spaCy stores a bit string as a number, its first bit as the lowest; 0: no cluster."""
    path = importlib.resources.files("spacy_lookups_data") / "data" / "en_lexeme_cluster.json.gz"
    clusters = json.loads(gzip.decompress(path.read_bytes()))
    for word, number in clusters.items():
        if number and word.strip() and not set(word) & set("\t\n"):
            yield f"{format(number, f'0{BITS}b')[::-1]}\t{word}\n"


def chinese() -> Iterator[str]:
    yield from cluster_lines(cluster_words(chinese_sentences(), CLUSTERS, MIN_COUNT))


def news() -> Iterator[Sequence[str]]:
    """The words of the People's Daily in traditional characters."""
    import opencc

    traditional = opencc.OpenCC("s2t").convert
    with lzma.open(DATA / "pd98" / "train.txt.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield traditional(" ".join(pair.rpartition("/")[0] for pair in line.split())).split()


def chinese_sentences() -> Iterator[Sequence[str]]:
    yield from news()
    for sentence in stream(DATA / "ud" / "zh_gsd1" / "train.conllu"):
        yield sentence.forms


SOURCES = {"en_ewt": english, "zh_gsd1": chinese}


def write_clusters(treebank: str, path: Path) -> Path:
    """The clusters of a treebank's language, made once."""
    if not path.exists():
        text = "".join(SOURCES[treebank]())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("treebank", nargs="?", choices=SOURCES)
    arguments.add_argument("--output", type=Path)
    arguments.add_argument("--news", type=Path)
    chosen = arguments.parse_args()
    if (chosen.treebank is None) != (chosen.output is None) or not (chosen.output or chosen.news):
        arguments.error("give a treebank and --output, or --news, or all of them")
    if chosen.output:
        write_clusters(chosen.treebank, chosen.output)
    if chosen.news:
        chosen.news.write_text("".join(" ".join(words) + "\n" for words in news() if words), encoding="utf-8")


if __name__ == "__main__":
    main()
