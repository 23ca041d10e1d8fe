"""How the service is run: where it listens, who may ask, and how much."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from laconic.errors import LaconicError


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much may be asked for at once; what is above is refused with a message that names the limit."""

    body_bytes: int = 1 << 20
    batch_bytes: int = 32 << 20
    texts: int = 1_000
    sentences: int = 2_000
    sentence_words: int = 400
    word_characters: int = 1_000
    seconds: float = 30.0
    upload_seconds: float = 30.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise LaconicError(f"{each.name}={value!r}: a limit is above 0")


LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of this machine for itself."""

_EVERYWHERE = ("0.0.0.0", "::", "")


def hosts_of(address: str, others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names by which a service is called that listens at an address; none are known of one on all networks.

    >>> hosts_of("127.0.0.1", ("laconic.example.org",))
    ('127.0.0.1', 'localhost', '::1', 'laconic.example.org')
    """
    if address in _EVERYWHERE:
        return others
    own = LOOPBACK if address in LOOPBACK or address.startswith("127.") else ()
    return tuple(dict.fromkeys((*own, address, *others)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The service's settings.

    `workers` texts are worked on at a time and `queue` more may wait. `tokenizers` are those that requests may name
    beside laconic's own; `origins` may ask from pages of their own; `log_texts` writes texts into the log.
    Requests that call the service by other names than `hosts`, where there are some, are refused: a page of another
    site could make its own name lead here, and read the answers.
    """

    workers: int = 0
    queue: int = 32
    api_key: str | None = None
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    tokenizers: tuple[str, ...] = ()
    log_texts: bool = False
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.workers < 0 or self.queue < 0:
            raise LaconicError("workers and queue are at least 0")
        if self.workers == 0:
            object.__setattr__(self, "workers", _cores())
        if self.api_key is not None and not self.api_key.strip():
            raise LaconicError("the API key is empty: give one, or none at all")
