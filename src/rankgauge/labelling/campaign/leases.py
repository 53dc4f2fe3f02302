"""Leases: which documents an assessor gets next, for how long, and what the budget allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol, TypeAlias

import numpy as np
from sqlalchemy.engine import Connection

from rankgauge.labelling.campaign import tables
from rankgauge.labelling.campaign.ledger import CurrentLabel, label_row
from rankgauge.labelling.campaign.state import CampaignState
from rankgauge.labelling.labels import Assessor, Identity, Label, Task, identity_of

TOLERANCE = 1e-9
"""How far sums of costs may exceed the budget because they are sums of doubles."""


class DrawPrices:
    """Prices in a campaign as it is now."""

    def __init__(self, state: CampaignState) -> None:
        self._state, self._stage, self._ledger = state, state.stage, state.ledger

    def fresh(self, draw: int) -> list[int]:
        """Return the documents that the draw needs now and that are not paid for."""
        return [int(place) for place in self._stage.needs(draw, self._ledger) if not self._ledger.asked[place]]

    def costs(self, fresh: Sequence[int]) -> list[float]:
        """Return what each document takes from the budget; the first one asked of a query also pays for opening it."""
        pool = self._state.pool
        query = int(pool.query[fresh[0]])
        opened = bool(self._ledger.asked[pool.rows_of(query)].any())
        costs = [float(pool.costs[place]) for place in fresh]
        return costs if opened else [costs[0] + float(pool.overhead[query]), *costs[1:]]

    def covers(self, draw: int, costs: Sequence[float]) -> bool:
        """Say whether the budget covers what the draw asks for now, and what it has to leave for others."""
        return self.pays(sum(costs) + self._left_for_others(draw))

    def pays(self, amount: float) -> bool:
        """Say whether so much is left of the budget."""
        return self._ledger.spent + amount <= self._ledger.settings.allowance * (1 + TOLERANCE)

    def _left_for_others(self, draw: int) -> float:
        """What a draw has to leave of the budget: a new one for all that are open, others for the first of these."""
        if draw not in self._ledger.costs.get(self._stage.number, {}):
            return self._stage.set_aside(self._ledger)
        return self._stage.rest_of_first(self._ledger) if draw > self._stage.complete(self._ledger) else 0.0


KeyedAnswer: TypeAlias = tuple[str, str, Identity, str, float | None]
"""Query, document, assessor, kind and grade of what was said under a key."""


class SideQuestions(Protocol):
    """What one assessor was asked besides, as one transaction sees it."""

    @property
    def is_over(self) -> bool:
        """Whether the assessor gets no more documents."""

    def is_asked(self, label: Label) -> bool:
        """Say whether the assessor was asked about that document."""

    def last_answer(self, label: Label) -> CurrentLabel | None:
        """Return what the assessor has answered before."""

    def often(self, label: Label) -> int:
        """Return how often."""

    def said_under(self, key: str) -> KeyedAnswer | None:
        """Return what was answered under that key."""

    def take(self, label: Label, made: float) -> None:
        """Take in what the assessor says at that time: an answer, or a label of a document that was a question
        elsewhere. Answers that were sent together have one time, as labels have."""


SideDesk: TypeAlias = Callable[[Connection], SideQuestions]
"""Opens the questions of an assessor in a transaction; an error refuses what the assessor sent."""


ENDED = 50
"""How many leases that a label has ended are struck off together: to do it for each label would take as long as to
record the label."""


COOLING = 60.0
"""For how many seconds after the lease of somebody of the room has ended its document goes to others only: whoever asks
again and again would keep it without an answer. It is no longer than the lease was."""

SHARE, FEW = 0.5, 5
"""The largest share of the documents left to judge that one person of the room may hold; a few are always allowed."""


class Leases:
    """The leases of a campaign as one transaction sees them: those that have not ended, and who once had which."""

    def __init__(self, state: CampaignState, connection: Connection) -> None:
        self.state, self.connection, self.now = state, connection, state.clock()
        self._live: dict[tuple[int, Identity], list[int]] = {}
        self._until: dict[tuple[int, Identity], float] = {}
        self._past: set[tuple[int, Identity]] = set()
        self._lapsed: set[tuple[int, Identity]] = set()
        for row in state.store.leases(connection, self.now - COOLING):
            pair = row.place, identity_of(row)
            if row.until > self.now:
                self._live.setdefault(pair, []).append(row.id)
                self._until[pair] = row.until
            elif row.person is not None and self.now - row.until < row.until - row.made:
                self._lapsed.add(pair)

    def has_lapsed(self, place: int, who: Identity) -> bool:
        """Say whether the assessor's lease of the document ended a moment ago without an answer."""
        return (place, who) in self._lapsed

    def until(self, place: int, who: Identity) -> float:
        """When the assessor's lease of the document ends."""
        return self._until[place, who]

    def find_holders(self) -> dict[int, set[Identity]]:
        """Return by document the assessors who have it on lease and have not judged it yet."""
        held = dict[int, set[Identity]]()
        for place, who in self._live:
            if not self._is_judged(place, who):
                held.setdefault(place, set()).add(who)
        return held

    def recall(self, pairs: Iterable[tuple[int, Identity]]) -> None:
        """Look up, all at once, whether these assessors once had these documents."""
        wanted = {place for place, who in pairs if (place, who) not in self._live}
        rows = self.state.store.holders(self.connection, sorted(wanted)) if wanted else ()
        self._past |= {(row.place, identity_of(row)) for row in rows}

    def has(self, place: int, who: Identity) -> bool:
        """Say whether the assessor has the document on lease."""
        return (place, who) in self._live

    def had(self, place: int, who: Identity) -> bool:
        """Say whether the assessor has the document on lease, or once had it: of those that `recall` looked up."""
        return self.has(place, who) or (place, who) in self._past

    def is_free(self, place: int, who: Identity) -> bool:
        """Say whether the document still needs an assessor besides those who have judged it or have it on lease."""
        ledger = self.state.ledger
        if not np.isnan(ledger.grades[place]):
            return False
        held = {other for known, other in self._live if known == place and not self._is_judged(place, other)}
        return len((held - {who}) | ledger.counting_assessors(place)) < ledger.settings.assessors

    def end(self, pairs: Iterable[tuple[int, Identity]]) -> None:
        """End the leases of these assessors on these documents."""
        numbers = [number for pair in pairs for number in self._live.pop(pair, ())]
        self.state.store.end_leases(self.connection, numbers)

    def end_all(self, people: Iterable[Identity]) -> None:
        """End everything that these assessors have on lease, so that others get it."""
        theirs = set(people)
        self.end([(place, who) for place, who in self._live if who in theirs])

    def end_judged(self) -> None:
        """End the leases that labels have ended early, once there are enough of them."""
        judged = [pair for pair in self._live if self._is_judged(*pair)]
        if len(judged) >= ENDED:
            self.end(judged)

    def add(self, chosen: Iterable[tuple[Assessor, int]], until: float) -> None:
        """Lease documents to assessors."""
        times = {"made": self.now, "until": until}
        rows = [{"place": place, "assessor": who.name, "person": who.person, **times} for who, place in chosen]
        self.state.store.add(self.connection, tables.leases, rows)

    def _is_judged(self, place: int, who: Identity) -> bool:
        return who in self.state.ledger.given.get(place, {})


def lease_documents(
    leases: Leases, assessors: Mapping[Assessor, SideQuestions | None], n: int = 1, *, seconds: float, again: bool
) -> dict[Identity, list[Task]]:
    """Up to n documents for each assessor, in a transaction of the state that writes.

    Nobody is handed what they have answered on the side: that answer becomes their label.
    """
    state, connection = leases.state, leases.connection
    state.advance(connection)
    people = {who.identity: who for who in assessors}
    if state.paused:
        return {identity: [] for identity in people}
    leases.end_judged()
    held, until, chosen = leases.find_holders(), leases.now + seconds, dict[tuple[int, Identity], float]()
    handed = list[tuple[Assessor, int]]()
    for who, assessor in people.items():
        before = [place for place, holders in held.items() if who in holders]
        mine = before[:n] if again else []
        chosen |= {(place, who): leases.until(place, who) for place in mine}
        fresh = _Search(leases, assessor, held, assessors[assessor]).documents()
        share = _most_held(state) - len(before) + len(mine) if again and n > 1 else n
        added = [(place, who) for place in islice(fresh, max(min(n, share) - len(mine), 0))]
        handed += [(assessor, place) for place, _ in added]
        chosen |= dict.fromkeys(added, until)
    leases.add(handed, until)
    texts = state.store.texts(connection, [place for place, _ in chosen]) if chosen else {}
    tasks: dict[Identity, list[Task]] = {identity: [] for identity in people}
    for (place, who), end in chosen.items():
        tasks[who].append(state.task(place, people[who], end, texts.get(place, {})))
    return tasks


def _most_held(state: CampaignState) -> int:
    """Return how many documents one assessor may hold: a share of those that are left to judge."""
    ledger, costs = state.ledger, state.pool.costs
    unjudged = np.isnan(ledger.grades)
    paid = int(np.count_nonzero(ledger.asked & unjudged))
    more = max(state.settings.allowance - ledger.spent, 0.0) / max(float(costs.mean()), np.finfo(float).tiny)
    return max(math.ceil(SHARE * min(paid + more, int(np.count_nonzero(unjudged)))), FEW)


class _Search:
    """One walk along the draws for the documents that one assessor may judge; `held` is who has which document now."""

    def __init__(
        self, leases: Leases, assessor: Assessor, held: dict[int, set[Identity]], side: SideQuestions | None
    ) -> None:
        self.state, self.connection, self.now = leases.state, leases.connection, leases.now
        self.stage, self.ledger = self.state.stage, self.state.ledger
        self.assessor, self.who, self.held, self.side = assessor, assessor.identity, held, side
        self.leases = leases

    def documents(self) -> Iterator[int]:
        """Documents that this assessor is handed. Whenever an earlier answer becomes a label, the draws may need other
        documents than before, and the walk begins anew."""
        reached = self._open()
        while (place := next(reached, None)) is not None:
            if self._was_answered(place):
                reached = self._open()
            else:
                self.held.setdefault(place, set()).add(self.who)
                yield place

    def _was_answered(self, place: int) -> bool:
        """Whether the assessor has answered that document on the side; if so, the answer is their label from now on.

        Its time stays: an old answer that moved to the top of their answers would show what it was.
        """
        if self.side is None:
            return False
        task, who = self.state.task(place, self.assessor, self.now, {}), self.assessor
        asked = Label(query=task.query, document=task.document, assessor=who.name, person=who.person, sender=who.person)
        said = self.side.last_answer(asked)
        if said is None:
            return False
        row = label_row(replace(asked, grade=said.grade, comment=said.comment), place, said)
        self.ledger.take_labels(self.state.store.add_numbered(self.connection, tables.labels, [row]))
        return True

    def _open(self) -> Iterator[int]:
        """Yield documents that this assessor may judge, in the order of the draws that need them.

        The first open draw, which holds the estimate up, is served first.
        """
        for draw in self.stage.ahead(self.ledger):
            if not self._afford(draw):
                return
            needed = self.stage.needs(draw, self.ledger)
            yield from (int(place) for place in needed if self._is_free(int(place)))

    def _afford(self, draw: int) -> bool:
        """Say whether the budget covers what the draw needs now; if so, it is paid for.

        A draw whose documents have labels already, as people sent more than was asked, may go on at once.
        """
        prices = DrawPrices(self.state)
        while fresh := prices.fresh(draw):
            costs = prices.costs(fresh)
            if not prices.covers(draw, costs):
                return False
            self._pay(draw, fresh, costs)
        return True

    def _pay(self, draw: int, fresh: Sequence[int], costs: Sequence[float]) -> None:
        number, store = self.stage.number, self.state.store
        begun = range(self.stage.begun(self.ledger), draw + 1)
        common = {"stage": number, "draw": draw, "made": self.now}
        rows = [{**common, "place": place, "cost": cost} for place, cost in zip(fresh, costs, strict=True)]
        draws = [{"stage": number, "number": j, "query": int(self.stage.plan.query(j))} for j in begun]
        store.add(self.connection, tables.draws, draws)
        self.ledger.take_tasks(store.add_numbered(self.connection, tables.tasks, rows))

    def _is_free(self, place: int) -> bool:
        """Say whether the document still needs an assessor, and this one has neither judged it nor has it on lease."""
        if not np.isnan(self.ledger.grades[place]) or self.leases.has_lapsed(place, self.who):
            return False
        held, heard = self.held.get(place, set()), self.ledger.counting_assessors(place)
        mine = self.who in held or self.who in self.ledger.given.get(place, {})
        return not mine and len(held | heard) < self.ledger.settings.assessors
