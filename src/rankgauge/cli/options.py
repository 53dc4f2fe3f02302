"""The options of `rankgauge evaluate`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from typer import Argument, Option

from rankgauge.cli import completion
from rankgauge.cli.completion import listed, names
from rankgauge.cli.help import choices
from rankgauge.policies import LEAVE_OUT, MissingQuery, NegativeGrade, ShortList, Ties, Unjudged

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
        autocompletion=completion.sources,
    ),
]
Runs: TypeAlias = Annotated[
    list[Path],
    Argument(
        help="Runs, or scores for a LETOR file; compressed files are read as they are. NAME=FILE gives one a name.",
        metavar="RUN",
        autocompletion=completion.sources,
    ),
]
Measures: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "-m",
        "--measure",
        help="A measure, or several between commas; repeatable. 'official' and 'all' are the dialect's own lists.",
        metavar="NAME",
        autocompletion=listed(completion.measures),
    ),
]
DialectName: TypeAlias = Annotated[
    str,
    Option(
        "-d",
        "--dialect",
        help="The tool to compute as: see 'rankgauge dialects'.",
        metavar="NAME",
        autocompletion=names("rankgauge.dialects:DIALECTS"),
    ),
]
PerQuery: TypeAlias = Annotated[bool, Option("-q", "--per-query", help="Show each query, then all of them.")]
Output: TypeAlias = Annotated[
    str,
    Option(
        "-o",
        "--output",
        help="table, tsv, csv, json, jsonl, md or trec; or a file whose ending says it.",
        metavar="FORMAT|FILE",
        autocompletion=names("rankgauge.report:FORMATS"),
    ),
]
TiesName: TypeAlias = Annotated[
    str | None,
    Option(
        "--ties",
        help=f"Tied scores: {choices(Ties)}.",
        metavar="POLICY",
        autocompletion=names("rankgauge.policies:Ties"),
    ),
]
UnjudgedName: TypeAlias = Annotated[
    str | None,
    Option(
        "--unjudged",
        help=f"Retrieved documents that nobody judged: {choices(Unjudged)}.",
        metavar="POLICY",
        autocompletion=names("rankgauge.policies:Unjudged"),
    ),
]
Missing: TypeAlias = Annotated[
    str | None,
    Option(
        "--missing",
        help=f"Judged queries that are not in the run: {choices(MissingQuery)}.",
        metavar="POLICY",
        autocompletion=names("rankgauge.policies:MissingQuery"),
    ),
]
Empty: TypeAlias = Annotated[
    str | None,
    Option(
        "--empty",
        help=f"What a value of 0/0 becomes: a number, or {LEAVE_OUT}.",
        metavar="VALUE",
        autocompletion=completion.choice(LEAVE_OUT, "0", "0.5", "1"),
    ),
]
Short: TypeAlias = Annotated[
    str | None,
    Option(
        "--short",
        help=f"Lists shorter than the cutoff: {choices(ShortList)}.",
        metavar="POLICY",
        autocompletion=names("rankgauge.policies:ShortList"),
    ),
]
Negative: TypeAlias = Annotated[
    str | None,
    Option(
        "--negative",
        help=f"Grades below 0: {choices(NegativeGrade)}.",
        metavar="POLICY",
        autocompletion=names("rankgauge.policies:NegativeGrade"),
    ),
]
Depth: TypeAlias = Annotated[
    int | None, Option("-M", "--depth", min=1, help="Look at only so many documents of each list.", metavar="K")
]
Rel: TypeAlias = Annotated[
    float | None, Option("-l", "--rel", help="The lowest grade that counts as relevant.", metavar="GRADE")
]
Assessors: TypeAlias = Annotated[
    str | None,
    Option(
        "--assessors",
        help="How the grades of several assessors become one: mean, median, majority, min, max, and, or.",
        metavar="RULE",
        autocompletion=names("rankgauge.judgments:RULES"),
    ),
]
At: TypeAlias = Annotated[
    float | None, Option("--at", help="With --assessors: make each grade binary at this one first.", metavar="GRADE")
]
Complete: TypeAlias = Annotated[bool, Option("-c", help="As in trec_eval: --missing zero.")]
JudgedOnly: TypeAlias = Annotated[bool, Option("-J", help="As in trec_eval: --unjudged skip.")]
NoSummary: TypeAlias = Annotated[
    bool, Option("-n", help="As in trec_eval: with -q, leave away what stands for all queries.")
]
Interval: TypeAlias = Annotated[
    str,
    Option(
        "--interval",
        help="The interval of the mean: t (Student) or bca (bootstrap).",
        metavar="KIND",
        autocompletion=names("rankgauge.summary:INTERVALS"),
    ),
]
Seed: TypeAlias = Annotated[int, Option("--seed", help="The seed of the bootstrap.", metavar="N")]
JudgmentsFormat: TypeAlias = Annotated[
    str | None,
    Option(
        "--format-judgments",
        help="The judgments' format, where it is not recognised.",
        metavar="FORMAT",
        autocompletion=names("rankgauge.io:FORMATS"),
    ),
]
RunFormat: TypeAlias = Annotated[
    str | None,
    Option(
        "--format-run",
        help="The runs' format, where it is not recognised.",
        metavar="FORMAT",
        autocompletion=names("rankgauge.io:FORMATS"),
    ),
]
Engine: TypeAlias = Annotated[
    str,
    Option(
        "--engine",
        help="Where to compute: local (this machine) or spark.",
        metavar="NAME",
        autocompletion=names("rankgauge.backends.engine:ENGINES"),
    ),
]
Master: TypeAlias = Annotated[
    str | None,
    Option(
        "--master", help="With --engine spark: where Spark runs, as in local[2] or spark://host:7077.", metavar="URL"
    ),
]
Verbose: TypeAlias = Annotated[bool, Option("-v", "--verbose", help="Say what is read and how long it takes.")]
