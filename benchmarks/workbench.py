"""What the benchmarks share: the data, options on a command line, kept runs, and pages that are printed as they grow.

The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
UD = DATA / "ud"


def part_of(treebank: str, name: str) -> Path:
    """The file of one part of a UD treebank, compressed or not."""
    path = UD / treebank / f"{name}.conllu"
    return path if path.exists() else path.with_name(f"{path.name}.xz")


def value(text: str) -> Any:
    """An option as typed: a number, a truth value or a text."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(text, text)


def known_runs(path: Path) -> list[dict[str, Any]]:
    """The runs of a file, one a line; none if there is no such file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def keep_runs(path: Path, runs: Iterable[Mapping[str, Any]]) -> None:
    """Write the runs to a file again, one a line."""
    path.write_text("".join(json.dumps(run, ensure_ascii=False) + "\n" for run in runs))


def publish(page: Iterable[str], output: Path | None) -> None:
    """Print the lines of a page as they come, and write it if a file is given."""
    lines = []
    for line in page:
        print(line, flush=True)
        lines.append(line)
    if output is not None:
        output.write_text("\n".join(lines) + "\n", encoding="utf-8")
