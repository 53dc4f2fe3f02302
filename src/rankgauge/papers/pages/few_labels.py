"""The figures of the page on few labels: the board's stream against the yardsticks of the field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.simulations.report import BoardSimulationReport
from rankgauge.labelling.simulations.study import BoardCurve, BoardStudy
from rankgauge.labelling.simulations.trials import SHARES, BoardTrials, judged_board
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard
from rankgauge.numeric import FloatArray
from rankgauge.papers.experiment import PAPERS, UNTRIED, Experiment, Measurements, Number, Setting
from rankgauge.papers.trec import FOLDERS, collections

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

JUDGED_MEASURES = ("nDCG@10", "AP(rel=2)")
"""What is estimated with a judge."""

FAIR, RANDOM, RIGHT, NOBODY, ALONE = "llama-70b", "random", "always right", "no judge", "judge"
"""The fair judge of DL19, two judges that are made up, the lack of one, and the yardstick that asks nobody."""

MORE = 3
"""How many times more often the stream is tried with a judge: differences between judges are small."""

AT, AT_WORDS = 0.05, "5 %"
"""The share of the pool at which yardsticks are compared."""


@Experiment.in_file(__file__)
def run(setting: Setting) -> Measurements:
    """Try every yardstick on both collections, as far as they are there."""
    few = min(FEWER, setting.trials)
    studies = tuple(_studies(setting, few))
    if not studies:
        return UNTRIED
    report = BoardSimulationReport(studies=studies, seed=setting.seed)
    measured = {name: number for study in studies for name, number in numbers(study)}
    by_title = {study.title: study for study in studies}
    for title in FOLDERS:
        none, useless = (by_title.get(f"{title} with {name}") for name in (NOBODY, RANDOM))
        if none is None or useless is None:
            continue
        for measure in none.measures:
            worse = _paired_over(useless.of(measure)[METHOD], none.of(measure)[METHOD], SHARES.index(AT))
            measured[f"{title}, {_short(measure)}, {AT_WORDS}: RMSE with a random judge over that with none"] = worse
    claimed = {condition.number for claim in PAPERS["few-labels"].paper.claims for condition in claim.conditions}
    return Measurements(
        # The report has the others in its tables.
        numbers={name: number for name, number in measured.items() if name in claimed},
        tables={"marks": report.frame()},
        reports={"boards": report},
        words=f"{setting.trials:,} repetitions of {METHOD}, {few} of the others, seed {setting.seed}",
    )


def _studies(setting: Setting, few: int) -> Iterator[BoardStudy]:
    """Try the yardsticks on each collection, and the stream with each judge beside the yardsticks that use one."""
    for title, folder in collections(setting.data).items():
        pool, grades = FOLDERS[title][1](folder)
        plain = [name for name, one in YARDSTICKS.items() if not (one.judge or one.slow or name == METHOD)]
        judged = judged_board(pool, grades, MEASURES[title], dialect=DIALECT)
        yield _study(setting, judged, title, others=dict.fromkeys(plain, few), repetitions=setting.trials)
        for name, said in judges_of(pool, grades, folder).items():
            asking = [one for one, yardstick in YARDSTICKS.items() if yardstick.judge and name != NOBODY]
            others = {one: 2 if one == ALONE else few for one in asking}
            judged = judged_board(said, grades, JUDGED_MEASURES, dialect=DIALECT)
            repetitions, titled = MORE * setting.trials, f"{title} with {name}"
            yield _study(setting, judged, titled, others=others, repetitions=repetitions, judges=name)


def judges_of(pool: BoardPool, grades: FloatArray, folder: Path) -> dict[str, BoardPool]:
    """The pool with each of the judges in the folder `llm`, with none, with one whose grades are those of the first
    dealt out at random, and with one that is always right."""
    files = sorted((folder / "llm").glob("*.qrels"))
    if not files:
        return {}
    ids = pool.ids
    fair = pool.judged_by({FAIR: next((file for file in files if FAIR in file.name), files[0])}).judges[0].grades
    dealt = np.random.default_rng(0).permutation(fair)
    made = {RANDOM: ids.with_columns(grade=pl.Series(dealt)), RIGHT: ids.with_columns(grade=pl.Series(grades))}
    given = {file.name.partition("-four")[0].removesuffix(".qrels"): file for file in files}
    return {NOBODY: pool, **{name: pool.judged_by({name: source}) for name, source in {**given, **made}.items()}}


def _study(
    setting: Setting, judged: JudgedBoard, title: str, *, others: Mapping[str, int], repetitions: int, **facts: str
) -> BoardStudy:
    trials = BoardTrials(
        methods=(METHOD, *others),
        labels=tuple(round(share * judged.size) for share in SHARES),
        repetitions=repetitions,
        fewer=others,
        seed=setting.seed,
        workers=setting.jobs,
        folder=setting.parts,
        progress=setting.progress,
    )
    return trials.run(judged, title, pool="the judged documents", dialect=DIALECT, **facts)


def _paired_over(mine: BoardCurve, other: BoardCurve, at: int) -> Number:
    """The quotient of two errors whose repetitions have the same seeds, so that much of their luck is the same."""
    above, below = (curve.marks["rmse"][at] for curve in (mine, other))
    squared = above.mean() / below.mean()
    spread = np.std(above - squared * below, ddof=1) / np.sqrt(len(below)) / below.mean()
    return Number(value=float(np.sqrt(squared)), error=float(spread / (2 * np.sqrt(squared))))


def _short(measure: str) -> str:
    return measure.replace("(rel=2)", "")


def numbers(study: BoardStudy) -> Iterator[tuple[str, Number]]:
    """Yield what claims are about: the extremes of intervals over budgets, and errors and orders at one budget."""
    at = SHARES.index(AT)
    for measure in study.measures:
        curves, name = study.of(measure), f"{study.title}, {_short(measure)}"
        mine = curves[METHOD]
        yield f"{name}: least coverage of a run", _extreme(mine, "coverage", worst=min)
        yield f"{name}: least coverage of all runs at once", _extreme(mine, "joint_coverage", worst=min)
        yield f"{name}: most often a settled pair is wrong", _extreme(mine, "family_error", worst=max)
        for words, mark in (("RMSE", "rmse"), ("bias", "bias"), ("coverage of a run", "coverage"), ("τ", "tau")):
            yield f"{name}, {AT_WORDS}: {words}", _number(mine, mark, at)
        shown = np.flatnonzero(mine.intervals > 0)
        for other, curve in curves.items():
            # At most this quotient where the other's labels are not enough for so small an error.
            fewer = Number(value=mine.enough(0.03).labels / curve.enough(0.03).labels)
            yield f"{name}: labels of {METHOD} for an RMSE of 0.03 over those of {other}", fewer
            if other == METHOD or np.isnan(curve.mark("rmse")[0]).any():
                continue
            yield f"{name}, {AT_WORDS}: RMSE over that of {other}", _over(mine, curve, at)
            if len(shown):
                yield f"{name}, first interval: RMSE over that of {other}", _over(mine, curve, int(shown[0]))


def _number(curve: BoardCurve, mark: str, at: int) -> Number:
    mean, error = curve.mark(mark)
    return Number(value=float(mean[at]), error=float(np.nan_to_num(error[at])))


def _extreme(curve: BoardCurve, mark: str, *, worst: Callable[..., float]) -> Number:
    """Return the mark where it is worst, of the budgets at which intervals are shown; NaN if none is."""
    mean = curve.mark(mark)[0].tolist()
    shown = [value for value in mean if not np.isnan(value)]
    return _number(curve, mark, mean.index(worst(shown))) if shown else Number(value=np.nan)


def _over(mine: BoardCurve, other: BoardCurve, at: int) -> Number:
    """Return the quotient of two independent errors, and its standard error to the first order."""
    above, below = (_number(curve, "rmse", at) for curve in (mine, other))
    if not below.value > 0:
        return Number(value=np.inf if above.value > 0 else 1.0)
    quotient = above.value / below.value
    spread = np.hypot(above.error / above.value, below.error / below.value)
    return Number(value=quotient, error=float(quotient * spread))
