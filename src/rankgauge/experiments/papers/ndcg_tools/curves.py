"""The curves of Figures 1 and 2 and the table of values: means over queries with their standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import polars as pl

from rankgauge.experiments.experiment import Figure
from rankgauge.experiments.folded import folded
from rankgauge.experiments.papers.ndcg_tools.tools import CUTOFFS
from rankgauge.experiments.papers.ndcg_tools.training import RANKERS
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.report.panels import Panels
from rankgauge.report.plots import Chart

__all__ = ["figures", "table"]

SHOWN = ("AdaRank", "Coordinate Ascent", "LambdaMART", "RankBoost")
"""The rankers of Figure 1: three that optimise the measure, and one that chooses its round by it."""

WORDS = {"std": "standard", "yahoo": "Yahoo", "letor": "LETOR"}
ERRORS = "bars: one standard error each way"


def table(
    values: Mapping[str, FloatArray], readings: tuple[str, ...], rankers: tuple[str, ...], fold: IndexArray
) -> pl.DataFrame:
    """A row per evaluator, reading trained under, ranker and cutoff: mean and standard error.

    Each evaluator's values are readings × rankers × cutoffs × queries.
    """
    trained, ranker, cutoff = (grid.ravel() for grid in np.meshgrid(readings, rankers, CUTOFFS, indexing="ij"))
    parts = []
    for name, found in values.items():
        mean, error = (amount.ravel() for amount in folded(found, fold))
        columns = {"trained under": trained, "ranker": ranker, "cutoff": cutoff, "NDCG": mean, "error": error}
        parts.append(pl.DataFrame(columns).select(pl.lit(name).alias("judged by"), pl.all()))
    return pl.concat(parts)


def figures(values: pl.DataFrame) -> tuple[dict[str, pl.DataFrame], dict[str, Figure]]:
    """The data of both figures, from the table of the three readings, and how they are drawn."""
    judged = pl.format("judged by the {} reading", pl.col("judged by").replace_strict(WORDS))
    named = values.with_columns(judged, pl.col("trained under").replace_strict(WORDS))
    order = pl.col("ranker").replace_strict({name: place for place, name in enumerate(SHOWN)}, default=None)
    first = named.filter(pl.col("ranker").is_in(SHOWN)).sort(order, maintain_order=True)
    six = [ranker.title for ranker in RANKERS]
    second = named.filter(pl.col("trained under") == WORDS["std"], pl.col("ranker").is_in(six))
    frames = {"figure-1": first, "figure-2": second}
    drawn: dict[str, Figure] = {
        "figure-1": partial(_first, first),
        "figure-2": partial(_second, second),
    }
    return frames, drawn


def _first(frame: pl.DataFrame) -> Chart:
    panels = Panels(
        frame=frame, x="cutoff", y="NDCG", error="error", series="trained under", column="judged by", row="ranker"
    )
    return panels.draw(f"NDCG of rankers trained and judged under three readings of it ({ERRORS})")


def _second(frame: pl.DataFrame) -> Chart:
    panels = Panels(frame=frame, x="cutoff", y="NDCG", error="error", series="ranker", column="judged by")
    return panels.draw(f"NDCG of six rankers trained under the standard reading ({ERRORS})")
