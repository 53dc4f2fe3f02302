"""How endpoints are asked and how they answer: OpenAI, Azure, Ollama and Anthropic, each in its own form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from rankgauge.judgments.llm.chat_api import ChatApi, Fields, with_path

OPENAI = ChatApi(
    name="openai",
    title="chat completions as OpenAI, vLLM and most servers offer them",
    is_at=lambda url: False,  # what no other API claims
    address=with_path("/chat/completions"),
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    choices=lambda held: held.get("choices"),
    usage=("prompt_tokens", "completion_tokens"),
).register()


PATH, VERSION = "/chat/completions", "api-version=2024-10-21"


def _is_at(url: str) -> bool:
    parts = urlsplit(url)
    return "/openai/deployments/" in parts.path or "api-version=" in parts.query


def _address(url: str) -> str:
    """Return the address of a deployment's chats; the version is the one in the URL, or a generally available one."""
    path, _, query = url.partition("?")
    path = path.rstrip("/").removesuffix(PATH)
    return f"{path}{PATH}?{query or VERSION}"


AZURE = ChatApi(
    name="azure",
    title="a deployment of Azure's OpenAI service",
    is_at=_is_at,
    address=_address,
    headers=lambda key: {"api-key": key},
    choices=lambda held: held.get("choices"),
    usage=("prompt_tokens", "completion_tokens"),
).register()


OPTIONS = {"temperature": "temperature", "max_tokens": "num_predict", "seed": "seed", "top_p": "top_p"}
NOT_IN_OLLAMA = ("n", "logprobs", "top_logprobs", "response_format", "tool_choice")


def _ollama_body(request: Fields) -> Fields:
    """Translate a request."""
    options = {OPTIONS[name]: value for name, value in request.items() if name in OPTIONS}
    fields = {name: value for name, value in request.items() if name not in (*OPTIONS, *NOT_IN_OLLAMA)}
    form = {"format": "json"} if "response_format" in request else {}
    return {**fields, "stream": False, "options": options, **form}


def _ollama_choices(held: Fields) -> Sequence[Fields] | None:
    """Translate the answer."""
    message = held.get("message")
    return [{"message": message, "finish_reason": held.get("done_reason")}] if isinstance(message, Mapping) else None


OLLAMA = ChatApi(
    name="ollama",
    title="chats as Ollama's own API has them",
    is_at=lambda url: url.endswith(("/api/chat", "/api")),
    address=lambda url: with_path("/chat")(url) if url.endswith(("/api", "/api/chat")) else url + "/api/chat",
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    body=_ollama_body,
    choices=_ollama_choices,
    usage=("prompt_eval_count", "eval_count"),
).register()


NOT_IN_ANTHROPIC = ("n", "stream", "logprobs", "top_logprobs", "response_format")
"""What the API does not take."""

REASONS = {"max_tokens": "length", "refusal": "content_filter"}
"""Why an answer ended, in OpenAI's words."""


def _anthropic_body(request: Fields) -> Fields:
    """Translate a request."""
    fields = {name: value for name, value in request.items() if name not in (*NOT_IN_ANTHROPIC, "messages")}
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


def _anthropic_choices(held: Fields) -> Sequence[Fields] | None:
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
    body=_anthropic_body,
    choices=_anthropic_choices,
    usage=("input_tokens", "output_tokens"),
).register()
