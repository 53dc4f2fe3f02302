"""APIs: the same pairs have the same grades whatever kind of endpoint is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import UnknownNameError
from rankgauge.judgments.llm import ask
from rankgauge.judgments.llm.asking.endpoint import PassingFaultError, joined_stream
from rankgauge.judgments.llm.chat_api import CHAT_APIS, api_at
from rankgauge.judgments.llm.stand_in import StandIn, StandInShape
from tests.judges.shapes import Anthropic, Azure, Ollama, Streaming, Vllm

PAIRS = pl.DataFrame(
    {
        "query": [f"q{n // 10}" for n in range(200)],
        "document": [f"d{n}" for n in range(200)],
        "query_text": [f"question {n // 10}" for n in range(200)],
        "text": [f"passage number {n} of all" for n in range(200)],
        "grade": [(n * 7 + n // 10) % 4 for n in range(200)],
    }
)
SHAPES: dict[str, tuple[StandInShape, str]] = {
    "openai": (StandInShape(), "/v1"),
    "azure": (Azure(), "/openai/deployments/judge?api-version=2024-10-21"),
    "anthropic": (Anthropic(), "/v1/messages"),
    "vllm": (Vllm(), "/v1/chat/completions"),
    "ollama": (Ollama(), "/api/chat"),
    "streaming": (Streaming(), "/v1"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_endpoint_gives_the_same_grades(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 pairs, through the documented form of each kind of endpoint, with a key and counted tokens."""
    shape, path = SHAPES[name]
    monkeypatch.setenv("JUDGE_KEY", "k-1")
    with StandIn(PAIRS, key="k-1") as stand_in:
        stand_in.shape = shape
        if name == "streaming":
            refuse_whole_answers(stand_in, monkeypatch)
        url = stand_in.url.removesuffix("/v1") + path
        asked = ask(PAIRS.drop("grade"), url, model="m", cache=tmp_path / "a.db", key_env="JUDGE_KEY")
    assert asked.frame.sort("document")["grade"].to_list() == PAIRS.sort("document")["grade"].to_list()
    assert asked.tokens_in == sum(
        sum(len(message["content"].encode()) for message in body["messages"]) // 4 for body in stand_in.bodies
    )


def refuse_whole_answers(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a stand-in refuse requests that do not ask for a stream."""
    noted = stand_in.note

    def note(body: dict[str, Any], headers: dict[str, str]) -> tuple[int | None, str | None]:
        if not body.get("stream"):
            return None, "400:This endpoint only supports streaming: set stream to true"
        return noted(body, headers)

    monkeypatch.setattr(stand_in, "note", note)


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


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    """Without the reason why it ended, the last piece may be missing."""
    whole = Streaming().reply({"model": "m", "usage": {}, "choices": [{"index": 0, "message": {"content": "12"}}]})
    joined = joined_stream(whole)
    assert joined is not None
    assert joined["choices"][0]["message"]["content"] == "12"
    assert joined_stream('{"choices": []}') is None
    with pytest.raises(ValueError, match="broke off"):
        joined_stream(whole[: len(whole) // 2].rpartition("data:")[0])


def test_faults_stay_faults() -> None:
    """What is no stream and no JSON is a passing fault of the endpoint."""
    from rankgauge.judgments.llm.asking.endpoint import read_reply

    with pytest.raises(PassingFaultError, match="not JSON"):
        read_reply("data: {", CHAT_APIS["openai"])
