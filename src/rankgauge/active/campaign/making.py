"""Making a campaign: everything is checked and planned before the database sees a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy.engine import Engine

from rankgauge.active.campaign import parquet as packing
from rankgauge.active.campaign import store
from rankgauge.active.campaign.database import writing
from rankgauge.active.campaign.settings import CampaignSettings
from rankgauge.active.campaign.stages import StageSettings
from rankgauge.active.campaign.store import Store
from rankgauge.active.pool import Pool
from rankgauge.errors import ParameterError

__all__ = ["insert", "planned"]


def planned(pool: Pool, settings: CampaignSettings, options: dict[str, Any]) -> StageSettings:
    """The first stage, whose plan can be made."""
    if settings.words is not None:
        lacking = [grade for grade in settings.grades if grade not in {level for _, level in settings.words.levels}]
        if lacking:
            shown = ", ".join(f"{grade:g}" for grade in settings.grades)
            raise ParameterError("a campaign", "scale", f"one with the grades {shown} of the pool", settings.scale)
    stage = StageSettings(method=settings.method, budget=settings.allowance, seed=settings.seed, options=options)
    stage.plan(pool, settings.measure, settings.dialect)
    return stage


def insert(
    engine: Engine, pool: Pool, settings: CampaignSettings, stage: StageSettings, name: str, clock: Callable[[], float]
) -> Store:
    """The campaign's first rows, all in one transaction."""
    now = clock()
    with writing(engine) as connection:
        rows = store.make(connection, name=name, made=now, settings=settings.packed())
        rows.add_pool(connection, packing.pack(pool), packing.texts(pool))
        rows.add_stage(connection, number=0, made=now, settings=stage.packed())
    return rows
