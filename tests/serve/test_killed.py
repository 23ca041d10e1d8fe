"""A service that is killed in the middle of its work and started again: requests fail, and no answer is wrong."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import count
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs laconic[serve]")
pytest.importorskip("uvicorn", reason="needs laconic[serve]")
pytest.importorskip("httpx", reason="the tests of the service need httpx")

import httpx

import laconic

pytestmark = pytest.mark.slow
TEXT = "It fell again on day {}, officials said on Monday."


def started(port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "laconic", "serve", "--port", str(port), "--queue", "4"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/ready").status_code == 200:
                return process
        except httpx.TransportError:
            assert process.poll() is None
        time.sleep(0.1)
    raise AssertionError("the service does not start")


def test_killed_and_restarted_under_load_it_gives_no_wrong_answer() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    outcomes: Counter[str] = Counter()
    wrong: list[Any] = []
    ends, numbers = threading.Event(), count()

    def client() -> None:
        while not ends.is_set():
            text = TEXT.format(next(numbers))
            try:
                answer = httpx.post(
                    f"http://127.0.0.1:{port}/compress", json={"text": text, "words": 5}, timeout=30
                )
            except httpx.TransportError:
                outcomes["failed"] += 1
                time.sleep(0.05)
                continue
            outcomes[str(answer.status_code)] += 1
            if answer.status_code == 503:
                time.sleep(0.05)
            elif answer.json().get("text") != laconic.compress(text, words=5).text:
                wrong.append((text, answer.text))

    process = started(port)
    clients = [threading.Thread(target=client) for _ in range(6)]
    try:
        for each in clients:
            each.start()
        before = 0
        for _ in range(2):
            while outcomes["200"] < before + 20:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            while not outcomes["failed"]:
                time.sleep(0.01)
            process, before = started(port), outcomes["200"]
        while outcomes["200"] < before + 20:
            time.sleep(0.05)
    finally:
        ends.set()
        for each in clients:
            each.join(60)
        process.terminate()
        process.wait(60)
    assert not wrong
    assert set(outcomes) <= {"200", "503", "failed"} and outcomes["200"] >= 60
