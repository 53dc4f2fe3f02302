"""rankgauge evaluate: how good runs are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rankgauge.cli import options
from rankgauge.cli.command import command
from rankgauge.errors import ParameterError
from rankgauge.policies import LEAVE_OUT, MissingQuery, Unjudged

__all__ = ["evaluate", "given", "names", "undefined"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")

_COMMA = re.compile(r",(?![^()]*\))(?!\s*[.\d]+(?:=[.\d]+)?\s*(?:,|$))")
"""A comma between names: not one inside of brackets, nor between numbers as in trec_eval's `P.5,10`."""


@command(
    "evaluate",
    "rankgauge evaluate qrels.txt bm25.txt -m nDCG@10,AP -m 'ERR(max_grade=3)@20'",
    "rankgauge evaluate qrels.txt BM25=bm25.txt Dense=dense.txt.gz -q -o tsv",
    "rankgauge evaluate qrels.txt bm25.txt -d trec_eval -m official -o trec",
    "rankgauge evaluate test.txt scores.txt -m nDCG@10 -o values.csv",
    "rankgauge evaluate ratings.csv dense.jsonl --assessors mean",
    "rankgauge evaluate irds:msmarco-passage/trec-dl-2019/judged bm25.txt -m nDCG@10,'RR(rel=2)'",
    "rankgauge evaluate judgments.parquet runs.parquet -m nDCG@10 --engine spark --master 'local[2]'",
    place=10,
)
def evaluate(
    judgments: options.Judgments,
    runs: options.Runs,
    measure: options.Measures = None,
    dialect: options.DialectName = "standard",
    per_query: options.PerQuery = False,
    output: options.Output = "table",
    ties: options.TiesName = None,
    unjudged: options.UnjudgedName = None,
    missing: options.Missing = None,
    empty: options.Empty = None,
    short: options.Short = None,
    negative: options.Negative = None,
    depth: options.Depth = None,
    rel: options.Rel = None,
    assessors: options.Assessors = None,
    at: options.At = None,
    complete: options.Complete = False,
    judged_only: options.JudgedOnly = False,
    no_summary: options.NoSummary = False,
    interval: options.Interval = "t",
    seed: options.Seed = 0,
    format_judgments: options.JudgmentsFormat = None,
    format_run: options.RunFormat = None,
    engine: options.Engine = "local",
    master: options.Master = None,
    verbose: options.Verbose = False,
) -> None:
    """How good runs are, by each of the measures."""
    from rankgauge.cli.output import opened
    from rankgauge.cli.runs import named, refuse_measures
    from rankgauge.cli.work import Work
    from rankgauge.report.evaluation import EvaluationReport

    format_, path = EvaluationReport.find(output)
    listed = named(runs)
    refuse_measures([judgments, *listed.values()], names(measure or ()))
    work = Work(
        judgments=judgments,
        runs=listed,
        measures=tuple(names(measure or DEFAULT_MEASURES)),
        dialect=dialect,
        overrides=given(
            ties=ties,
            unjudged=unjudged or (Unjudged.SKIP if judged_only else None),
            missing=missing or (MissingQuery.ZERO if complete else None),
            empty=undefined(empty),
            short=short,
            negative=negative,
            depth=depth,
            rel=rel,
            assessors=_rule(assessors, at),
        ),
        formats=(format_judgments, format_run),
        engine=engine,
        master=master,
        verbose=verbose,
    )
    report = work.report(per_query=per_query, overall=not no_summary, interval=interval, seed=seed)
    with opened(path) as stream:
        format_.write(report, stream)


def names(listed: Iterable[str]) -> list[str]:
    """The measures' names, with lists taken apart at the commas between names."""
    parts = (part.strip() for text in listed for part in _COMMA.split(text))
    return [part for part in parts if part]


def given(**choices: Any) -> dict[str, Any]:
    """The choices that were made."""
    return {name: value for name, value in choices.items() if value is not None}


def undefined(text: str | None, command: str = "evaluate") -> float | str | None:
    """What a value of 0/0 becomes, as an option says it."""
    if text is None or text == LEAVE_OUT:
        return text
    try:
        return float(text)
    except ValueError:
        raise ParameterError(command, "empty", f"a number or {LEAVE_OUT}", text) from None


def _rule(assessors: str | None, at: float | None) -> str | None:
    if assessors is None and at is not None:
        raise ParameterError("evaluate", "at", "given together with --assessors, as in --assessors and --at 2", at)
    return assessors if at is None else f"{assessors}@{at:g}"
