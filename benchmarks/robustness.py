"""What another style of writing costs a model: CoNLL-2018 F1 from raw text, sentence by sentence, style by style.

    python benchmarks/robustness.py en GOLD.conllu [--against OLDER.plait] [--output FILE.md]

Every sentence of GOLD is analysed alone, from its own text, as it is and in each style of ``scripts/styles.py``; the
table gives the score of the sentences as they are, and what each style loses. Use development data.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import plait
from plait.chain.rawtext import given_passage
from plait.data.document import Sentence
from plait.evaluation import conll18

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from styles import STYLES, in_style

MEASURES = ("Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")


def scores(model: plait.Model, gold: Sequence[Sentence]) -> dict[str, float]:
    """F1 of the model from the text of each sentence; columns that it does not predict are left out."""
    found = [one for sentence in gold for one in model(given_passage(sentence, spaces=True).text, keep="sentences")]
    filled = {"UPOS": "upos", "UFeats": "feats", "Lemmas": "lemmas", "UAS": "heads", "LAS": "heads"}
    measured = conll18(gold, found)
    return {m: measured[m].f1 for m in MEASURES if m not in filled or filled[m] in model.system.predicts}


def table(name: str, model: plait.Model, gold: Sequence[Sentence]) -> list[str]:
    plain = scores(model, gold)
    lines = [f"| style | sentences changed | {' | '.join(plain)} |", "|---|---|" + "---|" * len(plain)]
    lines.append(f"| as it is | | {' | '.join(f'{value:.2f}' for value in plain.values())} |")
    for style in STYLES[name]:
        changed = sum(style(sentence) is not None for sentence in gold)
        found = scores(model, in_style(gold, style))
        cells = [f"{found[m] - plain[m]:+.2f}" for m in plain]
        lines.append(f"| {style.__doc__} | {100 * changed / len(gold):.0f} % | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=list(STYLES), help="the shipped model, and the styles of its language")
    parser.add_argument("gold", type=Path)
    parser.add_argument("--against", type=Path, help="an older model to compare with")
    parser.add_argument("--model", help="instead of the shipped one")
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    gold = [sentence for sentence in plait.read(chosen.gold) if len(sentence)]
    pages = {"present model": chosen.model or chosen.language} | ({"before": chosen.against} if chosen.against else {})
    older = " --against OLDER.plait" if chosen.against else ""
    command = f"python benchmarks/robustness.py {chosen.language} {chosen.gold.name}{older}"
    lines = [
        f"# Styles of writing: {chosen.language}",
        "",
        f"    {command}",
        "",
        *(__doc__ or "").split("\n\n")[2].splitlines(),
    ]
    for title, model in pages.items():
        lines += ["", f"## {title.capitalize()}", "", *table(chosen.language, plait.load(str(model)), gold)]
    text = "\n".join(lines) + "\n"
    if chosen.output:
        chosen.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
