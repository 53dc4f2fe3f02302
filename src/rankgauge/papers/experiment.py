"""Claims of a paper, as its TOML file states them, and the contract and registry of experiments that test them.

A condition bounds a number that the experiment measures. A number that is two standard errors away from its bounds
decides; one that is nearer leaves the condition undecided, since the interval around it contains both answers. A number
from a deterministic table has no error.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from rankgauge.errors import ParameterError
from rankgauge.labelling.simulations.jobs import Progress, cores, report_nothing
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.registry import Registered, Registry

if TYPE_CHECKING:
    import altair as alt

    from rankgauge.render.format import Report


CLEAR = 2.0
"""How many standard errors a number must be away from a bound to decide."""


class Verdict(StrEnum):
    """The result for a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNDECIDED = "undecided"
    UNTESTED = "not tested"


@dataclass(frozen=True, kw_only=True)
class Number:
    """A measured number and its standard error, which is 0 if nothing was drawn at random."""

    value: float
    error: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Condition:
    """The bounds that a number must lie within."""

    number: str
    above: float = -math.inf
    below: float = math.inf
    words: str
    """What is expected of the number."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Condition:
        """Return the condition of an entry in the file: `above`, `below` or both, or `printed`, which is rounded to."""
        if (printed := entry.get("printed")) is not None:
            value, half = float(printed), 0.5 * 10.0 ** -len(printed.partition(".")[2])
            return cls(number=entry["number"], above=value - half, below=value + half, words=f"paper: {printed}")
        return cls(
            **entry, words=" and ".join(f"{side} {entry[side]:g}" for side in ("above", "below") if side in entry)
        )

    def verdict(self, number: Number | None) -> Verdict:
        """Say whether the number lies within the bounds."""
        if number is None or math.isnan(number.value):
            return Verdict.UNTESTED
        inside = min(number.value - self.above, self.below - number.value)
        if abs(inside) < CLEAR * number.error:
            return Verdict.UNDECIDED
        return Verdict.HOLDS if inside >= 0 else Verdict.FAILS


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of a paper, and how it is tested."""

    place: str
    words: str
    tested: str
    conditions: tuple[Condition, ...]
    needs: str = ""
    """What the user must supply for the test; empty if nothing."""

    def verdict(self, numbers: Mapping[str, Number]) -> Verdict:
        """Hold if every condition does, does not hold if none does, and holds in part if some do and some do not.

        Undecided if a condition is, unless the verdict is the same whichever way it goes.
        """
        verdicts = {condition.verdict(numbers.get(condition.number)) for condition in self.conditions}
        if Verdict.UNTESTED in verdicts:
            return Verdict.UNTESTED
        if {Verdict.HOLDS, Verdict.FAILS} <= verdicts:
            return Verdict.IN_PART
        return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else verdicts.pop()


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: what it is called, what it claims, and which figures are drawn."""

    title: str
    reference: str
    claims: tuple[Claim, ...]
    figures: Mapping[str, str]
    """What each figure shows, by the name of its file."""

    @classmethod
    def read(cls, path: Path) -> Paper:
        """Read the paper in a TOML file."""
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        claims = tuple(
            Claim(**{**entry, "conditions": tuple(map(Condition.of, entry["conditions"]))})
            for entry in content["claims"]
        )
        return cls(title=content["title"], reference=content["reference"], claims=claims, figures=content["figures"])


def fold_means(values: FloatArray, fold: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean over folds of each fold's mean over its queries (the last axis), and its standard error.

    Queries without a value (NaN) are left out. Each fold has the standard error of its queries' mean; the folds' errors
    are added in quadrature. For differences between two rankers on the same queries these are paired errors.
    """
    means, errors = [], []
    for number in np.unique(fold):
        part = values[..., fold == number]
        n = (~np.isnan(part)).sum(axis=-1)
        means.append(np.nanmean(part, axis=-1))
        errors.append(np.nanstd(part, axis=-1, ddof=1) / np.sqrt(n))
    return np.mean(means, axis=0), np.sqrt((np.array(errors) ** 2).sum(axis=0)) / len(errors)


def fold_number(values: FloatArray, fold: IndexArray) -> Number:
    """Return the mean of fold means, from one value per query, as a number with its standard error."""
    mean, error = fold_means(values, fold)
    return Number(value=float(mean), error=float(error))


def jackknife(values: FloatArray, statistic: Callable[[FloatArray], FloatArray]) -> Number:
    """Return a statistic of the means over trials (the last axis), with its jackknife standard error.

    The statistic takes means with one more axis at the end and works on the axes before it. For the mean itself the
    error is the usual s/√n. Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11.
    """
    n = values.shape[-1]
    added = values.sum(axis=-1, keepdims=True)
    whole = statistic(added / n)
    without = statistic((added - values) / (n - 1))
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return Number(value=float(whole[0]), error=float(error))


Figure: TypeAlias = "Callable[[], alt.TopLevelMixin]"
"""Draws a figure, if it is wanted."""

PAPERS: Registry[Experiment] = Registry("paper", "rankgauge.papers.published", "rankgauge.papers.pages")
"""Papers, and pages of ours whose figures are measured the same way."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How an experiment is run: trials, seed, folder of the data, processes, and whether in the paper's full size."""

    trials: int = 100
    seed: int = 0
    data: Path | None = None
    jobs: int = field(default_factory=cores)
    """How many processes may run at once."""
    folder: Path | None = None
    """Where finished parts are kept, so that an interrupted experiment can go on; None: in a temporary folder."""
    full: bool = False
    """Whether the paper's own settings are used where the usual ones are quicker."""
    progress: Progress = field(default=report_nothing, compare=False)

    @property
    def parts(self) -> Path | None:
        """The folder of the finished parts."""
        return None if self.folder is None else self.folder / "parts"

    def __post_init__(self) -> None:
        if self.trials < 2:
            raise ParameterError("reproduce", "trials", "a whole number, 2 or more, for a standard error", self.trials)
        if self.jobs < 1:
            raise ParameterError("reproduce", "jobs", "a whole number, 1 or more", self.jobs)


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurements:
    """What an experiment measured: the numbers that claims are about, tables and figures."""

    numbers: Mapping[str, Number]
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    reports: Mapping[str, Report] = field(default_factory=dict)
    """What is shown and written in full, beside the claims."""
    words: str = ""
    """How it was run, if the number of trials and the seed do not say it."""

    def __or__(self, other: Measurements) -> Measurements:
        """Both together."""
        names = ("numbers", "tables", "figures", "reports")
        both = {name: {**getattr(self, name), **getattr(other, name)} for name in names}
        return Measurements(**both, words=self.words or other.words)


UNTRIED = Measurements(numbers={}, words="no data, so that nothing was tried")


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment(Registered):
    """A paper's experiments as code, or those of a page of ours."""

    registry = PAPERS

    name: str
    paper: Paper
    run: Callable[[Setting], Measurements]
    trials: int = 100
    """The default number of trials; the paper may have more."""
    has_full: bool = False
    """Whether the paper's own settings are slower than the usual ones, so that `Setting.full` makes a difference."""

    @classmethod
    def in_file(cls, file: str, **settings: Any) -> Callable[[Callable[[Setting], Measurements]], Any]:
        """Register the decorated function of a file, or of a folder; its claims are in the TOML file beside it."""
        home = Path(file).parent if Path(file).stem == "__init__" else Path(file).with_suffix("")
        paper = Paper.read(home.with_suffix(".toml"))

        def register(run: Callable[[Setting], Measurements]) -> Any:
            cls(name=home.name.replace("_", "-"), paper=paper, run=run, **settings).register()
            return run

        return register
