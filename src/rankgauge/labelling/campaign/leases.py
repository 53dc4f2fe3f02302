"""Leases: which documents an assessor gets next, for how long, and what the budget allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from sqlalchemy.engine import Connection

from rankgauge.labelling.campaign.draw_prices import DrawPrices
from rankgauge.labelling.campaign.ledger import label_row
from rankgauge.labelling.campaign.side_questions import SideQuestions
from rankgauge.labelling.campaign.state import CampaignState
from rankgauge.labelling.labels import Assessor, Identity, Label, Task, identity_of

ENDED = 50
"""How many leases that a label has ended are struck off together: to do it for each label would take as long as to
record the label."""


class Leases:
    """The leases of a campaign as one transaction sees them: those that have not ended, and who once had which."""

    def __init__(self, state: CampaignState, connection: Connection) -> None:
        self._state, self._connection, self.now = state, connection, state.clock()
        self._live: dict[tuple[int, Identity], list[int]] = {}
        self._past: set[tuple[int, Identity]] = set()
        for row in state.store.leases(connection, self.now):
            self._live.setdefault((row.place, identity_of(row)), []).append(row.id)

    def held(self) -> dict[int, set[Identity]]:
        """By document the assessors who have it on lease and have not judged it yet."""
        held = dict[int, set[Identity]]()
        for place, who in self._live:
            if not self._is_judged(place, who):
                held.setdefault(place, set()).add(who)
        return held

    def recall(self, pairs: Iterable[tuple[int, Identity]]) -> None:
        """Looks up, all at once, whether these assessors once had these documents."""
        wanted = {place for place, who in pairs if (place, who) not in self._live}
        rows = self._state.store.holders(self._connection, sorted(wanted)) if wanted else ()
        self._past |= {(row.place, identity_of(row)) for row in rows}

    def has(self, place: int, who: Identity) -> bool:
        """Whether the assessor has the document on lease."""
        return (place, who) in self._live

    def had(self, place: int, who: Identity) -> bool:
        """Whether the assessor has the document on lease, or once had it: of those that `recall` looked up."""
        return self.has(place, who) or (place, who) in self._past

    def is_free(self, place: int, who: Identity) -> bool:
        """Whether the document still needs an assessor besides those who have judged it or have it on lease."""
        ledger = self._state.ledger
        if not np.isnan(ledger.grades[place]):
            return False
        held = {other for known, other in self._live if known == place and not self._is_judged(place, other)}
        return len((held - {who}) | ledger.counted(place)) < ledger.settings.assessors

    def end(self, pairs: Iterable[tuple[int, Identity]]) -> None:
        """Ends the leases of these assessors on these documents."""
        numbers = [number for pair in pairs for number in self._live.pop(pair, ())]
        self._state.store.end_leases(self._connection, numbers, self.now)

    def end_all(self, people: Iterable[Identity]) -> None:
        """Ends everything that these assessors have on lease, so that others get it."""
        theirs = set(people)
        self.end([(place, who) for place, who in self._live if who in theirs])

    def end_judged(self) -> None:
        """Ends the leases that labels have ended early, once there are enough of them."""
        judged = [pair for pair in self._live if self._is_judged(*pair)]
        if len(judged) >= ENDED:
            self.end(judged)

    def add(self, chosen: Iterable[tuple[Assessor, int]], until: float) -> None:
        """Leases documents to assessors."""
        times = {"made": self.now, "until": until}
        rows = [{"place": place, "assessor": who.name, "person": who.person, **times} for who, place in chosen]
        self._state.store.add_leases(self._connection, rows)

    def _is_judged(self, place: int, who: Identity) -> bool:
        return who in self._state.ledger.given.get(place, {})


def lease_documents(
    leases: Leases, assessors: Mapping[Assessor, SideQuestions | None], n: int = 1, *, seconds: float, again: bool
) -> dict[Identity, list[Task]]:
    """Up to n documents for each assessor, in a transaction of the state that writes.

    Nobody is handed what they have answered on the side: that answer becomes their label.
    """
    state, connection = leases._state, leases._connection
    state.advance(connection)
    people = {who.identity: who for who in assessors}
    if state.paused:
        return {identity: [] for identity in people}
    leases.end_judged()
    held, until, chosen = leases.held(), leases.now + seconds, dict[Identity, list[int]]()
    for who, assessor in people.items():
        mine = [place for place, holders in held.items() if again and who in holders][:n]
        leases.end((place, who) for place in mine)
        fresh = _Search(leases, assessor, held, assessors[assessor]).documents()
        chosen[who] = [*mine, *islice(fresh, n - len(mine))]
    pairs = [(people[who], place) for who, places in chosen.items() for place in places]
    leases.add(pairs, until)
    texts = state.store.texts(connection, [place for _, place in pairs]) if pairs else {}
    return {
        who: [state.task(place, people[who], until, texts.get(place, {})) for place in places]
        for who, places in chosen.items()
    }


class _Search:
    """One walk along the draws for the documents that one assessor may judge; `held` is who has which document now."""

    def __init__(
        self, leases: Leases, assessor: Assessor, held: dict[int, set[Identity]], side: SideQuestions | None
    ) -> None:
        self.state, self.connection, self.now = leases._state, leases._connection, leases.now
        self.stage, self.ledger = self.state.stage, self.state.ledger
        self.assessor, self.who, self.held, self.side = assessor, assessor.identity, held, side

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
        said = self.side.said(asked)
        if said is None:
            return False
        row = label_row(replace(asked, grade=said.grade, comment=said.comment), place, said)
        self.ledger.take_labels(self.state.store.add_labels(self.connection, [row]))
        return True

    def _open(self) -> Iterator[int]:
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
        store.add_draws(self.connection, draws)
        self.ledger.take_tasks(store.add_tasks(self.connection, rows))

    def _is_free(self, place: int) -> bool:
        """Whether the document still needs an assessor, and this one has neither judged it nor has it on lease."""
        if not np.isnan(self.ledger.grades[place]):
            return False
        held, heard = self.held.get(place, set()), self.ledger.counted(place)
        mine = self.who in held or self.who in self.ledger.given.get(place, {})
        return not mine and len(held | heard) < self.ledger.settings.assessors
