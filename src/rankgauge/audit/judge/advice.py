"""What to do with a judge: its values, its order of the runs, its claims, and the labels that would settle more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from rankgauge.audit.judge.overview import JudgeAudit
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
    measure = audit.measures[0]
    yield _on_values(audit, judge, measure)
    if len(audit.runs) > 2:
        yield _on_order(audit, judge, measure)
    if len(audit.runs) > 1:
        yield from _on_claims(audit, judge, measure)
    if audit.sampled and needed:
        width = f"± {audit.half_width:g}"
        yield (
            f"{count(needed, 'further label')} of people, with this judge as a first guess, should give {width}: "
            f"rankgauge active plan RUN… --judge {judge}=FILE -m {measure} --budget {needed}"
        )


def _rows(table: pl.DataFrame, judge: str, measure: Measure) -> pl.DataFrame:
    return table.filter(pl.col("judge_name") == judge, pl.col("measure") == str(measure))


def _on_values(audit: JudgeAudit, judge: str, measure: Measure) -> str:
    """Say whether the judge's values may be published."""
    rows = _rows(audit.values, judge, measure)
    low, high = float(rows["low"].min() or 0.0), float(rows["high"].max() or 0.0)  # type: ignore[arg-type]
    if np.isnan([low, high]).any():
        return f"Do not publish its values of {measure}: too few queries to say how far off they are."
    worst = abs(max(-low, high))
    if worst <= USABLE:
        return f"Its values of {measure} may be quoted: they are off by {worst:.2f} at most, on any run."
    if (rows["low"] > 0).all():
        return f"Do not publish its values of {measure}: they are {low:.2f} to {high:.2f} too high."
    if (rows["high"] < 0).all():
        return f"Do not publish its values of {measure}: they are {-high:.2f} to {-low:.2f} too low."
    return (
        f"Do not publish its values of {measure}: on some run they may be {max(-low, 0):.2f} too low or "
        f"{max(high, 0):.2f} too high."
    )


def _on_order(audit: JudgeAudit, judge: str, measure: Measure) -> str:
    """Say how far the judge's order of the runs can be trusted."""
    row = _rows(audit.orders, judge, measure).row(0, named=True)
    low, high = float(row["tau_low"]), float(row["tau_high"])
    labels = count(int(audit.pairs.labelled.sum()), "label")
    if np.isnan([low, high]).any():
        return f"How well it orders your runs is not known yet with {labels}."
    span = f"τ {low:.2f} to {high:.2f} is possible with {labels}".replace("-", "−")
    return f"Its order of your runs is {'probably right' if low >= ALIKE else 'not to be relied on'} ({span})."


def _on_claims(audit: JudgeAudit, judge: str, measure: Measure) -> Iterator[str]:
    """Say which differences between runs may be claimed on the judge's word."""
    claimed = _rows(audit.differences, judge, measure).filter(pl.col("significant"))
    if claimed.is_empty():
        yield "It calls no difference between your runs significant."
        return
    kept = float(claimed["kept"].sum())
    if len(claimed) == 1:
        known = "holds" if kept > 0.5 else "does not hold"
        verdict = f"holds with a chance of {kept:.2f}" if audit.sampled else known
        yield f"The only difference that it calls significant {verdict}."
    else:
        number = f"about {kept:.0f} should hold" if audit.sampled else f"{kept:.0f} hold"
        yield f"Of {len(claimed)} differences that it calls significant, {number}."
    doubtful = claimed.filter(pl.col("kept") < SURE).sort("kept")
    if doubtful.is_empty():
        return
    pairs = [_pair(row) for row in doubtful.head(NAMED).iter_rows(named=True)]
    more = f", nor {len(doubtful) - NAMED} more pairs (-o json lists all)" if len(doubtful) > NAMED else ""
    yield f"Do not claim on its word that {', or that '.join(pairs)}{more}."


def _pair(row: dict[str, object]) -> str:
    """Name the better run of a pair, by the judge, and then the other."""
    better, other = (row["run"], row["other"]) if float(row["judge"]) > 0 else (row["other"], row["run"])  # type: ignore[arg-type]
    return f"{better} beats {other}"
