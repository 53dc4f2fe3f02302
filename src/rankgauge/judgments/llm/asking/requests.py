"""Requests with patience: within the caps, tried again after a pause if they fail."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.endpoint import Endpoint, NobodyAnswersError, PassingFaultError, wait
from rankgauge.judgments.llm.asking.prompt import FIXED_BOUNDARY
from rankgauge.judgments.llm.asking.question import Question
from rankgauge.judgments.llm.asking.spending import Spending
from rankgauge.judgments.llm.asking.store import StoredAnswer
from rankgauge.judgments.llm.chat_api import Reply

BYTES = 4
"""How many bytes a token is taken to have where nobody counts."""


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


@dataclass(frozen=True, kw_only=True)
class Received:
    """The choices of a reply, and what they took."""

    choices: Sequence[Mapping[str, Any]]
    tokens_in: int
    tokens_out: int
    seconds: float
    model: str | None = None
    """What the endpoint calls the model that answered."""


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

    def reply(self, body: Mapping[str, Any], identity: str, *, most_out: int) -> Received | None:
        """What comes back, after as many tries as allowed; None if the session ends before."""
        size = len(json.dumps(body["messages"], ensure_ascii=False).encode("utf-8", "replace"))
        for trial in range(self.retries + 1):
            self.stop.wait(self.waits)
            if self.stop.is_set():
                return None
            held = self.spending.hold(size, most_out)
            if held is None:
                raise CapReachedError
            began, taken = time.monotonic(), (0, 0)
            try:
                reply = self._ask(body, identity)
                taken = _tokens_taken(reply, size)
                self.spending.count(size, taken[0])
                seconds = time.monotonic() - began
                return Received(
                    choices=reply.choices,
                    tokens_in=taken[0],
                    tokens_out=taken[1],
                    seconds=seconds,
                    model=reply.model,
                )
            except PassingFaultError as fault:
                taken = (size // BYTES if fault.sent else 0, 0)
                pause = self._pause(fault, trial)
            finally:
                self.spending.settle(held, taken)
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

    def _ask(self, body: Mapping[str, Any], identity: str) -> Reply:
        with self._lock:
            self.sent += 1
        return self.endpoint.ask(body, identity)

    def _pause(self, fault: PassingFaultError, trial: int) -> float:
        """How long to wait after a fault; raises it after the last trial, or an error if nobody has ever answered."""
        self.count(fault.problem)
        if fault.after:
            with self._lock:
                is_news = fault.after >= LONG_WAIT and fault.after > self.waits + 1.0
                self._opens = max(self._opens, time.monotonic() + fault.after)
            if is_news:
                self.say(f"the endpoint asks to wait {fault.after:.0f} s ({fault.problem}); Ctrl-C keeps what there is")
        if isinstance(fault, NobodyAnswersError) and not self.endpoint.reached:
            hint = "Is the server running, and is the URL right?"
            raise InputError(f"nobody answers: {fault.problem}", path=self.endpoint.url, hint=hint)
        if trial >= self.retries:
            raise fault
        return wait(trial, fault)


def _tokens_taken(reply: Reply, size: int) -> tuple[int, int]:
    """The tokens that a reply took; by the length of the prompt if the endpoint does not say."""
    tokens_in = size // BYTES if reply.tokens_in is None else reply.tokens_in
    tokens_out = 4 * len(reply.choices) if reply.tokens_out is None else reply.tokens_out
    return tokens_in, tokens_out


def estimated_tokens(question: Question, texts: Mapping[str, str]) -> int:
    """How many tokens a prompt has, by its length."""
    messages = question.prompt.messages(texts, FIXED_BOUNDARY)
    return sum(len(message["content"].encode("utf-8", "replace")) for message in messages) // BYTES


@dataclass(frozen=True, kw_only=True)
class AskingForecast:
    """What is to be asked, and what it will take."""

    pairs: int
    queries: int
    cached: int
    """How many pairs have all their answers already."""
    tokens_in: int
    """About how many tokens the prompts have that are still to be sent."""
    tokens_out: int
    """How many tokens the answers may have: about, if some were counted, else at most."""
    is_counted: bool
    """Whether the endpoint's own counts of earlier answers were used."""
    seconds: float | None
    """About how long it takes; None before the first answer."""

    @classmethod
    def of(
        cls,
        *,
        pairs: int,
        queries: int,
        cached: int,
        sizes: Sequence[int],
        question: Question,
        jobs: int,
        stored: Sequence[StoredAnswer],
        measured: int,
    ) -> AskingForecast:
        """The forecast for prompts of these sizes; earlier answers to prompts of `measured` tokens correct it."""
        asked, requests = sum(sizes), sum(one.seconds > 0 for one in stored)
        counted = sum(one.tokens_in for one in stored)
        answered = sum(one.tokens_out for one in stored)
        has = bool(requests and measured and counted)
        return cls(
            pairs=pairs,
            queries=queries,
            cached=cached,
            tokens_in=round(asked * counted / measured) if has else asked,
            tokens_out=round(len(sizes) * question.samples * answered / len(stored))
            if has
            else len(sizes) * question.samples * question.answer_tokens,
            is_counted=has,
            seconds=len(sizes) * sum(one.seconds for one in stored) / requests / jobs if has else None,
        )


def spelled(seconds: float) -> str:
    """A duration in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
