"""What to do with a judge: its values, its order of the runs, its claims, and the labels that would settle more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge.judge_audit import JudgeAudit
from rankgauge.audit.judge.tables import rows_of
from rankgauge.measures import Measure
from rankgauge.render.numbers import count

USABLE = 0.05
"""A judge's values are good enough to quote if they are off by no more than this, at worst."""

ALIKE = 0.7
"""The lowest τ from which on an order is called probably right."""

SURE = 0.95
"""A difference may be claimed on a judge's word if it holds with this chance."""

NAMED = 3
"""How many pairs are named that should not be claimed."""


def advise(audit: JudgeAudit, judge: str, needed: int | None) -> Iterator[str]:
    """Yield sentences on what a judge may and may not be used for; none where there are no runs, or too few labels.

    `needed` is how many labels bring the intervals of the runs to the width that was asked for.
    """
    if not audit.has_board:
        return
    measure, of_judge = audit.measures[0], partial(rows_of, judge=judge, measure=str(audit.measures[0]))
    yield _on_values(of_judge(audit.values), measure)
    labels = count(int(audit.pairs.labelled.sum()), "label")
    if len(audit.runs) > 2:
        yield _on_order(of_judge(audit.orders).row(0, named=True), labels, sampled=audit.sampled)
    if len(audit.runs) > 1:
        yield from _on_claims(of_judge(audit.differences).filter(pl.col("significant")), sampled=audit.sampled)
    if (depth := audit.shallow_labels) is not None:
        yield (
            f"People's labels are all of documents at rank {depth} or above in some run, and the judge graded deeper: "
            "nothing here says how it grades what is further down."
        )
    if audit.sampled and needed:
        yield (
            f"{count(needed, 'further label')} of people, with this judge as a first guess, should bring each run's "
            f"{measure} to ± {audit.half_width:g}: "
            f"rankgauge active plan RUN… --judge {judge}=FILE --judgments LABELS -m {measure} --budget {needed}"
        )


def _on_values(rows: pl.DataFrame, measure: Measure) -> str:
    """Say whether the judge's values may be published."""
    low, high = float(rows["low"].min() or 0.0), float(rows["high"].max() or 0.0)  # type: ignore[arg-type]
    publish = f"Do not publish its values of {measure}"
    if np.isnan([low, high]).any():
        return f"{publish}: too few queries to say how far off they are."
    if (worst := abs(max(-low, high))) <= USABLE:
        return f"Its values of {measure} may be quoted: they are off by {worst:.2f} at most, on any run."
    if (rows["low"] > 0).all():
        return f"{publish}: they are {low:.2f} to {high:.2f} too high."
    if (rows["high"] < 0).all():
        return f"{publish}: they are {-high:.2f} to {-low:.2f} too low."
    return f"{publish}: on some run they may be {max(-low, 0):.2f} too low or {max(high, 0):.2f} too high."


def _on_order(row: dict[str, Any], labels: str, *, sampled: bool) -> str:
    """Say how far the judge's order of the runs can be trusted."""
    low, high = float(row["tau_low"]), float(row["tau_high"])
    if np.isnan([low, high]).any():
        return f"How well it orders your runs is not known yet with {labels}."
    rests_on = f"is possible with {labels}" if sampled else "on queries like these"
    span = f"τ {low:.2f} to {high:.2f} {rests_on}".replace("-", "−")
    return f"Its order of your runs is {'probably right' if low >= ALIKE else 'not to be relied on'} ({span})."


def _on_claims(claimed: pl.DataFrame, *, sampled: bool) -> Iterator[str]:
    """Say which of the differences that the judge calls significant may be claimed on its word."""
    kept, number = float(claimed["kept"].sum()), len(claimed)
    if not number:
        yield "It calls no difference between your runs significant."
    elif number == 1:
        holds = f"holds with a chance of {kept:.2f}" if sampled else "holds" if kept > 0.5 else "does not hold"
        yield f"The only difference that it calls significant {holds}."
    else:
        holding = f"about {kept:,.0f} should hold" if sampled else f"{kept:,.0f} hold"
        yield f"Of {number:,} differences that it calls significant, {holding}."
    doubtful = claimed.filter(pl.col("kept") < SURE).sort("kept")
    if doubtful.is_empty():
        return
    pairs = [_claim(**row) for row in doubtful.head(NAMED).select("run", "other", "judge").iter_rows(named=True)]
    listed = " or ".join(filter(None, (", ".join(pairs[:-1]), pairs[-1])))
    more = f"; the same goes for {len(doubtful) - NAMED} more (-o json lists them)" if len(doubtful) > NAMED else ""
    yield f"Do not claim on its word that {listed}{more}."


def _claim(run: str, other: str, judge: float) -> str:
    """Name the better run of a pair, by the judge, and then the other."""
    return f"{run} beats {other}" if judge > 0 else f"{other} beats {run}"
