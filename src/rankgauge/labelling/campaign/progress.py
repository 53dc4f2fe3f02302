"""How far a campaign has come: what was asked, what came back, and what it cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from sqlalchemy.engine import Connection

from rankgauge.labelling.campaign.leases import Leases
from rankgauge.labelling.campaign.state import CampaignState


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a campaign has come: what was asked, what came back, and what it cost, in the unit of the budget."""

    budget: float
    spent: float
    """The cost of all documents that were asked for, judged or not."""
    waiting: float
    """The part of it that went to documents which are not fully judged yet."""
    queries: int
    """Queries of which something was asked."""
    asked: int
    """Documents that were asked for."""
    judged: int
    """Documents that were asked for and fully judged."""
    leased: int
    """Documents that an assessor has on lease now."""
    labels: int
    """Labels that count; one that was replaced does not."""
    replaced: int
    assessors: int
    unasked: int
    """Documents with labels that no draw has asked for yet."""
    imported: int
    """Labels that count and came for documents that were not handed to their assessors."""
    adjudicated: int
    """Documents with a grade that settled a disagreement, and counts in place of the assessors'."""
    unjudgeable: int
    """Documents that nobody who looked at them could judge."""
    begun: int
    """Draws that have asked for documents."""
    complete: int
    """Draws that an estimate may use: they and all before them are complete."""
    stages: int
    paused: bool

    @classmethod
    def of(cls, state: CampaignState, connection: Connection) -> Self:
        """How far the campaign has come."""
        ledger, people = state.ledger, state.settings.assessors
        unknown = ledger.asked & np.isnan(ledger.grades)
        return cls(
            budget=state.settings.budget,
            spent=ledger.spent * people,
            waiting=float(state.pool.costs[unknown].sum()) * people,
            queries=len(np.unique(state.pool.query[ledger.asked])),
            asked=int(ledger.asked.sum()),
            judged=int(np.sum(~np.isnan(ledger.grades))),
            leased=len(Leases(state, connection).held()),
            labels=ledger.counting,
            replaced=ledger.received - ledger.counting,
            assessors=len(ledger.history),
            unasked=len(ledger.unasked),
            imported=ledger.imported,
            adjudicated=len(ledger.settled),
            unjudgeable=len(ledger.unjudgeable),
            begun=sum(stage.begun(ledger) for stage in state.stages),
            complete=sum(stage.complete(ledger) for stage in state.stages),
            stages=len(state.stages),
            paused=bool(state.store.row(connection).paused),
        )

    @property
    def left(self) -> float:
        """What is left of the budget."""
        return max(self.budget - self.spent, 0.0)

    @property
    def out(self) -> int:
        """Documents that were asked for and not yet fully judged."""
        return self.asked - self.judged

    def to_json(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self) | {"left": self.left, "out": self.out}
