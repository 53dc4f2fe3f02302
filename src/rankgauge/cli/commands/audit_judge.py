"""rankgauge audit judge: what a machine judge is worth beside people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import DIALECT, RunSpellingOptions, measure_names, names, seed_option
from rankgauge.cli.parser import argument, option

if TYPE_CHECKING:
    import polars as pl

FIRST = 20
"""How many documents people are shown first, unless it is said."""


@command(
    "audit judge",
    "rankgauge audit judge qrels.txt judge.qrels",
    "rankgauge audit judge qrels.txt llama=llama.qrels gpt=gpt.csv bm25.txt dense.txt.gz -o judges.html",
    "rankgauge audit judge labels.csv judge.qrels *.run --show-first first.csv",
    "rankgauge audit judge qrels.txt judge.qrels *.run --made-by-judge reranked.run",
    page="llm-judge.md",
    first=("measure", "rel", "made_by_judge", "show_first", "half_width", "output"),
)
def judge(
    people: Path = argument(
        "PEOPLE",
        help="People's judgments; a table may say with which probability each was chosen (column probability).",
        offer=choices.sources,
    ),
    files: list[Path] = argument(
        "JUDGE... [RUN...]",
        help="Judges' grades, then runs; which is which shows in the files. NAME=FILE gives one a name.",
        offer=choices.sources,
    ),
    measure: list[str] | None = measure_names(),
    dialect: str = DIALECT,
    rel: float | None = option(
        "-l",
        "--rel",
        help="The lowest grade that counts as relevant. By default that of --scale, or 1.",
        metavar="GRADE",
    ),
    documents: Path | None = option(
        "--documents",
        help="A table with a column document; its other columns, such as a length, divide the errors.",
        metavar="FILE",
    ),
    before: Path | None = option(
        "--before",
        help="The judge's earlier grades: show what moved since. Exit 0 as good as then, 1 worse, 3 open.",
        metavar="FILE",
        offer=choices.sources,
    ),
    made_by_judge: list[str] | None = option(
        "--made-by-judge", help="A run that a judge may have made, by its name; repeatable.", metavar="RUN"
    ),
    half_width: float | None = option(
        "--half-width",
        help="With runs: how wide half an interval may be, to say what labels it takes. By default 0.03.",
        metavar="W",
    ),
    show_first: Path | None = option(
        "--show-first", help="Write the documents to show people first into this table.", metavar="FILE"
    ),
    first: int | None = option(
        "--first", help=f"How many documents to show people first; by default {FIRST}.", metavar="N", least=1
    ),
    seed: int = seed_option("The seed of random draws."),
    output: str = choices.output("rankgauge.audit.judge.report:JudgeAuditReport.formats", default="table"),
    *,
    spelling: RunSpellingOptions,
) -> None:
    """Measure what a machine judge is worth: agreement with people, where it errs, what that does to runs."""
    from rankgauge import dialects
    from rankgauge import files as io
    from rankgauge.audit.judge import audit_judges
    from rankgauge.audit.judge.forecasts import HALF_WIDTH
    from rankgauge.audit.judge.report import JudgeAuditReport
    from rankgauge.cli.runs import name_runs, sorted_files
    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, write_report
    from rankgauge.errors import OptionError
    from rankgauge.judgments.llm.asking.outcome import cost_of_thousand, shown_examples

    handle_interrupts()
    format_, path = JudgeAuditReport.find(output)
    refuse_overwriting([people, documents, before, *name_runs(files).values()], [path, show_first])
    judges, runs = sorted_files(people, files, spelling)
    audit = audit_judges(
        spelling.file(people),
        spelling.files(judges),
        spelling.files(runs),
        names(measure or ["nDCG@10"]),
        rel=dialects.get("standard").on_scale(spelling.scale, "AP").rel if rel is None else rel,
        dialect=dialect,
        documents=None if documents is None else io.read_table(spelling.file(documents)),
        suspects=made_by_judge or (),
        examples={name: shown_examples(path) for name, path in judges.items()},
        half_width=HALF_WIDTH if half_width is None else half_width,
        seed=seed,
        costs={name: cost for name, path in judges.items() if (cost := cost_of_thousand(path)) is not None},
        before=None if before is None else spelling.file(before),
    )
    spoken = None if dialect == "standard" else dialect
    given: dict[str, object] = {"--half-width": half_width, "--made-by-judge": made_by_judge, "--measure": measure}
    given |= {"--first": first, "--dialect": spoken}
    if not runs and (idle := [name for name, said in given.items() if said is not None]):
        raise OptionError(f"{idle[0]} needs runs, given after the judges.")
    report = JudgeAuditReport(audit=audit, first=FIRST if first is None else first)
    if show_first is not None:
        _write_first(report.first_documents, show_first)
    write_report(report, [(format_, path)])
    if audit.drift is not None and audit.drift.code:
        raise SystemExit(audit.drift.code)


def _write_first(frame: pl.DataFrame, path: Path) -> None:
    """Write the documents as a table, which judging takes as its tasks."""
    from rankgauge.cli.streams import refuse_no_table, write_table
    from rankgauge.errors import InputError

    refuse_no_table(path, "documents are")
    if not len(frame.columns):
        raise InputError(
            "there are no documents to show people first",
            path=path,
            hint="It takes runs, given after the judges, and documents that people have not judged.",
        )
    write_table(frame, path)
