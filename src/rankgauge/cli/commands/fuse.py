"""rankgauge fuse: one run made of several."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.options import RunSpellingOptions
from rankgauge.cli.parser import Options, argument, option
from rankgauge.errors import OptionError, TooFewQueriesError
from rankgauge.policies import JudgmentKind

if TYPE_CHECKING:
    from rankgauge.fusion import Fusion, FusionMethod
    from rankgauge.fusion.tuning import TuningTask

DEFAULT, WEIGHTED = "rrf", "weighted-sum"
"""The method if none is named: the second one where weights are given or tuned."""

MEASURE, SEED = "nDCG@10", 0
"""What is tuned for and how, unless it is said."""

STANDARD_STREAM = Path("-")


FUSING, TUNING, WRITING = "How to fuse", "Judgments, to test and to tune", "What to write"
"""The groups of options."""


class FuseOptions(Options):
    """The runs, how to fuse them, and how to tune that."""

    runs: list[Path] | None = argument(
        "RUN",
        help="Runs in any format; NAME=FILE gives one a name. Without any, all methods are described.",
        offer=choices.sources,
        required=False,
    )
    output: Path | None = option(
        "-o",
        "--output",
        help="The file to write the run to; its ending names the format.",
        metavar="FILE",
        group=WRITING,
    )
    method: str | None = choices.option(
        "--method",
        registry="rankgauge.fusion:METHODS",
        help=f"How to fuse: {{choices}}; or ranx's name for it. Default: {DEFAULT}, or {WEIGHTED} if weights are "
        "given or tuned.",
        group=FUSING,
    )
    norm: str | None = choices.option(
        "--norm",
        registry="rankgauge.fusion:NORMALISATIONS",
        help="What makes scores comparable: {choices}. Default: min-max; methods on ranks need none.",
        group=FUSING,
    )
    weights: str | None = option(
        "--weights", help="A weight for each run, separated by commas.", metavar="W,W…", group=FUSING
    )
    setting: list[str] | None = option(
        "--set",
        help="A parameter of the method, which is not tuned then; repeatable.",
        metavar="NAME=VALUE",
        group=FUSING,
    )
    ties: str = option(
        "--ties",
        help="Tied documents of a run share what their ranks are worth (expected), or keep its order (input).",
        metavar="POLICY",
        offer=choices.values("expected", "input"),
        default="expected",
        group=FUSING,
    )
    depth: int | None = options.depth_option("Keep the first K documents of each fused list.", group=FUSING)
    judgments: Path | None = option(
        "--judgments",
        help="Judgments: methods that learn do so from them, --tune tunes on them, and the gain of other methods "
        "over the best single run is tested on them.",
        metavar="FILE",
        offer=choices.sources,
        group=TUNING,
    )
    tune: bool = option(
        "--tune", help="Tune weights or parameters on the judged queries, and cross-validate the gain.", group=TUNING
    )
    measure: str | None = options.measure_name(
        f"With judgments: the measure to test, or to optimise with --tune [default: {MEASURE}]."
    )
    dialect: str | None = options.dialect_name("With judgments: the tool to compute the measure as.", None)
    folds: int | None = option(
        "--folds",
        help="With judgments: how many folds to cross-validate in [default: 5, or fewer if fewer queries are judged].",
        metavar="N",
        group=TUNING,
    )
    intents: Path | None = options.INTENTS.but(group=TUNING)
    seed: int | None = options.seed_option(
        f"With judgments: random seed for the cross-validation folds [default: {SEED}].", default=None, group=TUNING
    )
    format: str | None = choices.option(
        "--format",
        registry="rankgauge.files:FORMATS",
        help="The format of the fused run, if its name does not say it: see 'rankgauge formats'.",
        metavar="FORMAT",
        group=WRITING,
    )
    report: str | None = choices.option(
        "--report",
        registry="rankgauge.fusion.report:FusionReport.formats",
        help="How to say what was done: {choices}; or a file with such an ending. With -o - it is said on standard "
        "error, if asked for, tuned or tested.",
        metavar="FORMAT|FILE",
        group=WRITING,
    )
    format_judgments: str | None = options.FORMAT_JUDGMENTS
    queries: Path | None = options.QUERIES
    columns: str | None = options.COLUMNS
    scale: str | None = options.SCALE
    ids: str | None = options.SAME_IDS


@command(
    "fuse",
    "rankgauge fuse",
    "rankgauge fuse bm25.txt dense.txt.gz -o fused.txt",
    "rankgauge fuse bm25.txt dense.txt.gz --weights 0.3,0.7 --norm z-score -o fused.txt",
    "rankgauge fuse bm25.txt dense.txt.gz --judgments qrels.txt -m nDCG@10",
    "rankgauge fuse bm25.txt dense.txt.gz --method probfuse --judgments qrels.txt -o fused.run",
    "rankgauge fuse bm25.txt dense.txt.gz --judgments qrels.txt --tune -m nDCG@10 -d trec_eval -o fused.txt",
    place=25,
    page="fusion.md",
    first=("output", "method", "norm", "weights", "judgments", "tune"),
)
def fuse(asked: FuseOptions) -> None:
    """Make one run of several, and say whether it gains more than luck over the best of them."""
    from rankgauge.fusion.report import FusionReport, show_methods

    if asked == FuseOptions():  # with options, a glob may have matched nothing
        show_methods(sys.stdout)
        return
    format_, path = FusionReport.find(asked.report or "table")
    fusion, gain = _fuse_runs(asked, asked.runs or [], path)
    if asked.output is not None:
        fusion.write(asked.output, asked.format)  # before anything is printed: a closed pipe must not lose the run
    report = FusionReport(fusion=fusion, **gain, output=None if asked.output is None else str(asked.output))
    if asked.output == STANDARD_STREAM and path is None:
        if asked.report is not None or gain:
            format_.write(report, sys.stderr)
        return
    from rankgauge.cli.streams import write_report

    write_report(report, [(format_, path)])


def _fuse_runs(asked: FuseOptions, runs: list[Path], report: Path | None) -> tuple[Fusion, dict[str, Any]]:
    """Return the fused run, and what it gains if judgments tell; a wrong name or value shows before files are read."""
    from rankgauge.cli.runs import name_runs
    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, show_progress
    from rankgauge.fusion import FusionPlan
    from rankgauge.fusion.run_pool import RunPool, refuse_few

    sources = name_runs(runs)
    refuse_few(sources)
    plan = FusionPlan.of(
        _method(asked), norm=asked.norm, ties=asked.ties, depth=asked.depth, by_default=asked.method is None
    )
    plan.method.check(len(sources))
    _refuse_unused(asked, plan.method)
    task = _task(asked, plan.method)
    if task is not None:
        task.check()
    if task is not None and asked.tune:
        task.check_tunable(plan.method)
    refuse_overwriting([*sources.values(), asked.judgments, asked.intents], [asked.output, report])
    handle_interrupts(*sources.values())
    kind = JudgmentKind.GRADES if task is None else task.asks
    spelling = asked.part(RunSpellingOptions)
    judgments = spelling.judgments(asked.judgments, asked.format_judgments, kind)
    with show_progress() as tell:
        pool = RunPool.of(spelling.files(sources), tell)
        if task is None:
            return plan.run(pool, judgments=judgments, watch=tell), {}
        try:
            tested = (task.tune if asked.tune else task.test)(plan, pool, judgments, watch=tell)
        except TooFewQueriesError as error:
            if asked.tune or asked.folds is not None:
                raise
            return plan.run(pool, watch=tell), {"untested": error.problem}
        return tested.plan.run(pool, watch=tell), {"tested": tested}


def _method(asked: FuseOptions) -> FusionMethod:
    """Return the method with its parameters."""
    from rankgauge.cli.options import settings_of
    from rankgauge.fusion.method import METHODS, find, make_method

    name = asked.method or (WEIGHTED if asked.tune or asked.weights is not None else DEFAULT)
    known = find(METHODS, name).constraints()
    settings = settings_of(asked.setting or (), known, kind=f"parameter of {name}", example="k=60")
    return make_method(name, weights=_weights(asked.weights), **settings)


def _weights(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--weights takes numbers separated by commas, e.g. --weights 0.3,0.7; got {text!r}."
        ) from None


def _refuse_unused(asked: FuseOptions, method: FusionMethod) -> None:
    """Raise an error for options that would do nothing: who forgets the judgments, or --tune, should hear of it."""
    from rankgauge.fusion.method import LearnedMethod

    learns = isinstance(method, LearnedMethod)
    if asked.tune or (asked.judgments is not None and not learns):
        return
    needs = f"--tune: {method.name} learns from all judgments otherwise" if learns else "--judgments, e.g. qrels.txt"
    names = ("measure", "dialect", "folds", "seed", "intents")
    if problems := [f"--{name} needs {needs}." for name in names if getattr(asked, name) is not None]:
        raise OptionError(*problems)


def _task(asked: FuseOptions, method: FusionMethod) -> TuningTask | None:
    """Return what to tune or test for, if anything; what a method learns from is no test of it."""
    from rankgauge.fusion.method import LearnedMethod

    if asked.tune and asked.judgments is None:
        raise OptionError("--tune needs --judgments, e.g. --judgments qrels.txt.")
    if asked.judgments is None or (isinstance(method, LearnedMethod) and not asked.tune):
        return None
    if asked.tune and asked.weights is not None:
        raise OptionError("--tune chooses the weights: leave --weights out.")
    if len(options.names([asked.measure or MEASURE])) > 1:
        raise OptionError(f"-m takes one measure here, e.g. -m nDCG@10; got {asked.measure}.")
    from rankgauge import dialects
    from rankgauge.fusion import TuningTask

    return TuningTask(
        fixed=frozenset(setting.partition("=")[0].strip() for setting in asked.setting or ()),
        measure=asked.measure or MEASURE,
        dialect=dialects.get(asked.dialect or "standard").on_scale(asked.scale, asked.measure or MEASURE),
        folds=asked.folds,
        seed=asked.seed or SEED,
        intents=asked.intents,
    )
