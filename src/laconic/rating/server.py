"""A page on this machine on which a person rates a sheet; every rating is kept in the sheet at once."""

from __future__ import annotations

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from laconic.errors import LaconicError
from laconic.rating.scores import whole_rating
from laconic.rating.sheets import read_sheet, write_ratings

LOOPBACK = "127.0.0.1"
_MOST_BYTES = 10_000


class Rater:
    """A sheet that is being rated."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.asked, self.lines = read_sheet(path)
        if not self.asked:
            raise LaconicError(f"{path}: nothing is asked: there are no columns for ratings")
        self._places = {line["id"]: line for line in self.lines}
        self._lock = Lock()

    def rate(self, request: Any) -> None:
        """Keep a rating: `id`, what was `asked`, and the `rating`."""
        if not isinstance(request, dict):
            raise LaconicError("a rating is an object with id, asked and rating")
        line, asked = self._places.get(str(request.get("id"))), request.get("asked")
        if line is None or asked not in self.asked:
            raise LaconicError(f"no line {request.get('id')!r} on which {asked!r} is asked")
        given = whole_rating(request.get("rating"), asked, line["id"], self._path)
        with self._lock:
            line[asked] = str(given)
            write_ratings(self._path, self.lines)


def create_server(path: Path, port: int) -> ThreadingHTTPServer:
    """The server of a sheet's page, on this machine alone."""
    rater = Rater(path)
    page = files("laconic.rating").joinpath("page.html").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self._is_for_us():
                return
            if self.path == "/":
                self._answer(HTTPStatus.OK, page, "text/html; charset=utf-8")
            elif self.path == "/sheet":
                sheet = json.dumps({"asked": rater.asked, "lines": rater.lines})
                self._answer(HTTPStatus.OK, sheet.encode(), "application/json")
            else:
                self._answer(HTTPStatus.NOT_FOUND, b"nothing here")

        def do_POST(self) -> None:
            if not self._is_for_us():
                return
            length = self.headers.get("Content-Length", "")
            if self.headers.get("Content-Type") != "application/json" or not length.isdecimal():
                self._answer(HTTPStatus.BAD_REQUEST, b"a rating is JSON")
            elif int(length) > _MOST_BYTES:
                self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"too long for a rating")
            else:
                try:
                    rater.rate(json.loads(self.rfile.read(int(length))))
                except ValueError as error:
                    self._answer(HTTPStatus.BAD_REQUEST, str(error).encode())
                else:
                    self._answer(HTTPStatus.NO_CONTENT)

        def _is_for_us(self) -> bool:
            """Whether the request names this machine: pages of others may lead a name of theirs here."""
            host = self.headers.get("Host", "").partition(":")[0]
            if host in (LOOPBACK, "localhost"):
                return True
            self._answer(HTTPStatus.FORBIDDEN, b"this page is for this machine")
            return False

        def _answer(
            self, status: HTTPStatus, body: bytes = b"", kind: str = "text/plain; charset=utf-8"
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing of requests."""

    try:
        return ThreadingHTTPServer((LOOPBACK, port), Handler)
    except (OSError, OverflowError) as error:
        raise LaconicError(f"cannot listen on {LOOPBACK}:{port}: {error}; --port names another") from None
