"""What compare.py measures in each checkout: processor seconds, as JSON. Uses nothing but the public interface.

PYTHONPATH=CHECKOUT/src python benchmarks/compare_worker.py MODELS TRAIN TEST
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plait

SYSTEMS: dict[str, dict[str, Any]] = {
    "perceptron-tagger": {},
    "crf-tagger": {},
    "crf-segmenter": {},
    "easyfirst-tagger": {},
    "easyfirst-parser": {},
    "easyfirst-joint": {},
    "transition-parser": {"beam": 8},
    "transition-joint": {"beam": 8},
    "graph-parser": {},
    "graph-joint": {},
}
SHIPPED = {
    "en": "The old dog didn't see Mary's red house, which had been sold by its owner in the year before the war. ",
    "zh": "他在北京工作。我们昨天在学校的图书馆里看了很多有意思的书。",
}
LEAST = 0.2  # seconds that a measure takes, so that the clock's step does not count
STARTS = 3


def seconds(work: Callable[[], Any]) -> float:
    """Processor time of one call, the best of three series after a first one to warm up."""
    work()
    begin = time.process_time()
    work()
    calls = max(1, round(LEAST / max(1e-6, time.process_time() - begin)))
    series = []
    for _ in range(3):
        begin = time.process_time()
        for _ in range(calls):
            work()
        series.append((time.process_time() - begin) / calls)
    return min(series)


def started(*arguments: str) -> float:
    """Processor time of a Python process, the best of some; wall time where the system does not tell it."""
    try:
        from resource import RUSAGE_CHILDREN, getrusage
    except ImportError:
        clock: Callable[[], float] = time.perf_counter
    else:

        def clock() -> float:
            used = getrusage(RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

    found = []
    for _ in range(STARTS):
        begin = clock()
        subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
        found.append(clock() - begin)
    return min(found)


def trained(system: str, folder: Path, train: Path) -> Any:
    """A model of this checkout's own making: files of another version may be refused."""
    path = folder / train.stem / f"{system}.plait"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        epochs = {} if system.startswith("crf") else {"epochs": 3}
        plait.train(system, train=str(train), **epochs, **SYSTEMS[system]).save(path)
    return plait.load(path)


def main() -> None:
    models, train, test = map(Path, sys.argv[1:])
    if not Path(plait.__file__).is_relative_to(Path.cwd()):
        sys.exit(f"compare_worker.py: {plait.__file__} is not of the checkout in {Path.cwd()}")
    found = {
        "start: python": started("-c", "pass"),
        "start: import plait": started("-c", "import plait"),
        "start: plait --help": started("-m", "plait", "--help"),
        "start: plait parse": started("-m", "plait", "parse", "The old dog didn't see Mary's red house."),
    }
    content = test.read_bytes() * max(1, 2_000_000 // test.stat().st_size)
    document = plait.read(content, "conllu")
    found["reading 2 MB of CoNLL-U"] = seconds(lambda: plait.read(content, "conllu"))
    found["writing them"] = seconds(lambda: document.to_conllu())
    for name, text in SHIPPED.items():
        found[f"load {name}"] = seconds(lambda name=name: plait.load(name))
        nlp = plait.load(name)
        found[f"{name}: raw text to trees"] = seconds(lambda nlp=nlp, text=text: nlp(text * 20))
    sentences = list(plait.read(test))[:200]
    texts = "\n".join(sentence.text or " ".join(sentence.forms) for sentence in sentences)
    for system in SYSTEMS:
        model = trained(system, models, train)
        inputs = [texts] if system == "crf-segmenter" else [sentence.forms for sentence in sentences]
        found[system] = seconds(lambda model=model, inputs=inputs: [model(each) for each in inputs])
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
