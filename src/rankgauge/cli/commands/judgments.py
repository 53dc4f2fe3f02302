"""rankgauge judgments: several assessors, how far they agree, and how to combine their grades."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Annotated

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.options import SpellingOptions, file_format
from rankgauge.errors import InputError, ParameterError
from rankgauge.lazy_polars import pl

group(
    "judgments",
    "Judgments of several assessors: how far they agree, and how to combine their grades.",
    "rankgauge judgments agreement ratings.csv",
    place=60,
)

Ratings = Annotated[
    list[Path],
    typer.Argument(
        help="Judgments that name their assessors; or a file for each assessor, as in ann.txt LLM=llm.qrels.",
        metavar="JUDGMENTS",
    ),
]
InputFormat = Annotated[str | None, file_format("--format", "file")]


@command(
    "judgments agreement",
    "rankgauge judgments agreement ratings.csv",
    "rankgauge judgments agreement people.txt llm=llm.qrels -o pairs.csv",
)
def agreement(
    judgments: Ratings,
    output: Annotated[str, choices.output("rankgauge.judgments.report:AgreementReport.formats")] = "table",
    seed: Annotated[int, typer.Option(min=0, help="The seed of the intervals' bootstrap.", metavar="N")] = 0,
    format_: InputFormat = None,
    *,
    spelling: SpellingOptions,
) -> None:
    """How far assessors agree: coefficients with intervals, pair by pair, and each assessor's habits."""
    import numpy as np

    from rankgauge.cli.streams import heed, opened, spare
    from rankgauge.judgments import agreement as measure_agreement
    from rankgauge.judgments.report import AgreementReport

    report_format, path = AgreementReport.find(output)
    heed()
    spare(judgments, [path])
    found = measure_agreement(_read(judgments, format_, spelling), rng=np.random.default_rng(seed))
    with opened(path) as stream:
        report_format.write(AgreementReport(found=found, seed=seed), stream)


@command(
    "judgments combine",
    "rankgauge judgments combine ratings.csv --rule and --at 2 -o qrels.txt",
    "rankgauge judgments combine crowd.csv --rule dawid-skene --confusion workers.csv -o qrels.txt",
)
def combine(
    judgments: Ratings,
    rule: Annotated[
        str,
        choices.option(
            "--rule", help="How to combine the grades: {choices}.", metavar="RULE", registry="rankgauge.judgments:RULES"
        ),
    ] = "mean",
    at: Annotated[
        float | None,
        typer.Option(help="First make grades binary: 1 from this grade up, else 0.", metavar="GRADE"),
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file to write; its ending says the format. -: standard output.")
    ] = Path("-"),
    confusion: Annotated[
        Path | None,
        typer.Option(
            "--confusion",
            help="With --rule dawid-skene: a CSV file to write each assessor's confusion to: how often he gives which "
            "grade to items of which grade.",
            metavar="FILE",
        ),
    ] = None,
    format_: InputFormat = None,
    *,
    spelling: SpellingOptions,
) -> None:
    """Combine several assessors' grades into one, and write judgments."""
    from rankgauge import files as io
    from rankgauge.cli.streams import heed, opened, spare
    from rankgauge.judgments import combine as combine_grades

    if confusion is not None and rule.partition("@")[0] != "dawid-skene":
        raise ParameterError("judgments combine", "confusion", "used with --rule dawid-skene", confusion)
    heed()
    spare(judgments, [output, confusion])
    read = _read(judgments, format_, spelling)
    combined = combine_grades(read, rule, at=at)
    if confusion is not None:
        from rankgauge.judgments import binarise, dawid_skene, level_of

        level = level_of(rule) if at is None else at
        model = dawid_skene(read if level is None else binarise(read, level))
        with opened(confusion) as stream:
            stream.write(model.confusions.write_csv())
    io.write_judgments(combined, output)


@command(
    "judgments best-worst",
    "rankgauge judgments best-worst choices.csv -o qrels.txt",
)
def best_worst(
    choices: Annotated[
        Path,
        typer.Argument(
            help="A table with the columns query, documents (those shown, separated by blanks), best, worst.",
            metavar="CHOICES",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file to write; its ending says the format. -: standard output.")
    ] = Path("-"),
) -> None:
    """Grades from choices of the best and the worst: how often best, less how often worst, out of the times shown."""
    from rankgauge import files as io
    from rankgauge.cli.streams import heed
    from rankgauge.judgments.best_worst import best_worst as counted

    heed(choices)
    table = io.read_table(choices)
    try:
        found = counted(table)
    except InputError as error:
        error.path = error.path or str(choices)
        raise
    io.write_judgments(found, output)


def _read(files: Sequence[Path], format_: str | None, spelling: SpellingOptions) -> pl.DataFrame:
    """The judgments of one file, or of several, each of which is an assessor under the file's name up to a dot."""
    from rankgauge import files as io
    from rankgauge.cli.runs import named

    if len(files) == 1:
        return io.read_judgments(spelling.file(files[0]), format_)
    parts = []
    for name, path in named(files, "assessors").items():
        frame, who = io.read_judgments(spelling.file(path), format_), pl.lit(PurePath(name).name.partition(".")[0])
        inner = pl.format("{}/{}", who, "assessor") if "assessor" in frame.columns else who
        parts.append(frame.select("query", "document", "grade", inner.alias("assessor")))
    return pl.concat(parts)
