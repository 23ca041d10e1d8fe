"""The service on loopback: throughput beside the library's, and what ten times too many clients do to it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

import numpy as np

SENTENCES = 500
SECONDS = 20
OVERLOAD = 10
OVERLOAD_SECONDS = 60
TEXT_WORDS = 300


def run(data: Path) -> None:
    lines = (data / "compression" / "google.dev.jsonl").read_text(encoding="utf-8").splitlines()[:SENTENCES]
    sentences = [json.loads(line)["source"] for line in lines]
    port, process = start()
    try:
        first_answer(port, sentences)
        alone, own = library(sentences)
        print(f"compress_all        {alone:8.1f} sentences/s  {1e3 * own:6.1f} ms of processors each")
        clients = 2 * (os.cpu_count() or 1)
        served, each, times = sustained(port, process.pid, sentences, clients, SECONDS)
        print(
            f"/compress           {served:8.1f} sentences/s  {1e3 * each:6.1f} ms of processors each  "
            f"{served / alone:.0%} by the clock, {own / each:.0%} by processors  {percentiles(times)}"
        )
        before = processors(process.pid)
        batched = batch(port, sentences)
        spent = (processors(process.pid) - before) / len(sentences)
        print(
            f"/batch              {batched:8.1f} sentences/s  {1e3 * spent:6.1f} ms of processors each  "
            f"{batched / alone:.0%} by the clock, {own / spent:.0%} by processors"
        )
        overload(port, process.pid, sentences, OVERLOAD * (clients + 32))
        after, then, times = sustained(port, process.pid, sentences, clients, SECONDS / 2)
        print(
            f"after it            {after:8.1f} sentences/s  {1e3 * then:6.1f} ms of processors each  "
            f"{after / served:.0%} of before by the clock, {each / then:.0%} by processors  {percentiles(times)}"
        )
    finally:
        process.terminate()
        process.wait(60)


def first_answer(port: int, sentences: list[str]) -> None:
    """What a page waits for before it shows something of a text, beside what the network alone needs for it."""
    from laconic.annotate.network import REGISTERS, Network
    from laconic.text.split import split_sentences

    text, rest = "", iter(sentences)
    while len(text.split()) < TEXT_WORDS:
        text += next(rest) + " "
    words = [sentence.words for sentence in split_sentences(text) if sentence.words]
    network, register = Network.shipped(), np.full(len(REGISTERS), 1 / len(REGISTERS), np.float32)

    def encoded() -> None:
        for each in words:
            network.read(each, register)

    encoded()
    passes = min(timed(encoded) for _ in range(5))
    asked = min(timed(lambda: post(port, "/compress", {"text": text, "detail": True})) for _ in range(3))
    lengths = timed(lambda: post(port, "/frontier", {"text": text}))
    print(
        f"first answer        {1e3 * asked:8.0f} ms for {len(text.split())} words; "
        f"the network alone {1e3 * passes:.0f} ms, allowed {1e3 * (2 * passes + 0.2):.0f}; "
        f"all lengths {1e3 * lengths:.0f} ms"
    )


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def post(port: int, path: str, body: object) -> bytes:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    return connection.getresponse().read()


def overload(port: int, process: int, sentences: list[str], clients: int) -> None:
    """Ten times too many for a minute: memory and queue from second to second, and what becomes of whom."""
    memory, waiting = [resident(process)], list[float]()
    ends = Event()

    def watch() -> None:
        while not ends.wait(1):
            memory.append(resident(process))
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/metrics")
            numbers = connection.getresponse().read().decode()
            waiting.append(float(re.search(r"^laconic_waiting (\S+)", numbers, re.MULTILINE)[1]))

    watching = Thread(target=watch)
    watching.start()
    found, times, refused = load(port, sentences, clients, OVERLOAD_SECONDS)
    ends.set()
    watching.join()
    print(f"{OVERLOAD} times too many     {found[200] / OVERLOAD_SECONDS:8.1f} sentences/s  {dict(found)}")
    print(
        f"  accepted {percentiles(times)}, refused {percentiles(refused)}, at most {max(waiting):.0f} waiting"
    )
    print("  memory " + " ".join(f"{each / 1e6:.0f}" for each in memory[:: max(1, len(memory) // 8)]) + " MB")


def start() -> tuple[int, subprocess.Popen[bytes]]:
    """A service in a process of its own, warm."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "laconic", "serve", "--port", str(port)], stderr=subprocess.DEVNULL
    )
    for _ in range(600):
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/ready")
            if connection.getresponse().status == 200:
                return port, process
        except OSError:
            pass
        time.sleep(0.1)
    raise RuntimeError("the service does not start")


def library(sentences: list[str]) -> tuple[float, float]:
    """Sentences a second of the library on all cores, and the processor time of one."""
    from laconic import Budget, Compressor

    compressor = Compressor()
    list(compressor.compress_all(sentences[:20], Budget.at_most(10)))
    began, spent = time.perf_counter(), time.process_time()
    list(compressor.compress_all(sentences, Budget.at_most(10), impossible="leave"))
    spent = time.process_time() - spent
    return len(sentences) / (time.perf_counter() - began), spent / len(sentences)


def load(
    port: int, sentences: list[str], clients: int, seconds: float
) -> tuple[Counter[int], list[float], list[float]]:
    """The answers by status, and the seconds that accepted and refused ones took."""
    end = time.perf_counter() + seconds
    found: Counter[int] = Counter()
    accepted: list[float] = []
    refused: list[float] = []

    def client(number: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        while time.perf_counter() < end:
            body = json.dumps(
                {"text": sentences[number % len(sentences)], "words": 10, "impossible": "leave"}
            )
            number += clients
            began = time.perf_counter()
            connection.request("POST", "/compress", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            found[answer.status] += 1
            (accepted if answer.status == 200 else refused).append(time.perf_counter() - began)
            if answer.status == 503:
                time.sleep(float(answer.headers.get("Retry-After", "1")))

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(client, range(clients)))
    return found, accepted, refused


def sustained(
    port: int, process: int, sentences: list[str], clients: int, seconds: float
) -> tuple[float, float, list[float]]:
    """Answers a second, what each takes of the processors, and how long clients wait for them."""
    before = processors(process)
    found, times, _ = load(port, sentences, clients, seconds)
    return found[200] / seconds, (processors(process) - before) / found[200], times


def batch(port: int, sentences: list[str]) -> float:
    lines = "\n".join(json.dumps({"text": text, "words": 10, "impossible": "leave"}) for text in sentences)
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    began = time.perf_counter()
    connection.request("POST", "/batch", lines)
    count = len(connection.getresponse().read().splitlines())
    return count / (time.perf_counter() - began)


def percentiles(times: list[float]) -> str:
    if not times:
        return "none"
    ordered = sorted(times)
    return "  ".join(
        f"p{share} {1000 * ordered[int(len(ordered) * share / 100)]:.0f} ms" for share in (50, 99)
    )


def processors(process: int) -> float:
    """The processor time of a process in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> int:
    """The memory of a process in bytes."""
    fields = Path(f"/proc/{process}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
