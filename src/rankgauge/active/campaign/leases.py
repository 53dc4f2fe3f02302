"""Handing out: which documents an assessor gets next, and what the budget allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy.engine import Connection

from rankgauge.active.campaign.ledger import Ledger
from rankgauge.active.campaign.stages import CampaignStage
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.tasks import Task

__all__ = ["Hand", "hand_out"]

TOLERANCE = 1e-9
"""How far sums of costs may be above the budget because they are sums of doubles."""

ENDED = 50
"""So many leases that a label has ended are struck off together: to do so for each answer would take as long as to
record it."""


def hand_out(
    state: CampaignState, connection: Connection, assessors: Sequence[str], n: int = 1, *, seconds: float, again: bool
) -> dict[str, list[Task]]:
    """Up to so many documents for each assessor, in a transaction that nobody interferes with."""
    now, chosen, kept = state.clock(), dict[str, list[int]](), list[tuple[str, int]]()
    held, ended = state.leases(connection)
    if len(ended) >= ENDED:
        state.store.drop_leases(connection, ended, now)
    for assessor in dict.fromkeys(assessors):
        mine = [place for place, people in held.items() if again and assessor in people][:n]
        kept += [(assessor, place) for place in mine]
        fresh = Hand(state=state, connection=connection, assessor=assessor, held=held, now=now).documents()
        chosen[assessor] = [*mine, *islice(fresh, n - len(mine))]
        for place in chosen[assessor]:
            held.setdefault(place, set()).add(assessor)
    state.store.end_leases(connection, kept, now)
    pairs = [(assessor, place) for assessor, places in chosen.items() for place in places]
    lease = {"made": now, "until": now + seconds}
    state.store.add_leases(connection, [{"place": place, "assessor": name, **lease} for name, place in pairs])
    texts = state.store.texts(connection, [place for _, place in pairs]) if pairs else {}
    return {
        assessor: [state.task(place, assessor, now + seconds, texts.get(place, {})) for place in places]
        for assessor, places in chosen.items()
    }


@dataclass(kw_only=True, eq=False)
class Hand:
    """One walk along the draws for one assessor, in a transaction that nobody interferes with."""

    state: CampaignState
    connection: Connection
    assessor: str
    held: Mapping[int, set[str]]
    """By document, who has it at the moment."""
    now: float

    @property
    def stage(self) -> CampaignStage:
        """The stage that is on."""
        return self.state.stage

    @property
    def ledger(self) -> Ledger:
        """What is known."""
        return self.state.ledger

    def documents(self) -> Iterator[int]:
        """Documents that this assessor may judge, in the order of the draws that need them.

        Draws go in their order, so that the first one that is open, which holds the estimate up, is served first.
        """
        for draw in self.stage.ahead(self.ledger):
            if not self._afford(draw):
                return
            needed = self.stage.needs(draw, self.ledger)
            yield from (int(place) for place in needed if self._free(int(place)))

    def _afford(self, draw: int) -> bool:
        """Whether the budget has what the draw needs now, which it then gets.

        A draw whose documents have labels already, as people sent more than was asked, may go on at once.
        """
        while True:
            needed = self.stage.needs(draw, self.ledger)
            fresh = [int(place) for place in needed if not self.ledger.asked[place]]
            if not fresh:
                return True
            costs = self._costs(fresh)
            begins = draw not in self.ledger.costs.get(self.stage.number, {})
            wanted = sum(costs) + (self.stage.set_aside(self.ledger) if begins else 0.0)
            if self.ledger.spent + wanted > self.ledger.settings.allowance * (1 + TOLERANCE):
                return False
            self._buy(draw, fresh, costs)

    def _costs(self, fresh: Sequence[int]) -> list[float]:
        """What each document takes from the budget; the first of a query that nobody has opened yet opens it."""
        pool = self.state.pool
        query = int(pool.query[fresh[0]])
        start, size = int(pool.starts[query]), int(pool.sizes[query])
        opened = bool(self.ledger.asked[start : start + size].any())
        costs = [float(pool.costs[place]) for place in fresh]
        return costs if opened else [costs[0] + float(pool.overhead[query]), *costs[1:]]

    def _buy(self, draw: int, fresh: Sequence[int], costs: Sequence[float]) -> None:
        number = self.stage.number
        begun = range(self.stage.begun(self.ledger), draw + 1)
        rows: list[dict[str, Any]] = [
            {"stage": number, "draw": draw, "place": place, "cost": cost, "made": self.now}
            for place, cost in zip(fresh, costs, strict=True)
        ]
        draws = [{"stage": number, "number": j, "query": int(self.stage.plan.query(j))} for j in begun]
        self.state.store.add_draws(self.connection, draws)
        self.ledger.take_tasks(self.state.store.add_tasks(self.connection, rows))

    def _free(self, place: int) -> bool:
        """Whether the document lacks an assessor and this one has neither judged it nor got it."""
        if not np.isnan(self.ledger.grades[place]):
            return False
        held, heard = self.held.get(place, set()), self.ledger.counted(place)
        mine = self.assessor in held or self.assessor in self.ledger.given.get(place, {})
        return not mine and len(held | heard) < self.ledger.settings.assessors
