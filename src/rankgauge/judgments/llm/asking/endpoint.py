"""An endpoint of a language model over HTTP: one request, and what comes back.

Redirects are not followed, so a key never reaches another host; no message that is passed on contains the key.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rankgauge.errors import InputError, MissingExtraError
from rankgauge.judgments.llm.chat_api import CHAT_APIS, ChatApi, Reply, api_at

if TYPE_CHECKING:
    import httpx


LONGEST_WAIT = 60.0
"""No wait that we choose ourselves is longer, in seconds."""

LONGEST_ORDER = 600.0
"""No wait that an endpoint asks for is longer, in seconds."""


class PassingFaultError(Exception):
    """A fault that may be gone at the next try: the endpoint is busy, slow, or answered with garbage."""

    def __init__(self, problem: str, *, after: float = 0.0, sent: bool = True) -> None:
        """`after` is how many seconds the endpoint asks to wait; `sent`: it may have worked, and may charge for it."""
        self.problem, self.after, self.sent = problem, after, sent
        super().__init__(problem)


class NobodyAnswersError(PassingFaultError):
    """No connection could be made."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, sent=False)


class PairFaultError(Exception):
    """The endpoint does not take this pair, whenever it is asked: the document is too long, say."""


def wait(trial: int, fault: PassingFaultError) -> float:
    """How many seconds to wait before the next trial (from 0): as long as was asked for, and a doubling random time.

    The random part keeps those who wait together from asking together.
    """
    return fault.after + min(2.0**trial, LONGEST_WAIT) * random.uniform(0.25, 0.75)


def ordered_wait(header: str | None) -> float:
    """The seconds that a Retry-After header asks for: a number, or a date."""
    if not header:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return min(max(seconds, 0.0), LONGEST_ORDER) if seconds == seconds else 0.0


def joined_stream(text: str) -> dict[str, Any] | None:
    """Return the chat completion that a stream of pieces makes up; None if the text is no such stream.

    A stream that ends before its choices do is not JSON: a ValueError.
    """
    if not text.lstrip().startswith(("data:", "event:", ":")):
        return None
    choices: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for event in _events(text):
        whole |= {name: event[name] for name in ("model", "usage") if event.get(name)}
        for piece in event.get("choices") or ():
            if isinstance(piece, Mapping):
                _extend(choices.setdefault(_index(piece), {"message": {"content": ""}}), piece)
    if not choices or not all(choice.get("finish_reason") for choice in choices.values()):
        raise ValueError("the stream broke off")
    return {**whole, "choices": [choices[index] for index in sorted(choices)]}


def _events(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON object of each event."""
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data != "[DONE]":
            event = json.loads(data)
            if isinstance(event, dict):
                yield event


def _extend(choice: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece to its choice: text, log-probabilities, refusal, and the reason why it ended."""
    delta = piece.get("delta")
    delta = delta if isinstance(delta, Mapping) else {}
    for name in ("content", "refusal"):
        if isinstance(delta.get(name), str):
            choice["message"][name] = choice["message"].get(name, "") + delta[name]
    held = piece.get("logprobs")
    if isinstance(held, Mapping) and isinstance(held.get("content"), list):
        choice.setdefault("logprobs", {"content": []})["content"].extend(held["content"])
    if piece.get("finish_reason"):
        choice["finish_reason"] = piece["finish_reason"]


def _index(piece: Mapping[str, Any]) -> int:
    index = piece.get("index")
    return index if isinstance(index, int) else 0


LARGEST = 8 << 20
"""No answer is larger, in bytes."""

TRANSIENT = (408, 409, 425, 429)
"""The codes below 500 that mean: try again."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def checked_url(url: str) -> str:
    """Return the URL of an endpoint without OpenAI's path for chats; refuse what is no address or names a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("the URL of an endpoint begins with http:// or https://", hint="As http://localhost:8000/v1")
    if "@" in parts.netloc:
        raise InputError("the URL holds a user name or a password", hint="Keys come from the environment: --key-env.")
    if parts.fragment or (parts.query and not parts.query.startswith("api-version=")):
        raise InputError("the URL of an endpoint ends with its path", path=url.partition("?")[0])
    return url.rstrip("/").removesuffix("/chat/completions")


def is_exposed(url: str) -> bool:
    """Whether a key would go unencrypted to another machine."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in LOOPBACK


@dataclass(kw_only=True)
class Endpoint:
    """A client of the endpoint, for several threads."""

    url: str
    key: str | None = field(default=None, repr=False)
    api: str | None = None
    """The name of its API; what the URL tells if there is none."""
    seconds: float = 120.0
    """How long an answer may take in all."""
    jobs: int = 8
    notes: list[str] = field(default_factory=list)
    """How requests were changed because the endpoint would not take them as they were."""
    reached: bool = False
    """Whether it has ever answered as it should."""

    def __post_init__(self) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("httpx", "judge") from None
        self.url = checked_url(self.url)
        self._api = api_at(self.url) if self.api is None else CHAT_APIS.find(self.api)
        headers = dict(self._api.headers(self.key)) if self.key else {}
        if self.key and not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise InputError("the key holds characters that no key has", hint="Look for line breaks and blanks in it.")
        limits = httpx.Limits(max_connections=self.jobs, max_keepalive_connections=self.jobs)
        outside = urlsplit(self.url).hostname not in LOOPBACK  # no proxy stands before this machine
        timeout = httpx.Timeout(self.seconds, connect=min(self.seconds, 15.0))
        encrypted = self.url.startswith("https:")  # without, certificates need not be loaded
        self._http = httpx.Client(headers=headers, limits=limits, timeout=timeout, trust_env=outside, verify=encrypted)
        self._ways: dict[str, _Way] = {}

    def close(self) -> None:
        """Ends the connections."""
        self._http.close()

    def ask(self, body: Mapping[str, Any], identity: str) -> Reply:
        """The answer to one request; `identity` is the same for every try, for endpoints that answer such only once."""
        while True:
            sent = self._adapt_request(body)
            status, headers, text = self._send(sent, identity)
            if status in (400, 422) and not _is_about_the_text(status, text):
                self._adapt(sent, text)
                if self._adapt_request(body) != sent:
                    continue
            return self._reply(status, headers, text)

    def _send(self, body: Mapping[str, Any], identity: str) -> tuple[int, httpx.Headers, str]:
        import httpx

        ends, received = time.monotonic() + self.seconds, bytearray()
        try:
            with self._http.stream(
                "POST", self._api.address(self.url), json=self._api.body(body), headers={"Idempotency-Key": identity}
            ) as response:
                for chunk in response.iter_bytes():
                    received += chunk
                    if len(received) > LARGEST:
                        raise PassingFaultError(f"an answer of more than {LARGEST >> 20} MB")
                    if time.monotonic() > ends:
                        raise PassingFaultError(f"no whole answer within {self.seconds:g} s")
                return response.status_code, response.headers, received.decode("utf-8", "replace")
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise NobodyAnswersError(self._safe(str(error) or type(error).__name__)) from None
        except httpx.TimeoutException:
            raise PassingFaultError(f"no answer within {self.seconds:g} s") from None
        except httpx.RemoteProtocolError:
            raise PassingFaultError("the answer broke off") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise PassingFaultError(f"the connection broke: {self._safe(str(error))}") from None

    def _reply(self, status: int, headers: httpx.Headers, text: str) -> Reply:
        """The answer, or the fault that the status means."""
        if status < 300:
            reply = read_reply(text, self._api)
            self.reached = True
            return reply
        problem = f"{status}: {self._safe(_problem(text))}"
        if status < 400:
            raise self._session_end(
                f"{status}: the endpoint redirects elsewhere", "Redirects are not followed: name its URL."
            )
        if status in (401, 403):
            hint = "Is the key right? It comes from the environment variable of --key-env."
            raise self._session_end(problem, hint if self.key else f"No key was sent. {hint}")
        if status == 404:
            raise self._session_end(
                problem, "Is the model's name right, and does the URL end with /v1 (or what stands for it)?"
            )
        if status == 402 or "insufficient_quota" in text:
            raise self._session_end(problem, "The account has no credit left.")
        if status in TRANSIENT or status >= 500:
            raise PassingFaultError(problem, after=ordered_wait(headers.get("retry-after")), sent=False)
        if not self.reached and not _is_about_the_text(status, text):
            raise self._session_end(problem, "The endpoint does not take the request.")
        raise PairFaultError(problem)

    def _session_end(self, problem: str, hint: str) -> InputError:
        return InputError(problem, path=self.url, hint=hint)

    def _adapt_request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request as the endpoint takes it."""
        adapted = dict(body)
        for name in [name for name in adapted if name in self._ways]:
            adapted |= self._ways[name].instead(adapted.pop(name))
        return adapted

    def _adapt(self, sent: Mapping[str, Any], text: str) -> None:
        """Finds another way for a field that the endpoint complains about; each has one."""
        blamed, problem = _parameter(text), _problem(text).lower()
        for way in _WAYS:
            if way.name in sent and way.name not in self._ways and (blamed == way.name or way.words.search(problem)):
                self._ways[way.name] = way
                if way.note:
                    self.notes.append(way.note)
                return

    def _safe(self, text: str) -> str:
        """The text without the key, should an endpoint repeat it, and on one line."""
        text = " ".join("".join(c if c.isprintable() else " " for c in text[:4000]).split())
        return text.replace(self.key, "***")[:300] if self.key else text[:300]


@dataclass(frozen=True, kw_only=True)
class _Way:
    """What to send in place of a field that some endpoints refuse."""

    name: str
    words: re.Pattern[str]
    """The words of a complaint about it, in lower case."""
    instead: Callable[[Any], dict[str, Any]]
    note: str = ""


_WAYS = (
    _Way(
        name="stream",
        words=re.compile(r"\bstream"),
        instead=lambda value: {"stream": True, "stream_options": {"include_usage": True}},
    ),
    _Way(
        name="max_tokens",
        words=re.compile(
            "max_completion_tokens"
        ),  # OpenAI's newer models know this name only, most servers only the other
        instead=lambda value: {"max_completion_tokens": value},
    ),
    _Way(
        name="temperature",
        words=re.compile(r"\btemperature\b"),
        instead=lambda value: {},
        note="the endpoint takes no temperature: it was asked without one",
    ),
    _Way(
        name="n",
        words=re.compile(r"\bn\b"),
        instead=lambda value: {},
        note="the endpoint gives one answer at a time: it was asked once for each sample",
    ),
    _Way(
        name="top_logprobs",
        words=re.compile("logprobs"),
        instead=lambda value: {"top_logprobs": min(value, 5)},
        note="the endpoint gives the log-probabilities of 5 tokens at most",
    ),
)


def _parameter(text: str) -> str | None:
    """The field that an error complains about."""
    try:
        return str(json.loads(text)["error"]["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _problem(text: str) -> str:
    """What an error says, in the ways of OpenAI, vLLM (with and without `error`), Ollama and FastAPI."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text[:300] or "no reason given"
    for path in (("error", "message"), ("message",), ("error",), ("detail",)):
        inner: Any = found
        for name in path:
            inner = inner.get(name) if isinstance(inner, Mapping) else None
        if inner:
            return inner if isinstance(inner, str) else json.dumps(inner)
    return text[:300]


_ABOUT_THE_TEXT = ("context length", "context_length", "context window", "too long", "content_filter", "content policy")


def _is_about_the_text(status: int, text: str) -> bool:
    """Whether the endpoint refuses this one text, as too long or unfit, and not the form of the request."""
    lowered = text.lower()
    return status == 413 or any(words in lowered for words in _ABOUT_THE_TEXT)


def read_reply(text: str, api: ChatApi) -> Reply:
    """Return the choices in an answer, streamed or whole; anything that is no chat completion is a passing fault."""
    try:
        held = joined_stream(text) or json.loads(text)
    except (ValueError, RecursionError):
        raise PassingFaultError("an answer that is not JSON") from None
    reply = api.reply(held)
    if reply is None:
        raise PassingFaultError(f"an answer without choices: {_problem(text)[:100]}")
    return reply
