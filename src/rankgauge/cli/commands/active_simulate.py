"""rankgauge active simulate: what methods would have saved on data whose grades are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """What is tried on which data."""

    letor: Annotated[
        Path, typer.Argument(help="Graded documents with features, in the LETOR format.", metavar="LETOR", exists=True)
    ]
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="What is estimated; may be given again.",
            metavar="NAME",
            autocompletion=choices.measures,
        ),
    ] = None
    rankers: Annotated[
        str,
        choices.option(
            "--rankers",
            help="One or two rankers of 'rankgauge train', separated by commas; two are compared. "
            "rf: forest-regression.",
            metavar="NAME,NAME",
            registry="rankgauge.ltr:RANKERS",
            several=True,
        ),
    ] = "rf"
    methods: Annotated[
        str,
        choices.option(
            "--methods",
            help="Methods of active evaluation, separated by commas: {choices}.",
            metavar="NAME,NAME",
            registry="rankgauge.active.methods:METHODS",
            several=True,
            more=("uniD", "uniC"),
        ),
    ] = "passive,passive-iid,paper,greg,document"
    train: Annotated[
        Path | None,
        typer.Option(
            "--train", help="A LETOR file to train on; else a share of the queries.", metavar="LETOR", exists=True
        ),
    ] = None
    share: Annotated[
        float, typer.Option("--share", help="The share of the queries that the rankers learn from.", metavar="X")
    ] = 0.2
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            help="Where savings are counted, in mean costs of a query; by default 15 % of the pool.",
            metavar="X",
        ),
    ] = None
    cost: Annotated[
        str, choices.option("--cost", help="What a document costs: {choices}.", registry="rankgauge.active.cost:COSTS")
    ] = "documents"
    length_feature: Annotated[
        int | None,
        typer.Option("--length-feature", help="The feature that is a document's length, for log-length.", metavar="N"),
    ] = None
    overhead: Annotated[
        float, typer.Option("--overhead", help="The cost of opening a query, in documents.", metavar="X")
    ] = 0.0
    depth: Annotated[int | None, typer.Option("--depth", help="How deep lists are judged.", metavar="K")] = None
    beliefs: Annotated[
        str,
        typer.Option(
            "--beliefs",
            help="model: those of the rankers; uniform: none.",
            metavar="NAME",
            autocompletion=choices.values("model", "uniform"),
        ),
    ] = "model"
    repetitions: Annotated[
        int, typer.Option("--repetitions", help="How often each method is tried at each budget.", metavar="N")
    ] = 400
    seed: Annotated[int, typer.Option("--seed", help="The seed of all draws.", metavar="N")] = 0
    jobs: Annotated[int, typer.Option("--jobs", help="How many processes work side by side.", metavar="N")] = 2
    output: Annotated[str, choices.output("rankgauge.report.simulation:SimulationReport.formats")] = "table"


@command(
    "active simulate",
    "rankgauge active simulate letor.txt --measure ERR --rankers rf,ordered-logit -o sim.html",
    "rankgauge active simulate letor.txt --measure DCG@10 --methods passive,paper,greg,document --overhead 5",
    "rankgauge active simulate msn.txt --cost log-length --length-feature 15 --budget 300 -o sim.json",
)
def simulate(options: SimulationOptions) -> None:
    """Try methods of active evaluation on data whose grades are known: errors, savings and coverage by budget.

    Rankers learn from a part of the queries. For the rest the methods are told the grades that they ask for, many
    times over, and their estimates are compared with the truth.
    """
    from rankgauge.cli.progress import told
    from rankgauge.cli.streams import opened
    from rankgauge.experiments.simulation import Simulation
    from rankgauge.report.simulation import SimulationReport

    format_, path = SimulationReport.find(options.output)
    with told() as progress:
        shown = Simulation(
            path=options.letor,
            measures=tuple(options.measure or ("ERR",)),
            rankers=_names(options.rankers),
            methods=_names(options.methods),
            train=options.train,
            share=options.share,
            budget=options.budget,
            cost=options.cost,
            length=options.length_feature,
            overhead=options.overhead,
            depth=options.depth,
            beliefs=options.beliefs,
            repetitions=options.repetitions,
            seed=options.seed,
            workers=options.jobs,
            progress=progress,
        ).run()
    with opened(path) as stream:
        format_.write(shown, stream)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
