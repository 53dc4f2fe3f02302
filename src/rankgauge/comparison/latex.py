"""The means of a comparison as papers print them: a row per run, a column per measure, marks of what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rankgauge.comparison import Comparison
from rankgauge.comparison.report_tables import beaten, label
from rankgauge.measures import Measure
from rankgauge.policies import ABOVE_ZERO
from rankgauge.render.passages import Latex, LatexSpan, ReportTable

DIGITS = 4
"""How many decimals a mean has."""

ROW = 3
"""From how many neighbours on a range is shorter than their names."""


def latex_means(comparison: Comparison, digits: int = DIGITS) -> ReportTable:
    """The means; superscripts name the runs that a run is significantly better than, however many runs there are."""
    columns = [list(_column(comparison, measure, digits)) for measure in comparison.measures]
    names = [(label(comparison, run), run) for run in comparison.runs]
    return ReportTable(
        title="Means",
        caption=_caption(comparison),
        label="tab:" + "-".join(_key(measure) for measure in comparison.measures),
        header=("", "run", *map(_heading, comparison.measures)),
        rows=[(*name, *cells) for name, *cells in zip(names, *columns, strict=True)],
    )


def ranges(labels: Sequence[str]) -> str:
    """Labels in their order, three and more neighbours as a range: abc is a–c, and 1, 2, 3 and 7 are 1–3,7."""
    places = {one: int(one) if one.isdigit() else ord(one) for one in labels}
    groups: list[list[str]] = []
    for one, place in places.items():
        if groups and place == places[groups[-1][-1]] + 1:
            groups[-1].append(one)
        else:
            groups.append([one])
    between = "," if any(one.isdigit() for one in labels) else ""
    return between.join(f"{group[0]}–{group[-1]}" if len(group) >= ROW else between.join(group) for group in groups)


def _column(comparison: Comparison, measure: Measure, digits: int) -> Iterator[Latex]:
    """The cells of a measure: the mean, and its marks in a column of their own; if more is better, all means are bold
    that print as the best does."""
    above, top = beaten(comparison, measure), comparison.ordered(measure)[0]
    means = dict(comparison.mean_table.where("measure", str(measure)).rows("run", "mean"))
    shown = {run: "--" if means[run] != means[run] else f"{means[run]:.{digits}f}" for run in comparison.runs}
    for run, mean in shown.items():
        bold = measure.facts.more_is_better and mean == shown[top] != "--"
        marks = ranges(above[run]).replace("–", r"\textrm{--}")
        yield Latex((rf"\textbf{{{mean}}}" if bold else mean) + (f" & $^{{{marks}}}$" if marks else " &"))


def _caption(comparison: Comparison) -> str:
    settings, measures = comparison.settings, ", ".join(map(str, comparison.measures))
    correction = settings.family_correction
    test = correction.title if correction.tests_alone else f"{settings.paired_test.title}, {correction.title}"
    marks = f"A superscript {_marks(comparison)} ({test} at {settings.alpha:g}); the best means are bold."
    return f"{measures} of {len(comparison.runs)} runs, means over {_queries(comparison)}. {_rules(comparison)} {marks}"


def _marks(comparison: Comparison) -> str:
    """What superscripts mean; with a baseline others have its label alone, and its own are the runs that it beats."""
    base = comparison.baseline
    if base is None:
        return "names the runs that a run is significantly above"
    found = f"{label(comparison, base)} marks runs that are significantly above {base}"
    beats = any(beaten(comparison, measure)[base] for measure in comparison.measures)
    return f"{found}, those of {base} name the runs that it is significantly above" if beats else found


def _queries(comparison: Comparison) -> str:
    """Over how many queries the means are; where runs or measures differ, which have fewer."""
    columns = ("measure", "run", "queries")
    counts = {(measure, run): n for measure, run, n in comparison.mean_table.rows(*columns)}
    least, most = min(counts.values()), max(counts.values())
    if least == most:
        return f"{most} queries"
    by_run = {run: {counts[str(measure), run] for measure in comparison.measures} for run in comparison.runs}
    if all(len(found) == 1 for found in by_run.values()):
        fewer = [f"{run} {n}" for run, (n,) in by_run.items() if n < most]
    else:
        fewer = [f"{measure} of {run} {n}" for (measure, run), n in counts.items() if n < most]
    return f"{least} to {most} queries ({', '.join(fewer)}, otherwise {most})"


def _rules(comparison: Comparison) -> str:
    """The dialect, and from which grade on documents are relevant where that is not 1."""
    rels: dict[float, list[str]] = {}
    for measure in comparison.measures:
        if (rel := comparison.dialect.threshold(measure)) not in (None, 1.0, ABOVE_ZERO):
            rels.setdefault(rel, []).append(str(measure))
    told = (f"; a grade of {rel:g} or more counts as relevant ({', '.join(names)})" for rel, names in rels.items())
    return f"Dialect: {comparison.dialect.label(besides='rel')}{''.join(told)}."


def _heading(measure: Measure) -> LatexSpan:
    from rankgauge.render.formats.tex import escaped

    return LatexSpan(rf"\multicolumn{{2}}{{c}}{{{escaped(str(measure))}}}")


def _key(measure: Measure) -> str:
    return re.sub(r"\W+", "", str(measure)).lower()
