"""rankgauge judgments: several assessors, how far they agree, and how to combine their grades."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.options import SpellingOptions, file_format

group(
    "judgments",
    "Judgments of several assessors: how far they agree, and how to combine their grades.",
    "rankgauge judgments agreement ratings.csv",
    place=60,
)

Ratings = Annotated[Path, typer.Argument(help="Judgments that name their assessors.", metavar="JUDGMENTS")]
InputFormat = Annotated[str | None, file_format("--format", "file")]


@command("judgments agreement", "rankgauge judgments agreement ratings.csv")
def agreement(
    judgments: Ratings,
    seed: Annotated[int, typer.Option(help="The seed of the intervals' bootstrap.", metavar="N")] = 0,
    format_: InputFormat = None,
    *,
    spelling: SpellingOptions,
) -> None:
    """How far assessors agree: coefficients with intervals, pair by pair, and each assessor's habits."""
    import numpy as np

    from rankgauge import io
    from rankgauge.cli.streams import heed
    from rankgauge.judgments import agreement as measure_agreement
    from rankgauge.report.agreement import AgreementReport

    heed()
    found = measure_agreement(io.read_judgments(spelling.file(judgments), format_), rng=np.random.default_rng(seed))
    AgreementReport(found=found, seed=seed).show(sys.stdout)


@command("judgments combine", "rankgauge judgments combine ratings.csv --rule and --at 2 -o qrels.txt")
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
    format_: InputFormat = None,
    *,
    spelling: SpellingOptions,
) -> None:
    """Combine several assessors' grades into one, and write judgments."""
    from rankgauge import io
    from rankgauge.cli.streams import heed
    from rankgauge.judgments import combine as combine_grades

    heed()
    combined = combine_grades(io.read_judgments(spelling.file(judgments), format_), rule, at=at)
    io.write_judgments(combined, output)
