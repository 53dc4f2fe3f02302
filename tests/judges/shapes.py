"""How endpoints other than OpenAI's are asked and answer, as their documentation has it, for stand-ins."""

from __future__ import annotations

import json
from typing import Any

from rankgauge.judgments.llm.stand_in import StandInShape


class Azure(StandInShape):
    """A deployment of Azure's OpenAI service: path, version and the header of the key; answers tell of its filter."""

    path = "/openai/deployments/judge/chat/completions?api-version=2024-10-21"
    key_header = "api-key"

    def reply(self, completion: dict[str, Any]) -> str:
        safe = {"hate": {"filtered": False, "severity": "safe"}}
        choices = [choice | {"content_filter_results": safe} for choice in completion["choices"]]
        return json.dumps(completion | {"choices": choices})


class Anthropic(StandInShape):
    """Messages: `system` is a field, answers are blocks, thoughts come first."""

    path, key_header = "/v1/messages", "x-api-key"

    def request(self, body: dict[str, Any]) -> dict[str, Any]:
        assert "max_tokens" in body
        assert not {"n", "stream", "logprobs"} & set(body)
        assert all(message["role"] in ("user", "assistant") for message in body["messages"])
        return body

    def reply(self, completion: dict[str, Any]) -> str:
        (choice,) = completion["choices"]
        blocks = [
            {"type": "thinking", "thinking": "Grade: 3?", "signature": "-"},
            {"type": "text", "text": choice["message"]["content"]},
        ]
        usage = {
            "input_tokens": completion["usage"]["prompt_tokens"],
            "output_tokens": completion["usage"]["completion_tokens"],
        }
        head = {"id": "msg_0", "type": "message", "role": "assistant", "model": "claude-x"}
        return json.dumps({**head, "content": blocks, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage})


class Ollama(StandInShape):
    """Ollama's own chats: options in, one message out, counts beside it."""

    path = "/api/chat"

    def request(self, body: dict[str, Any]) -> dict[str, Any]:
        assert body["stream"] is False
        assert set(body["options"]) == {"temperature", "num_predict"}
        return body | {"temperature": body["options"]["temperature"]}

    def reply(self, completion: dict[str, Any]) -> str:
        (choice,) = completion["choices"]
        counts = {
            "prompt_eval_count": completion["usage"]["prompt_tokens"],
            "eval_count": completion["usage"]["completion_tokens"],
        }
        head = {"model": "llama3.1", "created_at": "2026-01-01T00:00:00Z", "message": choice["message"]}
        return json.dumps({**head, "done_reason": "stop", "done": True, "total_duration": 1, **counts})


class Vllm(StandInShape):
    """vLLM's chat completions: OpenAI's form with fields of its own."""

    def reply(self, completion: dict[str, Any]) -> str:
        extra = {"reasoning_content": "It could be 3.", "tool_calls": []}
        choices = [
            choice | {"message": choice["message"] | extra, "stop_reason": None} for choice in completion["choices"]
        ]
        return json.dumps(completion | {"choices": choices, "prompt_logprobs": None})


class Streaming(StandInShape):
    """An endpoint that only streams: it refuses anything else, and sends its answer in pieces."""

    def reply(self, completion: dict[str, Any]) -> str:
        head = {"id": "c", "object": "chat.completion.chunk", "model": completion["model"]}
        pieces: list[dict[str, Any]] = []
        for choice in completion["choices"]:
            index, said = choice["index"], choice["message"]["content"]
            pieces.append({"choices": [{"index": index, "delta": {"role": "assistant", "content": ""}}]})
            pieces += [{"choices": [{"index": index, "delta": {"content": letter}}]} for letter in said]
            pieces.append({"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]})
        pieces.append({"choices": [], "usage": completion["usage"]})
        return "".join(f"data: {json.dumps(head | piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
