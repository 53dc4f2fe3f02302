"""Why there is nothing to judge: each reason has its own true words, at the command line and on the page."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from rankgauge.active.campaign.leases import TOLERANCE
from rankgauge.active.campaign.rules import CampaignRules
from rankgauge.active.campaign.state import BoardState, CampaignState
from rankgauge.active.labels import Identity


class Idle(StrEnum):
    """Why an assessor gets no document now."""

    ARCHIVED = "the campaign is over and put away"
    PAUSED = "the campaign is paused"
    STOPPED = "the estimate is as precise as it was to be"
    SETTLED = "the runs are told apart as far as they were to be"
    LEASED = "every open document is with somebody already"
    WAITING = "the next documents depend on answers that other assessors have yet to give"
    SPENT = "the budget is spent"
    SHORT = "what is left of the budget does not pay for the next documents"
    COMPLETE = "every document that the estimate needs is judged"

    def words(self, rules: CampaignRules) -> str:
        """What whoever runs the campaign is told, with the rule that stopped it."""
        return f"the stopping rule is met: ±{rules.stop_at:g} reached" if self is Idle.STOPPED else self.value

    @property
    def sentence(self) -> str:
        """What an assessor is told on the judging page."""
        if self is Idle.PAUSED:
            return "The campaign is paused. You get documents again once it goes on."
        return f"{'Nothing to judge right now' if self in (Idle.LEASED, Idle.WAITING) else 'All done'}: {self.value}."


def why_idle(state: CampaignState, rules: CampaignRules, who: Identity) -> Idle:
    """Why nothing new is handed to the assessor."""
    if state.paused:
        return why_paused(state, rules)
    ledger = state.ledger
    out = np.flatnonzero(ledger.asked & np.isnan(ledger.grades))
    if len(out):
        unseen = any(who not in ledger.given.get(int(place), {}) for place in out)
        return Idle.LEASED if unseen else Idle.WAITING
    cheapest = float(state.pool.costs.min())
    if ledger.spent + cheapest > state.settings.allowance * (1 + TOLERANCE):
        return Idle.SPENT
    return Idle.COMPLETE if next(state.stage.ahead(ledger), None) is None else Idle.SHORT


def why_paused(state: CampaignState, rules: CampaignRules) -> Idle:
    """Whether the campaign has stopped by itself, or somebody has paused it."""
    if isinstance(state, BoardState):
        return Idle.SETTLED if len(state.settings.looks) > 1 and state.settled else Idle.PAUSED
    return Idle.STOPPED if rules.met(state) else Idle.PAUSED
