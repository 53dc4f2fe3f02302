"""The options of `rankgauge evaluate`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from typer import Argument, Option

from rankgauge.cli import choices
from rankgauge.policies import LEAVE_OUT

__all__ = [
    "Assessors",
    "At",
    "Complete",
    "Depth",
    "DialectName",
    "Empty",
    "Engine",
    "Interval",
    "JudgedOnly",
    "Judgments",
    "JudgmentsFormat",
    "Master",
    "Measures",
    "Missing",
    "Negative",
    "NoSummary",
    "Output",
    "PerQuery",
    "Rel",
    "RunFormat",
    "Runs",
    "Seed",
    "Short",
    "TiesName",
    "UnjudgedName",
    "Verbose",
]

Judgments: TypeAlias = Annotated[
    Path,
    Argument(
        help="Judgments: TREC qrels, LETOR, CSV, JSON lines, and more; or irds:ID of a data set in ir_datasets.",
        metavar="JUDGMENTS",
        autocompletion=choices.sources,
    ),
]
Runs: TypeAlias = Annotated[
    list[Path],
    Argument(
        help="Runs, or scores for a LETOR file; compressed files are read as they are. NAME=FILE gives one a name.",
        metavar="RUN",
        autocompletion=choices.sources,
    ),
]
Measures: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "-m",
        "--measure",
        help="A measure, or several between commas; repeatable. 'official' and 'all' are the dialect's own lists.",
        metavar="NAME",
        autocompletion=choices.listed(choices.measures),
    ),
]
DialectName: TypeAlias = Annotated[
    str,
    choices.option(
        "-d",
        "--dialect",
        help="The tool to compute as: see 'rankgauge dialects'.",
        metavar="NAME",
        registry="rankgauge.dialects:DIALECTS",
    ),
]
PerQuery: TypeAlias = Annotated[bool, Option("-q", "--per-query", help="Show each query, then all of them.")]
Output: TypeAlias = Annotated[
    str,
    choices.output("rankgauge.report.evaluation:EvaluationReport.formats"),
]
TiesName: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--ties",
        help="Tied scores: {choices}.",
        metavar="POLICY",
        registry="rankgauge.policies:Ties",
    ),
]
UnjudgedName: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--unjudged",
        help="Retrieved documents that nobody judged: {choices}.",
        metavar="POLICY",
        registry="rankgauge.policies:Unjudged",
    ),
]
Missing: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--missing",
        help="Judged queries that are not in the run: {choices}.",
        metavar="POLICY",
        registry="rankgauge.policies:MissingQuery",
    ),
]
Empty: TypeAlias = Annotated[
    str | None,
    Option(
        "--empty",
        help=f"What a value of 0/0 becomes: a number, or {LEAVE_OUT}.",
        metavar="VALUE",
        autocompletion=choices.values(LEAVE_OUT, "0", "0.5", "1"),
    ),
]
Short: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--short",
        help="Lists shorter than the cutoff: {choices}.",
        metavar="POLICY",
        registry="rankgauge.policies:ShortList",
    ),
]
Negative: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--negative",
        help="Grades below 0: {choices}.",
        metavar="POLICY",
        registry="rankgauge.policies:NegativeGrade",
    ),
]
Depth: TypeAlias = Annotated[
    int | None, Option("-M", "--depth", min=1, help="Look only at the first K documents of each list.", metavar="K")
]
Rel: TypeAlias = Annotated[
    float | None, Option("-l", "--rel", help="The lowest grade that counts as relevant.", metavar="GRADE")
]
Assessors: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--assessors",
        help="How the grades of several assessors become one: {choices}.",
        metavar="RULE",
        registry="rankgauge.judgments:RULES",
    ),
]
At: TypeAlias = Annotated[
    float | None, Option("--at", help="With --assessors: make each grade binary at this one first.", metavar="GRADE")
]
Complete: TypeAlias = Annotated[bool, Option("-c", help="As in trec_eval: --missing zero.")]
JudgedOnly: TypeAlias = Annotated[bool, Option("-J", help="As in trec_eval: --unjudged skip.")]
NoSummary: TypeAlias = Annotated[
    bool, Option("-n", help="As in trec_eval: with -q, leave out the summary over all queries.")
]
Interval: TypeAlias = Annotated[
    str,
    choices.option(
        "--interval",
        help="The confidence interval of the mean: {choices}.",
        metavar="KIND",
        registry="rankgauge.summary:INTERVALS",
    ),
]
Seed: TypeAlias = Annotated[int, Option("--seed", help="The seed of the bootstrap.", metavar="N")]
JudgmentsFormat: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--format-judgments",
        help="The format of the judgments, if it is not recognised: see 'rankgauge formats'.",
        metavar="FORMAT",
        registry="rankgauge.io:FORMATS",
    ),
]
RunFormat: TypeAlias = Annotated[
    str | None,
    choices.option(
        "--format-run",
        help="The format of the runs, if it is not recognised: see 'rankgauge formats'.",
        metavar="FORMAT",
        registry="rankgauge.io:FORMATS",
    ),
]
Engine: TypeAlias = Annotated[
    str,
    choices.option(
        "--engine",
        help="Where to compute: {choices}.",
        metavar="NAME",
        registry="rankgauge.backends.engine:ENGINES",
    ),
]
Master: TypeAlias = Annotated[
    str | None,
    Option(
        "--master", help="With --engine spark: where Spark runs, as in local[2] or spark://host:7077.", metavar="URL"
    ),
]
Verbose: TypeAlias = Annotated[bool, Option("-v", "--verbose", help="Say what is read and how long it takes.")]
