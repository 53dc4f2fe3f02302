"""Azure's OpenAI service: the deployment and the version are parts of the URL, and the key has a header of its own."""

from __future__ import annotations

from urllib.parse import urlsplit

from rankgauge.judgments.llm.chat_api import ChatApi

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
