"""rankgauge active simulate: what methods would have done on data whose grades are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import Columns, DialectName, QueryList, SameIds, ScaleName
from rankgauge.labelling.defaults import DIALECT

if TYPE_CHECKING:
    from rankgauge.render.format import Report

LETOR, BOARD = "LETOR: ", "Board: "
"""Which form an option belongs to."""

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """What both forms have."""

    judgments: Annotated[
        Path,
        typer.Argument(
            help="Graded documents with features, in the LETOR format; or judgments in any format, with runs.",
            metavar="JUDGMENTS",
            autocompletion=choices.sources,
        ),
    ]
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The runs of a board. NAME=FILE gives one a name.", metavar="RUN", autocompletion=choices.sources
        ),
    ] = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="What is estimated; may be given again. By default ERR, for a board nDCG@10 and AP.",
            metavar="NAME",
            autocompletion=choices.measures,
        ),
    ] = None
    methods: Annotated[
        str | None,
        choices.option(
            "--methods",
            help="Methods of active evaluation, separated by commas: {choices}. For a board, by default all of these: "
            "{also}.",
            metavar="NAME,NAME",
            registry="rankgauge.labelling.methods:METHODS",
            several=True,
            more=("uniD", "uniC"),
            also="rankgauge.labelling.yardstick:YARDSTICKS",
        ),
    ] = None
    depth: Annotated[
        int | None,
        typer.Option("--depth", min=1, help="How deep lists are judged; for a board, with --pool depth.", metavar="K"),
    ] = None
    dialect: DialectName = DIALECT
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            help="How often each method is tried at each budget. By default 400, for a board 100.",
            metavar="N",
        ),
    ] = None
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of all draws.", metavar="N")] = 0
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="How many processes work side by side; by default one a core.", metavar="N"),
    ] = None
    output: Annotated[str, choices.output("rankgauge.labelling.simulations.report:SimulationReport.formats")] = "table"


@dataclass(frozen=True, kw_only=True)
class LetorOptions:
    """What only a LETOR file has."""

    rankers: Annotated[
        str,
        choices.option(
            "--rankers",
            help=f"{LETOR}one or two rankers of 'rankgauge train', separated by commas; two are compared. "
            "rf: forest-regression.",
            metavar="NAME,NAME",
            registry="rankgauge.training:RANKERS",
            several=True,
        ),
    ] = "rf"
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            help=f"{LETOR}another one to train on; else a share of the queries.",
            metavar="LETOR",
            exists=True,
        ),
    ] = None
    share: Annotated[
        float,
        typer.Option("--share", help=f"{LETOR}the share of the queries that the rankers learn from.", metavar="X"),
    ] = 0.2
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            help=f"{LETOR}where savings are counted, in mean costs of a query; by default 15 % of the pool.",
            metavar="X",
        ),
    ] = None
    cost: Annotated[
        str,
        choices.option(
            "--cost", help=f"{LETOR}what a document costs: {{choices}}.", registry="rankgauge.labelling.cost:COSTS"
        ),
    ] = "documents"
    length_feature: Annotated[
        int | None,
        typer.Option(
            "--length-feature",
            help=f"{LETOR}the feature that is a document's length, for log-length.",
            metavar="N",
        ),
    ] = None
    overhead: Annotated[
        float, typer.Option("--overhead", help=f"{LETOR}the cost of opening a query, in documents.", metavar="X")
    ] = 0.0
    beliefs: Annotated[
        str,
        typer.Option(
            "--beliefs",
            help=f"{LETOR}the beliefs are those of the rankers (model), or there are none (uniform).",
            metavar="NAME",
            autocompletion=choices.values("model", "uniform"),
        ),
    ] = "model"


@dataclass(frozen=True, kw_only=True)
class BoardOptions:
    """What only judgments and runs have."""

    shares: Annotated[
        str | None,
        typer.Option(
            "--shares",
            help=f"{BOARD}the labels as shares of the pool, separated by commas; by default 0.02,0.05,0.1,0.2.",
            metavar="X,X",
        ),
    ] = None
    budgets: Annotated[
        str | None,
        typer.Option(
            "--budgets", help=f"{BOARD}the numbers of labels, separated by commas, instead of shares.", metavar="N,N"
        ),
    ] = None
    pool: Annotated[
        str,
        choices.option(
            "--pool",
            help=f"{BOARD}which documents are the pool: {{choices}}.",
            registry="rankgauge.labelling.simulations.own_board:PoolKind",
        ),
    ] = "judged"
    judge: Annotated[
        list[Path] | None,
        typer.Option(
            "--judge",
            help=f"{BOARD}grades by a judge other than people, such as a language model. NAME=FILE gives it a name; "
            "may be given again.",
            metavar="FILE",
            autocompletion=choices.sources,
        ),
    ] = None
    columns: Columns = None
    scale: ScaleName = None
    ids: SameIds = None
    queries: QueryList = None
    parts: Annotated[
        Path | None,
        typer.Option(
            "--parts",
            help=f"{BOARD}a folder for finished parts; an interrupted simulation that left some there goes on.",
            metavar="FOLDER",
            file_okay=False,
        ),
    ] = None


@command(
    "active simulate",
    "rankgauge active simulate letor.txt --measure ERR --rankers rf,ordered-logit -o sim.html",
    "rankgauge active simulate letor.txt --measure DCG@10 --methods passive,paper,greg,document --overhead 5",
    "rankgauge active simulate msn.txt --cost log-length --length-feature 15 --budget 300 -o sim.json",
    "rankgauge active simulate qrels.txt bm25.txt dense.txt -m nDCG@10 --budgets 100,200,400 -o sim.html",
    "rankgauge active simulate qrels.txt bm25.txt dense.txt --methods leaderboard,depth --parts parts",
    "rankgauge active simulate qrels.txt bm25.txt dense.txt --judge llm.qrels --methods leaderboard,judge,ppi++",
)
def simulate(ctx: typer.Context, options: SimulationOptions, letor: LetorOptions, board: BoardOptions) -> None:
    """Try methods on data whose grades are known: errors, savings and coverage by budget.

    LETOR, one file: rankers learn from a part of the queries. For the rest the methods are told the grades that they
    ask for, many times over, and their estimates are compared with the truth.

    Board, judgments and runs: methods judge single documents for all runs at once; what they say is compared with the
    board on which the whole pool is judged.
    """
    from rankgauge.cli.streams import opened
    from rankgauge.labelling.simulations.report import SimulationReport

    format_, path = SimulationReport.find(options.output)
    _refuse(ctx, LetorOptions if options.runs else BoardOptions)
    shown = _of_board(options, board) if options.runs else _of_letor(options, letor)
    with opened(path) as stream:
        format_.write(shown, stream)


def _of_letor(options: SimulationOptions, letor: LetorOptions) -> Report:
    from rankgauge.cli.progress import told
    from rankgauge.labelling.simulations.jobs import cores
    from rankgauge.papers.simulation import Simulation

    with told() as progress:
        return Simulation(
            path=options.judgments,
            measures=tuple(options.measure or ("ERR",)),
            rankers=_names(letor.rankers),
            methods=_names(options.methods or "passive,passive-iid,paper,greg,document"),
            train=letor.train,
            share=letor.share,
            budget=letor.budget,
            cost=letor.cost,
            length=letor.length_feature,
            overhead=letor.overhead,
            depth=options.depth,
            dialect=options.dialect,
            beliefs=letor.beliefs,
            repetitions=400 if options.repetitions is None else options.repetitions,
            seed=options.seed,
            workers=options.jobs or cores(),
            progress=progress,
        ).run()


def _of_board(options: SimulationOptions, board: BoardOptions) -> Report:
    from rankgauge import dialects
    from rankgauge.cli.options import RunSpellingOptions, names
    from rankgauge.cli.progress import told
    from rankgauge.cli.runs import named, refuse_measures
    from rankgauge.labelling.simulations.jobs import cores
    from rankgauge.labelling.simulations.own_board import BoardSimulation, PoolKind

    measures, runs = names(options.measure or ()), options.runs or []
    said = RunSpellingOptions(columns=board.columns, scale=board.scale, ids=board.ids, queries=board.queries)
    refuse_measures(runs, measures)
    given = {"measures": tuple(measures)} if measures else {}
    with told() as progress:
        return BoardSimulation(
            judgments=said.file(options.judgments),
            runs=said.files(named(runs)),
            **given,
            methods=_names(options.methods or ""),
            shares=_numbers("shares", board.shares, float),
            budgets=_numbers("budgets", board.budgets, int),
            judges=said.files(named(board.judge or [], "judges")),
            dialect=dialects.get(options.dialect).on_scale(board.scale, measures or BoardSimulation.measures),
            pool=PoolKind.of(board.pool),
            depth=options.depth,
            repetitions=100 if options.repetitions is None else options.repetitions,
            seed=options.seed,
            workers=options.jobs or cores(),
            folder=board.parts,
            progress=progress,
        ).run()


def _refuse(ctx: typer.Context, others: type[Any]) -> None:
    """An error for an option that only the other form has."""
    from rankgauge.errors import InputError

    for name in others.__dataclass_fields__:
        if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE":
            form = "a LETOR file without runs" if others is LetorOptions else "judgments with runs"
            raise InputError(f"--{name.replace('_', '-')} is for {form}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(option: str, text: str | None, kind: Callable[[str], Number]) -> tuple[Number, ...]:
    from rankgauge.errors import ParameterError

    try:
        return tuple(kind(part) for part in _names(text or ""))
    except ValueError:
        raise ParameterError("simulate", option, "numbers, separated by commas", text) from None
