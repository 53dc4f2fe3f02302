"""rankgauge active plan: a campaign for one value or a board of runs, and what to expect of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option
from rankgauge.errors import OptionError
from rankgauge.labelling import defaults

ESTIMATING, BUYING, KNOWING = options.MEASURING, "Who judges, and at what cost", "What is known already"
buying, knowing = partial(option, group=BUYING), partial(option, group=KNOWING)
chosen, bought = partial(choices.option, group=ESTIMATING), partial(choices.option, group=BUYING)


class PlanOptions(Options):
    """The pool, and how its labels are bought."""

    pool: list[Path] = argument(
        "POOL", help="Runs, any number of them (NAME=FILE gives one a name), or a table (Parquet, CSV, JSON lines)."
    )
    output: str = option(
        "-o", "--output", help="The campaign to make: a file or URL.", metavar="FILE", default="campaign.rg"
    )
    budget: float = buying(
        "--budget", help="How many labels to buy, or their cost in --unit.", metavar="X", required=True
    )
    measure: list[str] | None = options.measure_names(
        f"What is estimated, by default {defaults.MEASURE}; several for a board, with commas."
    )
    method: str = chosen(
        "--method",
        help="How documents are chosen: {choices}.",
        registry="rankgauge.labelling.methods:METHODS",
        more=("leaderboard", "posterior"),
        default=defaults.METHOD,
    )
    goal: str | None = option(
        "--goal",
        help="What labels of a board settle first: {rankgauge.labelling.board.design:GoalKind}, as in 'best 3' or "
        f"'beats RUN'; by default {defaults.GOAL}.",
        metavar="GOAL",
        offer=choices.values("values", "rank", "best"),
        group=ESTIMATING,
    )
    judgments: Path | None = knowing(
        "--judgments", old=("--judged",), help="Judgments that there are already, for a board.", metavar="FILE"
    )
    judge: list[Path] | None = knowing(
        "--judge",
        help="Grades by a judge other than people, such as a language model: beliefs, never labels. NAME=FILE "
        "gives it a name; may be given again.",
        metavar="FILE",
        offer=choices.sources,
    )
    calibrate_on: tuple[Path, Path] | None = knowing(
        "--calibrate-on",
        help="Judgments by people of another collection, and the judge's own of it: what the judge is worth there "
        "is expected of it here.",
        metavar="FILE FILE",
    )
    documents: Path | None = knowing(
        "--documents",
        help="A table of the runs' documents: what assessors read (title, text, url), beliefs (p_0, p_1, …), and "
        "for a board any numbers that may tell relevant ones.",
        metavar="FILE",
    )
    pilot: int | None = knowing(
        "--pilot",
        help="Draw the first N documents at random: what 'audit judge' needs. Their labels count like all others.",
        metavar="N",
        least=1,
    )
    setting: list[str] | None = option(
        "--set",
        old=("--option",),
        help="Set an option of the method, e.g. --method document --set stages=1; repeatable.",
        metavar="NAME=VALUE",
        group=ESTIMATING,
    )
    cost: str | None = bought(
        "--cost",
        help="What a document costs: {choices}, or a column of the pool.",
        registry="rankgauge.labelling.pool_rows:COSTS",
    )
    unit: str = bought(
        "--unit",
        help="What costs 1 on average: {choices} ('none' keeps the pool's costs unchanged).",
        registry="rankgauge.labelling.pool_sources:UNITS",
        default="document",
    )
    overhead: float | None = buying("--overhead", help="The cost of opening a query, in documents.", metavar="X")
    grades: str | None = knowing(
        "--grades",
        help="The grades people give; by default those of beliefs, judge or judgments, else 0,1,2,3.",
        metavar="G,G",
    )
    scale: str | None = options.SCALE
    columns: str | None = options.COLUMNS
    ids: str | None = options.SAME_IDS
    queries: Path | None = options.QUERIES
    depth: int | None = options.depth_option(
        "How many documents of each run to pool; by default as many as the measures look at.", group=options.READING
    )
    dialect: str = options.DIALECT
    assessors: int = buying(
        "--assessors", help="Assessors per document.", metavar="K", least=1, default=defaults.ASSESSORS
    )
    combine: str = bought(
        "--combine",
        help="How to combine their grades: {choices}; for a board majority, unless you say otherwise.",
        metavar="RULE",
        registry="rankgauge.judgments:RULES",
        default=defaults.COMBINE,
    )
    unjudgeable: str = bought(
        "--unjudgeable",
        help="What becomes of a document that cannot be judged: {choices}.",
        metavar="RULE",
        registry="rankgauge.labelling.campaign.settings:Unjudgeable",
        default=defaults.UNJUDGEABLE,
    )
    seed: int = options.seed_option("The seed of the draws.", group=BUYING)


@command(
    "active plan",
    "rankgauge active plan bm25.txt dense.txt rrf.txt -m nDCG@10 --budget 100",
    "rankgauge active plan *.run --judgments old.qrels -m nDCG@10 -m AP --goal best --budget 800 -o campaign.rg",
    "rankgauge active plan *.run --judge llm.qrels -m nDCG@10 --pilot 30 --budget 150 --queries queries.tsv",
    "rankgauge active plan pool.parquet --measure ERR --budget 300 --cost log-length -o campaign.rg",
    "rankgauge active plan bm25.txt dense.txt --grades 0,1,2,3 --measure DCG@10 --budget 500 -o campaign.rg",
    "rankgauge active plan pool.csv --budget 300 -o 'postgresql://judge@localhost/room#autumn'",
    place=0,
    first=("budget", "measure", "output", "goal", "judge", "pilot"),
)
def plan(asked: PlanOptions) -> None:
    """Plan a campaign: which interval to expect at which budget, before a label is bought.

    Runs make a board: every run's value, rank and difference to the first. Up to eight runs with a shallow pool are
    estimated by a model of the grades (--method leaderboard: without one), more runs and deeper pools by one stream of
    single documents. A table of one or two rankers, and deep lists of one or two runs with a measure such as ERR, DCG
    or P, are estimated by the other methods.
    """
    import sys

    from rankgauge.cli.active_pools import made_campaign
    from rankgauge.cli.streams import handle_interrupts
    from rankgauge.labelling.reports.plan import plan_report

    handle_interrupts()
    if asked.assessors == 1 and "combine" in asked.given:
        raise OptionError(f"--combine needs several assessors, e.g. --assessors 3 --combine {asked.combine}.")
    campaign, chosen = made_campaign(asked)
    with campaign:
        plan_report(campaign, chosen=chosen, place=asked.output).show(sys.stdout)
