"""rankgauge reproduce: tests the claims of a paper, or of a page of ours."""

from __future__ import annotations

import sys
from pathlib import Path

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.options import jobs_option, seed_option
from rankgauge.cli.parser import Options, option


class ReproductionOptions(Options):
    """The paper, its data, and how much work to do."""

    paper: str | None = choices.argument(
        "PAPER",
        "The paper, or few-labels for a page of ours: {choices}. Without one, all are described.",
        "rankgauge.papers:PAPERS",
        required=False,
    )
    output: Path | None = option(
        "-o",
        "--output",
        help="A folder for results and figures; an interrupted run that left parts in it is continued.",
        metavar="FOLDER",
    )
    data: Path | None = option(
        "--data",
        help="The folder of the paper's data; without it a generated set is used, or claims that need it are left out.",
        metavar="FOLDER",
        exists=True,
        folder=True,
    )
    trials: int | None = option(
        "--trials",
        help="The number of random trials; by default 100, pairwise 20, gate 60, active 1,000, where the paper has "
        "5,000.",
        metavar="N",
    )
    seed: int = seed_option("The seed of the trials.")
    full: bool = option("--full", help="Use the paper's own settings, where the usual ones are quicker (ndcg-tools).")
    jobs: int | None = jobs_option()
    figures: bool = option("--figures/--no-figures", help="Draw the figures into the folder.", default=True)


@command(
    "reproduce",
    "rankgauge reproduce",
    "rankgauge reproduce multigraded -o out",
    "rankgauge reproduce multigraded -o out --data ohsumed/Feature-min",
    "rankgauge reproduce active -o out --data mq2008",
    "rankgauge reproduce ndcg-tools -o out --data MQ2008 --full --jobs 4",
    "rankgauge reproduce few-labels -o out --data trec",
    place=110,
    page="active-paper.md",
)
def reproduce(asked: ReproductionOptions) -> None:
    """Test the claims of a paper, or of a page of ours: which ones hold, with the numbers and their standard errors."""
    from rankgauge.cli.streams import show_progress
    from rankgauge.labelling.simulations.jobs import cores
    from rankgauge.papers import PAPERS, Setting
    from rankgauge.papers.reproduction import Reproduction
    from rankgauge.render import plots
    from rankgauge.render.terminal import Screen

    if asked.paper is None:
        known = {name: one.paper for name, one in PAPERS.items()}
        Screen(sys.stdout).pairs((name, f"{paper.title}. {paper.reference}") for name, paper in known.items())
        return
    if asked.output is not None and asked.figures:
        plots.require()  # before the work, not after
    with show_progress(log=True) as progress:
        experiment = PAPERS.find(asked.paper)
        setting = Setting(
            trials=experiment.trials if asked.trials is None else asked.trials,
            seed=asked.seed,
            data=asked.data,
            jobs=asked.jobs or cores(),
            folder=asked.output,
            full=asked.full,
            progress=progress,
        )
        reproduction = Reproduction.of(experiment, setting)
    written = [] if asked.output is None else reproduction.write(asked.output, figures=asked.figures)
    reproduction.show(sys.stdout)
    if asked.output is not None:
        print(f"\n{len(written)} files in {asked.output}")
