"""rankgauge active simulate: what methods would have done on data whose grades are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option

if TYPE_CHECKING:
    from rankgauge.render.format import Report

LETOR, BOARD = "For a LETOR file", "For a board: judgments and runs"
"""The groups of options that only one of the forms has."""

Number = TypeVar("Number", int, float)


class SimulationOptions(Options):
    """What both forms have."""

    judgments: Path = argument(
        "JUDGMENTS",
        help="Graded documents with features, in the LETOR format; or judgments in any format, with runs.",
        offer=choices.sources,
    )
    runs: list[Path] | None = argument(
        "RUN", help="The runs of a board. NAME=FILE gives one a name.", offer=choices.sources, required=False
    )
    measure: list[str] | None = options.measure_names(
        "What is estimated; repeatable. By default ERR, for a board nDCG@10 and AP."
    )
    methods: str | None = choices.option(
        "--methods",
        help="Methods of active evaluation, separated by commas: {choices}. For a board some of these, by default "
        "all but posterior: {also}.",
        metavar="NAME,NAME",
        registry="rankgauge.labelling.methods:METHODS",
        several=True,
        more=("uniD", "uniC"),
        also="rankgauge.labelling.yardstick:YARDSTICKS",
    )
    depth: int | None = options.depth_option("How deep lists are judged; for a board, with --pool depth.")
    dialect: str = options.DIALECT
    trials: int | None = option(
        "--trials",
        old=("--repetitions",),
        help="How often each method is tried at each budget. By default 400, for a board 100.",
        metavar="N",
    )
    seed: int = options.seed_option("The seed of all draws.")
    jobs: int | None = options.jobs_option()
    output: str = choices.output("rankgauge.labelling.simulations.report:SimulationReport.formats", default="table")


of_letor, of_board = partial(option, group=LETOR), partial(option, group=BOARD)


class LetorOptions(Options):
    """What only a LETOR file has."""

    rankers: str = choices.option(
        "--rankers",
        group=LETOR,
        help="One or two rankers of 'rankgauge train', separated by commas; two are compared. rf: forest-regression.",
        metavar="NAME,NAME",
        registry="rankgauge.training:RANKERS",
        several=True,
        default="rf",
    )
    train: Path | None = of_letor(
        "--train", help="Another one to train on; else a share of the queries.", metavar="LETOR", exists=True
    )
    share: float = of_letor(
        "--share", help="The share of the queries that the rankers learn from.", metavar="X", default=0.2
    )
    budget: float | None = of_letor(
        "--budget",
        help="Where savings are counted, in mean costs of a query; by default 15 % of the pool.",
        metavar="X",
    )
    cost: str = choices.option(
        "--cost",
        group=LETOR,
        help="What a document costs: {choices}.",
        registry="rankgauge.labelling.pool_rows:COSTS",
        default="documents",
    )
    length_feature: int | None = of_letor(
        "--length-feature", help="The feature that is a document's length, for log-length.", metavar="N"
    )
    overhead: float = of_letor(
        "--overhead", help="The cost of opening a query, in documents.", metavar="X", default=0.0
    )
    beliefs: str = of_letor(
        "--beliefs",
        help="The beliefs are those of the rankers (model), or there are none (uniform).",
        metavar="NAME",
        offer=choices.values("model", "uniform"),
        default="model",
    )


class BoardOptions(Options):
    """What only judgments and runs have."""

    shares: str | None = of_board(
        "--shares",
        help="The labels as shares of the pool, separated by commas; by default 0.02,0.05,0.1,0.2.",
        metavar="X,X",
    )
    budgets: str | None = of_board(
        "--budgets", help="The numbers of labels, separated by commas, instead of shares.", metavar="N,N"
    )
    pool: str = choices.option(
        "--pool",
        group=BOARD,
        help="Which documents are the pool: {choices}.",
        registry="rankgauge.labelling.simulations.trials:PoolKind",
        default="judged",
    )
    judge: list[Path] | None = of_board(
        "--judge",
        help="Grades by a judge other than people, such as a language model. NAME=FILE gives it a name; "
        "may be given again.",
        metavar="FILE",
        offer=choices.sources,
    )
    columns: str | None = options.COLUMNS
    scale: str | None = options.SCALE
    ids: str | None = options.SAME_IDS
    queries: Path | None = options.QUERIES
    parts: Path | None = of_board(
        "--parts",
        help="A folder for finished parts; an interrupted simulation that left some there goes on.",
        metavar="FOLDER",
        folder=True,
    )


@command(
    "active simulate",
    "rankgauge active simulate letor.txt --measure ERR --rankers rf,ordered-logit -o sim.html",
    "rankgauge active simulate letor.txt --measure DCG@10 --methods passive,paper,greg,document --overhead 5",
    "rankgauge active simulate msn.txt --cost log-length --length-feature 15 --budget 300 -o sim.json",
    "rankgauge active simulate qrels.txt bm25.txt dense.txt -m nDCG@10 --budgets 100,200,400 -o sim.html",
    "rankgauge active simulate qrels.txt bm25.txt dense.txt --methods leaderboard,depth --parts parts",
    "rankgauge active simulate qrels.txt bm25.txt dense.txt --judge llm.qrels --methods leaderboard,judge,ppi++",
    first=("measure", "budgets", "shares", "rankers", "trials", "output"),
)
def simulate(asked: SimulationOptions, letor: LetorOptions, board: BoardOptions) -> None:
    """Try methods on data whose grades are known: errors, savings and coverage by budget.

    With one LETOR file, rankers learn from a part of the queries, and methods estimate on the rest. With judgments and
    runs, methods judge single documents for all runs at once, and their board is compared with that of the whole pool.
    """
    from rankgauge.cli.streams import write_report
    from rankgauge.errors import OptionError
    from rankgauge.labelling.simulations.report import SimulationReport

    format_, path = SimulationReport.find(asked.output)
    _refuse(letor if asked.runs else board)
    if letor.length_feature is not None and letor.cost != "log-length":
        raise OptionError("--length-feature needs --cost log-length, which costs documents by it.")
    if letor.train is not None and "share" in letor.given:
        raise OptionError("--share parts the queries of one file: leave it out where --train names another.")
    shown = _of_board(asked, board) if asked.runs else _of_letor(asked, letor)
    write_report(shown, [(format_, path)])


def _of_letor(asked: SimulationOptions, letor: LetorOptions) -> Report:
    from rankgauge.cli.streams import show_progress
    from rankgauge.labelling.simulations.jobs import cores
    from rankgauge.papers.simulation import Simulation

    with show_progress() as progress:
        return Simulation(
            path=asked.judgments,
            measures=tuple(asked.measure or ("ERR",)),
            rankers=_names(letor.rankers),
            methods=_names(asked.methods or "passive,passive-iid,paper,greg,document"),
            train=letor.train,
            share=letor.share,
            budget=letor.budget,
            cost=letor.cost,
            length=letor.length_feature,
            overhead=letor.overhead,
            depth=asked.depth,
            dialect=asked.dialect,
            beliefs=letor.beliefs,
            repetitions=400 if asked.trials is None else asked.trials,
            seed=asked.seed,
            workers=asked.jobs or cores(),
            progress=progress,
        ).run()


def _of_board(asked: SimulationOptions, board: BoardOptions) -> Report:
    from rankgauge import dialects
    from rankgauge.cli.options import RunSpellingOptions, names
    from rankgauge.cli.runs import name_runs, refuse_measures
    from rankgauge.cli.streams import show_progress
    from rankgauge.labelling.simulations.jobs import cores
    from rankgauge.labelling.simulations.trials import BoardSimulation, PoolKind

    measures, runs = names(asked.measure or ()), asked.runs or []
    said = board.part(RunSpellingOptions)
    refuse_measures(runs, measures)
    given = {"measures": tuple(measures)} if measures else {}
    with show_progress() as progress:
        return BoardSimulation(
            judgments=said.file(asked.judgments),
            runs=said.files(name_runs(runs)),
            **given,
            methods=_names(asked.methods or ""),
            shares=_numbers("shares", board.shares, float),
            budgets=_numbers("budgets", board.budgets, int),
            judges=said.files(name_runs(board.judge or [], "judges")),
            dialect=dialects.get(asked.dialect).on_scale(board.scale, measures or BoardSimulation.measures),
            pool=PoolKind.parse(board.pool),
            depth=asked.depth,
            repetitions=100 if asked.trials is None else asked.trials,
            seed=asked.seed,
            workers=asked.jobs or cores(),
            folder=board.parts,
            progress=progress,
        ).run()


def _refuse(others: Options) -> None:
    """Raise an error for an option that only the other form has."""
    from rankgauge.errors import InputError

    for name in others.given:
        form = "a LETOR file without runs" if isinstance(others, LetorOptions) else "judgments with runs"
        raise InputError(f"--{name.replace('_', '-')} is for {form}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(option: str, text: str | None, kind: Callable[[str], Number]) -> tuple[Number, ...]:
    from rankgauge.errors import OptionError

    try:
        return tuple(kind(part) for part in _names(text or ""))
    except ValueError:
        raise OptionError(f"--{option} takes numbers separated by commas; got {text!r}.") from None
