"""What others do to a service: too much, too slowly, and then they are gone; nobody else suffers."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs laconic[serve]")
pytest.importorskip("prometheus_client", reason="needs laconic[serve]")
pytest.importorskip("uvicorn", reason="needs laconic[serve]")
pytest.importorskip("httpx", reason="the tests of the service need httpx")

import httpx

from laconic.serve.application import create_app
from laconic.serve.pool import Deadline, WorkPool
from laconic.serve.problems import Refusal
from laconic.serve.server import server_of
from laconic.serve.settings import Limits, Settings
from tests.serve.conftest import SENTENCE, started

JSON = {"content-type": "application/json"}


class Gate:
    """Work that waits until it is let through, and counts who is inside."""

    def __init__(self) -> None:
        self.open, self.inside, self.stopped = threading.Event(), 0, 0

    def compress(self, text: str, given: object, deadline: Deadline) -> dict[str, Any]:
        self.inside += 1
        try:
            while not self.open.wait(0.01):
                deadline.check()
        except Refusal:
            self.stopped += 1
            raise
        finally:
            self.inside -= 1
        return {"text": text}

    def warm(self) -> None:
        pass


@contextmanager
def running(**settings: Any) -> Iterator[tuple[int, Gate, Any]]:
    """A real server on a port of its own, whose work waits at a gate."""
    app = create_app(Settings(**settings))
    gate = Gate()
    app.state.service.work = gate
    server = server_of(app, Settings(**settings))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield port, gate, server
    finally:
        gate.open.set()
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


def until(holds: Any, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.005)


def ask(port: int, text: str = "x", **options: Any) -> Any:
    return httpx.post(f"http://127.0.0.1:{port}/compress", json={"text": text, **options}, timeout=20)


def request_of(body: bytes, *, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return (
        b"POST /compress HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        % size
        + body
    )


def everything_from(client: socket.socket) -> bytes:
    """What is received until the server closes."""
    client.settimeout(10)
    return b"".join(iter(lambda: client.recv(4096), b""))


def test_above_the_queue_is_refused_at_once_and_health_is_untouched() -> None:
    with running(workers=2, queue=3) as (port, gate, _), ThreadPoolExecutor(12) as clients:
        answers = [clients.submit(ask, port) for _ in range(5)]
        until(lambda: gate.inside == 2)
        until(lambda: b"laconic_waiting 3.0" in httpx.get(f"http://127.0.0.1:{port}/metrics").content)
        began = time.monotonic()
        refused = [clients.submit(ask, port) for _ in range(7)]
        assert all(each.result().status_code == 503 for each in refused)
        assert all(each.result().headers["retry-after"] == "1" for each in refused)
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        assert time.monotonic() - began < 5
        gate.open.set()
        assert [each.result().status_code for each in answers] == [200] * 5
        assert ask(port).status_code == 200


def test_an_answer_that_takes_too_long_is_given_up_inside_the_work() -> None:
    with running(workers=1, queue=1, limits=Limits(seconds=0.3)) as (port, gate, _):
        answer = ask(port)
        assert answer.status_code == 503 and answer.json()["limit"] == "seconds"
        until(lambda: gate.stopped == 1)
        gate.open.set()
        assert ask(port).status_code == 200


def test_work_for_a_client_that_has_gone_is_stopped() -> None:
    with running(workers=1, queue=4) as (port, gate, _):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request_of(b'{"text": "x"}'))
            until(lambda: gate.inside == 1)
        until(lambda: gate.stopped == 1 and gate.inside == 0)


def test_a_client_that_sends_slowly_is_told_and_holds_nobody() -> None:
    with running(workers=1, queue=1, limits=Limits(upload_seconds=0.4)) as (port, gate, _):
        gate.open.set()
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request_of(b'{"te', length=50))
            assert ask(port).status_code == 200
            answer = everything_from(client)
            assert answer.startswith(b"HTTP/1.1 408") and b"upload_seconds" in answer


def test_connections_on_which_no_request_comes_are_ended_and_keep_nobody_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("laconic.serve.server._CONNECTIONS", 8)
    with (
        running(workers=1, queue=1, limits=Limits(upload_seconds=0.6)) as (port, gate, _),
        ThreadPoolExecutor(1) as clients,
    ):
        kept = httpx.Client()
        assert kept.get(f"http://127.0.0.1:{port}/health").status_code == 200
        at_work = clients.submit(ask, port, "long")
        until(lambda: gate.inside == 1)
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(8)]
        silent[0].sendall(b"POST /compress HTTP/1.1\r\nhost")
        for each in silent:
            assert everything_from(each).startswith(b"HTTP/1.1 408")
            each.close()
        assert kept.get(f"http://127.0.0.1:{port}/health").status_code == 200
        kept.close()
        gate.open.set()
        assert at_work.result().status_code == 200  # its head had arrived


def test_a_hundred_megabytes_are_refused_before_they_arrive() -> None:
    with running(workers=1, queue=1) as (port, gate, _):
        gate.open.set()
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request_of(b"{", length=100_000_000))
            answer = everything_from(client)
        assert answer.startswith(b"HTTP/1.1 413") and b"body_bytes" in answer
        endless = (b"x" * 65_536 for _ in range(1600))
        with suppress(httpx.TransportError):  # the server may hang up on who does not listen
            assert httpx.post(f"http://127.0.0.1:{port}/compress", content=endless).status_code == 413
        assert ask(port).status_code == 200


def test_a_stop_waits_for_what_is_at_work() -> None:
    with running(workers=1, queue=1) as (port, gate, server), ThreadPoolExecutor(1) as clients:
        answer = clients.submit(ask, port, "whole")
        until(lambda: gate.inside == 1)
        server.should_exit = True
        time.sleep(0.3)
        gate.open.set()
        assert answer.result().json() == {"text": "whole"}


def test_a_place_is_free_only_when_the_work_has_ended() -> None:
    async def story() -> None:
        pool, gate = WorkPool(1, 0), Gate()
        stubborn = lambda: gate.open.wait(5)  # noqa: E731
        with pytest.raises(Refusal, match="within"):
            await pool.run(stubborn, Deadline(0.05))
        with pytest.raises(Refusal, match="try again"):
            await pool.run(lambda: 1, Deadline(1))
        gate.open.set()
        while pool.taken:
            await asyncio.sleep(0.01)
        assert await pool.run(lambda: 1, Deadline(1)) == 1
        pool.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (json.dumps({"text": "a" * 50_000}).encode(), 422, "word_characters"),
        (json.dumps({"text": "a " * 5_000}).encode(), 422, "sentence_words"),
        (json.dumps({"text": "It fell. " * 3_000}).encode(), 422, "sentences"),
        (json.dumps({"text": ["It fell."] * 2_000}).encode(), 422, "texts"),
        (b'{"text": "\xff\xfe"}', 400, "UTF-8"),
        (b"[" * 100_000, 400, "JSON"),
        (b'{"text": ' + b'{"a":' * 50_000, 400, "JSON"),
        (b"x" * 2_000_000, 413, "body_bytes"),
        (b'{"text": "It fell.", "words": NaN}', 422, "words"),
        (b"", 422, "request"),
    ],
)
def test_what_is_too_much_is_told_which_limit_it_is_above(client, body, status, words) -> None:
    answer = client.post("/compress", content=body, headers=JSON)
    assert answer.status_code == status
    assert words in answer.text


def test_a_key_is_asked_for_everywhere_but_where_machines_look() -> None:
    with started(api_key="secret", workers=1) as client:
        body = {"text": "It fell."}
        assert client.post("/compress", json=body).status_code == 401
        assert client.post("/compress", json=body, headers={"X-API-Key": "secreT"}).status_code == 401
        assert client.get("/metrics").status_code == 401
        assert client.post("/compress", json=body, headers={"X-API-Key": "secret"}).status_code == 200
        assert (
            client.post("/compress", json=body, headers={"Authorization": "Bearer secret"}).status_code == 200
        )
        assert {client.get(path).status_code for path in ("/", "/health", "/ready", "/page/page.js")} == {200}


def test_other_origins_may_ask_only_where_they_are_named(client) -> None:
    headers = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in client.options("/compress", headers=headers).headers
    with started(origins=("https://a.example",), workers=1) as other:
        allowed = other.options("/compress", headers=headers)
        assert allowed.headers["access-control-allow-origin"] == "https://a.example"


def test_every_answer_has_the_headers_that_protect_the_page(client) -> None:
    for answer in (
        client.get("/"),
        client.get("/nothing"),
        client.post("/compress", content=b"x" * 2_000_000),
    ):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_logs_hold_no_text_unless_they_are_asked_to(client, caplog) -> None:
    caplog.set_level("INFO", "laconic.serve")
    client.post("/compress", json={"text": SENTENCE})
    assert caplog.records and not any("council" in str(vars(record)) for record in caplog.records)
    with started(log_texts=True, workers=1) as other:
        other.post("/compress", json={"text": SENTENCE})
    assert any("council" in str(vars(record)) for record in caplog.records)


def test_the_page_is_small_and_fetches_nothing_from_elsewhere() -> None:
    from laconic.serve.application import page_files

    found = page_files()
    assert sum(len(content) for _, content, _ in found) < 100_000
    for path, content, _ in found:
        elsewhere = set(re.findall(r"""["'(](?:https?:)?//([\w.]+)""", content.decode()))
        assert elsewhere <= {"www.w3.org"}, path  # the name of SVG, which nobody fetches
