"""rankgauge catalogue: what runs show of a catalogue, beyond relevance."""

from __future__ import annotations

from pathlib import Path

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import COLUMNS, FORMAT_JUDGMENTS, RUNS, SpellingOptions, depth_option
from rankgauge.cli.parser import option


@command(
    "catalogue",
    "rankgauge catalogue run.txt --items items.csv",
    "rankgauge catalogue popular=pop.txt als=als.txt --items items.csv --judgments test.csv -k 20 -o catalogue.html",
    place=24,
    page="kinds-of-judgments.md#what-recommenders-show",
)
def catalogue(
    runs: list[Path] = RUNS,
    items: Path | None = option(
        "--items",
        help="The catalogue: a table with a column of documents, and columns popularity and category if known.",
        metavar="FILE",
    ),
    judgments: Path | None = option("--judgments", help="Judgments that say what is relevant.", metavar="FILE"),
    depth: int = depth_option("Look at the first K of each list.", default=10),
    users: float | None = option("--users", help="How many users the column popularity counts.", metavar="N"),
    rel: float = option("-l", "--rel", help="The lowest grade that counts as relevant.", metavar="GRADE", default=1.0),
    statistic: str | None = choices.option(
        "--statistics",
        registry="rankgauge.catalogue:STATISTICS",
        help="The statistics, separated by commas: {choices}. By default all for which enough is known.",
        metavar="NAMES",
        several=True,
    ),
    columns: str | None = COLUMNS,
    format_judgments: str | None = FORMAT_JUDGMENTS,
    output: str = choices.output("rankgauge.catalogue.report:CatalogueReport.formats", default="table"),
) -> None:
    """Show what runs make of a catalogue: coverage, novelty, diversity and more, for recommenders above all."""
    from rankgauge.catalogue import survey
    from rankgauge.catalogue.report import CatalogueReport
    from rankgauge.cli.runs import name_runs
    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, write_report

    format_, path = CatalogueReport.find(output)
    listed = name_runs(runs)
    refuse_overwriting([*listed.values(), items, judgments], [path])
    handle_interrupts(*listed.values())
    asked = None if statistic is None else [name.strip() for name in statistic.split(",") if name.strip()]
    spelling = SpellingOptions(columns=columns)
    judged = spelling.judgments(judgments, format_judgments)
    shown, asked = spelling.files(listed), asked or None
    surveyed = survey(shown, items=items, judgments=judged, depth=depth, users=users, rel=rel, statistics=asked)
    write_report(CatalogueReport(found=surveyed), [(format_, path)])
