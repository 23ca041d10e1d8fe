"""Logs for machines: a JSON object a line on standard error, without the texts unless they are asked for."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

LOGGER = logging.getLogger("laconic.serve")


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def write_logs() -> None:
    """Write the service's logs, and those of the server below it, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    for name in ("laconic.serve", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = (
            [handler] if name != "uvicorn.error" else [],
            name == "uvicorn.error",
        )
        logger.setLevel(logging.INFO)
