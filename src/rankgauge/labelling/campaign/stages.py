"""The stages of a campaign: what the draws of each need, how far they have come, and what open draws may still cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.ledger import Ledger
from rankgauge.labelling.campaign.settings import StageSettings
from rankgauge.labelling.method import Draws
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

FREE = 1_000
"""How many draws that cost nothing may follow the last one that asked for something, in a plan without an end. If every
document is known, all draws cost nothing."""

TRUST = 3.0
"""How many draws weigh as much in the chance to stop at one length as the draws of all lengths together."""

RECENT = 20
"""How many of the last draws are looked at by themselves: later draws may go further, with what was left over."""

MARGIN = 3.0
"""Standard deviations above the mean: a draw that cannot be finished makes all after it useless."""

FIRST = 0.1
"""The most that is set aside for the first open draw, as a share of the budget: lists may be long."""

_NOTHING: IndexArray = np.zeros(0, dtype=np.int64)


class CampaignStage:
    """A plan under way: what its draws need, which of them have begun, and how many are complete."""

    def __init__(self, number: int, settings: StageSettings, plan: Draws) -> None:
        self.number, self.settings, self.plan = number, settings, plan
        self.over: int | None = None
        """Once the stage is over, how many of its draws count."""
        self._front = self._opened = self._changes = 0
        self._needs: dict[int, tuple[int, IndexArray]] = {}

    def begun(self, ledger: Ledger) -> int:
        """How many draws have asked for documents."""
        return max(ledger.costs.get(self.number, {}), default=-1) + 1

    def complete(self, ledger: Ledger) -> int:
        """How many draws are complete before the first that is not: the ones that an estimate may use."""
        self._renew(ledger)
        while self._front < self._end(ledger) and not len(self.needs(self._front, ledger)):
            self._front += 1
        return self._front if self.over is None else min(self._front, self.over)

    def needs(self, draw: int, ledger: Ledger) -> IndexArray:
        """The documents whose grades a draw needs now; none where it is complete."""
        self._renew(ledger)
        if draw < self._front:
            return _NOTHING
        # What a draw needs depends on the grades of its own query; others only if a grade that was known changes.
        revision = int(ledger.revisions[self.plan.query(draw)])
        known = self._needs.get(draw)
        if known is None or known[0] != revision:
            known = self._needs[draw] = (revision, self.plan.asks(draw, ledger.grades))
        return known[1]

    def ahead(self, ledger: Ledger) -> Iterator[int]:
        """The draws that are not complete and may ask for documents now, in their order.

        More draws may open on the way, if those before turn out complete because their labels are there already.
        """
        draw = self.complete(ledger)
        while draw < self._end(ledger) or (self.complete(ledger) >= draw and draw < self._end(ledger)):
            if len(self.needs(draw, ledger)):
                yield draw
            draw += 1

    def set_aside(self, ledger: Ledger) -> float:
        """What the open draws and one more may still cost, judging by the draws so far."""
        steps = ledger.steps.get(self.number, {})
        if max(steps.values(), default=1) == 1:
            return 0.0  # so far every draw has asked for all its documents at once
        draws = sorted(steps)
        is_open = [len(self.needs(draw, ledger)) > 0 for draw in draws]
        likely = remainder([steps[draw] for draw in draws], is_open) * float(self.plan.pool.costs.mean())
        return likely + self.rest_of_first(ledger)

    def rest_of_first(self, ledger: Ledger) -> float:
        """The most that the first open draw may still cost, in reason: until it is complete, no later one counts."""
        draw, pool = self.complete(ledger), self.plan.pool
        if draw not in ledger.steps.get(self.number, {}):
            return 0.0
        query = self.plan.query(draw)
        mine = slice(pool.starts[query], pool.starts[query] + pool.sizes[query])
        most = float(pool.costs[mine][self._needed[mine] & ~ledger.asked[mine]].sum())
        return min(most, FIRST * ledger.settings.allowance)

    @cached_property
    def _needed(self) -> BoolArray:
        """The documents that the value depends on."""
        return self.plan.needed

    def check(self, stored: list[int]) -> None:
        """Raises an error if the draws are not those that were begun."""
        for draw, query in enumerate(stored):
            if self.plan.query(draw) != query:
                raise InputError(
                    f"draw {draw} of stage {self.number + 1} is query {self.plan.query(draw)} now and was {query}",
                    hint="Another version of RankGauge or NumPy began this campaign: go on with that one.",
                )

    def _end(self, ledger: Ledger) -> int:
        """The draw after the last one that may ask now.

        A plan whose later draws depend on the labels of earlier ones opens more when all open ones are complete. It
        is not asked before, which would be slow.
        """
        if self.plan.length is None:
            return self.begun(ledger) + FREE
        if self._front >= self._opened:
            limit = self.plan.opened(ledger.grades)
            self._opened = self.plan.length if limit is None else limit
        return self._opened

    def _renew(self, ledger: Ledger) -> None:
        if self._changes != ledger.changes:
            self._front, self._opened, self._changes = 0, 0, ledger.changes
            self._needs.clear()


def remainder(lengths: Sequence[int], is_open: Sequence[bool]) -> float:
    """How many documents the open draws, and a new one after its first document, may well still need.

    `lengths` are those of the draws so far, in their order. A draw that has gone far goes on for longer: a hard query
    asks for more. So the chance to stop is that of the draws that came as far (Kaplan & Meier 1958), shrunk towards
    the chance over all lengths if they are few. It is computed from all draws and from the last ones; the larger
    number counts.
    """
    known, going = np.array(lengths, dtype=int), np.array(is_open, dtype=bool)
    open_ = known[going]
    found = [_rest(known, going), _rest(known[-RECENT:], going[-RECENT:])]
    return max(_upper(np.append(rest[np.minimum(open_, len(rest) - 1) - 1], rest[0])) for rest in found)


def _upper(each: FloatArray) -> float:
    """A bound for the sum. Lengths spread about as in an exponential law: the variance of each is near r (1 + r)."""
    return float(each.sum() + MARGIN * np.sqrt((each * (1 + each)).sum()))


def _rest(lengths: IndexArray, is_open: BoolArray) -> FloatArray:
    """How much longer a draw of each length goes on, for lengths from 1."""
    longest = int(lengths.max(initial=1))
    overall, hazard = _hazard(lengths, is_open, longest)
    rest = np.full(longest + 1, (1 - overall) / overall)
    for length in range(longest - 1, -1, -1):
        rest[length] = (1 - hazard[length]) * (1 + rest[length + 1])
    return rest


def _hazard(lengths: IndexArray, is_open: BoolArray, longest: int) -> tuple[float, FloatArray]:
    """The chance to stop at any length, and at each length from 1."""
    at = np.arange(1, longest + 1)[:, np.newaxis]
    stops = ((lengths == at) & ~is_open).sum(axis=1)
    # A draw that waits at a length has not yet shown whether it stops there.
    reached = (lengths > at).sum(axis=1) + stops
    overall = float((stops.sum() + 1.0) / (reached.sum() + 1.0))
    return overall, (stops + TRUST * overall) / (reached + TRUST)
