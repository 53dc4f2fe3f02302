"""How endpoints are asked and how they answer: OpenAI, Azure, Ollama and Anthropic, each in its own form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from rankgauge.errors import InputError
from rankgauge.judgments.llm.chat_api import ChatApi, Fields, with_path

PATH, VERSION = "/chat/completions", "api-version=2024-10-21"
COUNTS = ("prompt_tokens", "completion_tokens")

ChatApi(
    name="openai",
    title="chat completions as OpenAI, vLLM and most servers offer them",
    is_at=lambda url: False,  # what no other API claims
    address=with_path(PATH),
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    choices=lambda held: held.get("choices"),
    usage=COUNTS,
).register()


def _is_at_azure(url: str) -> bool:
    parts = urlsplit(url)
    return "/openai/deployments/" in parts.path or "api-version=" in parts.query


def _azure_address(url: str) -> str:
    """Return the address of a deployment's chats; the version is the one in the URL, or a generally available one."""
    path, _, query = url.partition("?")
    return f"{path.rstrip('/').removesuffix(PATH)}{PATH}?{query or VERSION}"


ChatApi(
    name="azure",
    title="a deployment of Azure's OpenAI service",
    is_at=_is_at_azure,
    address=_azure_address,
    headers=lambda key: {"api-key": key},
    choices=lambda held: held.get("choices"),
    usage=COUNTS,
).register()


OPTIONS = {"temperature": "temperature", "max_tokens": "num_predict", "seed": "seed", "top_p": "top_p"}
NOT_IN_OLLAMA = ("n", "logprobs", "top_logprobs", "response_format", "tool_choice", "messages")


def _ollama_body(request: Fields) -> Fields:
    """Translate a request."""
    options = {OPTIONS[name]: value for name, value in request.items() if name in OPTIONS}
    fields = {name: value for name, value in request.items() if name not in (*OPTIONS, *NOT_IN_OLLAMA)}
    form = {"format": "json"} if "response_format" in request else {}
    messages = [_ollama_message(message) for message in request["messages"]]
    return {**fields, "messages": messages, "stream": False, "options": options, **form}


def _ollama_message(message: Fields) -> Fields:
    """Translate a message: a picture stands beside the text."""
    if isinstance(message["content"], str):
        return message
    text, image = message["content"]
    kind, _, data = image["image_url"]["url"].partition(";base64,")
    if not kind.startswith("data:"):
        raise InputError("Ollama takes pictures as files, not as addresses", hint="Name files in the column image.")
    return {**message, "content": text["text"], "images": [data]}


def _ollama_choices(held: Fields) -> Sequence[Fields] | None:
    """Translate the answer."""
    message = held.get("message")
    return [{"message": message, "finish_reason": held.get("done_reason")}] if isinstance(message, Mapping) else None


ChatApi(
    name="ollama",
    title="chats as Ollama's own API has them",
    is_at=lambda url: url.endswith(("/api/chat", "/api")),
    address=lambda url: with_path("/chat")(url) if url.endswith(("/api", "/api/chat")) else url + "/api/chat",
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    body=_ollama_body,
    choices=_ollama_choices,
    usage=("prompt_eval_count", "eval_count"),
    listing="/api/tags",
).register()


NOT_IN_ANTHROPIC = ("n", "stream", "logprobs", "top_logprobs", "response_format", "messages")
"""What the API does not take, or has in another form."""


def _anthropic_body(request: Fields) -> Fields:
    """Translate a request."""
    fields = {name: value for name, value in request.items() if name not in NOT_IN_ANTHROPIC}
    messages = request["messages"]
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    if "tools" in fields:
        functions = [tool["function"] for tool in fields["tools"]]
        names = {"name": "name", "description": "description", "input_schema": "parameters"}
        fields["tools"] = [{ours: function[theirs] for ours, theirs in names.items()} for function in functions]
        fields["tool_choice"] = {"type": "tool", "name": functions[0]["name"]}
    said = [_anthropic_message(message) for message in messages if message["role"] != "system"]
    return {**fields, "messages": said, **({"system": system} if system else {})}


def _anthropic_message(message: Fields) -> Fields:
    """Translate a message: a picture is a block of its own."""
    if isinstance(message["content"], str):
        return message
    text, image = message["content"]
    url = image["image_url"]["url"]
    source = {"type": "url", "url": url}
    if url.startswith("data:"):
        kind, _, data = url.removeprefix("data:").partition(";base64,")
        source = {"type": "base64", "media_type": kind, "data": data}
    return {**message, "content": [{"type": "image", "source": source}, text]}


def _anthropic_choices(held: Fields) -> Sequence[Fields] | None:
    """Translate the blocks of an answer: texts are joined, uses of a tool become calls, thoughts are left out."""
    blocks = held.get("content")
    if held.get("type") != "message" or not isinstance(blocks, list):
        return None
    known = [block for block in blocks if isinstance(block, Mapping)]
    text = "".join(str(block.get("text") or "") for block in known if block.get("type") == "text")
    used = [block for block in known if block.get("type") == "tool_use"]
    calls = [{"function": {"name": one.get("name"), "arguments": json.dumps(one.get("input"))}} for one in used]
    message: dict[str, Any] = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    return [{"message": message, "finish_reason": held.get("stop_reason")}]


ChatApi(
    name="anthropic",
    title="messages as Anthropic's API has them",
    is_at=lambda url: url.endswith("/messages") or "//api.anthropic.com" in url,
    address=with_path("/messages"),
    headers=lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
    body=_anthropic_body,
    choices=_anthropic_choices,
    usage=("input_tokens", "output_tokens"),
).register()
