"""Why there is nothing to judge: each reason has its own true sentence."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from rankgauge.active.campaign.rules import CampaignRules
from rankgauge.active.campaign.state import BoardState, CampaignState
from rankgauge.active.labels import Identity


class Idle(StrEnum):
    """Why an assessor gets no document now; the value is what the assessor is told."""

    PAUSED = "The campaign is paused. You get documents again once it goes on."
    STOPPED = "All done: the estimate is as precise as it was to be."
    SETTLED = "All done: the runs are told apart as far as they were to be."
    LEASED = "Nothing to judge right now: other assessors have the rest on their screens."
    WAITING = "Nothing to judge right now: the next documents depend on answers that other assessors have yet to give."
    SPENT = "All done: the budget is spent."
    SHORT = "All done: what is left of the budget does not pay for the next documents."
    COMPLETE = "All done: every document that the estimate needs is judged."


def why_idle(state: CampaignState, rules: CampaignRules, who: Identity) -> Idle:
    """Why nothing is handed to the assessor, who has nothing on lease."""
    if state.paused:
        return _why_paused(state, rules)
    ledger = state.ledger
    out = np.flatnonzero(ledger.asked & np.isnan(ledger.grades))
    if len(out):
        unseen = any(who not in ledger.given.get(int(place), {}) for place in out)
        return Idle.LEASED if unseen else Idle.WAITING
    if next(state.stage.ahead(ledger), None) is None:
        return Idle.COMPLETE
    return Idle.SHORT if ledger.spent < state.settings.allowance * (1 - 1e-9) else Idle.SPENT


def _why_paused(state: CampaignState, rules: CampaignRules) -> Idle:
    """Whether the campaign has stopped by itself, or somebody has paused it."""
    if isinstance(state, BoardState):
        return Idle.SETTLED if len(state.settings.looks) > 1 and state.settled else Idle.PAUSED
    return Idle.STOPPED if rules.met(state) else Idle.PAUSED
