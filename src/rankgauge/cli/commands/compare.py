"""rankgauge compare: which runs differ by more than luck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Annotated, TypeAlias

import typer

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.commands.evaluate import given, names
from rankgauge.errors import InputError, ParameterError

__all__ = ["compare"]

DEFAULT_MEASURES = ("nDCG@10", "AP")

Baseline: TypeAlias = Annotated[
    str | None,
    typer.Option("--baseline", help="Compare every other run with this one; else each with each.", metavar="RUN"),
]
TestName: TypeAlias = Annotated[
    str,
    choices.option(
        "--test",
        help="The paired test: {choices}.",
        metavar="NAME",
        registry="rankgauge.stats.paired_test:TESTS",
    ),
]
CorrectionName: TypeAlias = Annotated[
    str,
    choices.option(
        "--correction",
        help="The correction for many pairs: {choices}. (tukey is a randomisation test itself and ignores --test.)",
        metavar="NAME",
        registry="rankgauge.stats.correction:CORRECTIONS",
    ),
]
Alpha: TypeAlias = Annotated[
    float, typer.Option("--alpha", help="The level below which a corrected p-value separates two runs.", metavar="P")
]
Draws: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--draws", min=1, help="Random draws of a test; by default as many as the correction needs.", metavar="N"
    ),
]
Agree: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--measures-agree/--no-measures-agree",
        help="Show how alike measures order the runs and how many pairs each separates; by default from 3 runs on.",
    ),
]
Output: TypeAlias = Annotated[
    str,
    choices.output("rankgauge.report.comparison:ComparisonReport.formats"),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", help="The seed of random draws.", metavar="N")]


@command(
    "compare",
    "rankgauge compare qrels.txt bm25.txt dense.txt.gz -m nDCG@10 -m AP",
    "rankgauge compare qrels.txt BM25=bm25.txt Dense=dense.txt.gz --baseline BM25 -o compare.html",
    "rankgauge compare qrels.txt *.txt --test randomisation --correction tukey -o compare.tex",
    place=20,
)
def compare(
    judgments: options.Judgments,
    runs: options.Runs,
    measure: options.Measures = None,
    dialect: options.DialectName = "standard",
    baseline: Baseline = None,
    test: TestName = "t",
    correction: CorrectionName = "holm",
    alpha: Alpha = 0.05,
    output: Output = "table",
    measures_agree: Agree = None,
    ties: options.TiesName = None,
    unjudged: options.UnjudgedName = None,
    missing: options.Missing = None,
    depth: options.Depth = None,
    rel: options.Rel = None,
    interval: options.Interval = "t",
    draws: Draws = None,
    seed: Seed = 0,
    format_judgments: options.JudgmentsFormat = None,
    format_run: options.RunFormat = None,
    verbose: options.Verbose = False,
) -> None:
    """Which runs differ by more than luck, by how much, and on which queries."""
    from rankgauge.cli.output import opened
    from rankgauge.cli.runs import named, refuse_measures
    from rankgauge.cli.work import Work
    from rankgauge.comparison import Comparison, ComparisonSettings
    from rankgauge.report.comparison import ComparisonReport

    format_, path = ComparisonReport.find(output)
    listed = named(runs)
    refuse_measures([judgments, *listed.values()], names(measure or ()))
    _refuse_one(judgments, listed)
    settings = ComparisonSettings(
        test=test, correction=correction, alpha=alpha, interval=interval, seed=seed, draws=draws
    )
    work = Work(
        judgments=judgments,
        runs=listed,
        measures=tuple(names(measure or DEFAULT_MEASURES)),
        dialect=dialect,
        overrides=given(ties=ties, unjudged=unjudged, missing=missing, depth=depth, rel=rel),
        formats=(format_judgments, format_run),
        verbose=verbose,
    )
    results = work.report(per_query=False, overall=True, interval=interval, seed=seed).results
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
    """The run that is meant: by its name, or by what stands before the first dot of its file's name."""
    known = list(runs)
    if baseline is None or baseline in known:
        return baseline
    stems = [run for run in known if PurePath(run).name.partition(".")[0] == baseline]
    if len(stems) > 1:
        raise ParameterError("compare", "baseline", f"one of the runs: {', '.join(stems)}", baseline)
    return stems[0] if stems else baseline
