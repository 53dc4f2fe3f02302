"""Refitting: a stage ends, and the next begins with beliefs that know its labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sqlalchemy.engine import Connection

from rankgauge.active.campaign import parquet as packing
from rankgauge.active.campaign.estimates import FEWEST
from rankgauge.active.campaign.stages import seed_of
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.sampling.recalibration import recalibrated
from rankgauge.errors import InputError
from rankgauge.numeric import FloatArray

__all__ = ["refit"]


def refit(state: CampaignState, connection: Connection, beliefs: FloatArray | None, *, leave_open: bool) -> None:
    """The rows of a new stage; what is left of the budget is its own."""
    stage, ledger, settings = state.stage, state.ledger, state.settings
    complete = stage.complete(ledger)
    _check(stage.begun(ledger) - complete, complete, leave_open)
    left = settings.allowance - ledger.spent
    if left <= 0:
        raise InputError("the budget is spent: a new stage could ask for nothing")
    if beliefs is None:
        pool = recalibrated(stage.plan.pool, ledger.grades)
    else:
        pool = replace(state.pool, beliefs=np.asarray(beliefs, dtype=np.float64))
    number = len(state.stages)
    chosen = replace(stage.settings, budget=left, seed=seed_of(settings.seed, number))
    state.store.end_stage(connection, stage.number, complete)
    state.store.add_stage(
        connection,
        number=number,
        made=state.clock(),
        settings=chosen.packed(),
        beliefs=packing.pack_beliefs(pool.beliefs),
    )


def _check(unfinished: int, complete: int, leave_open: bool) -> None:
    if complete < FEWEST:
        raise InputError(f"only {complete} draws are complete: a stage needs {FEWEST}", hint="Record more labels.")
    if unfinished > 0 and not leave_open:
        raise InputError(
            f"{unfinished} draws of this stage are open, and would not count in it",
            hint="Record their labels first, or leave them open (leave_open=True).",
        )
