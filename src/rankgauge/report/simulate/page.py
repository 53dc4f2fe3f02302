"""A simulation as one HTML page that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import TextIO

import numpy as np

from rankgauge.active.study import LEVEL, Study
from rankgauge.report import compare
from rankgauge.report.compare.charts import legend
from rankgauge.report.simulate import charts, content
from rankgauge.report.simulate.content import Table
from rankgauge.report.simulate.shown import Shown

__all__ = ["write"]

ERRORS = """How far estimates are from the truth on average, against what was spent; both scales are logarithmic, and
whiskers are two standard errors. A line that lies to the left of another needs fewer labels for the same error."""
SHARES = """The same errors as a share of passive's at the same cost: what small differences need to be seen."""
SAVINGS = """What a method saves for an error as small as the other method's, with its standard error."""
COVERAGE = """How often the interval holds the truth. The dashed line is what it promises."""


def write(shown: Shown, stream: TextIO) -> None:
    """The page."""
    # The look of the comparison's page: one hand.
    style = (files(compare) / "page.css").read_text(encoding="utf-8")
    stream.write(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Active evaluation, simulated</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{''.join(_sections(shown))}</main>\n</body>\n</html>\n"
    )


def _sections(shown: Shown) -> Iterator[str]:
    facts = (
        f"{len(shown.studies)} pools" if len(shown.studies) > 1 else "1 pool",
        f"{len(shown.methods)} methods",
        f"{shown.repetitions:,} repetitions",
        f"seed {shown.seed}",
    )
    yield f'<p class="eyebrow">{" · ".join(facts)}</p>\n<h1>{escape(content.headline(shown))}</h1>\n'
    named = legend(shown.methods)
    yield _section("Labels saved", SAVINGS, _table(content.savings(shown)))
    yield _section("Error against budget", ERRORS, named + _grid(_errors(shown)))
    if any("passive" in study.curves for study in shown.studies):
        yield _section("Against passive", SHARES, named + _grid(_shares(shown)))
    yield _section("Coverage", COVERAGE, named + _grid(_coverages(shown)))
    yield _section("Pools", "", _table(content.studies(shown)))
    numbers = "".join(_details(study) for study in shown.studies)
    yield _section("Numbers", "", numbers)
    listed = "".join(f"<dt>{escape(subject)}</dt><dd>{escape(words)}</dd>" for subject, words in content.notes(shown))
    yield _section("What the numbers rest on", "", f"<dl>{listed}</dl>")


def _errors(shown: Shown) -> Iterator[str]:
    for study in shown.studies:
        for loss in content.LOSSES if study.facts.get("pair") else ("error",):
            title = f"{content.LOSSES[loss]}: {study.title}, {study.measure}"
            yield _figure(title, charts.curves(_lines(study, loss), shown.methods, title, log=loss == "error"))


def _shares(shown: Shown) -> Iterator[str]:
    for study in shown.studies:
        if "passive" in study.curves:
            title = f"Error as a share of passive's: {study.title}, {study.measure}"
            yield _figure(title, charts.curves(_relative(study), shown.methods, title, log=False))


def _relative(study: Study) -> dict[str, charts.Line]:
    """The errors over passive's at the same cost, on the straight line between its budgets on logarithmic scales."""
    lines = _lines(study, "error")
    spent, base, _ = lines["passive"]
    found = {}
    for name, (cost, error, spread) in lines.items():
        same = np.exp(np.interp(np.log(cost), np.log(spent), np.log(base)))
        found[name] = (cost, error / same, spread / same)
    return found


def _coverages(shown: Shown) -> Iterator[str]:
    for study in shown.studies:
        title = f"{study.title}, {study.measure}"
        yield _figure(title, charts.dots(_lines(study, "coverage"), shown.methods, title, aim=LEVEL))


def _lines(study: Study, column: str) -> dict[str, charts.Line]:
    found = {}
    for name, curve in study.curves.items():
        frame = curve.to_frame()
        found[name] = (frame["cost"].to_numpy(), frame[column].to_numpy(), frame[f"{column}_se"].to_numpy())
    return found


def _details(study: Study) -> str:
    losses = tuple(content.LOSSES) if study.facts.get("pair") else ("error",)
    parts = [*(content.errors(study, loss) for loss in losses), content.coverage(study)]
    drawn = "".join(f"<h3>{escape(part.title)}</h3>{_table(part)}" for part in parts)
    return f"<details><summary>{escape(f'{study.title}, {study.measure}')}</summary>{drawn}</details>"


def _grid(figures: Iterator[str]) -> str:
    return f'<div class="charts">{"".join(figures)}</div>'


def _figure(title: str, drawn: str) -> str:
    return f"<figure><figcaption>{escape(title)}</figcaption>{drawn}</figure>"


def _table(shown: Table) -> str:
    rows = "".join(_row(shown, row, "td") for row in shown.rows)
    return f'<div class="scroll"><table>{_row(shown, shown.header, "th")}{rows}</table></div>'


def _row(shown: Table, row: tuple[str, ...], tag: str) -> str:
    cells = (
        f"<{tag}{' class=num' if name in shown.numbers else ''}>{escape(cell)}</{tag}>"
        for name, cell in zip(shown.header, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _section(title: str, hint: str, body: str) -> str:
    told = f'<p class="hint">{hint}</p>' if hint else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{told}{body}\n</section>\n"
