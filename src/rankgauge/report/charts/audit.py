"""An audit: what each tool gives, or what each cause adds to the difference."""

from __future__ import annotations

import altair as alt

from rankgauge.audit import Audit
from rankgauge.report.plots import Chart, finished
from rankgauge.report.svg import colour

WIDTH = 420


def tools(audit: Audit) -> Chart:
    """A bar for each tool and run."""
    rows = audit.parts
    bars = (
        alt.Chart(rows)
        .mark_bar(height=14)
        .encode(
            x=alt.X("mean:Q", title=str(audit.measure)),
            y=alt.Y("tool:N", sort=_tools(audit), title=None),
            color=alt.condition(alt.datum.tool == audit.base.name, alt.value("#24303b"), alt.value(colour(1))),
            tooltip=list(rows.columns),
            row=alt.Row("run:N", title=None, sort=list(audit.scores)),
        )
    )
    return finished(bars.properties(width=WIDTH, height=alt.Step(20)), f"{audit.measure} as each tool computes it")


def causes(audit: Audit) -> Chart:
    """A bar for each tool and run: to the right what lifts the mean above the base's, to the left what lowers it."""
    names = [cause.name for cause in audit.causes]
    rows = audit.parts.unpivot(names, index=["run", "tool"], variable_name="cause", value_name="amount")
    hues = alt.Scale(domain=names, range=[colour(place) for place in range(len(names))])
    bars = (
        alt.Chart(rows)
        .mark_bar(height=14)
        .encode(
            x=alt.X("sum(amount):Q", title=f"{audit.measure} − {audit.base.name}"),
            y=alt.Y("tool:N", sort=_tools(audit), title=None),
            color=alt.Color("cause:N", scale=hues, sort=names),
            tooltip=list(rows.columns),
            row=alt.Row("run:N", title=None, sort=list(audit.scores)),
        )
    )
    return finished(bars.properties(width=WIDTH, height=alt.Step(20)), f"Why tools differ from {audit.base.name}")


def _tools(audit: Audit) -> list[str]:
    return audit.parts["tool"].unique(maintain_order=True).to_list()


CHARTS = {"tools": tools, "causes": causes}
