"""Scores that others have published on treebanks of the same names. Nothing of this was run here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """UPOS, UAS and LAS of one system on one treebank; None where it gives none."""

    system: str
    treebank: str
    upos: float | None
    uas: float
    las: float
    conditions: str
    source: str


_SYNTAXNET = ("SyntaxNet (Parsey's Cousins)", "UD 1.3, test, gold words", "tensorflow/models, syntaxnet/universal.md")
_SAURUS = (
    "ParseySaurus", "UD 2.0, development set, gold words", "tensorflow/models, syntaxnet/g3doc/conll2017/README.md"
)  # fmt: skip
_UDPIPE2 = ("UDPipe 2", "UD 2.15, test, gold words", "ufal/udpipe, models-2.15/EVALUATION-server.txt")
_STANZA = ("Stanza 1.0", "UD 2.5, test, raw text", "stanfordnlp.github.io/stanza/v100performance.html")

_ROWS = {
    _SYNTAXNET: {
        "zh_gsd1": (91.32, 76.71, 71.24), "en_ewt": (90.48, 84.79, 80.38),
        "eu_bdt1": (94.88, 78.00, 73.36), "cs_cac": (98.11, 87.28, 83.44),
    },
    _SAURUS: {
        "zh_gsd1": (None, 77.56, 71.96), "en_ewt": (None, 87.60, 84.20),
        "eu_bdt1": (None, 80.96, 77.19), "cs_cac": (None, 89.99, 86.09),
    },
    _UDPIPE2: {
        "zh_gsd1": (95.85, 86.88, 83.84), "en_ewt": (97.50, 93.42, 91.52),
        "eu_bdt1": (96.30, 88.16, 85.03), "cs_cac": (99.68, 96.16, 94.95),
    },
    _STANZA: {
        "zh_gsd1": (89.12, 72.88, 69.82), "en_ewt": (95.40, 86.22, 83.59),
        "eu_bdt1": (96.23, 86.19, 82.76), "cs_cac": (98.76, 91.70, 89.19),
    },
}  # fmt: skip
PUBLISHED = tuple(
    Published(system, treebank, upos, uas, las, conditions, source)
    for (system, conditions, source), rows in _ROWS.items()
    for treebank, (upos, uas, las) in rows.items()
)
