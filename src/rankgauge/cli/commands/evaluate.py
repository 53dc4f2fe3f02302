"""rankgauge evaluate: how good runs are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import Empty, EvaluationOptions, Short, interval, policy, undefined
from rankgauge.policies import MissingQuery, Unjudged

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(EvaluationOptions):
    """The options that comparisons have too, and those of evaluations alone."""

    output: Annotated[
        list[str] | None, choices.output("rankgauge.evaluation.report:EvaluationReport.formats", several=True)
    ] = None
    per_query: Annotated[bool, Option("-q", "--per-query", help="Show each query, then the summary.")] = False
    interval: Annotated[str, interval("rankgauge.evaluation.summary:INTERVALS")] = "t"
    empty: Empty = None
    short: Short = None
    negative: Annotated[str | None, policy("--negative", "NegativeGrade", "Grades below 0")] = None
    complete: Annotated[bool, Option("-c", help="As in trec_eval: --missing zero.")] = False
    judged_only: Annotated[bool, Option("-J", help="As in trec_eval: --unjudged skip.")] = False
    no_summary: Annotated[
        bool, Option("-n", help="As in trec_eval: with -q, leave out the summary over all queries.")
    ] = False
    engine: Annotated[
        str,
        choices.option("--engine", registry="rankgauge.spark.engine:ENGINES", help="Where to compute: {choices}."),
    ] = "local"
    master: Annotated[
        str | None,
        Option(
            "--master",
            help="With --engine spark: where Spark runs, as in local[2] or spark://host:7077.",
            metavar="URL",
        ),
    ] = None


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
def evaluate(options: EvaluateOptions) -> None:
    """How good runs are, by each of the measures."""
    from rankgauge import spark as backends
    from rankgauge.cli.evaluation import RunsEvaluation
    from rankgauge.cli.progress import told
    from rankgauge.cli.streams import find_outputs, is_page, write_report
    from rankgauge.evaluation.report import EvaluationReport
    from rankgauge.evaluation.summary import SAMPLE

    outputs = find_outputs(EvaluationReport, options.output)
    asked = RunsEvaluation.of(
        options,
        DEFAULT_MEASURES,
        unjudged=options.unjudged or (Unjudged.SKIP if options.judged_only else None),
        missing=options.missing or (MissingQuery.ZERO if options.complete else None),
        empty=undefined(options.empty),
        short=options.short,
        negative=options.negative,
    )
    printed = asked.printed  # before anything is read
    asked.spare(*(path for _, path in outputs))
    results = asked.results(backends.engine(options.engine, master=options.master))
    if options.unjudged is None:
        asked.refuse_unjudged(results)
    if options.by is not None:
        groups = next(iter(results.values())).segmented(options.by).by
        results = {name: result.segmented(groups) for name, result in results.items()}
    if options.interval == SAMPLE:
        with told() as tell:
            for done, (name, result) in enumerate(results.items()):
                tell(done, len(results), f"samples of {name}")
                result.sample_intervals(options.seed)
    report = EvaluationReport(
        results=results,
        per_query=options.per_query,
        overall=not options.no_summary,
        interval=options.interval,
        seed=options.seed,
        unjudged={name: result.hits.strangers for name, result in results.items()},
        tags=asked.tags(),
        printed=printed,
        documents=asked.documents,
        texts=asked.words[0] if is_page(outputs) else {},
    )
    write_report(report, outputs)
