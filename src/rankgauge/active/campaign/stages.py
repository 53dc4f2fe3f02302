"""Stages: plans one after another, each with the beliefs of its time, and how far each has come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from rankgauge.active import methods
from rankgauge.active.campaign.ledger import Ledger
from rankgauge.active.campaign.remainder import remainder
from rankgauge.active.methods import Plan
from rankgauge.active.pool import Pool
from rankgauge.active.target import Target
from rankgauge.errors import InputError
from rankgauge.numeric import IndexArray

__all__ = ["CampaignStage", "StageSettings", "seed_of"]

FREE = 1_000
"""In a plan without an end so many draws that cost nothing may follow the last one that asked for something; where
every document is known, all of them would."""

_NOTHING: IndexArray = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class StageSettings:
    """What fixes the draws of a stage, besides pool and beliefs."""

    method: str
    budget: float
    seed: int
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def packed(self) -> str:
        """The settings as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """The settings that JSON holds."""
        return cls(**json.loads(text))

    def plan(self, pool: Pool, measure: str, dialect: str) -> Plan:
        """The draws."""
        target = Target.of(measure, pool, dialect=dialect)
        return methods.get(self.method, **self.options).plan(pool, target, budget=self.budget, rng=self.seed)


def seed_of(campaign: int, stage: int) -> int:
    """The seed of a stage: the campaign's own for the first, and others that follow from it."""
    return campaign if stage == 0 else int(np.random.SeedSequence([campaign, stage]).generate_state(1)[0])


class CampaignStage:
    """A plan at work: what its draws need, which were begun, and how far they are complete."""

    def __init__(self, number: int, settings: StageSettings, plan: Plan) -> None:
        self.number, self.settings, self.plan = number, settings, plan
        self.over: int | None = None
        """Once the stage is over, how many of its draws count."""
        self._front = self._opened = self._changes = 0
        self._needs: dict[int, tuple[int, IndexArray]] = {}

    def begun(self, ledger: Ledger) -> int:
        """How many draws have asked for documents."""
        return max(ledger.costs.get(self.number, {}), default=-1) + 1

    def complete(self, ledger: Ledger) -> int:
        """How many draws from the first on are complete, without a gap: the ones that an estimate may use."""
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
        """The draws that are not complete, the first one first, as far as they may ask for documents now.

        Where all draws turn out complete on the way, as labels were there already, more of them may open.
        """
        draw = self.complete(ledger)
        while draw < self._end(ledger) or (self.complete(ledger) >= draw and draw < self._end(ledger)):
            if len(self.needs(draw, ledger)):
                yield draw
            draw += 1

    def set_aside(self, ledger: Ledger) -> float:
        """What the draws that are open may still cost, and one more, as far as the draws so far can tell."""
        steps = ledger.steps.get(self.number, {})
        if max(steps.values(), default=1) == 1:
            return 0.0  # so far every draw has asked for all its documents at once
        draws = sorted(steps)
        is_open = [len(self.needs(draw, ledger)) > 0 for draw in draws]
        return remainder([steps[draw] for draw in draws], is_open) * float(self.plan.pool.costs.mean())

    def check(self, stored: list[int]) -> None:
        """An error where the draws are not those that were begun."""
        for draw, query in enumerate(stored):
            if self.plan.query(draw) != query:
                raise InputError(
                    f"draw {draw} of stage {self.number + 1} is query {self.plan.query(draw)} now and was {query}",
                    hint="Another version of RankGauge or NumPy began this campaign: go on with that one.",
                )

    def _end(self, ledger: Ledger) -> int:
        """The draw after the last one that may ask now.

        A plan whose later draws wait for the labels of earlier ones opens more only when all that are open are
        complete; asking it before would be slow.
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
