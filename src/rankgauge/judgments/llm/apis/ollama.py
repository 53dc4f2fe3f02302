"""Ollama's own chats: parameters are options, and the answer is one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankgauge.judgments.llm.chat_api import ChatApi, Fields, with_path

OPTIONS = {"temperature": "temperature", "max_tokens": "num_predict", "seed": "seed", "top_p": "top_p"}
LEFT_OUT = ("n", "logprobs", "top_logprobs", "response_format", "tool_choice")


def _body(request: Fields) -> Fields:
    """Translate a request."""
    options = {OPTIONS[name]: value for name, value in request.items() if name in OPTIONS}
    fields = {name: value for name, value in request.items() if name not in (*OPTIONS, *LEFT_OUT)}
    form = {"format": "json"} if "response_format" in request else {}
    return {**fields, "stream": False, "options": options, **form}


def _choices(held: Fields) -> Sequence[Fields] | None:
    """Translate the answer."""
    message = held.get("message")
    return [{"message": message, "finish_reason": held.get("done_reason")}] if isinstance(message, Mapping) else None


OLLAMA = ChatApi(
    name="ollama",
    title="chats as Ollama's own API has them",
    is_at=lambda url: url.endswith(("/api/chat", "/api")),
    address=lambda url: with_path("/chat")(url) if url.endswith(("/api", "/api/chat")) else url + "/api/chat",
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    body=_body,
    choices=_choices,
    usage=("prompt_eval_count", "eval_count"),
).register()
