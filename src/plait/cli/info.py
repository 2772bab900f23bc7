"""``plait info``: what is inside a model file."""

from __future__ import annotations

import json
from typing import Any

import click

PARTS = ("segmenter", "tagger", "morphology", "guide", "parser", "lemmatizer")  # of a model, which have records


@click.command("info", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("model", metavar="MODEL")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object")
@click.option("--label", metavar="LABEL", help="show only the features with the largest weights for this label")
def command(model: str, as_json: bool, label: str | None) -> None:
    """Show a model's options, training record, sizes and the features with the largest weights.

    \b
    Examples:
      plait info my.plait
      plait info my.plait --label NOUN
      plait info my.plait --json
    """
    from plait.errors import OptionError
    from plait.models import find_model
    from plait.pipeline import load
    from plait.system.modelfile import open_model

    load(model)  # a model that cannot be used is an error here too
    path = find_model(model)
    header, arrays = open_model(path)
    sizes = {name: int(array.nbytes) for name, array in arrays.items()}
    heaviest = _heaviest(header.get("training", {}))
    if label is not None:
        if not any(label in of_part for of_part in heaviest.values()):
            labels = dict.fromkeys(each for of_part in heaviest.values() for each in of_part)
            raise OptionError(f'unknown label "{label}"; the model has {", ".join(labels) or "no named features"}')
        heaviest = {part: {label: of_part[label]} for part, of_part in heaviest.items() if label in of_part}
    if as_json:
        for part, of_part in heaviest.items():
            if part:
                header["training"][part]["heaviest"] = of_part
        sizes_and_features = {"array_bytes": sizes, "heaviest": heaviest.get("", {})}
        record = {**header, "file_bytes": path.stat().st_size, **sizes_and_features}
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
        return
    for line in _report(model, header, sizes, heaviest):
        click.echo(line)


def _heaviest(training: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The features with the largest weights, taken out of the training record: of the model ("") and of its parts."""
    records = {"": training, **{part: training[part] for part in PARTS if part in training}}
    found = {part: record.pop("heaviest", {}) for part, record in records.items()}
    return {part: features for part, features in found.items() if features}


def _report(
    model: str, header: dict[str, Any], sizes: dict[str, int], heaviest: dict[str, dict[str, Any]]
) -> list[str]:
    lines = [f"{model}: {header['system']}, plait {header['plait']}, format {header['format']}"]
    lines += _section("options", header["options"])
    data = {
        part: f"{d['sentences']} sentences, {d['words']} words, sha256 {d['sha256'][:16]}…"
        for part, d in header["data"].items()
    }
    lines += _section("data", {**data, "licence": header.get("licence") or "not given",
                               "attribution": header.get("attribution") or "not given"})  # fmt: skip
    training = header.get("training", {})
    for part in PARTS:
        if part in header and "epochs" in training.get(part, {}):
            lines += [part, *_epochs(training[part])]
    scores = {f"{on} {key}": f"{v:.2f}" for on in ("dev", "test") for key, v in training.get(on, {}).items()}
    decides = {"decides": f"dev {training['decides']}"} if training.get("decides") else {}
    name = "best epoch of run 1" if "runs" in training else "best epoch"  # whose epochs are listed
    best = {name: training["best_epoch"]} if training.get("best_epoch") is not None else {}
    lines += _section("training", {"seed": header["seed"], **best, **decides, **scores})
    lines += _epochs(training)
    if "pruning" in training:
        lines += _section("pruning", training["pruning"])
    lines += _section("size", {name: f"{size / 1e6:.2f} MB" for name, size in sizes.items()})
    for part, of_part in heaviest.items():
        lines.append(f"heaviest features of the {part}" if part else "heaviest features")
        for label, features in of_part.items():
            lines += [f"    {label:<12} {value:>9.3f}  {text}" for text, value in features]
    return lines


def _epochs(training: dict[str, Any]) -> list[str]:
    lines = []
    for record in training.get("epochs", []):
        shown = {key: value for key, value in record.items() if key not in ("epoch", "dev")}
        shown |= {f"dev {key}": value for key, value in record["dev"].items()}
        pairs = "".join(f"  {k} {f'{v:.2f}' if isinstance(v, float) else v}" for k, v in shown.items())
        lines.append(f"    epoch {record['epoch']:>3}{pairs}")
    if "runs" in training:
        decides = training.get("decides", "")
        score = training.get("dev", {}).get(decides)
        stored = "" if score is None else f"; their weights averaged, as stored: {decides} {score:.2f}"
        lines.append(f"    best of each run: {training['runs']}{stored}")
    return lines


def _section(title: str, values: dict[str, Any]) -> list[str]:
    width = max(map(len, values), default=0)
    return [title, *(f"    {key:<{width}}  {value}" for key, value in values.items())]
