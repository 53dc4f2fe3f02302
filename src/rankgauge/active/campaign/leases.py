"""Leases: which documents an assessor gets next, for how long, and what the budget allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from sqlalchemy.engine import Connection

from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.labels import Task

TOLERANCE = 1e-9
"""How far sums of costs may exceed the budget because they are sums of doubles."""

ENDED = 50
"""How many leases that a label has ended are struck off together: to do it for each label would take as long as to
record the label."""


def current_leases(state: CampaignState, connection: Connection) -> tuple[dict[int, set[str]], list[int]]:
    """By document the assessors who have it on lease, and the numbers of leases that a label has ended early."""
    held, ended = dict[int, set[str]](), list[int]()
    for number, place, assessor in state.store.leases(connection, state.clock()):
        if assessor in state.ledger.given.get(place, {}):
            ended.append(number)
        else:
            held.setdefault(place, set()).add(assessor)
    return held, ended


def lease_documents(
    state: CampaignState, connection: Connection, assessors: Sequence[str], n: int = 1, *, seconds: float, again: bool
) -> dict[str, list[Task]]:
    """Up to n documents for each assessor, in a transaction of the state that writes."""
    state.advance(connection)
    if state.paused:
        return {assessor: [] for assessor in assessors}
    now, chosen, kept = state.clock(), dict[str, list[int]](), list[tuple[str, int]]()
    held, ended = current_leases(state, connection)
    if len(ended) >= ENDED:
        state.store.drop_leases(connection, ended, now)
    for assessor in dict.fromkeys(assessors):
        mine = [place for place, people in held.items() if again and assessor in people][:n]
        kept += [(assessor, place) for place in mine]
        fresh = _Search(state, connection, assessor, held, now).documents()
        chosen[assessor] = [*mine, *islice(fresh, n - len(mine))]
        for place in chosen[assessor]:
            held.setdefault(place, set()).add(assessor)
    state.store.end_leases(connection, kept, now)
    pairs = [(assessor, place) for assessor, places in chosen.items() for place in places]
    times = {"made": now, "until": now + seconds}
    state.store.add_leases(connection, [{"place": place, "assessor": name, **times} for name, place in pairs])
    texts = state.store.texts(connection, [place for _, place in pairs]) if pairs else {}
    return {
        assessor: [state.task(place, assessor, now + seconds, texts.get(place, {})) for place in places]
        for assessor, places in chosen.items()
    }


class _Search:
    """One walk along the draws for the documents that one assessor may judge; `held` is who has which document now."""

    def __init__(
        self, state: CampaignState, connection: Connection, assessor: str, held: Mapping[int, set[str]], now: float
    ) -> None:
        self.state, self.stage, self.ledger = state, state.stage, state.ledger
        self.connection, self.assessor, self.held, self.now = connection, assessor, held, now

    def documents(self) -> Iterator[int]:
        """Documents that this assessor may judge, in the order of the draws that need them.

        The first open draw, which holds the estimate up, is served first.
        """
        for draw in self.stage.ahead(self.ledger):
            if not self._afford(draw):
                return
            needed = self.stage.needs(draw, self.ledger)
            yield from (int(place) for place in needed if self._is_free(int(place)))

    def _afford(self, draw: int) -> bool:
        """Whether the budget covers what the draw needs now; if so, it is paid for.

        A draw whose documents have labels already, as people sent more than was asked, may go on at once.
        """
        while True:
            needed = self.stage.needs(draw, self.ledger)
            fresh = [int(place) for place in needed if not self.ledger.asked[place]]
            if not fresh:
                return True
            costs = self._costs(fresh)
            wanted = sum(costs) + self._left_for_others(draw)
            if self.ledger.spent + wanted > self.ledger.settings.allowance * (1 + TOLERANCE):
                return False
            self._pay(draw, fresh, costs)

    def _left_for_others(self, draw: int) -> float:
        """What a draw has to leave of the budget: a new one for all that are open, others for the first of these."""
        if draw not in self.ledger.costs.get(self.stage.number, {}):
            return self.stage.set_aside(self.ledger)
        return self.stage.rest_of_first(self.ledger) if draw > self.stage.complete(self.ledger) else 0.0

    def _costs(self, fresh: Sequence[int]) -> list[float]:
        """What each document takes from the budget; the first one asked of a query also pays for opening it."""
        pool = self.state.pool
        query = int(pool.query[fresh[0]])
        start, size = int(pool.starts[query]), int(pool.sizes[query])
        opened = bool(self.ledger.asked[start : start + size].any())
        costs = [float(pool.costs[place]) for place in fresh]
        return costs if opened else [costs[0] + float(pool.overhead[query]), *costs[1:]]

    def _pay(self, draw: int, fresh: Sequence[int], costs: Sequence[float]) -> None:
        number, store = self.stage.number, self.state.store
        begun = range(self.stage.begun(self.ledger), draw + 1)
        common = {"stage": number, "draw": draw, "made": self.now}
        rows = [{**common, "place": place, "cost": cost} for place, cost in zip(fresh, costs, strict=True)]
        draws = [{"stage": number, "number": j, "query": int(self.stage.plan.query(j))} for j in begun]
        store.add_draws(self.connection, draws)
        self.ledger.take_tasks(store.add_tasks(self.connection, rows))

    def _is_free(self, place: int) -> bool:
        """Whether the document still needs an assessor, and this one has neither judged it nor has it on lease."""
        if not np.isnan(self.ledger.grades[place]):
            return False
        held, heard = self.held.get(place, set()), self.ledger.counted(place)
        mine = self.assessor in held or self.assessor in self.ledger.given.get(place, {})
        return not mine and len(held | heard) < self.ledger.settings.assessors
