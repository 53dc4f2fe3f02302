"""rankgauge active plan: a campaign for one value or a board of runs, and what to expect of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.labelling import defaults


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """The pool, and how its labels are bought."""

    pool: Annotated[
        list[Path],
        typer.Argument(
            help="Runs, any number of them (NAME=FILE gives one a name), or a table (Parquet, CSV, JSON lines).",
            metavar="POOL",
        ),
    ]
    output: Annotated[str, typer.Option("-o", "--output", help="The campaign to make: a file or URL.", metavar="FILE")]
    budget: Annotated[float, typer.Option("--budget", help="What the labels may cost, in --unit.", metavar="X")]
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help=f"What is estimated, by default {defaults.MEASURE}; several for a board, with commas.",
            metavar="NAME",
            autocompletion=choices.listed(choices.measures),
        ),
    ] = None
    method: Annotated[
        str,
        choices.option(
            "--method",
            help="How documents are chosen: {choices}.",
            registry="rankgauge.labelling.methods:METHODS",
            more=("leaderboard", "posterior"),
        ),
    ] = defaults.METHOD
    goal: Annotated[
        str | None,
        typer.Option(
            "--goal",
            help="What labels of a board settle first: {rankgauge.labelling.board.goal:GoalKind}, as in 'best 3' or "
            f"'beats RUN'; by default {defaults.GOAL}.",
            metavar="GOAL",
            autocompletion=choices.values("values", "rank", "best"),
        ),
    ] = None
    judged: Annotated[
        Path | None, typer.Option("--judged", help="Judgments that there are already, for a board.", metavar="FILE")
    ] = None
    judge: Annotated[
        list[Path] | None,
        typer.Option(
            "--judge",
            help="Grades by a judge other than people, such as a language model: beliefs, never labels. NAME=FILE "
            "gives it a name; may be given again.",
            metavar="FILE",
            autocompletion=choices.sources,
        ),
    ] = None
    calibrate_on: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            "--calibrate-on",
            help="Judgments by people of another collection, and the judge's own of it: what the judge is worth there "
            "is expected of it here.",
            metavar="FILE FILE",
        ),
    ] = None
    documents: Annotated[
        Path | None,
        typer.Option(
            "--documents",
            help="A table of the runs' documents: what assessors read (title, text, url), beliefs (p_0, p_1, …), and "
            "for a board any numbers that may tell relevant ones.",
            metavar="FILE",
        ),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="An option of the method, such as stages=1.", metavar="NAME=VALUE"),
    ] = None
    cost: Annotated[
        str | None,
        choices.option(
            "--cost",
            help="What a document costs: {choices}, or a column of the pool.",
            registry="rankgauge.labelling.cost:COSTS",
        ),
    ] = None
    unit: Annotated[
        str,
        choices.option(
            "--unit",
            help="What costs 1 on average: {choices} ('none' keeps the pool's costs unchanged).",
            registry="rankgauge.labelling.units:UNITS",
        ),
    ] = "document"
    overhead: Annotated[
        float | None, typer.Option("--overhead", help="The cost of opening a query, in documents.", metavar="X")
    ] = None
    grades: Annotated[
        str | None, typer.Option("--grades", help="The scale, where the pool has no beliefs: 0,1,2,3.", metavar="G,G")
    ] = None
    scale: options.ScaleName = None
    columns: options.Columns = None
    ids: options.SameIds = None
    queries: options.QueryList = None
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
            registry="rankgauge.labelling.campaign.settings:Unjudgeable",
        ),
    ] = defaults.UNJUDGEABLE
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the draws.", metavar="N")] = defaults.SEED


@command(
    "active plan",
    "rankgauge active plan bm25.txt dense.txt rrf.txt -m nDCG@10 -m AP --grades 0,1,2,3 --budget 500 -o campaign.rg",
    "rankgauge active plan *.run --judged old.qrels -m nDCG@10 --goal best --budget 800 -o campaign.rg",
    "rankgauge active plan *.run --judge llm.qrels -m nDCG@10 --grades 0,1,2,3 --budget 150 -o campaign.rg",
    "rankgauge active plan pool.parquet --measure ERR --budget 300 --cost log-length -o campaign.rg",
    "rankgauge active plan bm25.txt dense.txt --grades 0,1,2,3 --measure DCG@10 --budget 500 -o campaign.rg",
    "rankgauge active plan pool.csv --budget 300 -o 'postgresql://judge@localhost/room#autumn'",
    place=0,
)
def plan(asked: PlanOptions) -> None:
    """Plan a campaign: which interval to expect at which budget, before a label is bought.

    More than two runs, several measures, nDCG, AP, a goal or earlier judgments make a board: every run's value and rank
    from one stream of single documents; up to eight runs with a shallow pool by a model of the grades (--method
    leaderboard: without one). One or two runs with a measure such as ERR, DCG or P, and a table of one or two
    rankers, are estimated by the other methods.
    """
    import sys

    from rankgauge.cli.active_pools import forecast_of, made_campaign
    from rankgauge.cli.streams import heed
    from rankgauge.labelling.campaign import BoardCampaign
    from rankgauge.labelling.reports.board_plan import BoardPlanReport
    from rankgauge.labelling.reports.plan import PlanReport

    heed()
    with made_campaign(asked) as campaign:
        if isinstance(campaign, BoardCampaign):
            BoardPlanReport(campaign=campaign).show(sys.stdout)
        else:
            PlanReport(campaign=campaign, forecast=forecast_of(campaign)).show(sys.stdout)
