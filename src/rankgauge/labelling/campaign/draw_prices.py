"""What draws take from the budget, and whether it covers them."""

from __future__ import annotations

from collections.abc import Sequence

from rankgauge.labelling.campaign.state import CampaignState

TOLERANCE = 1e-9
"""How far sums of costs may exceed the budget because they are sums of doubles."""


class DrawPrices:
    """Prices in a campaign as it is now."""

    def __init__(self, state: CampaignState) -> None:
        self._state, self._stage, self._ledger = state, state.stage, state.ledger

    def fresh(self, draw: int) -> list[int]:
        """The documents that the draw needs now and that are not paid for."""
        return [int(place) for place in self._stage.needs(draw, self._ledger) if not self._ledger.asked[place]]

    def costs(self, fresh: Sequence[int]) -> list[float]:
        """What each document takes from the budget; the first one asked of a query also pays for opening it."""
        pool = self._state.pool
        query = int(pool.query[fresh[0]])
        start, size = int(pool.starts[query]), int(pool.sizes[query])
        opened = bool(self._ledger.asked[start : start + size].any())
        costs = [float(pool.costs[place]) for place in fresh]
        return costs if opened else [costs[0] + float(pool.overhead[query]), *costs[1:]]

    def covers(self, draw: int, costs: Sequence[float]) -> bool:
        """Whether the budget covers what the draw asks for now, and what it has to leave for others."""
        return self.pays(sum(costs) + self._left_for_others(draw))

    def pays(self, amount: float) -> bool:
        """Whether so much is left of the budget."""
        return self._ledger.spent + amount <= self._ledger.settings.allowance * (1 + TOLERANCE)

    def _left_for_others(self, draw: int) -> float:
        """What a draw has to leave of the budget: a new one for all that are open, others for the first of these."""
        if draw not in self._ledger.costs.get(self._stage.number, {}):
            return self._stage.set_aside(self._ledger)
        return self._stage.rest_of_first(self._ledger) if draw > self._stage.complete(self._ledger) else 0.0
