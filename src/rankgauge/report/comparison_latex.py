"""The means of a comparison as papers print them: a row per run, a column per measure, marks of what differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rankgauge.comparison import Comparison
from rankgauge.measures import Measure
from rankgauge.report.comparison_tables import DOWN, beaten, grid, label
from rankgauge.report.passages import Latex, LatexSpan, ReportTable

LETTERS = 10
"""Up to how many runs superscripts name each run that is beaten."""

BEST = "†"
"""The mark of the runs that may be as good as the best."""

DIGITS = 4
"""How many decimals a mean has."""

ROW = 3
"""From how many neighbours on a range is shorter than their names."""


def latex_means(comparison: Comparison, digits: int = DIGITS) -> ReportTable:
    """The means; superscripts name the runs that a run beats, or among many runs mark those as good as the best."""
    many = comparison.baseline is None and len(comparison.runs) > LETTERS
    runs = comparison.ordered(comparison.measures[0]) if many else comparison.runs
    columns = [list(_column(comparison, measure, runs, digits, many=many)) for measure in comparison.measures]
    names = [(run,) if many else (label(comparison, run), run) for run in runs]
    header = ("run",) if many else ("", "run")
    return ReportTable(
        title="Means",
        caption=_caption(comparison, many=many),
        label="tab:" + "-".join(_key(measure) for measure in comparison.measures),
        header=(*header, *map(_heading, comparison.measures)),
        rows=[(*name, *cells) for name, *cells in zip(names, *columns, strict=True)],
    )


def ranges(labels: Sequence[str]) -> str:
    """Letters in the order of the alphabet, three and more neighbours as a range: abc is a–c."""
    groups: list[list[str]] = []
    for one in labels:
        if groups and len(one) == 1 and ord(one) == ord(groups[-1][-1]) + 1:
            groups[-1].append(one)
        else:
            groups.append([one])
    return "".join(f"{group[0]}–{group[-1]}" if len(group) >= ROW else "".join(group) for group in groups)


def _column(
    comparison: Comparison, measure: Measure, runs: Sequence[str], digits: int, *, many: bool
) -> Iterator[Latex]:
    """The cells of a measure: the mean, and its marks in a column of their own; the best is bold if more is better."""
    better = measure.facts.more_is_better
    above, found, top = beaten(comparison, measure), grid(comparison, measure), comparison.ordered(measure)[0]
    means = dict(comparison.mean_table.where("measure", str(measure)).rows("run", "mean"))
    for run in runs:
        mean = "--" if means[run] != means[run] else f"{means[run]:.{digits}f}"
        shown = rf"\textbf{{{mean}}}" if better and run == top else mean
        marks = BEST * (better and (run == top or found[run, top] != DOWN)) if many else ranges(above[run])
        told = marks.replace(BEST, r"\dagger").replace("–", r"\textrm{--}")
        yield Latex(f"{shown} & $^{{{told}}}$" if told else f"{shown} &")


def _caption(comparison: Comparison, *, many: bool) -> str:
    settings, measures = comparison.settings, ", ".join(map(str, comparison.measures))
    test = f"{settings.paired_test.title}, {settings.family_correction.title} at {settings.alpha:g}"
    marks = (
        f"{BEST} marks the best run and those that are not below it by more than luck"
        if many
        else "A superscript names the runs that a run is above by more than luck"
    )
    return f"{measures} of {len(comparison.runs)} runs, means over {len(comparison.queries)} queries. {marks} ({test})."


def _heading(measure: Measure) -> LatexSpan:
    from rankgauge.report.formats.tex import escaped

    return LatexSpan(rf"\multicolumn{{2}}{{c}}{{{escaped(str(measure))}}}")


def _key(measure: Measure) -> str:
    return re.sub(r"\W+", "", str(measure)).lower()
