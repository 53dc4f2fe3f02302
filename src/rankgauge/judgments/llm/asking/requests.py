"""Requests with patience: within the caps on tokens and money, tried again after a pause if they fail."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Condition, Event, Lock
from typing import Any

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm.asking.endpoint import Endpoint, NobodyAnswersError, PassingFaultError, wait
from rankgauge.judgments.llm.asking.question import text_bytes
from rankgauge.judgments.llm.chat_api import Reply

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
        return wait(trial, fault)
