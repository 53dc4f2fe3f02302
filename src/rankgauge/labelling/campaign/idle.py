"""Why there is nothing to judge: each reason has its own true words, at the command line and on the page."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from rankgauge.labelling.campaign.draw_prices import DrawPrices
from rankgauge.labelling.campaign.rules import CampaignRules
from rankgauge.labelling.campaign.state import CampaignState, RunsState
from rankgauge.labelling.labels import Identity
from rankgauge.numeric import IndexArray


class Idle(StrEnum):
    """Why an assessor gets no document now."""

    ARCHIVED = "the campaign is over and put away"
    PAUSED = "the campaign is paused"
    STOPPED = "the estimate is as precise as it was to be"
    SETTLED = "the runs are told apart as far as they were to be"
    LEASED = "every open document is with somebody already"
    WAITING = "the next documents depend on answers that other assessors have yet to give"
    SPENT = "the budget is spent"
    SHORT = "what is left of the budget may not pay for all of the next documents"
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
    out = _unanswered(state)
    if len(out):
        unseen = any(who not in state.ledger.given.get(int(place), {}) for place in out)
        return Idle.LEASED if unseen else Idle.WAITING
    return why_over(state) or Idle.SHORT


def why_over(state: CampaignState) -> Idle | None:
    """Why nobody gets documents any more; None while somebody may, also once a pause is over."""
    if len(_unanswered(state)):
        return None
    prices = DrawPrices(state)
    if not prices.pays(float(state.pool.costs.min())):
        return Idle.SPENT
    draw = next(state.stage.ahead(state.ledger), None)
    if draw is None:
        return Idle.COMPLETE
    fresh = prices.fresh(draw)
    return Idle.SHORT if fresh and not prices.covers(draw, prices.costs(fresh)) else None


def _unanswered(state: CampaignState) -> IndexArray:
    """The documents that are paid for and not judged yet."""
    return np.flatnonzero(state.ledger.asked & np.isnan(state.ledger.grades))


def why_paused(state: CampaignState, rules: CampaignRules) -> Idle:
    """Whether the campaign has stopped by itself, or somebody has paused it."""
    if isinstance(state, RunsState):
        return Idle.SETTLED if len(state.settings.looks) > 1 and state.settled else Idle.PAUSED
    return Idle.STOPPED if rules.met(state) else Idle.PAUSED
