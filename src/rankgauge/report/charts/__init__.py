"""Charts for notebooks, as Altair has them: `rankgauge.plot(result)`, of whatever there is to see."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.report.plots import Chart, require

__all__ = ["plot"]

KINDS = {
    "rankgauge.result.Result": "result",
    "rankgauge.comparison.comparison.Comparison": "comparison",
    "rankgauge.audit.overview.Audit": "audit",
    "rankgauge.active.campaign.campaign.Campaign": "campaign",
    "rankgauge.active.study.Study": "study",
}
"""Classes, and the file here that draws them: its `CHARTS` are the charts by name, the usual one first."""


def plot(thing: Any, chart: str | None = None) -> Chart:
    """An Altair chart of a result, a comparison, an audit, a campaign or a study.

    `chart` names another one than the usual: of a comparison `means` or `pairs`, of an audit `tools` or `causes`, of a
    study `error` or `wrong`.
    """
    require()
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(thing).__mro__]
    home = next((KINDS[name] for name in names if name in KINDS), None)
    if home is None:
        known = ", ".join(name.rpartition(".")[2] for name in KINDS)
        raise InputError(f"there is no chart of a {type(thing).__name__}", hint=f"There are charts of: {known}.")
    charts: Mapping[str, Callable[[Any], Chart]] = importlib.import_module(f"{__name__}.{home}").CHARTS
    if chart is not None and chart not in charts:
        raise UnknownNameError(f"chart of a {home}", chart, charts)
    return charts[chart or next(iter(charts))](thing)
