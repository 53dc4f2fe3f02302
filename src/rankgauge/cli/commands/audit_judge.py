"""rankgauge audit judge: what a machine judge is worth beside people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import DialectName, RunSpellingOptions, names

if TYPE_CHECKING:
    import polars as pl


@command(
    "audit judge",
    "rankgauge audit judge qrels.txt judge.qrels",
    "rankgauge audit judge qrels.txt llama=llama.qrels gpt=gpt.csv bm25.txt dense.txt.gz -o judges.html",
    "rankgauge audit judge labels.csv judge.qrels *.run --show-first first.csv",
    "rankgauge audit judge qrels.txt judge.qrels *.run --made-by-judge reranked.run",
)
def judge(
    people: Annotated[
        Path,
        Argument(
            help="People's judgments; a table may say with which probability each was chosen (column probability).",
            metavar="PEOPLE",
            autocompletion=choices.sources,
        ),
    ],
    files: Annotated[
        list[Path],
        Argument(
            help="Judges' grades, then runs; which is which shows in the files. NAME=FILE gives one a name.",
            metavar="JUDGE... [RUN...]",
            autocompletion=choices.sources,
        ),
    ],
    measure: Annotated[
        list[str] | None,
        Option(
            "-m",
            "--measure",
            help="A measure, or several separated by commas; repeatable.",
            metavar="NAME",
            autocompletion=choices.listed(choices.measures),
        ),
    ] = None,
    dialect: DialectName = "standard",
    rel: Annotated[
        float | None,
        Option(
            "-l",
            "--rel",
            help="The lowest grade that counts as relevant. By default that of --scale, or 1.",
            metavar="GRADE",
        ),
    ] = None,
    documents: Annotated[
        Path | None,
        Option(
            "--documents",
            help="A table with a column document; its other columns, such as a length, divide the errors.",
            metavar="FILE",
        ),
    ] = None,
    made_by_judge: Annotated[
        list[str] | None,
        Option("--made-by-judge", help="A run that a judge may have made, by its name; repeatable.", metavar="RUN"),
    ] = None,
    half_width: Annotated[
        float,
        Option("--half-width", help="How wide half an interval may be, to say what labels it takes.", metavar="W"),
    ] = 0.03,
    show_first: Annotated[
        Path | None,
        Option("--show-first", help="Write the documents to show people first into this table.", metavar="FILE"),
    ] = None,
    first: Annotated[int, Option("--first", min=1, help="How many documents to show people first.", metavar="N")] = 20,
    seed: Annotated[int, Option("--seed", min=0, help="The seed of random draws.", metavar="N")] = 0,
    output: Annotated[str, choices.output("rankgauge.audit.judge.report:JudgeAuditReport.formats")] = "table",
    *,
    spelling: RunSpellingOptions,
) -> None:
    """What a machine judge is worth: agreement with people, where it errs, what that does to runs, and what to do."""
    from rankgauge import dialects
    from rankgauge import files as io
    from rankgauge.audit.judge import audit_judges
    from rankgauge.audit.judge.report import JudgeAuditReport
    from rankgauge.cli.judges import sorted_files
    from rankgauge.cli.runs import named
    from rankgauge.cli.streams import heed, opened, spare

    heed()
    format_, path = JudgeAuditReport.find(output)
    spare([people, documents, *named(files).values()], [path, show_first])
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
        half_width=half_width,
        seed=seed,
    )
    report = JudgeAuditReport(audit=audit, first=first)
    if show_first is not None:
        _write_first(report.first_documents, show_first)
    with opened(path) as stream:
        format_.write(report, stream)


def _write_first(frame: pl.DataFrame, path: Path) -> None:
    """The documents as a table, which judging takes as its tasks."""
    from rankgauge.errors import InputError
    from rankgauge.files.output import writing
    from rankgauge.files.source import suffix_of

    if suffix_of(str(path)) not in (".csv", ".tsv"):
        raise InputError("documents are written as a table", path=path, hint="End the name in .csv or .tsv.")
    if not len(frame.columns):
        raise InputError(
            "there are no documents to show people first",
            path=path,
            hint="It takes runs, given after the judges, and documents that people have not judged.",
        )
    with writing(path) as file:
        frame.write_csv(file, separator="\t" if suffix_of(str(path)) == ".tsv" else ",")
