"""Clients at work against ``plait serve``: errors, latencies, and whether the server's memory stays flat.

python benchmarks/serve.py [--model en] [--clients 8] [--seconds 60] > benchmarks/results/serve.md

The texts are the paragraphs of this project's own documentation. Of ten requests seven send a sentence, two a
paragraph (answered as CoNLL-U), and one a batch of ten sentences. The server and its clients share the machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

ROOT = Path(__file__).parents[1]
KINDS = ["sentence"] * 7 + ["paragraph"] * 2 + ["batch"]


def paragraphs() -> list[str]:
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in page.read_text(encoding="utf-8").split("\n\n"):
            if re.match(r"[A-Z]\w+ [a-z]", block):
                found.append(re.sub(r"[`*\[\]]|\(\S+\.md\)", "", " ".join(block.split())))
    return found


def requests(seed: int) -> Iterator[tuple[str, str]]:
    """Kinds and bodies without end."""
    chance = random.Random(seed)
    texts = paragraphs()
    sentences = [sentence for text in texts for sentence in re.split(r"(?<=[.:;]) (?=[A-Z])", text)]
    while True:
        kind = chance.choice(KINDS)
        if kind == "sentence":
            yield kind, json.dumps({"text": chance.choice(sentences)})
        elif kind == "paragraph":
            yield kind, json.dumps({"text": chance.choice(texts), "format": "conllu"})
        else:
            yield kind, json.dumps({"text": chance.choices(sentences, k=10)})


class Clients:
    """Threads that ask as fast as they are answered."""

    def __init__(self, address: str, count: int) -> None:
        self.place = urlsplit(address)
        self.latencies: dict[str, list[float]] = {kind: [] for kind in dict.fromkeys(KINDS)}
        self.errors: list[str] = []
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(seed,)) for seed in range(count)]

    def work(self, seed: int) -> None:
        connection = http.client.HTTPConnection(self.place.hostname or "", self.place.port, timeout=60)
        for kind, body in requests(seed):
            if self.stopped.is_set():
                break
            begun = time.perf_counter()
            try:
                connection.request("POST", "/v1/parse", body, {"content-type": "application/json"})
                response = connection.getresponse()
                content = response.read()
                if response.status != 200 or b'"error":{' in content:
                    self.errors.append(f"{response.status}: {content[:200]!r}")
            except OSError as error:
                self.errors.append(str(error))
                connection.close()
            self.latencies[kind].append(1000 * (time.perf_counter() - begun))
        connection.close()


def processor_seconds(process: int) -> float:
    """The processor time a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(process: int) -> float:
    """What a process holds in memory now (Linux), the pages of its model file included."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 / 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--clients", type=int, default=8)
    arguments.add_argument("--seconds", type=int, default=60)
    arguments.add_argument("--threads", type=int, default=2)
    chosen = arguments.parse_args()
    busy = os.getloadavg()[0]
    command = [sys.executable, "-m", "plait", "serve", "--model", chosen.model, "--port", "0"]
    with subprocess.Popen([*command, "--threads", str(chosen.threads)], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = re.search(r"http:\S+", server.stderr.readline())
        assert address is not None
        memory = [(0.0, resident_megabytes(server.pid))]
        before = processor_seconds(server.pid)
        clients = Clients(address[0], chosen.clients)
        begun = time.perf_counter()
        for thread in clients.threads:
            thread.start()
        for tenth in range(1, 11):
            time.sleep(max(0.0, begun + chosen.seconds * tenth / 10 - time.perf_counter()))
            memory.append((chosen.seconds * tenth / 10, resident_megabytes(server.pid)))
        clients.stopped.set()
        for thread in clients.threads:
            thread.join()
        seconds = time.perf_counter() - begun
        used = processor_seconds(server.pid) - before
        server.terminate()
        ended = server.wait()
    report(chosen, clients, memory, seconds, used, busy)
    print(f"\nThe server ended with exit code {ended}.")
    if clients.errors or ended:
        raise SystemExit(1)


def report(
    chosen: argparse.Namespace,
    clients: Clients,
    memory: list[tuple[float, float]],
    seconds: float,
    used: float,
    busy: float,
) -> None:
    total = sum(map(len, clients.latencies.values()))
    print("# Load on `plait serve`\n")
    print(f"`python benchmarks/serve.py --model {chosen.model} --clients {chosen.clients} --seconds {chosen.seconds}`:")
    print(
        f"{chosen.clients} clients on the machine of the server, which has {chosen.threads} threads; what they ask is"
    )
    print("told in the script.\n")
    print(f"{total:,} requests in {seconds:.1f} s ({total / seconds:.0f} a second), {len(clients.errors)} errors;")
    print(
        f"{1000 * used / total:.1f} ms of processor time a request. The machine has {os.cpu_count()} cores; before the"
    )
    print(f"run its load average was {busy:.1f}, and other work on the cores makes latencies longer.\n")
    for error in clients.errors[:5]:
        print(f"    {error}")
    print("| request | number | median ms | 90 % | 99 % | longest |\n|---|---|---|---|---|---|")
    for kind, latencies in clients.latencies.items():
        shown = " | ".join(f"{value:.1f}" for value in np.percentile(latencies, [50, 90, 99, 100]))
        print(f"| {kind} | {len(latencies):,} | {shown} |")
    print("\n| seconds | resident MB |\n|---|---|")
    for when, megabytes in memory:
        print(f"| {when:.0f} | {megabytes:.1f} |")


if __name__ == "__main__":
    main()
