"""What every request passes first: its size and time of arrival, the key, headers, the log and the numbers."""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from laconic.formats.jsonl import format_line
from laconic.serve.logs import LOGGER
from laconic.serve.metrics import Metrics
from laconic.serve.pool import WorkPool
from laconic.serve.problems import MEDIA_TYPE, Refusal
from laconic.serve.settings import Settings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_OPEN = ("/", "/health", "/ready", "/openapi.json")
_WORK = ("/compress", "/frontier", "/explain", "/parse", "/subtitles")
_PORT = re.compile(r":[0-9]*\Z")
_SECURITY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Edge:
    """The outermost layer: reads a body whole within its limits, or refuses it, before anything else sees it."""

    def __init__(
        self, app: App, *, settings: Settings, metrics: Metrics, pool: WorkPool, paths: frozenset[str]
    ) -> None:
        self.app, self.settings, self.metrics, self.pool, self.paths = app, settings, metrics, pool, paths

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        answer: dict[str, Any] = {"status": 0, "bytes": 0}
        body = b""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer["status"] = message["status"]
                names = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in _SECURITY.items()
                        if name.encode() not in names
                    ),
                ]
            elif message["type"] == "http.response.body":
                answer["bytes"] += len(message.get("body", b""))
            await send(message)

        try:
            try:
                self._check_host(scope)
                self._check_key(scope)
                body = await self._body(scope, receive)
                if scope["path"] in _WORK:
                    self.pool.check_room()  # before anyone reads what was sent, so that many are refused at once
            except Refusal as refusal:
                self.metrics.refusals.labels(refusal.kind).inc()
                await send_problem(refusal, sending)
                return
            await self.app(scope, _replayed(body, receive), sending)
        except Exception:
            LOGGER.exception("a request failed", extra={"fields": {"path": self._path(scope)}})
            if answer["status"]:
                raise
            await send_problem(Refusal(500, "internal", "the service failed; its log says why"), sending)
        finally:
            self._write(scope, answer, time.perf_counter() - started, body)

    def _path(self, scope: MutableMapping[str, Any]) -> str:
        path = str(scope["path"])
        return path if path in self.paths else "other"

    def _write(
        self, scope: MutableMapping[str, Any], answer: dict[str, Any], seconds: float, body: bytes
    ) -> None:
        path = self._path(scope)
        self.metrics.requests.labels(path, str(answer["status"])).inc()
        self.metrics.seconds.labels(path).observe(seconds)
        fields = {
            "method": scope["method"],
            "path": path,
            "status": answer["status"],
            "milliseconds": round(1000 * seconds, 1),
            "bytes_in": len(body),
            "bytes_out": answer["bytes"],
        }
        if self.settings.log_texts:
            fields["body"] = body.decode("utf-8", "replace")
        LOGGER.info("request", extra={"fields": fields})

    def _check_host(self, scope: MutableMapping[str, Any]) -> None:
        called = dict(scope["headers"]).get(b"host", b"").decode("latin-1").lower()
        name = _PORT.sub("", called).strip("[]").removesuffix(".")
        if called and self.settings.hosts and name not in self.settings.hosts:
            raise Refusal(
                421,
                "wrong-host",
                f"the service is not called {name[:100]!r}; `laconic serve --allow-host NAME` allows a name",
            )

    def _check_key(self, scope: MutableMapping[str, Any]) -> None:
        key, path = self.settings.api_key, scope["path"]
        if key is None or path in _OPEN or path.startswith("/page/") or scope["method"] == "OPTIONS":
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-api-key") or headers.get(b"authorization", b"").removeprefix(b"Bearer ")
        if not hmac.compare_digest(given, key.encode()):
            raise Refusal(
                401,
                "unauthorised",
                "give the key as `Authorization: Bearer KEY` or `X-API-Key: KEY`",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def _body(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        limits = self.settings.limits
        name = "batch_bytes" if scope["path"] in ("/batch", "/subtitles") else "body_bytes"
        most = getattr(limits, name)
        too_large = Refusal(413, "too-large", f"at most {most:,} bytes at a time", limit=name, most=most)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > most:
            raise too_large
        parts: list[bytes] = []
        size = 0

        more = True
        try:
            async with asyncio.timeout(limits.upload_seconds):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise too_large
                    more = message.get("more_body", False)
        except TimeoutError:
            seconds = limits.upload_seconds
            raise Refusal(
                408,
                "slow-upload",
                f"the request has not arrived within {seconds:g} seconds",
                limit="upload_seconds",
            ) from None
        return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A body that has been read, as if it came now; then whatever comes."""
    waiting = [body]

    async def replayed() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replayed


async def send_problem(refusal: Refusal, send: Send) -> None:
    """Answer with a problem."""
    body = format_line(refusal.problem).encode()
    headers = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), **refusal.headers}
    if refusal.status in (408, 413):
        headers["connection"] = "close"
    await send(
        {
            "type": "http.response.start",
            "status": refusal.status,
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": body})
