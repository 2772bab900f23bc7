"""Reading CoNLL-U, side by side with the ``conllu`` package, and the memory that streaming a large file takes.

pip install -e '.[bench]'
python benchmarks/reading.py > benchmarks/results/reading.md
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import plait
from workbench import UD

FILE = UD / "en_ewt" / "train.conllu"
ROUNDS = 7
LARGE = 300_000_000  # bytes of the synthetic file

# what Linux keeps for the process itself; ru_maxrss would begin with the peak of the process that started it
PEAK = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024"


def exhaust(items: object) -> None:
    deque(items, maxlen=0)  # type: ignore[call-overload]


def conllu_parse() -> object:
    import conllu

    return conllu.parse(FILE.read_text(encoding="utf-8"))


def conllu_parse_incr() -> None:
    import conllu

    with FILE.open(encoding="utf-8") as file:
        exhaust(conllu.parse_incr(file))


def read_and_write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        plait.write(plait.stream(FILE), Path(folder) / "copy.conllu")


TASKS: dict[str, Callable[[], object]] = {
    "conllu.parse": conllu_parse,
    "conllu.parse_incr": conllu_parse_incr,
    "plait.read": lambda: plait.read(FILE),
    "plait.stream": lambda: exhaust(plait.stream(FILE)),
    "plait.stream + plait.write": read_and_write,
}


def measure() -> dict[str, float]:
    """The median of several rounds, each round beginning with another task."""
    seconds: dict[str, list[float]] = {name: [] for name in TASKS}
    names = list(TASKS)
    for turn in range(ROUNDS + 1):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            gc.collect()
            start = time.perf_counter()
            TASKS[name]()
            if turn:  # the first round warms up
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def peak_memory(code: str, path: Path) -> float:
    """Peak resident memory in MB of a fresh process that runs the code with the path as ``p``."""
    program = f"import sys; p = sys.argv[1]\n{code}\nprint({PEAK})"
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    if not FILE.exists():
        sys.exit(f"skipped: no {FILE}; set PLAIT_DATA to the folder with the data")
    print("# Reading CoNLL-U\n")
    print("    python benchmarks/reading.py > benchmarks/results/reading.md\n")
    words = plait.read(FILE).token_count
    print(f"en_ewt train, {words:,} words, {FILE.stat().st_size / 1e6:.1f} MB; one core, {ROUNDS} rounds in rotating")
    print(f"order after one to warm up, median. Python {platform.python_version()}, conllu {version('conllu')},")
    print(
        f"{platform.machine()}, {os.cpu_count()} cores. Both check little or much as they do by default: plait checks"
    )
    print("every ID, head and tree; conllu does not.\n")
    results = measure()
    print("| what | seconds | words/s | times conllu.parse | times conllu.parse_incr |\n|---|---|---|---|---|")
    for name, seconds in results.items():
        times = " | ".join(f"{results[rival] / seconds:.1f}" for rival in ("conllu.parse", "conllu.parse_incr"))
        print(f"| `{name}` | {seconds:.3f} | {words / seconds:,.0f} | {times} |")
    print("\n| memory | file | peak MB |\n|---|---|---|")
    read = "import plait; d = plait.read(p)"
    stream = "import plait\nfor s in plait.stream(p): pass"
    other = "import conllu; d = conllu.parse(open(p, encoding='utf-8').read())"
    print(f"| import alone | – | {peak_memory('import plait.formats', FILE):.0f} |")
    print(f"| `plait.read` | en_ewt train | {peak_memory(read, FILE):.0f} |")
    print(f"| `conllu.parse` | en_ewt train | {peak_memory(other, FILE):.0f} |")
    print(f"| `plait.stream` | en_ewt train | {peak_memory(stream, FILE):.0f} |")
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.conllu"
        content = FILE.read_bytes()
        with large.open("wb") as file:
            for _ in range(LARGE // len(content)):
                file.write(content)
        print(f"| `plait.stream` | the same {LARGE // len(content)} times, 300 MB | {peak_memory(stream, large):.0f} |")


if __name__ == "__main__":
    main()
