"""The service on loopback: throughput beside the library's, and what ten times too many clients do to it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

SENTENCES = 500
SECONDS = 20
OVERLOAD = 10


def run(data: Path) -> None:
    lines = (data / "compression" / "google.dev.jsonl").read_text(encoding="utf-8").splitlines()[:SENTENCES]
    sentences = [json.loads(line)["source"] for line in lines]
    port, process = start()
    try:
        alone = library(sentences)
        print(f"compress_all        {alone:8.1f} sentences/s")
        clients = 2 * (os.cpu_count() or 1)
        found, times, _ = load(port, sentences, clients, SECONDS)
        served = found[200] / SECONDS
        print(f"/compress           {served:8.1f} sentences/s  {served / alone:.0%}  {percentiles(times)}")
        batched = batch(port, sentences)
        print(f"/batch              {batched:8.1f} sentences/s  {batched / alone:.0%}")
        before = resident(process.pid)
        found, times, refused = load(port, sentences, OVERLOAD * (clients + 32), SECONDS)
        print(f"{OVERLOAD} times too many     {found[200] / SECONDS:8.1f} sentences/s  {dict(found)}")
        print(f"  accepted {percentiles(times)}, refused {percentiles(refused)}")
        print(f"  memory {before / 1e6:.0f} -> {resident(process.pid) / 1e6:.0f} MB")
        found, times, _ = load(port, sentences, clients, SECONDS / 4)
        print(f"after it            {found[200] / (SECONDS / 4):8.1f} sentences/s  {percentiles(times)}")
    finally:
        process.terminate()
        process.wait(60)


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


def library(sentences: list[str]) -> float:
    from laconic import Budget, Compressor

    compressor = Compressor()
    list(compressor.compress_all(sentences[:20], Budget.at_most(10)))
    began = time.perf_counter()
    list(compressor.compress_all(sentences, Budget.at_most(10), impossible="leave"))
    return len(sentences) / (time.perf_counter() - began)


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
                time.sleep(0.2)

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(client, range(clients)))
    return found, accepted, refused


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


def resident(process: int) -> int:
    """The memory of a process in bytes."""
    fields = Path(f"/proc/{process}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
