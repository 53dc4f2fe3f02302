"""rankgauge judgments: several assessors, how far they agree, and what one grade to make of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli.completion import names
from rankgauge.cli.help import example

__all__ = ["add_to"]

app = typer.Typer(
    help="Judgments of several assessors: how far they agree, and one grade out of theirs.",
    epilog=example("rankgauge judgments agreement ratings.csv"),
    no_args_is_help=True,
    rich_markup_mode=None,
)

Ratings = Annotated[Path, typer.Argument(help="Judgments that name their assessors.", metavar="JUDGMENTS")]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="The file's format, where it is not recognised.",
        metavar="FORMAT",
        autocompletion=names("rankgauge.io:FORMATS"),
    ),
]


def add_to(root: typer.Typer) -> None:
    """The commands, in the app."""
    root.add_typer(app, name="judgments")


@app.command(epilog=example("rankgauge judgments agreement ratings.csv"))
def agreement(
    judgments: Ratings,
    seed: Annotated[int, typer.Option(help="The seed of the intervals' bootstrap.", metavar="N")] = 0,
    format_: InputFormat = None,
) -> None:
    """How far assessors agree: coefficients with intervals, pair by pair, and each assessor's habits."""
    import sys

    import numpy as np

    from rankgauge import io
    from rankgauge.cli.interrupts import heed
    from rankgauge.judgments import agreement as measure_agreement
    from rankgauge.report import agreement as screen

    heed()
    found = measure_agreement(io.read_judgments(judgments, format_), rng=np.random.default_rng(seed))
    screen.show(found, sys.stdout, seed=seed)


@app.command(epilog=example("rankgauge judgments combine ratings.csv --rule and --at 2 -o qrels.txt"))
def combine(
    judgments: Ratings,
    rule: Annotated[
        str,
        typer.Option(
            help="mean, median, majority, min, max, and, or.",
            metavar="RULE",
            autocompletion=names("rankgauge.judgments:RULES"),
        ),
    ] = "mean",
    at: Annotated[float | None, typer.Option(help="Make each grade binary at this one first.", metavar="GRADE")] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file to write; its ending says the format. -: standard output.")
    ] = Path("-"),
    format_: InputFormat = None,
) -> None:
    """Make one grade of several assessors' grades, and write judgments."""
    from rankgauge import io
    from rankgauge.cli.interrupts import heed
    from rankgauge.judgments import combine as combine_grades

    heed()
    combined = combine_grades(io.read_judgments(judgments, format_), rule, at=at)
    io.write_judgments(combined, output)
