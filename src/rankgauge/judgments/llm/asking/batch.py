"""Batches: requests written to a file that an endpoint works off later, and its answers read back.

The lines are those of OpenAI's Batch API, which vLLM and others take too: a request has a `custom_id`, and the file of
results has a line with the same id, in any order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files.output import writing
from rankgauge.judgments.llm.asking.requests import Received
from rankgauge.judgments.llm.asking.session import AskingSession
from rankgauge.judgments.llm.chat_api import CHAT_APIS


def write_batch(session: AskingSession, path: Path) -> int:
    """Write a request for every pair that is still to be asked about; return how many."""
    requests = session.open_requests()
    with writing(path) as file:
        for identity, body in requests.items():
            line = {"custom_id": identity, "method": "POST", "url": "/v1/chat/completions", "body": body}
            file.write((json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return len(requests)


def read_batch(session: AskingSession, path: Path) -> int:
    """Store the answers of a file of results; return how many requests failed there, which stay open."""
    failed = 0
    waiting = set(session.open_requests())
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            result = _result(line, path, number)
            identity = str(result.get("custom_id"))
            received = _received(result)
            if identity not in waiting:
                continue  # answered before, or a line of another batch
            if received is None:
                failed += 1
            else:
                waiting.discard(identity)
                session.store_reply(identity, received, source=str(path))
    return failed


def _result(line: str, path: Path, number: int) -> Mapping[str, Any]:
    """Return a line of results."""
    try:
        result = json.loads(line)
    except (ValueError, RecursionError):
        result = None
    if not isinstance(result, Mapping) or "custom_id" not in result:
        raise InputError(
            "not a line of a batch's results: it needs a custom_id",
            path=path,
            line=number,
            text=line[:200].strip(),
            hint="Download the output file of the batch, not its description.",
        )
    return result


def _received(result: Mapping[str, Any]) -> Received | None:
    """Return the reply in a line of results; None if the request failed."""
    response = result.get("response")
    held = response.get("body", response) if isinstance(response, Mapping) else None
    status = response.get("status_code", 200) if isinstance(response, Mapping) else 0
    reply = CHAT_APIS["openai"].reply(held) if status == 200 and not result.get("error") else None
    if reply is None:
        return None
    return Received(
        choices=reply.choices,
        tokens_in=reply.tokens_in or 0,
        tokens_out=reply.tokens_out or 0,
        seconds=0.0,
        model=reply.model,
    )
