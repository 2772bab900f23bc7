"""The manifest of a job in its output folder: its model, options and partitions.

It makes a job resumable: a second run continues only if it would write exactly the same files.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plait.errors import DataError, OptionError
from plait.files import open_atomic
from plait.integrations.bulk.partitions import Cut, Partition

NAME = "_plait.json"  # readers of data folders pass over names with an underscore
FORMAT = 1


@dataclass
class Manifest:
    """The description of a job."""

    settings: dict[str, Any]  # all that changes the output
    inputs: dict[str, dict[str, int]] = field(default_factory=dict)  # file: size and time of last change
    partitions: list[Partition] = field(default_factory=list)
    complete: bool = False

    def save(self, folder: Path) -> None:
        """Write it whole."""
        record = {"format": FORMAT, **dataclasses.asdict(self)}
        with open_atomic(folder / NAME) as file:
            json.dump(record, file, ensure_ascii=False, indent=1)
            file.write("\n")

    def refuse_other_settings(self, settings: Mapping[str, Any], folder: Path) -> None:
        """An error that names the difference from the settings with which the job was started, if there is one."""
        for name in {**self.settings, **settings}:
            before, now = self.settings.get(name), settings.get(name)
            if before != now:
                raise OptionError(
                    f"{folder} was started with {_setting(name, before)}, not {_setting(name, now)}; "
                    "choose another folder, or use --restart to start over"
                )


def load_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder, None when it has none."""
    path = folder / NAME
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise DataError(f"{path}: was written by another version of plait; choose another folder")
        partitions = [Partition(p["source"], p["target"], Cut(**p["cut"])) for p in record["partitions"]]
        if any(Path(p.target).is_absolute() or ".." in Path(p.target).parts for p in partitions):
            raise ValueError("it names a file outside the folder")  # --restart removes the files listed here
        return Manifest(dict(record["settings"]), dict(record["inputs"]), partitions, bool(record["complete"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a valid plait manifest ({error}); choose another folder, or remove it") from None


def _setting(name: str, value: object) -> str:
    shown = value[:12] + "…" if isinstance(value, str) and len(value) > 40 else value
    return f"{name.replace('_', ' ')} {shown}"
