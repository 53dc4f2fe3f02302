"""rankgauge fuse: one run made of several."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.options import RunSpellingOptions
from rankgauge.errors import InputError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from rankgauge.fusion import FusionMethod
    from rankgauge.fusion.tuning import TuningTask

DEFAULT, WEIGHTED = "rrf", "weighted-sum"
"""The method if none is named: the second one where weights are given or tuned."""

STANDARD_STREAM = Path("-")


@dataclass(frozen=True, kw_only=True)
class FuseOptions:
    """The runs, how to fuse them, and how to tune that."""

    runs: Annotated[
        list[Path] | None,
        Argument(
            help="Runs in any format; NAME=FILE gives one a name. Without any, all methods are described.",
            metavar="RUN",
            autocompletion=choices.sources,
        ),
    ] = None
    output: Annotated[
        Path | None,
        Option("-o", "--output", help="The file to write the run to; its ending names the format.", metavar="FILE"),
    ] = None
    method: Annotated[
        str | None,
        choices.option(
            "--method",
            registry="rankgauge.fusion:METHODS",
            help=f"How to fuse: {{choices}}; or ranx's name for it. Default: {DEFAULT}, or {WEIGHTED} if weights are "
            "given or tuned.",
        ),
    ] = None
    norm: Annotated[
        str | None,
        choices.option(
            "--norm",
            registry="rankgauge.fusion:NORMALISATIONS",
            help="What makes scores comparable: {choices}. Default: min-max; methods on ranks need none.",
        ),
    ] = None
    weights: Annotated[
        str | None, Option("--weights", help="A weight for each run, separated by commas.", metavar="W,W…")
    ] = None
    setting: Annotated[
        list[str] | None,
        Option("--set", help="A parameter of the method; repeatable.", metavar="NAME=VALUE"),
    ] = None
    ties: Annotated[
        str,
        Option(
            "--ties",
            help="Tied documents of a run share what their ranks are worth (expected), or keep its order (input).",
            metavar="POLICY",
            autocompletion=choices.values("expected", "input"),
        ),
    ] = "expected"
    depth: Annotated[
        int | None, Option("-M", "--depth", min=1, help="Keep the first K documents of each fused list.", metavar="K")
    ] = None
    judgments: Annotated[
        Path | None,
        Option(
            "--judgments",
            help="Judgments: methods that learn do so from them, and --tune tunes on them.",
            metavar="FILE",
            autocompletion=choices.sources,
        ),
    ] = None
    tune: Annotated[
        bool, Option("--tune", help="Tune weights or parameters on the judged queries, and cross-validate the gain.")
    ] = False
    measure: Annotated[str, options.measure_name("--measure", "With --tune: the measure to make large.")] = "nDCG@10"
    dialect: options.DialectName = "standard"
    folds: Annotated[int, Option("--folds", help="With --tune: how many folds to cross-validate in.", metavar="N")] = 5
    seed: Annotated[int, Option("--seed", help="With --tune: the seed by which queries are dealt.", metavar="N")] = 0
    format: Annotated[
        str | None,
        choices.option(
            "--format",
            registry="rankgauge.io:FORMATS",
            help="The format of the fused run, if its name does not say it: see 'rankgauge formats'.",
            metavar="FORMAT",
        ),
    ] = None
    report: Annotated[
        str,
        choices.option(
            "--report",
            registry="rankgauge.report.fusion:FusionReport.formats",
            help="How to say what was done: {choices}; or a file with such an ending.",
            metavar="FORMAT|FILE",
        ),
    ] = "table"
    queries: options.QueryList = None
    columns: options.Columns = None
    scale: options.ScaleName = None
    ids: options.SameIds = None

    @property
    def spelling(self) -> RunSpellingOptions:
        """How the files spell things."""
        return RunSpellingOptions(columns=self.columns, scale=self.scale, ids=self.ids, queries=self.queries)


@command(
    "fuse",
    "rankgauge fuse",
    "rankgauge fuse bm25.txt dense.txt.gz -o fused.txt",
    "rankgauge fuse bm25.txt dense.txt.gz --weights 0.3,0.7 --norm z-score -o fused.txt",
    "rankgauge fuse bm25.txt dense.txt.gz --method probfuse --judgments qrels.txt -o fused.run",
    "rankgauge fuse bm25.txt dense.txt.gz --judgments qrels.txt --tune -m nDCG@10 -d trec_eval -o fused.txt",
    place=25,
)
def fuse(asked: FuseOptions) -> None:
    """Make one run of several, and say whether tuned weights gain more than luck."""
    from rankgauge.report.fusion import FusionReport, show_methods

    if not asked.runs:
        show_methods(sys.stdout)
        return
    format_, path = FusionReport.find(asked.report)
    fusion, tuned = _fused(asked, asked.runs)
    if asked.output is not None:
        fusion.write(asked.output, asked.format)  # before anything is printed: a closed pipe must not lose the run
    if asked.output == STANDARD_STREAM and path is None:
        return
    from rankgauge.cli.streams import opened

    report = FusionReport(fusion=fusion, tuned=tuned, output=None if asked.output is None else str(asked.output))
    with opened(path) as stream:
        format_.write(report, stream)


def _fused(asked: FuseOptions, runs: list[Path]) -> Any:
    """The fused run, and the tuned fusion if that was asked for; a wrong name or value shows before files are read."""
    from rankgauge.cli.progress import told
    from rankgauge.cli.runs import named
    from rankgauge.cli.streams import heed, spare
    from rankgauge.fusion import FusionPlan
    from rankgauge.fusion.run_pool import RunPool

    sources = named(runs)
    plan = FusionPlan.of(_method(asked), norm=asked.norm, ties=asked.ties, depth=asked.depth)
    plan.method.check(len(sources))
    task = _task(asked)
    if task is not None:
        task.check(plan)
    spare([*sources.values(), asked.judgments], [asked.output])
    if asked.output is not None and not asked.output.resolve().parent.is_dir():
        raise InputError("no such folder", path=asked.output.parent)
    heed(*sources.values())
    judgments = asked.spelling.maybe(asked.judgments)
    with told() as tell:
        pool = RunPool.of(asked.spelling.files(sources), tell)
        if task is None:
            return plan.checked(pool).run(pool, judgments=judgments, watch=tell), None
        tuned = task.run(plan, pool, judgments, watch=tell)
        return tuned.fused(tell), tuned


def _method(asked: FuseOptions) -> FusionMethod:
    """The method with its parameters."""
    from rankgauge.constraints import literal
    from rankgauge.fusion.method import find, made

    name = asked.method or (WEIGHTED if asked.tune or asked.weights is not None else DEFAULT)
    known = find(name).constraints()
    settings: dict[str, Any] = {}
    for text in asked.setting or []:
        parameter, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ParameterError("fuse", "set", "written as NAME=VALUE, as in --set k=60", text)
        if parameter not in known:
            raise UnknownNameError(f"parameter of {name}", parameter, known)
        settings[parameter] = literal(value)
    return made(name, weights=_weights(asked.weights), **settings)


def _weights(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError("fuse", "weights", "numbers separated by commas, as in 0.3,0.7", text) from None


def _task(asked: FuseOptions) -> TuningTask | None:
    """What to tune for, if anything."""
    if not asked.tune:
        return None
    if asked.judgments is None:
        raise ParameterError("fuse", "judgments", "given with --tune, as in --judgments qrels.txt", None)
    if asked.weights is not None:
        raise ParameterError("fuse", "weights", "left out with --tune, which chooses them", asked.weights)
    from rankgauge import dialects
    from rankgauge.fusion import TuningTask

    return TuningTask(measure=asked.measure, dialect=dialects.get(asked.dialect), folds=asked.folds, seed=asked.seed)
