"""rankgauge catalogue: what runs show of a catalogue, beyond relevance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import Columns, FormatOfJudgments, Runs, SpellingOptions


@command(
    "catalogue",
    "rankgauge catalogue run.txt --items items.csv",
    "rankgauge catalogue popular=pop.txt als=als.txt --items items.csv --judgments test.csv -k 20 -o catalogue.html",
    place=24,
)
def catalogue(
    runs: Runs,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items",
            help="The catalogue: a table with a column of documents, and columns popularity and category if known.",
            metavar="FILE",
        ),
    ] = None,
    judgments: Annotated[
        Path | None, typer.Option("--judgments", help="Judgments that say what is relevant.", metavar="FILE")
    ] = None,
    depth: Annotated[
        int, typer.Option("-k", "--depth", min=1, help="Look at the first K of each list.", metavar="K")
    ] = 10,
    users: Annotated[
        float | None, typer.Option("--users", help="How many users the column popularity counts.", metavar="N")
    ] = None,
    rel: Annotated[
        float, typer.Option("-l", "--rel", help="The lowest grade that counts as relevant.", metavar="GRADE")
    ] = 1.0,
    statistic: Annotated[
        str | None,
        choices.option(
            "--statistics",
            registry="rankgauge.catalogue:STATISTICS",
            help="The statistics, separated by commas: {choices}. By default all for which enough is known.",
            metavar="NAMES",
            several=True,
        ),
    ] = None,
    columns: Columns = None,
    format_judgments: FormatOfJudgments = None,
    output: Annotated[str, choices.output("rankgauge.catalogue.report:CatalogueReport.formats")] = "table",
) -> None:
    """What runs show of a catalogue: coverage, novelty, diversity and more, for recommenders above all."""
    from rankgauge.catalogue import survey
    from rankgauge.catalogue.report import CatalogueReport
    from rankgauge.cli.runs import named
    from rankgauge.cli.streams import heed, opened, spare

    format_, path = CatalogueReport.find(output)
    listed = named(runs)
    spare([*listed.values(), items, judgments], [path])
    heed(*listed.values())
    asked = None if statistic is None else [name.strip() for name in statistic.split(",") if name.strip()]
    spelling = SpellingOptions(columns=columns)
    judged = spelling.judgments(judgments, format_judgments, command="catalogue")
    shown, asked = spelling.files(listed), asked or None
    found = survey(shown, items=items, judgments=judged, depth=depth, users=users, rel=rel, statistics=asked)
    with opened(path) as stream:
        format_.write(CatalogueReport(found=found), stream)
