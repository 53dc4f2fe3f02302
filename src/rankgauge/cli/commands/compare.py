"""rankgauge compare: which runs differ by more than luck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Annotated

from typer import Option

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import EvaluationOptions
from rankgauge.errors import InputError, ParameterError

DEFAULT_MEASURES = ("nDCG@10", "AP")


@command(
    "compare",
    "rankgauge compare qrels.txt bm25.txt dense.txt.gz -m nDCG@10 -m AP",
    "rankgauge compare qrels.txt BM25=bm25.txt Dense=dense.txt.gz --baseline BM25 -o compare.html",
    "rankgauge compare qrels.txt *.txt --test randomisation --correction tukey -o compare.tex",
    place=20,
)
def compare(
    options: EvaluationOptions,
    output: Annotated[str, choices.output("rankgauge.report.comparison:ComparisonReport.formats")] = "table",
    baseline: Annotated[
        str | None,
        Option("--baseline", help="Compare every other run with this one; by default all pairs.", metavar="RUN"),
    ] = None,
    test: Annotated[
        str, choices.option("--test", registry="rankgauge.stats.paired_test:TESTS", help="The paired test: {choices}.")
    ] = "t",
    correction: Annotated[
        str,
        choices.option(
            "--correction",
            registry="rankgauge.stats.correction:CORRECTIONS",
            help="The correction for many pairs: {choices}. (tukey is a randomisation test itself and ignores --test.)",
        ),
    ] = "holm",
    alpha: Annotated[
        float, Option("--alpha", help="The level below which a corrected p-value separates two runs.", metavar="P")
    ] = 0.05,
    draws: Annotated[
        int | None,
        Option(
            "--draws", min=1, help="Random draws of a test; by default as many as the correction needs.", metavar="N"
        ),
    ] = None,
    measures_agree: Annotated[
        bool | None,
        Option(
            "--measures-agree/--no-measures-agree",
            help="Show how measures agree on the runs' order, and the pairs each separates; by default from 3 runs.",
        ),
    ] = None,
) -> None:
    """Which runs differ by more than luck, by how much, and on which queries."""
    from rankgauge.cli.evaluation import RunsEvaluation
    from rankgauge.cli.streams import opened
    from rankgauge.comparison import Comparison, ComparisonSettings
    from rankgauge.report.comparison import ComparisonReport

    format_, path = ComparisonReport.find(output)
    asked = RunsEvaluation.of(options, DEFAULT_MEASURES)
    _refuse_one(options.judgments, asked.runs)
    settings = ComparisonSettings(
        test=test, correction=correction, alpha=alpha, interval=options.interval, seed=options.seed, draws=draws
    )
    results = asked.results()
    comparison = Comparison(results=results, baseline=_named(baseline, results), settings=settings)
    with opened(path) as stream:
        format_.write(ComparisonReport(comparison=comparison, agree=measures_agree), stream)


def _refuse_one(judgments: Path, runs: Mapping[str, Path]) -> None:
    if len(runs) < 2:
        alone = " ".join(str(path) for path in (judgments, *runs.values()))
        raise InputError(
            f"compare needs two runs or more, and there is only {', '.join(runs)}",
            hint=f"One run alone: rankgauge evaluate {alone}",
        )


def _named(baseline: str | None, runs: Iterable[str]) -> str | None:
    """The baseline among the runs: by its name, or by its file's name up to the first dot."""
    known = list(runs)
    if baseline is None or baseline in known:
        return baseline
    stems = [run for run in known if PurePath(run).name.partition(".")[0] == baseline]
    if len(stems) > 1:
        raise ParameterError("compare", "baseline", f"one of the runs: {', '.join(stems)}", baseline)
    return stems[0] if stems else baseline
