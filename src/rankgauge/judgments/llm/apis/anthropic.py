"""Anthropic's messages: the role is a field of its own, an answer is a list of blocks, and there is one at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.judgments.llm.chat_api import ChatApi, Fields, with_path

LEFT_OUT = ("n", "stream", "logprobs", "top_logprobs", "response_format")
"""What the API does not take."""

REASONS = {"max_tokens": "length", "refusal": "content_filter"}
"""Why an answer ended, in OpenAI's words."""


def _body(request: Fields) -> Fields:
    """Translate a request."""
    fields = {name: value for name, value in request.items() if name not in (*LEFT_OUT, "messages")}
    messages = request["messages"]
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    if "tools" in fields:
        fields["tools"] = [_tool(tool["function"]) for tool in fields["tools"]]
        fields["tool_choice"] = {"type": "tool", "name": fields["tools"][0]["name"]}
    said = [message for message in messages if message["role"] != "system"]
    return {**fields, "messages": said, **({"system": system} if system else {})}


def _tool(function: Fields) -> Fields:
    """Translate the description of a function."""
    return {
        "name": function["name"],
        "description": function["description"],
        "input_schema": function["parameters"],
    }


def _choices(held: Fields) -> Sequence[Fields] | None:
    """Translate the blocks of an answer: texts are joined, uses of a tool become calls, thoughts are left out."""
    blocks = held.get("content")
    if held.get("type") != "message" or not isinstance(blocks, list):
        return None
    known = [block for block in blocks if isinstance(block, Mapping)]
    text = "".join(str(block.get("text") or "") for block in known if block.get("type") == "text")
    calls = [
        {"function": {"name": block.get("name"), "arguments": json.dumps(block.get("input"))}}
        for block in known
        if block.get("type") == "tool_use"
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    reason = held.get("stop_reason")
    return [{"message": message, "finish_reason": REASONS.get(reason, reason) if isinstance(reason, str) else None}]


ANTHROPIC = ChatApi(
    name="anthropic",
    title="messages as Anthropic's API has them",
    is_at=lambda url: url.endswith("/messages") or "//api.anthropic.com" in url,
    address=with_path("/messages"),
    headers=lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
    body=_body,
    choices=_choices,
    usage=("input_tokens", "output_tokens"),
).register()
