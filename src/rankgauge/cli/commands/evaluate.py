"""rankgauge evaluate: how good runs are."""

from __future__ import annotations

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import (
    EMPTY,
    PRINTING,
    RULES,
    SHORT,
    WORKING,
    EvaluationOptions,
    interval_option,
    policy,
    read_empty,
)
from rankgauge.cli.parser import option
from rankgauge.errors import OptionError, UnknownNameError
from rankgauge.policies import MissingQuery, Unjudged

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")


class EvaluateOptions(EvaluationOptions):
    """The options that comparisons have too, and those of evaluations alone."""

    output: list[str] | None = choices.output(
        "rankgauge.evaluation.report:EvaluationReport.formats", several=True, group=PRINTING
    )
    per_query: bool = option("-q", "--per-query", help="Show each query, then the summary.", group=PRINTING)
    interval: str = interval_option("rankgauge.evaluation.summary:INTERVALS")
    empty: str | None = EMPTY
    short: str | None = SHORT
    negative: str | None = policy("--negative", "NegativeGrade", "Grades below 0")
    complete: bool = option("-c", help="As in trec_eval: --missing zero.", group=RULES)
    judged_only: bool = option("-J", help="As in trec_eval: --unjudged skip.", group=RULES)
    no_summary: bool = option(
        "-n", help="As in trec_eval: with -q, leave out the summary over all queries.", group=PRINTING
    )
    engine: str = choices.option(
        "--engine",
        registry="rankgauge.cli.evaluation:ENGINES",
        help="Where to compute: {choices}.",
        default="local",
        group=WORKING,
    )
    master: str | None = option(
        "--master",
        help="With --engine spark: where Spark runs, as in local[2] or spark://host:7077.",
        metavar="URL",
        group=WORKING,
    )


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
    page="tutorial.md",
    first=("measure", "dialect", "output", "per_query", "by", "depth"),
)
def evaluate(options: EvaluateOptions) -> None:
    """Measure how good runs are: means with intervals, values per query, and what to know before quoting them."""
    from dataclasses import replace

    from rankgauge.cli.evaluation import ENGINES, LOCAL, RunsEvaluation
    from rankgauge.cli.streams import find_outputs, is_page, show_progress, write_report
    from rankgauge.evaluation.report import EvaluationReport
    from rankgauge.evaluation.summary import SAMPLE

    if options.engine not in ENGINES:
        raise UnknownNameError("engine", options.engine, ENGINES)
    if options.master is not None and options.engine == LOCAL:
        raise OptionError("--master needs --engine spark.")
    for short, flag, said, same in (
        ("-c", "--missing", options.complete and options.missing, MissingQuery.ZERO),
        ("-J", "--unjudged", options.judged_only and options.unjudged, Unjudged.SKIP),
    ):
        if said and said != same:
            raise OptionError(f"{short} means {flag} {same}, and the line says {flag} {said}: leave one of them out.")
    outputs = find_outputs(EvaluationReport, options.output)
    asked = RunsEvaluation.of(
        options,
        DEFAULT_MEASURES,
        unjudged=options.unjudged or (Unjudged.SKIP if options.judged_only else None),
        missing=options.missing or (MissingQuery.ZERO if options.complete else None),
        empty=read_empty(options.empty),
        short=options.short,
        negative=options.negative,
    )
    printed = asked.printed  # before anything is read
    asked.refuse_overwriting(*(path for _, path in outputs))
    results = replace(asked, engine=options.engine, master=options.master).results()
    if not options.knows_unjudged:
        asked.refuse_unjudged(results)
    if options.by is not None:
        groups = next(iter(results.values())).segmented(options.by, options.ids).by
        results = {name: result.segmented(groups) for name, result in results.items()}
    if options.interval == SAMPLE:
        with show_progress() as tell:
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
