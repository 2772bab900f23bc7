"""Is one commit slower than another? Both are built and measured in turns, in one run, and compared by ratio.

    python benchmarks/compare.py v0.1.0 HEAD            # before a release
    python benchmarks/compare.py main .                 # . is the checkout as it stands, built in place
    python benchmarks/compare.py A B --train train.conllu --test test.conllu --rounds 5

Every measure is the best processor time over all rounds, so that a busy machine disturbs little. The exit code is 1
when some ratio is above ``--limit``. Checkouts and models are kept in build/compare and used again. Needs what a build
needs: pip install "cython>=3.2" "setuptools>=77", and the package's dependencies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).with_name("compare_worker.py")
KEPT = ROOT / "build" / "compare"


def checkout(commit: str) -> Path:
    """A folder with the commit in it, built."""
    if commit == ".":
        return ROOT
    name = subprocess.run(
        ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if name.returncode != 0:
        sys.exit(f"compare.py: no commit {commit}: {name.stderr.strip()}")
    folder = KEPT / name.stdout.strip()[:12]
    if not (folder / "built").exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"building {commit} ...", file=sys.stderr)
        archive = subprocess.run(["git", "archive", name.stdout.strip()], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "x"], cwd=folder, input=archive.stdout, check=True)
        build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"compare.py: {commit} cannot be built:\n{done.stderr[-2000:]}")
        (folder / "built").touch()
    return folder


def measure(folder: Path, train: Path, test: Path) -> dict[str, float]:
    """One round: seconds by measure."""
    models = KEPT / "models" / (folder.name if folder != ROOT else "working-tree")
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, str(WORKER), str(models), str(train), str(test)]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return {name: float(seconds) for name, seconds in json.loads(done.stdout).items()}


def best(rounds: list[dict[str, float]]) -> dict[str, float]:
    """The least of every measure.

    >>> best([{"a": 2.0, "b": 1.0}, {"a": 1.0}])
    {'a': 1.0, 'b': 1.0}
    """
    names = dict.fromkeys(name for found in rounds for name in found)
    return {name: min(found[name] for found in rounds if name in found) for name in names}


def table(old: dict[str, float], new: dict[str, float], limit: float) -> tuple[str, list[str]]:
    """Lines of ratios, and the measures that are above the limit."""
    lines = [f"{'measure':32} {'old, ms':>10} {'new, ms':>10} {'ratio':>7}"]
    slower = []
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            lines.append(f"{name:32} {'only in the ' + ('old' if name in old else 'new'):>29}")
            continue
        ratio = new[name] / old[name]
        if ratio > limit:
            slower.append(name)
        lines.append(f"{name:32} {1e3 * old[name]:10.1f} {1e3 * new[name]:10.1f} {ratio:7.2f}{' !' * (ratio > limit)}")
    return "\n".join(lines), slower


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--train", type=Path, default=ROOT / "examples" / "tiny.conllu")
    parser.add_argument("--test", type=Path, default=ROOT / "examples" / "tiny.conllu")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--limit", type=float, default=1.05, help="the ratio from which the new commit is slower")
    chosen = parser.parse_args()
    folders = [checkout(chosen.old), checkout(chosen.new)]
    found: list[list[dict[str, float]]] = [[], []]
    for _ in range(chosen.rounds):
        for folder, rounds in zip(folders, found, strict=True):  # in turns: what disturbs one disturbs the other
            rounds.append(measure(folder, chosen.train.resolve(), chosen.test.resolve()))
    shown, slower = table(best(found[0]), best(found[1]), chosen.limit)
    print(shown)
    if slower:
        sys.exit(f"slower by more than {chosen.limit:.2f}: {', '.join(slower)}")


if __name__ == "__main__":
    main()
