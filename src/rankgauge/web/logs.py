"""The log: one JSON object per line, on stderr. It contains neither secrets nor headers nor bodies."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

__all__ = ["FACTS", "LOG", "JsonLines", "set_up"]

LOG = logging.getLogger("rankgauge.web")
FACTS = "facts"
"""The attribute of a log record with its further fields."""


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, FACTS, {}),
        }
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def set_up() -> None:
    """Sends the log of the room and of the server to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("rankgauge", "uvicorn", "alembic"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if name == "alembic" else logging.INFO)
    # uvicorn's access log would show whole paths, and with them the secrets of links.
    logging.getLogger("uvicorn.access").disabled = True
