"""rankgauge active plan: a campaign, and what to expect of it before a label is bought."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rankgauge.active import defaults
from rankgauge.cli import choices, options
from rankgauge.cli.command import command


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """The pool, and how its labels are bought."""

    pool: Annotated[
        list[Path], typer.Argument(help="A table (Parquet, CSV, JSON lines), or one or two runs.", metavar="POOL")
    ]
    output: Annotated[str, typer.Option("-o", "--output", help="The campaign to make: a file or URL.", metavar="FILE")]
    budget: Annotated[float, typer.Option("--budget", help="What the labels may cost, in --unit.", metavar="X")]
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="What is estimated.", metavar="NAME", autocompletion=choices.measures)
    ] = defaults.MEASURE
    method: Annotated[
        str,
        choices.option(
            "--method", help="How documents are chosen: {choices}.", registry="rankgauge.active.methods:METHODS"
        ),
    ] = defaults.METHOD
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="An option of the method, such as stages=1.", metavar="NAME=VALUE"),
    ] = None
    cost: Annotated[
        str | None,
        choices.option(
            "--cost",
            help="What a document costs: {choices}, or a column of the pool.",
            registry="rankgauge.active.cost:COSTS",
        ),
    ] = None
    unit: Annotated[
        str,
        choices.option(
            "--unit",
            help="What costs 1 on average: {choices} ('none' keeps the pool's costs unchanged).",
            registry="rankgauge.cli.active_pools:UNITS",
        ),
    ] = "document"
    overhead: Annotated[
        float | None, typer.Option("--overhead", help="The cost of opening a query, in documents.", metavar="X")
    ] = None
    grades: Annotated[
        str | None, typer.Option("--grades", help="The scale, where the pool has no beliefs: 0,1,2,3.", metavar="G,G")
    ] = None
    scale: Annotated[
        str | None,
        choices.option(
            "--scale",
            help="Words for grades: {choices}, or your own, such as good=2,fair=1,bad=0.",
            registry="rankgauge.judgments:SCALES",
        ),
    ] = None
    depth: Annotated[int | None, typer.Option("--depth", min=1, help="Cut the lists.", metavar="K")] = None
    dialect: options.DialectName = defaults.DIALECT
    assessors: Annotated[int, typer.Option("--assessors", min=1, help="Assessors per document.", metavar="K")] = (
        defaults.ASSESSORS
    )
    combine: Annotated[
        str,
        choices.option(
            "--combine",
            help="How to combine their grades: {choices}.",
            metavar="RULE",
            registry="rankgauge.judgments:RULES",
        ),
    ] = defaults.COMBINE
    unjudgeable: Annotated[
        str,
        choices.option(
            "--unjudgeable",
            help="What becomes of a document that cannot be judged: {choices}.",
            metavar="RULE",
            registry="rankgauge.active.campaign.settings:Unjudgeable",
        ),
    ] = defaults.UNJUDGEABLE
    seed: Annotated[int, typer.Option("--seed", help="The seed of the draws.", metavar="N")] = defaults.SEED


@command(
    "active plan",
    "rankgauge active plan pool.parquet --measure ERR --budget 300 --cost log-length -o campaign.rg",
    "rankgauge active plan bm25.txt dense.txt --grades 0,1,2,3 --measure DCG@10 --budget 500 -o campaign.rg",
    "rankgauge active plan pool.csv --budget 300 -o 'postgresql://judge@localhost/room#autumn'",
    place=0,
)
def plan(asked: PlanOptions) -> None:
    """Plan a campaign: which interval to expect of each method and budget, before a label is bought."""
    import sys

    from rankgauge.active.campaign import Campaign
    from rankgauge.cli.active_pools import forecast_of, options_of, read_pool
    from rankgauge.cli.streams import heed
    from rankgauge.report.plan import PlanReport

    heed()
    found, words = read_pool(
        asked.pool, cost=asked.cost, unit=asked.unit, overhead=asked.overhead, grades=asked.grades, depth=asked.depth
    )
    made = Campaign.create(
        asked.output,
        found,
        asked.measure,
        budget=asked.budget,
        method=asked.method,
        options=options_of(asked.option or []),
        dialect=asked.dialect,
        assessors=asked.assessors,
        combine=asked.combine,
        unjudgeable=asked.unjudgeable,
        scale=asked.scale,
        seed=asked.seed,
        cost=words,
    )
    with made as campaign:
        PlanReport(campaign=campaign, forecast=forecast_of(campaign)).show(sys.stdout)
