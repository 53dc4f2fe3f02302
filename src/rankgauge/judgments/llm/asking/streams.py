"""Answers that endpoints send in pieces, as server-sent events: joined to what they would be in one piece."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def joined_stream(text: str) -> dict[str, Any] | None:
    """Return the chat completion that a stream of pieces makes up; None if the text is no such stream.

    A stream that ends before its choices do is not JSON: a ValueError.
    """
    if not text.lstrip().startswith(("data:", "event:", ":")):
        return None
    choices: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for event in _events(text):
        whole |= {name: event[name] for name in ("model", "usage") if event.get(name)}
        for piece in event.get("choices") or ():
            if isinstance(piece, Mapping):
                _extend(choices.setdefault(_index(piece), {"message": {"content": ""}}), piece)
    if not choices or not all(choice.get("finish_reason") for choice in choices.values()):
        raise ValueError("the stream broke off")
    return {**whole, "choices": [choices[index] for index in sorted(choices)]}


def _events(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON object of each event."""
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data != "[DONE]":
            event = json.loads(data)
            if isinstance(event, dict):
                yield event


def _extend(choice: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece to its choice: text, log-probabilities, refusal, and the reason why it ended."""
    delta = piece.get("delta")
    delta = delta if isinstance(delta, Mapping) else {}
    for name in ("content", "refusal"):
        if isinstance(delta.get(name), str):
            choice["message"][name] = choice["message"].get(name, "") + delta[name]
    held = piece.get("logprobs")
    if isinstance(held, Mapping) and isinstance(held.get("content"), list):
        choice.setdefault("logprobs", {"content": []})["content"].extend(held["content"])
    if piece.get("finish_reason"):
        choice["finish_reason"] = piece["finish_reason"]


def _index(piece: Mapping[str, Any]) -> int:
    index = piece.get("index")
    return index if isinstance(index, int) else 0
