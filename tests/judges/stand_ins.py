"""Stand-ins that keep what they were asked, and those whose form is that of other endpoints, by their documentation."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from rankgauge.judgments.llm.stand_in import Row, StandIn, error_text


class WatchedStandIn(StandIn):
    """A stand-in that counts requests, knows only some models and keys, and fails when it is told to."""

    key_header = "Authorization"

    def __init__(self, table: Any, *, model: str | None = None, key: str | None = None, **settings: Any) -> None:
        """`model` and `key` are the only ones it takes, if given."""
        super().__init__(table, **settings)
        self.model, self.key = model, key
        self.next_faults: deque[str] = deque()
        """Faults of the next requests, before those that are drawn."""
        self.says_usage = True
        """Whether answers count their tokens."""
        self.bodies: deque[dict[str, Any]] = deque(maxlen=1000)
        """The last requests, and their headers."""
        self.headers: deque[Mapping[str, str]] = deque(maxlen=1000)
        self.identities: set[str] = set()
        """The idempotency keys of all requests."""
        self.received: Counter[Row] = Counter()
        """How often each row of the table was asked about."""

    def respond(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> tuple[int, str, str]:
        """Keep the request; refuse wrong keys and models."""
        body = self.read(body)
        if self.key and self.key not in headers.get(self.key_header, ""):
            return 401, error_text("Incorrect API key provided", code="invalid_api_key"), ""
        if self.model and body.get("model") != self.model:
            return 404, error_text(f"The model `{body.get('model')}` does not exist.", code="model_not_found"), ""
        with self.lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self.identities.add(headers.get("Idempotency-Key", ""))
            self.received[self.find_row(body)] += 1
        return super().respond(path, headers, body)

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        """Translate a request into OpenAI's form."""
        return body

    def draw_fault(self) -> str:
        """Take the next fault that was ordered, or draw one."""
        return self.next_faults.popleft() if self.next_faults else super().draw_fault()

    def completion(self, body: Mapping[str, Any], row: Row, fault: str = "") -> dict[str, Any]:
        """Return a chat completion, perhaps without counts of tokens."""
        completion = super().completion(body, row, fault)
        return completion if self.says_usage else {name: completion[name] for name in completion if name != "usage"}


class Azure(WatchedStandIn):
    """A deployment of Azure's OpenAI service: path, version and the header of the key; answers tell of its filter."""

    path = "/openai/deployments/judge/chat/completions?api-version=2024-10-21"
    key_header = "Api-Key"

    def write(self, completion: dict[str, Any]) -> str:
        safe = {"hate": {"filtered": False, "severity": "safe"}}
        choices = [choice | {"content_filter_results": safe} for choice in completion["choices"]]
        return json.dumps(completion | {"choices": choices})


class Anthropic(WatchedStandIn):
    """Messages: `system` is a field, answers are blocks, thoughts come first."""

    path, key_header = "/v1/messages", "X-Api-Key"

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        assert "max_tokens" in body
        assert not {"n", "stream", "logprobs"} & set(body)
        assert all(message["role"] in ("user", "assistant") for message in body["messages"])
        return body

    def write(self, completion: dict[str, Any]) -> str:
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


class Ollama(WatchedStandIn):
    """Ollama's own chats: options in, one message out, counts beside it."""

    path = "/api/chat"

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        assert body["stream"] is False
        assert set(body["options"]) == {"temperature", "num_predict"}
        return body | {"temperature": body["options"]["temperature"]}

    def write(self, completion: dict[str, Any]) -> str:
        (choice,) = completion["choices"]
        counts = {
            "prompt_eval_count": completion["usage"]["prompt_tokens"],
            "eval_count": completion["usage"]["completion_tokens"],
        }
        head = {"model": "llama3.1", "created_at": "2026-01-01T00:00:00Z", "message": choice["message"]}
        return json.dumps({**head, "done_reason": "stop", "done": True, "total_duration": 1, **counts})


class Vllm(WatchedStandIn):
    """vLLM's chat completions: OpenAI's form with fields of its own."""

    def write(self, completion: dict[str, Any]) -> str:
        extra = {"reasoning_content": "It could be 3.", "tool_calls": []}
        choices = [
            choice | {"message": choice["message"] | extra, "stop_reason": None} for choice in completion["choices"]
        ]
        return json.dumps(completion | {"choices": choices, "prompt_logprobs": None})


class Streaming(WatchedStandIn):
    """An endpoint that only streams: it refuses anything else, and sends its answer in pieces."""

    def respond(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> tuple[int, str, str]:
        if not body.get("stream"):
            return 400, error_text("This endpoint only supports streaming: set stream to true"), ""
        return super().respond(path, headers, body)

    def write(self, completion: dict[str, Any]) -> str:
        head = {"id": "c", "object": "chat.completion.chunk", "model": completion["model"]}
        pieces: list[dict[str, Any]] = []
        for choice in completion["choices"]:
            index, said = choice["index"], choice["message"]["content"]
            pieces.append({"choices": [{"index": index, "delta": {"role": "assistant", "content": ""}}]})
            pieces += [{"choices": [{"index": index, "delta": {"content": letter}}]} for letter in said]
            pieces.append({"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]})
        pieces.append({"choices": [], "usage": completion["usage"]})
        return "".join(f"data: {json.dumps(head | piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
