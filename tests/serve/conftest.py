"""A service that is warm, and a library beside it to compare with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

SENTENCE = "The council, which met on Tuesday, lowered the fees for small businesses."


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    with started() as found:
        yield found


def started(**settings: Any) -> Any:
    """A client of a service in this process; as a context it is started, and stopped at the end."""
    from fastapi.testclient import TestClient

    from laconic.serve.application import create_app
    from laconic.serve.settings import Settings

    class Client(TestClient):
        def __enter__(self) -> Any:
            found = super().__enter__()
            while found.get("/ready").status_code != 200:
                time.sleep(0.05)
            return found

    return Client(create_app(Settings(**settings)), raise_server_exceptions=False)
