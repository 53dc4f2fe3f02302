"""An endpoint of a language model over HTTP, and requests with patience: within the caps on tokens and money, tried
again after a pause if they fail.

Redirects are not followed, so a key never reaches another host; no message that is passed on contains the key.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import cached_property
from threading import Condition, Event, Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from rankgauge.errors import InputError, MissingExtraError, ParameterError
from rankgauge.judgments.llm.asking.answers import THOUGHTS, quote
from rankgauge.judgments.llm.asking.question import text_bytes
from rankgauge.judgments.llm.chat_api import CHAT_APIS, ChatApi, Reply, api_at

if TYPE_CHECKING:
    import httpx


KEY = "OPENAI_API_KEY"
"""The environment variable that holds the key, if none is named."""

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


class PairFaultError(Exception):
    """The endpoint does not take this pair, whenever it is asked: the document is too long, say."""


def ordered_wait(header: str | None) -> float:
    """Return the seconds that a Retry-After header asks for: a number, or a date."""
    try:
        seconds = float(header or 0.0)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(str(header)).timestamp() - time.time()
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
    for line in text.replace("\r\n", "\n").split("\n"):  # JSON may hold other separators of lines
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        event = json.loads(data)
        whole |= {name: event[name] for name in ("model", "system_fingerprint", "usage") if event.get(name)}
        for piece in event.get("choices") or ():
            empty = {"message": {"content": "", "refusal": "", "tool_calls": []}, "logprobs": {"content": []}}
            _extend(choices.setdefault(piece.get("index") or 0, empty), piece)
    if not choices or not all(choice.get("finish_reason") for choice in choices.values()):
        raise ValueError("the stream broke off")
    return {**whole, "choices": [choices[index] for index in sorted(choices)]}


def _extend(choice: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece to its choice: text, refusal, calls of tools, log-probabilities, and the reason why it ended."""
    message, delta = choice["message"], piece.get("delta") or {}
    for name in ("content", "refusal"):
        message[name] += delta.get(name) or ""
    message |= {name: delta[name] for name in THOUGHTS if delta.get(name)}  # it is enough to know that there are some
    for call in delta.get("tool_calls") or ():
        calls, function = message["tool_calls"], call.get("function") or {}
        if call.get("index", len(calls)) >= len(calls):
            calls.append({"function": {"arguments": ""}})
        calls[-1]["function"]["arguments"] += function.get("arguments") or ""
    choice["logprobs"]["content"] += (piece.get("logprobs") or {}).get("content") or ()
    choice["finish_reason"] = piece.get("finish_reason") or choice.get("finish_reason")


LARGEST = 8 << 20
"""No answer is larger, in bytes."""

DIGEST = 12
"""How many letters of a model's digest are kept, as `ollama list` shows them."""

TRANSIENT = (408, 409, 425, 429)
"""The codes below 500 that mean: try again."""

WRONG_KEY = "Is the key right? It comes from the environment variable of --key-env."
ENDING = {
    302: "Redirects are not followed: name its URL.",
    401: WRONG_KEY,
    402: "The account has no credit left.",
    403: WRONG_KEY,
    404: "Is the model's name right, and does the URL end with /v1 (or what stands for it)?",
}
"""The codes that end a session, and what helps; 302 stands for all redirects."""

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
        self._ways: set[str] = set()
        """The fields that are sent another way."""

    def close(self) -> None:
        """End the connections."""
        self._http.close()

    def ask(self, body: Mapping[str, Any], identity: str) -> Reply:
        """The answer to one request; `identity` is the same for every try, for endpoints that answer such only once."""
        while True:
            sent = self._adapted(body)
            status, headers, text = self._send(sent, identity)
            if status < 300:
                reply = read_reply(text, self._api)
                self.reached = True
                digest = self._digests.get((reply.model or "").removesuffix(":latest"))
                return replace(reply, model=f"{reply.model} {digest}") if digest else reply
            if status in (400, 422) and not _is_about_the_text(status, text):
                self._adapt(sent, text)
                if self._adapted(body) != sent:
                    continue
            raise self._fault(status, headers, text)

    @cached_property
    def _digests(self) -> dict[str, str]:
        """The digests of the models, by name, of an endpoint that lists them; `:latest` goes without saying."""
        import httpx

        if self._api.listing is None:
            return {}
        try:
            models = self._http.get(urljoin(self._api.address(self.url), self._api.listing)).json()["models"]
            return {one["name"].removesuffix(":latest"): one["digest"][:DIGEST] for one in models}
        except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError):
            return {}  # grades do not depend on it

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
            raise NobodyAnswersError(self._safe(str(error) or type(error).__name__), sent=False) from None
        except httpx.TimeoutException:
            raise PassingFaultError(f"no answer within {self.seconds:g} s") from None
        except httpx.RemoteProtocolError:
            raise PassingFaultError("the answer broke off") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise PassingFaultError(f"the connection broke: {self._safe(str(error))}") from None

    def _fault(self, status: int, headers: httpx.Headers, text: str) -> Exception:
        """Return the fault that a status means."""
        problem = f"{status}: {self._safe(said_problem(text))}"
        if status < 400:
            problem = f"{status}: the endpoint redirects elsewhere"
        elif (status in TRANSIENT or status >= 500) and "insufficient_quota" not in text:
            return PassingFaultError(problem, after=ordered_wait(headers.get("retry-after")), sent=False)
        hint = ENDING.get(302 if status < 400 else 402 if "insufficient_quota" in text else status, "")
        if status in (401, 403) and not self.key:
            hint = f"No key was sent. {hint}"
        if not hint and (self.reached or _is_about_the_text(status, text)):
            return PairFaultError(problem)
        return InputError(problem, path=self.url, hint=hint or "The endpoint does not take the request.")

    def _adapted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request as the endpoint takes it."""
        adapted = dict(body)
        for name in self._ways & body.keys():
            adapted |= _WAYS[name][1](adapted.pop(name))
        return adapted

    def _adapt(self, sent: Mapping[str, Any], text: str) -> None:
        """Find another way for a field that the endpoint complains about; each has one."""
        blamed, problem = said_problem(text, ("error", "param")), said_problem(text).lower()
        for name, (words, _, note) in _WAYS.items():
            if name in sent.keys() - self._ways and (blamed == name or re.search(words, problem)):
                self._ways |= {name}
                self.notes += [f"the endpoint {note}"] if note else []
                return

    def _safe(self, text: str) -> str:
        """Return the text without the key, should an endpoint repeat it, and on one line."""
        line = quote(text, 1000)
        return line.replace(self.key, "***")[:300] if self.key else line[:300]


_WAYS: Mapping[str, tuple[str, Callable[[Any], dict[str, Any]], str]] = {
    "stream": (r"\bstream", lambda value: {"stream": True, "stream_options": {"include_usage": True}}, ""),
    # OpenAI's newer models know this name only, most servers only the other.
    "max_tokens": ("max_completion_tokens", lambda value: {"max_completion_tokens": value}, ""),
    "temperature": (r"\btemperature\b", lambda value: {}, "takes no temperature: it was asked without one"),
    "n": (r"\bn\b", lambda value: {}, "gives one answer at a time: it was asked once for each sample"),
    "top_logprobs": (
        "logprobs",
        lambda value: {"top_logprobs": min(value, 5)},
        "gives the log-probabilities of 5 tokens at most",
    ),
}
"""By a field that some endpoints refuse: words of their complaint in lower case, what to send instead, and a note."""

_PATHS = (("error", "message"), ("message",), ("error",), ("detail",))
"""Where an error says what is wrong: for OpenAI, vLLM (with and without `error`), Ollama and FastAPI."""


def _inside(held: Any, *path: str) -> Any:
    """Return what a JSON document has at a path of names; None if nothing."""
    for name in path:
        held = held.get(name) if isinstance(held, Mapping) else None
    return held


def said_problem(text: str, *paths: tuple[str, ...]) -> str:
    """Return what an error says, at the first of the paths that has words."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return "a web page" if text.lstrip()[:1] == "<" else text[:300] or "no reason given"
    held = held[0] if isinstance(held, list) and held else held  # Gemini puts its errors into a list
    said = next((inner for path in paths or _PATHS if (inner := _inside(held, *path))), text[:300])
    return said if isinstance(said, str) else json.dumps(said)


_ABOUT_THE_TEXT = re.compile("context[ _]length|context window|too long|content_filter|content policy", re.IGNORECASE)


def _is_about_the_text(status: int, text: str) -> bool:
    """Say whether the endpoint refuses this one text, as too long or unfit, and not the form of the request."""
    return status == 413 or _ABOUT_THE_TEXT.search(text) is not None


def read_reply(text: str, api: ChatApi) -> Reply:
    """Return the choices in an answer, streamed or whole; anything that is no chat completion is a passing fault."""
    try:
        held = joined_stream(text) or json.loads(text)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise PassingFaultError("an answer that is not JSON") from None
    reply = api.reply(held)
    if reply is None:
        raise PassingFaultError(f"an answer without choices: {said_problem(text)[:100]}")
    return reply


@contextmanager
def endpoint(
    url: str, *, key_env: str | None = None, api: str | None = None, seconds: float = 120.0, jobs: int = 8
) -> Iterator[Endpoint]:
    """Open the endpoint at a URL; for `stand-in:FILE` a stand-in answers from that table while the block runs."""
    from rankgauge.judgments.llm.stand_in import open_endpoint  # here: servers take time to load

    with (
        open_endpoint(url) as address,
        closing(Endpoint(url=address, key=key_for(address, key_env), api=api, seconds=seconds, jobs=jobs)) as made,
    ):
        yield made


def key_for(url: str, variable: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The key to send: the one of the variable that is named, or OpenAI's if it stays encrypted or on this machine."""
    parts = urlsplit(url)
    if variable is None and parts.scheme == "http" and parts.hostname not in LOOPBACK:
        return None  # it would go unencrypted to another machine
    key = environment.get(variable or KEY, "").strip()
    if variable is not None and not key:
        raise InputError(f"the environment variable {variable} is not set", hint=f"As in: export {variable}=…")
    return key or None


MILLION = 1_000_000

BYTES = 4
"""How many bytes a token is taken to have where nobody counts."""

TEMPLATE_TOKENS = 64
"""How many tokens a server's own template may add to a prompt."""

FIRST_RATE = 0.3
"""How many tokens a byte is taken to have before any were counted: English has 0.25, other languages 0.2 to 0.4."""

RESERVE = 1.25
"""How much more is set aside than the dearest prompt so far took, byte for byte."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a million tokens cost, in whatever currency the endpoint charges, and the caps."""

    tokens_in: float | None = None
    tokens_out: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not 0 <= value < float("inf"):
                raise ParameterError("judge", name, "0 or more", value)
        if (self.tokens_in is None) != (self.tokens_out is None):
            raise ParameterError("judge", "price", "two, --price-in and --price-out", "one")
        if self.max_cost is not None and not self.known:
            wanted = "given with the prices, --price-in and --price-out"
            raise ParameterError("judge", "max_cost", wanted, self.max_cost)

    @property
    def known(self) -> bool:
        """Whether the cost can be told."""
        return self.tokens_in is not None and self.tokens_out is not None

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return the cost of tokens."""
        return (tokens_in * (self.tokens_in or 0.0) + tokens_out * (self.tokens_out or 0.0)) / MILLION

    def allows(self, tokens_in: float, tokens_out: float) -> bool:
        """Say whether that many tokens stay within the caps."""
        if self.max_tokens is not None and tokens_in + tokens_out > self.max_tokens:
            return False
        return self.max_cost is None or self.cost(tokens_in, tokens_out) <= self.max_cost


@dataclass(kw_only=True)
class Spending:
    """The tokens that were spent, and those that requests under way may still take, which count for the caps."""

    prices: Prices
    tokens_in: int = 0
    tokens_out: int = 0
    _held_in: int = 0
    _held_out: int = 0
    _rate: float | None = None
    """The most tokens that a byte of any prompt has taken so far."""
    _changed: Condition = field(default_factory=Condition)

    @property
    def cost(self) -> float:
        """What was spent, in money."""
        return self.prices.cost(self.tokens_in, self.tokens_out)

    def told_caps(self) -> str:
        """Say how much of the caps is spent; nothing without caps."""
        tokens, cost = self.prices.max_tokens, self.prices.max_cost
        parts = [] if tokens is None else [f"{self.tokens_in + self.tokens_out:,} of {tokens:,} tokens"]
        parts += [] if cost is None else [f"{self.cost:,.4f} of a cost of {cost:g}"]
        return " and ".join(parts)

    def hold(self, size: int, tokens_out: int) -> tuple[int, int] | None:
        """Set tokens aside for a prompt of that many bytes; wait for what requests under way do not take.

        What is set aside follows from what prompts have really taken, and a quarter more. Before the first count one
        request goes ahead alone. Returns None if the caps leave too little even when nothing is under way.
        """
        with self._changed:
            while True:
                rate = FIRST_RATE if self._rate is None else self._rate
                tokens_in = math.ceil(RESERVE * rate * size) + TEMPLATE_TOKENS
                has_caps = (self.prices.max_tokens, self.prices.max_cost) != (None, None)
                waits_for_count = has_caps and self._rate is None and self._held_in > 0
                every = self.tokens_in + self._held_in + tokens_in, self.tokens_out + self._held_out + tokens_out
                if not waits_for_count and self.prices.allows(*every):
                    break
                if not self._held_in and not self._held_out:
                    return None
                self._changed.wait(1.0)
            self._held_in += tokens_in
            self._held_out += tokens_out
            return tokens_in, tokens_out

    def settle(self, held: tuple[int, int], taken: tuple[int, int], counted: int | None = None) -> None:
        """Books what a request took, and gives back what was set aside for it; `counted` are its prompt's bytes."""
        with self._changed:
            if counted is not None:
                self._rate = max(self._rate or 0.0, taken[0] / counted)
            self._held_in -= held[0]
            self._held_out -= held[1]
            self.tokens_in += taken[0]
            self.tokens_out += taken[1]
            self._changed.notify_all()


LONG_WAIT = 10.0
"""From how many seconds on a wait is announced."""


class CapReachedError(Exception):
    """The caps leave too little for another request."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How often is tried again what fails or is refused, and how much is asked at a time."""

    retries: int = 5
    """How often a request is repeated if it fails."""
    again: int = 2
    """How often a pair is asked again if the answer is in no agreed form."""
    jobs: int = 8
    """How many requests are under way at the same time."""


@dataclass(kw_only=True, eq=False)
class Requests:
    """Sends requests to an endpoint, for several threads; `stop` ends all waiting."""

    endpoint: Endpoint
    spending: Spending
    retries: int
    stop: Event = field(default_factory=Event)
    sent: int = 0
    """How many were sent, repeated ones included."""
    faults: Counter[str] = field(default_factory=Counter)
    say: Callable[[str], None] = lambda words: None
    """Told of every long wait that the endpoint asks for."""
    _opens: float = 0.0
    """Nobody asks before that time, because the endpoint wants a pause."""
    _lock: Lock = field(default_factory=Lock)

    def reply(self, body: Mapping[str, Any], identity: str, *, most_out: int) -> Reply | None:
        """What comes back, with the tokens that it took, after as many tries as allowed; None if the session ends."""
        size = text_bytes(body["messages"])
        for trial in range(self.retries + 1):
            self.stop.wait(self.waits)
            if self.stop.is_set():
                return None
            held = self.spending.hold(size, most_out)
            if held is None:
                raise CapReachedError
            began, taken, counted = time.monotonic(), (0, 0), None
            try:
                with self._lock:
                    self.sent += 1
                reply = self.endpoint.ask(body, identity)
                taken = (
                    size // BYTES if reply.tokens_in is None else reply.tokens_in,
                    4 * len(reply.choices) if reply.tokens_out is None else reply.tokens_out,
                )
                counted = size
                return replace(reply, tokens_in=taken[0], tokens_out=taken[1], seconds=time.monotonic() - began)
            except PassingFaultError as fault:
                taken = (size // BYTES if fault.sent else 0, 0)
                pause = self._pause(fault, trial)
            finally:
                self.spending.settle(held, taken, counted)
            self.stop.wait(pause)
        return None

    @property
    def waits(self) -> float:
        """How many seconds are left of the wait that the endpoint asked for."""
        return max(0.0, self._opens - time.monotonic())

    def count(self, problem: str) -> None:
        """Notes that something went wrong with a request."""
        with self._lock:
            self.faults[problem] += 1

    def _pause(self, fault: PassingFaultError, trial: int) -> float:
        """How long to wait after a fault; raises it after the last trial, or an error if nobody has ever answered."""
        self.count(fault.problem)
        with self._lock:
            is_news = fault.after >= LONG_WAIT and fault.after > self.waits + 1.0
            self._opens = max(self._opens, time.monotonic() + fault.after if fault.after else 0.0)
        if is_news:
            self.say(f"the endpoint asks to wait {fault.after:.0f} s ({fault.problem}); Ctrl-C keeps what there is")
        if isinstance(fault, NobodyAnswersError) and not self.endpoint.reached:
            hint = "Is the server running, and is the URL right?"
            raise InputError(f"nobody answers: {fault.problem}", path=self.endpoint.url, hint=hint)
        if trial >= self.retries:
            raise fault
        # A doubling random time comes on top, so that those who wait together do not ask together.
        return fault.after + min(2.0**trial, LONGEST_WAIT) * random.uniform(0.25, 0.75)
