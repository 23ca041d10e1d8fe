"""The server that the service runs on: what it does with connections on which no request comes."""

from __future__ import annotations

import asyncio
from typing import Any

from laconic.errors import MissingExtra
from laconic.serve.settings import Settings

try:
    import uvicorn
    from uvicorn.protocols.http.auto import AutoHTTPProtocol
except ImportError as error:
    raise MissingExtra(error.name or "uvicorn", "serve") from None

_CONNECTIONS = 1_000  # at a time
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def server_of(app: Any, settings: Settings) -> uvicorn.Server:
    """A server for an application; when it is told to stop it waits for answers as long as these may take."""
    limits = settings.limits
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_impatient(limits.upload_seconds),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(limits.seconds) + 5,
            limit_concurrency=_CONNECTIONS,
        )
    )


def _impatient(seconds: float) -> type[Any]:
    """Connections that end where the head of a request does not arrive in time: silent ones keep nobody out."""

    class Impatient(AutoHTTPProtocol):
        _end: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._forget()

        def _watch(self) -> None:
            if not self._is_waiting:
                self._forget()
            elif self._end is None:
                self._end = self.loop.call_later(seconds, self._hang_up)

        @property
        def _is_waiting(self) -> bool:
            """Whether no request is being read or answered."""
            return self.cycle is None or self.cycle.response_complete

        def _forget(self) -> None:
            if self._end is not None:
                self._end.cancel()
                self._end = None

        def _hang_up(self) -> None:
            if self._is_waiting and not self.transport.is_closing():
                self.transport.write(_TOO_SLOW)
                self.transport.close()

    return Impatient
