"""APIs: the same pairs have the same grades whatever kind of endpoint is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.judgments.llm import ask, stand_in
from rankgauge.judgments.llm.asking.answers import parse
from rankgauge.judgments.llm.asking.endpoint import PassingFaultError, joined_stream, read_reply
from rankgauge.judgments.llm.chat_api import CHAT_APIS, api_at
from tests.judges.stand_ins import Anthropic, Azure, Ollama, Streaming, Vllm, WatchedStandIn

PAIRS = pl.DataFrame(
    {
        "query": [f"q{n // 10}" for n in range(200)],
        "document": [f"d{n}" for n in range(200)],
        "query_text": [f"question {n // 10}" for n in range(200)],
        "text": [f"passage number {n} of all" for n in range(200)],
        "grade": [(n * 7 + n // 10) % 4 for n in range(200)],
    }
)
SHAPES: dict[str, tuple[type[WatchedStandIn], str]] = {
    "openai": (WatchedStandIn, "/v1"),
    "azure": (Azure, "/openai/deployments/judge?api-version=2024-10-21"),
    "anthropic": (Anthropic, "/v1/messages"),
    "vllm": (Vllm, "/v1/chat/completions"),
    "ollama": (Ollama, "/api/chat"),
    "streaming": (Streaming, "/v1"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_endpoint_gives_the_same_grades(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 pairs, through the documented form of each kind of endpoint, with a key and counted tokens."""
    shape, path = SHAPES[name]
    monkeypatch.setenv("JUDGE_KEY", "k-1")
    with shape(PAIRS, key="k-1") as stand_in:
        url = stand_in.url.removesuffix("/v1") + path
        asked = ask(PAIRS.drop("grade"), url, model="m", cache=tmp_path / "a.db", key_env="JUDGE_KEY")
    assert asked.frame.sort("document")["grade"].to_list() == PAIRS.sort("document")["grade"].to_list()
    assert asked.tokens_in == sum(
        sum(len(message["content"].encode()) for message in body["messages"]) // 4 for body in stand_in.bodies
    )


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://localhost:8000/v1", "openai"),
        ("https://api.openai.com/v1/chat/completions", "openai"),
        ("https://x.openai.azure.com/openai/deployments/gpt-4o", "azure"),
        ("https://api.anthropic.com/v1", "anthropic"),
        ("http://localhost:11434/api/chat", "ollama"),
        ("http://localhost:11434/v1", "openai"),
    ],
)
def test_a_url_tells_its_api(url: str, name: str) -> None:
    """Users name an API only where the URL does not tell."""
    assert api_at(url).name == name


def test_an_unknown_api_is_refused(tmp_path: Path) -> None:
    """An API that is named has to exist."""
    with pytest.raises(UnknownNameError, match="anthropic"):
        ask(PAIRS, "http://localhost:1/v1", model="m", cache=tmp_path / "a.db", api="antropic")


@pytest.mark.parametrize("name", CHAT_APIS)
@pytest.mark.parametrize("held", [None, [], {}, {"choices": []}, {"content": 3, "type": "message"}, {"message": "x"}])
def test_anything_else_is_no_reply(name: str, held: Any) -> None:
    """An API takes nothing for an answer that is not one of its own."""
    assert CHAT_APIS[name].reply(held) is None


def of_openai(message: dict[str, Any], reason: str = "stop", **more: Any) -> dict[str, Any]:
    """A reply in OpenAI's form."""
    return {"choices": [{"index": 0, "message": {"role": "assistant"} | message, "finish_reason": reason, **more}]}


def of_anthropic(*blocks: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    """A reply in Anthropic's form."""
    usage = {"input_tokens": 10, "output_tokens": 2}
    return {"type": "message", "role": "assistant", "content": list(blocks), "stop_reason": reason, "usage": usage}


CALL = {"type": "function", "id": "c", "function": {"name": "record_grade", "arguments": '{"grade": 2}'}}
USED = {"type": "tool_use", "id": "toolu_0", "name": "record_grade", "input": {"grade": 2}}
FILTERED = {"hate": {"filtered": True, "severity": "high"}}
DOCUMENTED: list[tuple[str, dict[str, Any], float | str]] = [
    ("openai", of_openai({"content": "2", "refusal": None, "annotations": []}, logprobs=None), 2),
    ("openai", of_openai({"content": None, "refusal": "I can't."}), "the model refused: I can't."),
    ("openai", of_openai({"content": None, "tool_calls": [CALL]}, "tool_calls"), 2),
    ("openai", of_openai({"content": "", "reasoning_content": "3?"}, "length"), "cut off"),  # vLLM
    ("openai", of_openai({"content": "\n\n2", "reasoning_content": "Grade: 3"}), 2),  # vLLM, DeepSeek
    ("openai", of_openai({"content": "2"}, "insufficient_system_resource"), "broken off"),  # DeepSeek
    ("openai", of_openai({"content": "I record it.", "tool_calls": [CALL]}, "tool_calls"), 2),  # Mistral, Qwen
    ("openai", of_openai({}, "content_filter: PROHIBITED_CONTENT"), "content filter"),  # Gemini
    ("openai", of_openai({"content": "2"}, "error", error={"code": 502}), "broken off"),  # OpenRouter
    ("openai", of_openai({"content": "2", "tool_calls": []}, stop_reason=None, token_ids=None), 2),  # vLLM
    ("azure", of_openai({"content": ""}, "content_filter", content_filter_results=FILTERED), "content filter"),
    ("anthropic", of_anthropic({"type": "text", "text": "2"}), 2),
    ("anthropic", of_anthropic({"type": "thinking", "thinking": "3?"}, {"type": "text", "text": "2"}), 2),
    ("anthropic", of_anthropic(USED, reason="tool_use"), 2),
    ("anthropic", of_anthropic({"type": "text", "text": "I record it."}, USED, reason="tool_use"), 2),
    ("anthropic", of_anthropic({"type": "text", "text": "Grade: 3"}, USED, reason="tool_use"), "two grades"),
    ("anthropic", of_anthropic({"type": "text", "text": "2"}, reason="max_tokens"), "cut off"),
    ("anthropic", of_anthropic(reason="refusal"), "content filter"),
    ("ollama", {"message": {"role": "assistant", "content": "2", "thinking": "3?"}, "done_reason": "stop"}, 2),
    ("ollama", {"message": {"role": "assistant", "content": "", "thinking": "3?"}, "done_reason": "stop"}, "a thought"),
    ("ollama", {"message": {"role": "assistant", "content": "It may be 2"}, "done_reason": "length"}, "cut off"),
    ("ollama", {"message": {"tool_calls": [{"function": {"arguments": {"grade": 2}}}]}, "done_reason": "stop"}, 2),
]


@pytest.mark.parametrize(("name", "held", "said"), DOCUMENTED)
def test_documented_replies(name: str, held: dict[str, Any], said: float | str) -> None:
    """Replies as the endpoints' documentation has them are a grade, or refused for the reason that they give."""
    reply = CHAT_APIS[name].reply(held)
    assert reply is not None
    answer = parse(reply.choices[0], (0, 1, 2, 3))
    assert said in str(answer.refused) if isinstance(said, str) else answer.grade == said


def test_the_version_behind_a_model_is_kept() -> None:
    """OpenAI's fingerprint stands beside the model's name, streamed or not."""
    whole = {"model": "m-2026", "system_fingerprint": "fp_1", "choices": [{"delta": {}, "finish_reason": "stop"}]}
    for text in (json.dumps(whole), f"data: {json.dumps(whole)}\n\ndata: [DONE]\n"):
        assert read_reply(text, CHAT_APIS["openai"]).model == "m-2026 fp_1"


def test_the_digest_of_a_model_is_kept(tmp_path: Path) -> None:
    """Ollama's answers name a model alone; its list has the digest, as `ollama list` shows it."""

    class Listing(stand_in._Handler):
        def do_GET(self) -> None:  # noqa: N802 - the name that the server calls
            listed = {"models": [{"name": "llama3.1:latest", "digest": "46e0c10c039e019119339687c3c1757cc81b9da4"}]}
            content = json.dumps(listed if self.path == "/api/tags" else {}).encode()
            self.wfile.write(f"HTTP/1.1 200 -\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)

    with Ollama(PAIRS) as running:
        running._server.RequestHandlerClass = Listing
        url = running.url.removesuffix("/v1") + "/api/chat"
        asked = ask(PAIRS.head(3), url, model="llama3.1", cache=tmp_path / "a.db")
    assert asked.models == {"llama3.1 46e0c10c039e"}


def test_a_streamed_thought_is_no_answer() -> None:
    """Thoughts come in pieces of their own; without an answer after them this is said."""
    pieces = [{"delta": {"reasoning_content": part}} for part in ("It could", " be 3.")]
    events = [{"choices": [piece | {"index": 0}]} for piece in [*pieces, {"delta": {}, "finish_reason": "stop"}]]
    (choice,) = read_reply("".join(f"data: {json.dumps(one)}\n\n" for one in events), CHAT_APIS["openai"]).choices
    assert parse(choice, (0, 1, 2, 3)).refused == "a thought, and no answer after it"


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    """Without the reason why it ended, the last piece may be missing."""
    with Streaming(PAIRS) as stand_in:
        whole = stand_in.write({"model": "m", "usage": {}, "choices": [{"index": 0, "message": {"content": "12"}}]})
    joined = joined_stream(whole)
    assert joined is not None
    assert joined["choices"][0]["message"]["content"] == "12"
    assert joined_stream('{"choices": []}') is None
    with pytest.raises(ValueError, match="broke off"):
        joined_stream(whole[: len(whole) // 2].rpartition("data:")[0])


def test_calls_of_tools_come_in_pieces() -> None:
    """A streamed call has its arguments in pieces; a separator of lines inside a text ends no event."""
    told = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "function": {"name": "g", "arguments": ""}}],
        },
        *({"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in ('{"gra', 'de": 2}')),
    ]
    pieces = [{"index": 0, "delta": delta, "finish_reason": None} for delta in told]
    pieces.append({"index": 0, "delta": {"content": "\u2028"}, "finish_reason": "tool_calls"})
    text = "".join(f"data: {json.dumps({'choices': [piece]}, ensure_ascii=False)}\n\n" for piece in pieces)
    (choice,) = read_reply(text + "data: [DONE]\n", CHAT_APIS["openai"]).choices
    assert parse(choice, (0, 1, 2, 3)).grade == 2


@pytest.mark.parametrize("text", ["data: {", "data: 3", 'data: {"choices": [3]}', 'data: {"choices": [{"delta": 3}]}'])
def test_faults_stay_faults(text: str) -> None:
    """What is no stream and no JSON is a passing fault of the endpoint."""
    with pytest.raises(PassingFaultError, match="not JSON"):
        read_reply(text, CHAT_APIS["openai"])


PICTURE = b"\x89PNG\r\n\x1a\n"
DATA = "iVBORw0KGgo="


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("openai", {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}),
        ("anthropic", {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}),
        ("ollama", DATA),
    ],
)
def test_pictures_are_sent_in_each_form(name: str, sent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture goes with its document as the API wants it; another picture is another question."""
    monkeypatch.chdir(tmp_path)
    shape, path = SHAPES[name]
    Path("a.png").write_bytes(PICTURE)
    pairs = PAIRS.head(4).with_columns(image=pl.Series(["a.png", None, None, None]))
    with shape(pairs) as stand_in:
        url = stand_in.url.removesuffix("/v1") + path
        asked = ask(pairs.drop("grade"), url, model="m", cache="a.db", images=True)
        again = ask(pairs.drop("grade"), url, model="m", cache="a.db", images=True)
        Path("a.png").write_bytes(PICTURE + b"-")
        moved = ask(pairs.drop("grade"), url, model="m", cache="a.db", images=True)
    assert asked.frame["grade"].to_list() == pairs["grade"].to_list()
    assert (asked.requests, again.requests, moved.requests) == (4, 0, 1)
    contents = [one for body in list(stand_in.bodies)[:4] for one in body["messages"]]
    shown = [one.get("images", one["content"] if isinstance(one["content"], list) else []) for one in contents]
    assert sum(sent in parts for parts in shown) == 1
    assert asked.tokens_in < 2000  # by texts: a picture's bytes are no words


def test_pictures_that_cannot_be_sent(tmp_path: Path) -> None:
    """A pool without pictures, a file that is none, a prompt that compares: errors before anything is asked."""
    call = {"url": "http://127.0.0.1:9/v1", "model": "m", "cache": tmp_path / "a.db", "images": True}
    with pytest.raises(InputError, match="no column image"):
        ask(PAIRS, **call)
    for image, words in (("a.txt", "no picture"), ("none.png", "cannot be read")):
        with pytest.raises(InputError, match=words):
            ask(PAIRS.with_columns(image=pl.lit(image)), **call)
    with pytest.raises(InputError, match="takes texts"):
        ask(PAIRS.with_columns(image=pl.lit("https://x/a.png")), **call, prompt="pairwise")


def test_one_default_for_the_temperature(tmp_path: Path) -> None:
    """Several samples are asked at temperature 1 and one at 0, in Python as at the command line; prompts have room."""
    with WatchedStandIn(PAIRS) as stand_in:
        for samples, prompt in ((1, None), (3, "umbrela")):
            ask(PAIRS.head(1), stand_in.url, model="m", cache=tmp_path / "a.db", samples=samples, prompt=prompt)
    sent = [(body["temperature"], body["max_tokens"]) for body in stand_in.bodies]
    assert sent[0] == (0.0, 32)
    assert set(sent[1:]) == {(1.0, 200)}
