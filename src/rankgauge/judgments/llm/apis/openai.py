"""OpenAI's chat completions, as vLLM, llama.cpp, LM Studio, TGI, LiteLLM, Mistral and most others offer them too."""

from __future__ import annotations

from rankgauge.judgments.llm.chat_api import ChatApi, with_path

OPENAI = ChatApi(
    name="openai",
    title="chat completions as OpenAI, vLLM and most servers offer them",
    is_at=lambda url: False,  # what no other API claims
    address=with_path("/chat/completions"),
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    choices=lambda held: held.get("choices"),
    usage=("prompt_tokens", "completion_tokens"),
).register()
