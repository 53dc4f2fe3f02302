"""Charts for notebooks, drawn by Altair: `rankgauge.plot(result)`, and of other things that can be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankgauge.comparison import PairVerdict
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.render.plots import COLOURS, Chart, finish, require, series_colour
from rankgauge.render.svg import colour

if TYPE_CHECKING:  # whoever has one of these to draw has loaded its package
    from rankgauge.audit.tools import Audit
    from rankgauge.comparison import Comparison
    from rankgauge.evaluation.result import Result
    from rankgauge.labelling import BoardCampaign, Campaign
    from rankgauge.labelling.simulations.study import Study

BINS = 20

HUES = ("#555555", *COLOURS, "#000000")
"""The methods of a study. Passive, which all are compared with, is grey."""

CHOICES = (0.0, 0.55)
"""From never wrong to slightly worse than a coin toss."""

VERDICTS = {
    PairVerdict.BETTER: COLOURS[0],
    PairVerdict.HIGHER: COLOURS[0],
    PairVerdict.WORSE: COLOURS[1],
    PairVerdict.LOWER: COLOURS[1],
    PairVerdict.OPEN: "#999999",
    PairVerdict.EQUAL: "#cccccc",
    PairVerdict.UNTOLD: "#999999",
}
"""The colour of a verdict, the same in all panels."""

LABELS = {"error": "mean absolute error", "wrong": "share of wrong choices"}


def plot(thing: Any, chart: str | None = None) -> Chart:
    """Draw an Altair chart of a result, results by run ({"bm25": …}), a comparison, an audit, a campaign or a study.

    `chart` names one other than the default: of a comparison `means` or `pairs`, of an audit `tools` or `causes`, of a
    study `error` or `wrong`.
    """
    require()
    if isinstance(thing, Mapping) and thing:
        from rankgauge.comparison import Comparison

        thing = Comparison(results=thing) if len(thing) > 1 else next(iter(thing.values()))
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(thing).__mro__]
    home = next((name for name in names if name in KINDS), None)
    if home is None:
        known = ", ".join(name.rpartition(".")[2] for name in KINDS)
        raise InputError(f"there is no chart of {type(thing).__name__}", hint=f"There are charts of: {known}.")
    charts = KINDS[home]
    if chart is not None and chart not in charts:
        raise UnknownNameError(f"chart of a {home.rpartition('.')[2].lower()}", chart, charts)
    return charts[chart or next(iter(charts))](thing)


def _values(result: Result) -> Chart:
    """Return a panel per measure: how many queries have which value, the mean, and the band of its interval."""
    alt, panels = require(), []
    for column, measure in enumerate(result.measures):
        name, known = str(measure), result.matrix[:, column]
        counts, ends = np.histogram(known[~np.isnan(known)], bins=BINS)
        bins = pl.DataFrame({"from": ends[:-1], "to": ends[1:], "queries": counts})
        row = alt.Chart(result.summary.filter(pl.col("measure") == name).select("measure", "mean", "low", "high"))
        across, up = alt.X("from:Q", title=name), alt.Y("queries:Q")
        bars = alt.Chart(bins).mark_bar(color=COLOURS[4], stroke="white", strokeWidth=0.5)
        bars = bars.encode(x=across, x2="to:Q", y=up, y2=alt.datum(0), tooltip=["from", "to", "queries"])
        band = row.mark_rect(opacity=0.25, color=COLOURS[1]).encode(x="low:Q", x2="high:Q", tooltip=["low", "high"])
        tip = ["measure", "mean", "low", "high"]
        line = row.mark_rule(color=COLOURS[1], strokeWidth=2).encode(x="mean:Q", tooltip=tip)
        panels.append(alt.layer(bars, band, line).properties(width=220, height=160))
    queries = max(result.summary["queries"].to_list(), default=0)
    title = f"Values of {queries} queries ({result.dialect.name}); line and band: mean and 95 % interval"
    return finish(alt.concat(*panels, columns=3), title)


def _means(comparison: Comparison) -> Chart:
    """Return a panel per measure: each run's mean and its interval."""
    title = f"Means of runs and their 95 % intervals ({comparison.dialect.name})"
    return _dots(comparison, comparison.means, "mean", "run", title)


def _pairs(comparison: Comparison) -> Chart:
    """Return a panel per measure: each pair's difference and its interval; coloured by the verdict."""
    named = comparison.pairs.with_columns(pair=pl.format("{} − {}", "run", "other"))
    settings = comparison.settings
    title = f"Differences and their 95 % intervals; colour: {settings.test} test, {settings.correction} correction"
    return _dots(comparison, named, "difference", "pair", title)


def _dots(comparison: Comparison, rows: pl.DataFrame, value: str, name: str, title: str) -> Chart:
    names, hue = [str(measure) for measure in comparison.measures], None
    if "verdict" in rows.columns:  # all panels share one scale of colours
        reached = rows["verdict"].to_list()
        used = {verdict.value: shade for verdict, shade in VERDICTS.items() if verdict.value in reached}
        scale = require().Scale(domain=list(used), range=list(used.values()))
        hue = require().Color("verdict:N", scale=scale)
    panels = [_draw_dots(rows.filter(pl.col("measure") == measure), value, name, measure, hue) for measure in names]
    return finish(require().concat(*panels, columns=2), title)


def _draw_dots(rows: pl.DataFrame, value: str, name: str, measure: str, hue: Any = None) -> Any:
    alt, ordered = require(), rows.sort(value, descending=True, maintain_order=True)[name].to_list()
    base = alt.Chart(rows).encode(y=alt.Y(f"{name}:N", sort=ordered, title=None), color=hue or alt.value(COLOURS[0]))
    reach = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=measure), x2="high:Q")
    across = alt.X(f"{value}:Q", title=measure, scale=alt.Scale(zero=False))
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(x=across, tooltip=list(rows.columns))
    zero = alt.Chart(rows.head(1)).mark_rule(strokeDash=[3, 3], color="#888").encode(x=alt.datum(0))
    drawn = (zero, reach, dots) if value == "difference" else (reach, dots)
    return alt.layer(*drawn).properties(width=260, height=alt.Step(22))


def _tools(audit: Audit) -> Chart:
    """Return a bar for each tool and run."""
    alt = require()
    hue = alt.condition(alt.datum.tool == audit.base.name, alt.value("#24303b"), alt.value(colour(1)))
    across = alt.X("mean:Q", title=str(audit.measure))
    return _by_tool(audit, audit.parts, across, hue, f"{audit.measure} as each tool computes it")


def _causes(audit: Audit) -> Chart:
    """Draw a bar for each tool and run: to the right what lifts the mean above the base's, to the left the rest."""
    alt, names = require(), [cause.name for cause in audit.causes]
    rows = audit.parts.unpivot(names, index=["run", "tool"], variable_name="cause", value_name="amount")
    hues = alt.Scale(domain=names, range=[colour(place) for place in range(len(names))])
    across = alt.X("sum(amount):Q", title=f"{audit.measure} − {audit.base.name}")
    hue = alt.Color("cause:N", scale=hues, sort=names)
    return _by_tool(audit, rows, across, hue, f"Why tools differ from {audit.base.name}")


def _by_tool(audit: Audit, rows: pl.DataFrame, across: Any, hue: Any, title: str) -> Chart:
    alt, tools = require(), audit.parts["tool"].unique(maintain_order=True).to_list()
    up, row = alt.Y("tool:N", sort=tools, title=None), alt.Row("run:N", title=None, sort=list(audit.scores))
    bars = alt.Chart(rows).mark_bar(height=14).encode(x=across, y=up, color=hue, tooltip=list(rows.columns), row=row)
    return finish(bars.properties(width=420, height=alt.Step(20)), title)


def _board(campaign: BoardCampaign) -> Chart:
    """Return a panel per measure: each run's value and its interval for all runs at once."""
    panels = []
    for estimate in campaign.estimates():
        ends = estimate.joint_ends()
        if ends is not None:
            values = {"value": estimate.bounded, "low": ends[0], "high": ends[1]}
            rows = pl.DataFrame({"run": list(estimate.runs), **values})
            panels.append(_draw_dots(rows, "value", "run", str(estimate.target)))
    if not panels:
        raise InputError("there is no interval to draw yet", hint="Record more labels first.")
    title = f"Values of {len(campaign.pool.runs)} runs, with 95 % intervals for all at once"
    return finish(require().concat(*panels, columns=2), title)


def _estimate(campaign: Campaign) -> Chart:
    """Return the estimate after each of many draws, and the band of its interval where there is one."""
    from rankgauge.labelling.reports.campaign import reach

    alt, known = require(), pl.col("low").is_finite() & pl.col("high").is_finite()
    curve = campaign.curve().with_columns(pl.when(known).then(pl.col("low", "high")))
    drawable = curve.drop_nulls()
    base = alt.Chart(curve).encode(x=alt.X("cost:Q", title="spent"))
    up = {
        "title": "estimate",
        "scale": alt.Scale(domain=reach(drawable) if len(drawable) else (0.0, 1.0), zero=False),
    }
    band = base.mark_area(opacity=0.2, color=COLOURS[0], clip=True).encode(y=alt.Y("low:Q", **up), y2="high:Q")
    line = base.mark_line(color=COLOURS[0], clip=True, point=alt.OverlayMarkDef(size=14))
    line = line.encode(y=alt.Y("value:Q", **up), tooltip=list(curve.columns))
    drawn = alt.layer(band, line).properties(width=480, height=260)
    return finish(drawn, "The estimate and its 95 % interval")


def _loss(study: Study, loss: str) -> Chart:
    return losses(study.to_frame(), loss, f"{study.measure}: {LABELS[loss]}")


def losses(frame: pl.DataFrame, loss: str, title: str) -> Chart:
    """Draw a panel per study: a line per method, bars of two standard errors, budgets on a logarithmic scale."""
    names = frame["study"].unique(maintain_order=True).to_list()
    drawn = [_curves(frame.filter(study=name), loss, name, frame, first=name == names[0]) for name in names]
    return finish(require().hconcat(*drawn, spacing=16), f"{title} (bars: two standard errors)")


def _curves(shown: pl.DataFrame, loss: str, name: str, whole: pl.DataFrame, *, first: bool) -> Any:
    alt, mean, spread = require(), pl.col(loss), pl.col(f"{loss}_se") * 2
    bounded = shown.with_columns(low=(mean - spread).clip(lower_bound=mean * 0.05), high=mean + spread)
    log = alt.Scale(type="log", nice=False)
    across = alt.X("cost:Q", title="budget spent", scale=log, axis=alt.Axis(grid=False))
    up = {"title": LABELS[loss] if first else None, "scale": log if loss == "error" else alt.Scale(domain=CHOICES)}
    base = alt.Chart(bounded).encode(x=across, color=series_colour(whole, "method", colours=HUES))
    curve = base.mark_line(strokeWidth=1.7, point=alt.OverlayMarkDef(size=16)).encode(
        y=alt.Y(f"{loss}:Q", **up), tooltip=["method", "budget", "cost", loss, f"{loss}_se"]
    )
    bar = base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("low:Q", **up), y2="high:Q")
    return alt.layer(bar, curve).properties(width=250, height=260, title=name)


KINDS: Mapping[str, Mapping[str, Callable[[Any], Chart]]] = {
    "rankgauge.evaluation.result.Result": {"values": _values},
    "rankgauge.comparison.comparison.Comparison": {"means": _means, "pairs": _pairs},
    "rankgauge.audit.tools.overview.Audit": {"tools": _tools, "causes": _causes},
    "rankgauge.labelling.campaign.campaign.Campaign": {"estimate": _estimate},
    "rankgauge.labelling.campaign.board_campaign.BoardCampaign": {"board": _board},
    "rankgauge.labelling.simulations.study.Study": {loss: partial(_loss, loss=loss) for loss in LABELS},
}
"""Classes, and their charts by name, the default first."""
