"""One request: whatever comes back is an answer, a fault that may pass, or an error, and it never takes for ever."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.endpoint import Endpoint, PassingFaultError, read_reply, said_problem
from rankgauge.judgments.llm.chat_api import CHAT_APIS, Reply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "usage", "error", "message", "prompt_tokens"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON.map(json.dumps) | st.text(max_size=50))
def test_any_text_is_an_answer_or_a_passing_fault(text: str) -> None:
    """No shape of an answer breaks the reader, and an error's words are always found."""
    assert isinstance(said_problem(text), str)
    try:
        reply = read_reply(text, CHAT_APIS["openai"])
    except PassingFaultError:
        return
    assert isinstance(reply, Reply)
    assert reply.choices


@pytest.fixture
def trickle() -> Iterator[str]:
    """A server that begins an answer and then sends a byte now and then."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            with suppress(OSError):
                client, _ = server.accept()
                with client:
                    client.recv(65536)
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
                    while True:
                        client.sendall(b" ")
                        time.sleep(0.05)

        Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def test_an_error_in_a_list_has_its_words() -> None:
    """Gemini's endpoint puts an error into a list."""
    assert said_problem('[{"error": {"code": 400, "message": "API key not valid."}}]') == "API key not valid."


def test_a_web_page_is_called_one() -> None:
    """A proxy's page or another server's is no reason that anybody can read in one line."""
    assert said_problem("<!doctype html><html><body>404 Not Found</body></html>") == "a web page"


def test_an_answer_that_trickles_in_is_given_up(trickle: str) -> None:
    """The limit is on the whole answer, not on the time between two bytes."""
    began = time.monotonic()
    with (
        closing(Endpoint(url=trickle, seconds=0.4)) as endpoint,
        pytest.raises(PassingFaultError, match="no whole answer"),
    ):
        endpoint.ask({"messages": []}, "1")
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("key", ["sk-1\nX-Evil: 1", "sk 1", "sk-ключ"])
def test_odd_keys_are_refused_and_not_shown(key: str) -> None:
    """A key with a line break would be another header."""
    with pytest.raises(InputError) as error:
        Endpoint(url="http://localhost:1/v1", key=key)
    assert key not in str(error.value)


def test_a_key_is_not_in_a_representation() -> None:
    """Printing an endpoint shows no key."""
    with closing(Endpoint(url="http://localhost:1/v1/chat/completions", key="sk-secret")) as endpoint:
        assert "sk-secret" not in repr(endpoint)
        assert endpoint.url == "http://localhost:1/v1"
