"""Refusals as problem details (RFC 9457): what was wrong, which limit it was, and what is possible."""

from __future__ import annotations

from typing import Any

from laconic.errors import InfeasibleBudget, LaconicError, MissingExtra

MEDIA_TYPE = "application/problem+json"
TITLES = {
    "bad-request": "The request cannot be read",
    "unauthorised": "An API key is needed",
    "wrong-host": "The service is not called so",
    "not-found": "There is nothing here",
    "method": "This is asked for in another way",
    "slow-upload": "The request took too long to arrive",
    "too-large": "The request is too large",
    "wrong-value": "A value is not what it should be",
    "impossible": "No compression meets the limit",
    "over-limit": "The text is above a limit of this service",
    "missing-extra": "This service was installed without what this needs",
    "busy": "All workers are busy and the queue is full",
    "time-limit": "The answer took too long",
    "stopping": "The service is not ready",
    "internal": "The service failed",
}


class Refusal(Exception):
    """A request that is refused, with the status and the problem that the caller is told."""

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail, self.more = status, kind, detail, more
        self.headers = headers or {}

    @classmethod
    def of(cls, error: LaconicError) -> Refusal:
        """The refusal that a mistake of the caller is; with what is possible, where the library knows it."""
        if isinstance(error, InfeasibleBudget):
            possible = None if error.possible is None else sorted(set(error.possible))
            return cls(422, "impossible", str(error), possible=possible)
        if isinstance(error, MissingExtra):
            return cls(501, "missing-extra", str(error))
        return cls(422, "wrong-value", str(error))

    @property
    def problem(self) -> dict[str, Any]:
        """The problem as JSON holds it."""
        return {
            "type": f"urn:laconic:{self.kind}",
            "title": TITLES[self.kind],
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }


def over_limit(name: str, most: float, detail: str) -> Refusal:
    """The refusal of what is above a limit, which it names."""
    return Refusal(422, "over-limit", detail, limit=name, most=most)
