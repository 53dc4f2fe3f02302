"""The figures of the page on few labels: the board's stream against the yardsticks of the field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from rankgauge.active.board_study import BoardCurve, BoardStudy
from rankgauge.active.yardstick import YARDSTICKS
from rankgauge.errors import InputError
from rankgauge.experiments.board_simulation import SHARES, judged_board
from rankgauge.experiments.board_trials import BoardTrials
from rankgauge.experiments.claims import Number, Paper
from rankgauge.experiments.experiment import Experiment, Measurements, Setting
from rankgauge.experiments.trec import FOLDERS
from rankgauge.report.board_simulation import BoardSimulationReport

METHOD = "leaderboard"
"""The method that the page is about."""

FEWER = 25
"""How often the other yardsticks are tried: their errors are mostly bias, which few repetitions show."""

MEASURES = {
    "TREC-8": ("nDCG@10", "AP", "P@10", "RBP", "ERR@10"),
    "DL19": ("nDCG@10", "AP(rel=2)", "P(rel=2)@10", "RBP(rel=2)", "ERR@10"),
}
"""Passages of DL19 are relevant from grade 2 on, as in the track."""

DIALECT = "standard"
"""Linear gains, as in both tracks."""

AT, AT_WORDS = 0.05, "5 %"
"""The share of the pool at which yardsticks are compared."""


def run(setting: Setting) -> Measurements:
    """Tries every yardstick on both collections, as far as they are there."""
    studies = tuple(_studies(setting))
    if not studies:
        return Measurements(numbers={}, words="no data, so that nothing was tried")
    report = BoardSimulationReport(studies=studies, seed=setting.seed)
    claimed = {condition.number for claim in FEW_LABELS.paper.claims for condition in claim.conditions}
    return Measurements(
        # The report has the others in its tables.
        numbers={name: number for study in studies for name, number in numbers(study) if name in claimed},
        tables={"marks": report.frame()},
        reports={"boards": report},
        words=f"{setting.trials:,} repetitions of {METHOD}, {_fewer(setting)} of the others, seed {setting.seed}",
    )


def _fewer(setting: Setting) -> int:
    return min(FEWER, setting.trials)


def _studies(setting: Setting) -> Iterator[BoardStudy]:
    if setting.data is None:
        return
    there = {title: setting.data / folder for title, (folder, _) in FOLDERS.items() if (setting.data / folder).is_dir()}
    if not there:
        wanted = " or ".join(folder for folder, _ in FOLDERS.values())
        raise InputError(f"there is no folder {wanted}", path=setting.data)
    for title, folder in there.items():
        judged = judged_board(*FOLDERS[title][1](folder), MEASURES[title], dialect=DIALECT)
        trials = BoardTrials(
            methods=tuple(YARDSTICKS),
            labels=tuple(round(share * judged.size) for share in SHARES),
            repetitions=setting.trials,
            fewer={name: _fewer(setting) for name in YARDSTICKS if name != METHOD},
            seed=setting.seed,
            workers=setting.jobs,
            folder=setting.parts,
            progress=setting.progress,
        )
        yield trials.run(judged, title, pool="the judged documents", dialect=DIALECT)


def numbers(study: BoardStudy) -> Iterator[tuple[str, Number]]:
    """What claims are about: the extremes of intervals over budgets, and errors and orders at one budget."""
    at = SHARES.index(AT)
    for measure in study.measures:
        curves, name = study.of(measure), f"{study.title}, {measure.replace('(rel=2)', '')}"
        mine = curves[METHOD]
        yield f"{name}: least coverage of a run", _extreme(mine, "coverage", worst=min)
        yield f"{name}: least coverage of all runs at once", _extreme(mine, "joint_coverage", worst=min)
        yield f"{name}: most often a settled pair is wrong", _extreme(mine, "family_error", worst=max)
        yield f"{name}, {AT_WORDS}: RMSE", _number(mine, "rmse", at)
        yield f"{name}, {AT_WORDS}: bias", _number(mine, "bias", at)
        yield f"{name}, {AT_WORDS}: τ", _number(mine, "tau", at)
        shown = np.flatnonzero(mine.intervals > 0)
        for other, curve in curves.items():
            if other == METHOD or np.isnan(curve.mark("rmse")[0]).any():
                continue
            yield f"{name}, {AT_WORDS}: RMSE over that of {other}", _over(mine, curve, at)
            if len(shown):
                yield f"{name}, first interval: RMSE over that of {other}", _over(mine, curve, int(shown[0]))


def _number(curve: BoardCurve, mark: str, at: int) -> Number:
    mean, error = curve.mark(mark)
    return Number(value=float(mean[at]), error=float(np.nan_to_num(error[at])))


def _extreme(curve: BoardCurve, mark: str, *, worst: Callable[..., float]) -> Number:
    """The mark where it is worst, of the budgets at which intervals are shown; NaN if none is."""
    mean = curve.mark(mark)[0].tolist()
    shown = [value for value in mean if not np.isnan(value)]
    return _number(curve, mark, mean.index(worst(shown))) if shown else Number(value=np.nan)


def _over(mine: BoardCurve, other: BoardCurve, at: int) -> Number:
    """The quotient of two independent errors, and its standard error to the first order."""
    above, below = (_number(curve, "rmse", at) for curve in (mine, other))
    found = above.value / below.value
    spread = np.hypot(above.error / above.value, below.error / below.value)
    return Number(value=found, error=float(found * spread))


FEW_LABELS = Experiment(
    name="few-labels", paper=Paper.read(Path(__file__).with_name("expected.toml")), run=run
).register()
