"""What asking costs: tokens and money, and the caps on both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from threading import Condition

from rankgauge.errors import ParameterError

MILLION = 1_000_000

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
        for name in ("tokens_in", "tokens_out", "max_tokens", "max_cost"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                raise ParameterError("judge", name, "0 or more", value)
        if (self.tokens_in is None) != (self.tokens_out is None):
            raise ParameterError("judge", "price", "two, --price-in and --price-out", "one")
        if self.max_cost is not None and not self.known:
            raise ParameterError(
                "judge", "max_cost", "given with the prices of tokens, --price-in and --price-out", self.max_cost
            )

    @property
    def known(self) -> bool:
        """Whether the cost can be told."""
        return self.tokens_in is not None and self.tokens_out is not None

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """The cost of tokens."""
        return (tokens_in * (self.tokens_in or 0.0) + tokens_out * (self.tokens_out or 0.0)) / MILLION

    @property
    def has_caps(self) -> bool:
        """Whether tokens or money are limited."""
        return self.max_tokens is not None or self.max_cost is not None

    def allows(self, tokens_in: float, tokens_out: float) -> bool:
        """Whether that many tokens stay within the caps."""
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

    def hold(self, size: int, tokens_out: int) -> tuple[int, int] | None:
        """Set tokens aside for a prompt of that many bytes; wait for what requests under way do not take.

        What is set aside follows from what prompts have really taken, and a quarter more. Before the first count one
        request goes ahead alone. Returns None if the caps leave too little even when nothing is under way.
        """
        with self._changed:
            while self._is_first_under_way() or not self._fits(*self._tokens_wanted(size, tokens_out)):
                if not self._held_in and not self._held_out:
                    return None
                self._changed.wait(1.0)
            held = self._tokens_wanted(size, tokens_out)
            self._held_in += held[0]
            self._held_out += held[1]
            return held

    def count(self, size: int, tokens_in: int) -> None:
        """Learn how many tokens a prompt of that many bytes took."""
        with self._changed:
            self._rate = max(self._rate or 0.0, tokens_in / size)

    def _is_first_under_way(self) -> bool:
        """Tell whether the request that shows how many tokens a byte takes has not come back yet; only caps need it."""
        return self._rate is None and self._held_in > 0 and self.prices.has_caps

    def _tokens_wanted(self, size: int, tokens_out: int) -> tuple[int, int]:
        """Return the tokens to set aside for a prompt of that many bytes."""
        rate = FIRST_RATE if self._rate is None else self._rate
        return math.ceil(RESERVE * rate * size) + TEMPLATE_TOKENS, tokens_out

    def settle(self, held: tuple[int, int], taken: tuple[int, int]) -> None:
        """Books what a request took, and gives back what was set aside for it."""
        with self._changed:
            self._held_in -= held[0]
            self._held_out -= held[1]
            self.tokens_in += taken[0]
            self.tokens_out += taken[1]
            self._changed.notify_all()

    def _fits(self, tokens_in: int, tokens_out: int) -> bool:
        every_in = self.tokens_in + self._held_in + tokens_in
        every_out = self.tokens_out + self._held_out + tokens_out
        return self.prices.allows(every_in, every_out)
