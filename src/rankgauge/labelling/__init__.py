"""Active evaluation: which documents to judge when labels cost money, and what their grades say."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.labelling.board import BoardPool
    from rankgauge.labelling.campaign import BoardCampaign, Campaign
    from rankgauge.labelling.labels import Label
    from rankgauge.labelling.method import forecast
    from rankgauge.labelling.methods import Estimate
    from rankgauge.labelling.pool import Pool
    from rankgauge.labelling.simulations.study import simulate
    from rankgauge.labelling.target import Target

__all__ = ["BoardCampaign", "BoardPool", "Campaign", "Estimate", "Label", "Pool", "Target", "forecast", "simulate"]

_HOMES = {
    "BoardCampaign": "campaign",
    "BoardPool": "board",
    "Campaign": "campaign",
    "Estimate": "methods",
    "Label": "labels",
    "Pool": "pool",
    "Target": "target",
    "forecast": "method",
    "simulate": "simulations.study",
}
"""The module of each name. They load on first use: only campaigns need SQLAlchemy."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
