"""The contract of an experiment, and the registry that the folders of papers and of our own pages fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rankgauge.errors import ParameterError
from rankgauge.labelling.simulations.jobs import Progress, cores, unreported
from rankgauge.papers.claims import Number, Paper
from rankgauge.registry import Registered, Registry

if TYPE_CHECKING:
    import altair as alt

    from rankgauge.render.format import Report

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
    progress: Progress = field(default=unreported, compare=False)

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
        return Measurements(
            numbers={**self.numbers, **other.numbers},
            tables={**self.tables, **other.tables},
            figures={**self.figures, **other.figures},
            reports={**self.reports, **other.reports},
            words=self.words or other.words,
        )


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
