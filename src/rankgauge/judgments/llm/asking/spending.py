"""What asking costs: tokens and money, and the caps on both."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Condition

from rankgauge.errors import ParameterError

MILLION = 1_000_000


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
    _changed: Condition = field(default_factory=Condition)

    @property
    def cost(self) -> float:
        """What was spent, in money."""
        return self.prices.cost(self.tokens_in, self.tokens_out)

    def hold(self, tokens_in: int, tokens_out: int) -> bool:
        """Sets tokens aside for a request; waits for requests under way to return what they did not take.

        False if the caps leave too little even then.
        """
        with self._changed:
            while not self._fits(tokens_in, tokens_out):
                if not self._held_in and not self._held_out:
                    return False
                self._changed.wait(1.0)
            self._held_in += tokens_in
            self._held_out += tokens_out
            return True

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
