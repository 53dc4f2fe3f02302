"""rankgauge train: trains a ranker on a LETOR file."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option

if TYPE_CHECKING:
    from rankgauge.training import Ranker
    from rankgauge.training.report import Training


class TrainingOptions(Options):
    """The ranker, what it learns from, and what it optimises."""

    ranker: str | None = choices.argument(
        "RANKER", "The ranker: {choices}. Without one, all are described.", "rankgauge.training:RANKERS", required=False
    )
    documents: Path | None = argument(
        "TRAIN",
        help="Graded documents with features, in LETOR's format; without it the ranker's parameters are shown.",
        required=False,
    )
    validation: Path | None = option(
        "--validation", help="Documents by which the ranker stops early and chooses its best round.", metavar="FILE"
    )
    measure: str = options.measure_name(
        "The measure to optimise: see 'rankgauge measures'.", old=("--metric",), default="nDCG@10"
    )
    dialect: str = options.DIALECT
    empty: str | None = options.EMPTY
    short: str | None = options.SHORT
    setting: list[str] | None = option(
        "--set", help="A parameter of the ranker; repeatable.", metavar="NAME=VALUE", offer=choices.settings
    )
    seed: int = options.seed_option("The random seed.")
    output: Path | None = option("-o", "--output", help="The file to write the ranker to, as JSON.", metavar="FILE")


@command(
    "train",
    "rankgauge train",
    "rankgauge train adarank",
    "rankgauge train lambdamart train.txt --validation vali.txt -m nDCG@10 -d ranklib -o model.json",
    "rankgauge train coordinate-ascent train.txt --validation vali.txt -m ERR --set restarts=30 -o model.json",
    place=90,
    page="training.md",
)
def train(asked: TrainingOptions) -> None:
    """Train a ranker on graded documents, for any measure under any tool's dialect."""
    from rankgauge import dialects, training
    from rankgauge.cli.streams import refuse_overwriting
    from rankgauge.measures import parse
    from rankgauge.training.report import show_parameters, show_rankers

    if asked.ranker is None:
        show_rankers(sys.stdout)
        return
    kind = training.get(asked.ranker)
    if asked.documents is None:
        show_parameters(kind, sys.stdout)
        return
    changes = options.given_options(empty=options.read_empty(asked.empty), short=asked.short)
    spoken = dialects.get(asked.dialect).changed(**changes)
    known = f"parameter of {kind.name}"
    own = options.settings_of(asked.setting or [], sorted(kind.constraints), kind=known, example="rounds=100")
    made = kind(metric=parse(asked.measure), dialect=spoken, rng=asked.seed, **own)
    made.check()  # a wrong value shows before anything is read
    refuse_overwriting([asked.documents, asked.validation], [asked.output])
    learned = _learn(made, asked.documents, asked.validation)
    if asked.output is not None:
        made.save(asked.output)  # before anything is printed: a closed pipe must not lose the ranker
    learned.show(sys.stdout)
    print(f"written to {asked.output}" if asked.output else "not saved: -o FILE writes the ranker to a file")


def _learn(ranker: Ranker, train: Path, validation: Path | None) -> Training:
    """Train the ranker; on a terminal a bar shows the rounds and the value so far.

    A feature that only one of the files has is 0 in the other.
    """
    import time

    from rankgauge.cli.streams import handle_interrupts, show_progress
    from rankgauge.training.documents import Documents, read, widen
    from rankgauge.training.report import Training

    handle_interrupts()
    files = [read(path) for path in (train, validation) if path is not None]
    width = max(table.matrix.shape[1] for table in files)
    learned, *held = (
        ranker.objective(Documents.of(widen(file.matrix, width), file.grades, file.queries, nan=ranker.keeps_nan))
        for file in files
    )
    started = time.perf_counter()
    with show_progress() as tell:

        def watch(round_: int, rounds: int, value: float, checked: float) -> None:
            known = value if math.isnan(checked) else checked
            tell(round_, rounds, ranker.name if math.isnan(known) else f"{ranker.name} {known:.4f}")

        ranker.fit(learned, validation=held[0] if held else None, watch=watch)
    seconds = time.perf_counter() - started
    return Training(ranker=ranker, train=learned, validation=held[0] if held else None, seconds=seconds)
