"""Clients at work against ``plait serve``: errors, latencies, and whether the server's memory stays flat.

python benchmarks/serve.py [--model en] [--clients 8] [--seconds 60] > benchmarks/results/serve.md
python benchmarks/serve.py --hostile 3 [--slow 20] [--seconds 120] >> benchmarks/results/serve.md

The texts are the paragraphs of this project's own documentation. Of ten requests seven send a sentence, two a
paragraph (answered as CoNLL-U), and one a batch of ten sentences. The server and its clients share the machine.

With ``--hostile`` so many further clients send requests that ask for as much work as they can, are malformed or
come from foreign pages, one after the other without a pause, and of every kind of slow client (silent, half a head, one
byte of a body, most of a body, an answer never read) ``--slow`` connections are open at any time. The honest clients do
as any client should: when asked to retry, they wait as long as Retry-After says.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import select
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

ROOT = Path(__file__).parents[1]
KINDS = ["sentence"] * 7 + ["paragraph"] * 2 + ["batch"]

sys.path.insert(0, str(ROOT / "tests" / "web"))

from hostile_requests import SLOW_CLIENTS, hostile_requests  # noqa: E402


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

    def __init__(self, address: str, count: int, model: str) -> None:
        self.place = urlsplit(address)
        self.model = model
        self.latencies: dict[str, list[float]] = {kind: [] for kind in dict.fromkeys(KINDS)}
        self.errors: list[str] = []
        self.came_again = 0
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(seed,)) for seed in range(count)]

    def work(self, seed: int) -> None:
        connection = http.client.HTTPConnection(self.place.hostname or "", self.place.port, timeout=60)
        for kind, body in requests(seed):
            if self.stopped.is_set():
                break
            begun = time.perf_counter()
            try:
                self.ask(connection, body)
            except OSError as error:
                self.errors.append(repr(error))
                connection.close()
            self.latencies[kind].append(1000 * (time.perf_counter() - begun))
        connection.close()

    def ask(self, connection: http.client.HTTPConnection, body: str) -> None:
        """One request, sent again when the server is busy."""
        while True:
            connection.request("POST", "/v1/parse", body, {"content-type": "application/json"})
            response = connection.getresponse()
            content = response.read()
            if response.status != 503:
                break
            self.came_again += 1
            time.sleep(int(response.headers.get("retry-after", "1")))
        if response.status != 200 or b'"error":{' in content:
            self.errors.append(f"{response.status}: {content[:200]!r}")


class Attackers(Clients):
    """Threads that send hostile requests, and one that keeps slow connections open."""

    def __init__(self, address: str, count: int, model: str, slow: int) -> None:
        super().__init__(address, count, model)
        self.slow = slow
        self.answers: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.opened: Counter[str] = Counter()
        self.threads.append(threading.Thread(target=self.hold))

    def work(self, seed: int) -> None:
        known = hostile_requests(self.model)
        chance = random.Random(seed)
        while not self.stopped.is_set():
            hostile = chance.choice(known)
            connection = http.client.HTTPConnection(self.place.hostname or "", self.place.port, timeout=60)
            try:
                connection.request("POST", hostile.path, hostile.body, hostile.headers)
                response = connection.getresponse()
                response.read()
                self.answers[response.status] += 1
                if response.status not in {*hostile.statuses, 503, 504}:
                    self.wrong.append(f"{hostile.name}: {response.status}")
            except OSError:
                self.answers[0] += 1  # the server hung up on it
            finally:
                connection.close()

    def hold(self) -> None:
        """Open what the server has closed, again and again."""
        held: dict[tuple[str, int], socket.socket] = {}
        while not self.stopped.wait(0.5):
            for kind, open_one in SLOW_CLIENTS.items():
                for number in range(self.slow):
                    if (kind, number) in held and not is_closed(held[kind, number]):
                        continue
                    with suppress(OSError):
                        if (kind, number) in held:
                            held.pop((kind, number)).close()
                        held[kind, number] = open_one(self.place.hostname or "", self.place.port or 0)
                        self.opened[kind] += 1
        for connection in held.values():
            connection.close()


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has hung up (Linux); nothing is read."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    return bool(poll.poll(0))


def processor_seconds(process: int) -> float:
    """The processor time a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(process: int) -> float:
    """What a process holds in memory now (Linux), the pages of its model file included."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 / 1e6


def peak_megabytes(process: int) -> float:
    """The most that a process ever held (Linux)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--clients", type=int, default=8)
    arguments.add_argument("--seconds", type=int, default=60)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--hostile", type=int, default=0, help="hostile clients among the honest ones")
    arguments.add_argument("--slow", type=int, default=20, help="slow connections of each kind, with --hostile")
    chosen = arguments.parse_args()
    busy = os.getloadavg()[0]
    command = [sys.executable, "-m", "plait", "serve", "--model", chosen.model, "--port", "0"]
    with subprocess.Popen([*command, "--threads", str(chosen.threads)], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = re.search(r"http:\S+", server.stderr.readline())
        assert address is not None
        memory = [(0.0, resident_megabytes(server.pid))]
        before = processor_seconds(server.pid)
        clients = Clients(address[0], chosen.clients, chosen.model)
        attackers = Attackers(address[0], chosen.hostile, chosen.model, chosen.slow if chosen.hostile else 0)
        begun = time.perf_counter()
        for thread in (*clients.threads, *attackers.threads):
            thread.start()
        for tenth in range(1, 11):
            time.sleep(max(0.0, begun + chosen.seconds * tenth / 10 - time.perf_counter()))
            memory.append((chosen.seconds * tenth / 10, resident_megabytes(server.pid)))
        for group in (clients, attackers):
            group.stopped.set()
        for thread in clients.threads:
            thread.join()
        seconds = time.perf_counter() - begun
        for thread in attackers.threads:
            thread.join()
        used = processor_seconds(server.pid) - before
        peak = peak_megabytes(server.pid)
        server.terminate()
        ended = server.wait()
    report(chosen, clients, memory, seconds, used, busy)
    if chosen.hostile:
        report_hostile(attackers, peak)
    print(f"\nThe server ended with exit code {ended}.")
    if clients.errors or attackers.wrong or ended:
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
    hostile = f" --hostile {chosen.hostile} --slow {chosen.slow}" if chosen.hostile else ""
    settings = f"--model {chosen.model} --clients {chosen.clients} --seconds {chosen.seconds}{hostile}"
    print("\n## With hostile clients among the honest ones\n" if hostile else "# Load on `plait serve`\n")
    print(f"`python benchmarks/serve.py {settings}`:")
    print(f"{chosen.clients} clients on the machine of the server, which has {chosen.threads} threads; the script")
    print("defines their requests.\n")
    print(f"{total:,} requests in {seconds:.1f} s ({total / seconds:.0f} per second), {len(clients.errors)} errors,")
    print(f"{clients.came_again} asked to retry;")
    print(f"{1000 * used / total:.1f} ms of processor time per request. The machine has {os.cpu_count()} cores; before")
    print(f"the run its load average was {busy:.1f}, and other work on the machine makes latencies longer.\n")
    for error in clients.errors[:5]:
        print(f"    {error}")
    print("| request | number | median ms | 90 % | 99 % | longest |\n|---|---|---|---|---|---|")
    for kind, latencies in clients.latencies.items():
        shown = " | ".join(f"{value:.1f}" for value in np.percentile(latencies, [50, 90, 99, 100]))
        print(f"| {kind} | {len(latencies):,} | {shown} |")
    print("\n| seconds | resident MB |\n|---|---|")
    for when, megabytes in memory:
        print(f"| {when:.0f} | {megabytes:.1f} |")


def report_hostile(attackers: Attackers, peak: float) -> None:
    print(f"\nThe peak memory of the server was {peak:.0f} MB.\n")
    print("| answer to a hostile request | number |\n|---|---|")
    for status, number in sorted(attackers.answers.items()):
        print(f"| {status or 'hung up on'} | {number:,} |")
    print("\n| slow connections | opened |\n|---|---|")
    for kind, number in attackers.opened.items():
        print(f"| {kind} | {number:,} |")
    for wrong in attackers.wrong[:5]:
        print(f"\nanswered wrongly: {wrong}")


if __name__ == "__main__":
    main()
