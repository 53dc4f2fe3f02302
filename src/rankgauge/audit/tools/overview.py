"""The audit: runs under every tool side by side, and why the tools differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects as known
from rankgauge.audit.tools.attribution import UNSEEN, Attribution, attribute
from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.scores import FRAMEWORKS, Conditions, Scores, averaged, fitting, reason, taking_copies
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.evaluation import display
from rankgauge.measures import Cutoff, Measure
from rankgauge.numeric import FloatArray
from rankgauge.policies import Duplicates

CUTOFFS = range(1, 11)
"""The cutoffs that a measure is shown at, besides its own."""


def audit(
    judgments: Any,
    runs: Any,
    measure: str | Measure = "nDCG@10",
    *,
    dialects: Iterable[str | Dialect] | None = None,
    base: str | Dialect = "standard",
    scale: Any = None,
) -> Audit:
    """Compute one measure of runs as every tool does, and split the differences between tools into their causes.

    >>> judgments = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 0}}
    >>> run = {"q1": {"b": 9.0, "a": 8.0}, "q2": {"d": 1.0}}
    >>> parts = audit(judgments, run, dialects=["standard", "ranx", "letor4"]).parts
    >>> [(row["tool"], round(row["mean"], 3)) for row in parts.iter_rows(named=True)]
    [('ranx', 0.24), ('standard', 0.24), ('letor4', 0.0)]

    `judgments` and each run are paths, frames or dicts of dicts; `runs` is one run or a mapping of names to runs.
    `dialects` are those to compare (default: those that fit the files and have the measure), `base` is the one to
    compare with.
    `scale` is that of `evaluate`: its threshold counts for every tool that has none of its own.
    """
    named: Mapping[str, Any] = runs if _is_mapping_of_runs(runs) else {"run": runs}
    (wanted,) = averaged([measure])
    first, kind = next(iter(named.values())), wanted.facts.judgments
    scores = Scores.of(judgments, named, kind)
    lacking: tuple[str, ...] = ()
    if dialects is None:
        asked = list(fitting(judgments, first, kind))
        if any(one.repeats for one in scores.values()):
            asked += [known.get(name) for name in FRAMEWORKS if known.get(name) not in asked]  # others refuse such runs
        lacking = tuple(one.name for one in asked if not one.has(wanted))
        asked = [one for one in asked if one.name not in lacking]
    else:
        asked = [known.get(name) for name in dialects]
    against, *asked = (one.on_scale(scale, wanted).provider(wanted) for one in (known.get(base), *asked))
    if any(one.duplicates is not Duplicates.REFUSE for one in asked):  # else every tool refuses copies alike
        against, plain = taking_copies(against, scores.values()), against
        asked = [one for one in asked if one != plain]
    return Audit.of(scores, wanted, tuple(dict.fromkeys((against, *asked))), against, lacking)


def _is_mapping_of_runs(runs: Any) -> bool:
    """Say whether it maps names to runs; a dict of dicts of scores, or of lists of documents, is a single run."""
    if not isinstance(runs, Mapping) or not runs:
        return False
    inner = next(iter(runs.values()))
    if isinstance(inner, Mapping):
        return isinstance(next(iter(inner.values()), None), Mapping | list | tuple)
    return not isinstance(inner, list | tuple)


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """Runs under several dialects by one measure."""

    measure: Measure
    scores: Mapping[str, Scores]
    dialects: tuple[Dialect, ...]
    """Those that accept every run, `base` first."""
    base: Dialect
    refused: Mapping[str, str]
    """By the dialect's name, why its tool refuses the input."""
    lacking: tuple[str, ...] = ()
    """The tools that fit the files, but do not have the measure."""

    @classmethod
    def of(
        cls,
        scores: Mapping[str, Scores],
        measure: Measure,
        dialects: tuple[Dialect, ...],
        base: Dialect,
        lacking: tuple[str, ...] = (),
    ) -> Audit:
        """Return the audit by the dialects that accept the input; if none does, that is an error."""
        taking, errors = [], dict[str, RankGaugeError]()
        for dialect in dialects:
            try:
                for one in scores.values():
                    one.mean(dialect, measure)
                taking.append(dialect)
            except RankGaugeError as error:
                errors[dialect.name] = error
        refused = {name: reason(error) for name, error in errors.items()}
        if not taking:
            # All tools stop at the same place in a file: then the file is at fault.
            places = {str(one) if isinstance(one, InputError) and one.path else None for one in errors.values()}
            if len(places) == 1 and None not in places:
                raise errors[dialects[0].name]
            raise InputError(f"no tool accepts this input; {dialects[0].name} says: {refused[dialects[0].name]}")
        first = base if base in taking else taking[0]
        return cls(measure=measure, scores=scores, dialects=tuple(taking), base=first, refused=refused, lacking=lacking)

    @property
    def several(self) -> bool:
        """Whether there is more than one run."""
        return len(self.scores) > 1

    def mean(self, run: str, dialect: Dialect, measure: Measure | None = None) -> float:
        """Return what the run gets from the dialect."""
        return self.scores[run].mean(dialect, measure or self.measure)

    def values(self, run: str, dialect: Dialect, measure: Measure | None = None) -> FloatArray:
        """Return the value of each judged query; NaN where it does not count."""
        return self.scores[run].values(dialect, measure or self.measure)

    def ranked(self, run: str) -> list[Dialect]:
        """Return the dialects by what they give the run, the lowest first."""
        return sorted(self.dialects, key=lambda dialect: np.nan_to_num(self.mean(run, dialect), nan=-np.inf))

    @cached_property
    def conditions(self) -> Mapping[str, Conditions]:
        """By run, what its queries are like."""
        return {run: Conditions.of(scores, self.base, self.measure) for run, scores in self.scores.items()}

    def attribution(self, run: str, other: Dialect, base: Dialect | None = None) -> Attribution:
        """Return why a dialect gives the run another number than `base` does."""
        return attribute(self.scores[run], base or self.base, other, self.measure)

    @cached_property
    def attributions(self) -> Mapping[str, Mapping[str, Attribution]]:
        """By run and dialect, why the dialect differs from the base."""
        return {
            run: {dialect.name: self.attribution(run, dialect) for dialect in self.dialects if dialect != self.base}
            for run in self.scores
        }

    @cached_property
    def gaps(self) -> Mapping[str, Attribution]:
        """By run, why the highest dialect differs from the lowest; runs to which all give the same are left out."""
        found = {}
        for run in self.scores:
            known = [dialect for dialect in self.ranked(run) if not np.isnan(self.mean(run, dialect))]
            if known and self.mean(run, known[-1]) - self.mean(run, known[0]) > UNSEEN:
                found[run] = self.attribution(run, known[-1], known[0])
        return found

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The causes that visibly move some run's number under some dialect, in the order of their list."""
        return self._moving(())

    @cached_property
    def told_causes(self) -> tuple[Cause, ...]:
        """The causes, and those that matter only between the highest and the lowest dialect, not against the base.

        An empty query with a short list is one: `standard` counts it 0 for the first reason, a tool that counts short
        lists as 0 for both, and only a tool that counts empty queries as 1 shows that there are two.
        """
        return self._moving(self.gaps.values())

    def _moving(self, more: Iterable[Attribution]) -> tuple[Cause, ...]:
        found = [*(one for found in self.attributions.values() for one in found.values()), *more]
        moving = dict.fromkeys(part.cause for one in found for part in one.parts if part.shows)
        return tuple(sorted(moving, key=lambda cause: cause.place))

    @cached_property
    def parts(self) -> pl.DataFrame:
        """A row per run and dialect: its mean, the difference from the base, and what each cause adds to that."""
        rows = []
        for run, found in self.attributions.items():
            for dialect in reversed(self.ranked(run)):
                one = found.get(dialect.name)
                amounts = {cause.name: 0.0 if one is None else one.amount(cause) for cause in self.causes}
                difference = 0.0 if one is None else one.difference
                mean = self.mean(run, dialect)
                rows.append({"run": run, "tool": dialect.name, "mean": mean, "difference": difference, **amounts})
        return pl.DataFrame(rows)

    def to_pandas(self, table: str = "parts") -> Any:
        """Return the `parts` as a pandas frame."""
        return display.pandas(self, ("parts",), table)

    def _repr_html_(self) -> str:
        rows = [
            (row["run"], row["tool"], *(f"{row[name]:.4f}" for name in self.parts.columns[2:]))
            for row in self.parts.iter_rows(named=True)
        ]
        return display.table(self.parts.columns, rows, f"{self.measure}; differences from {self.base.name}, by cause")

    @cached_property
    def cutoffs(self) -> tuple[Measure, ...]:
        """The measure at the cutoffs 1 to 10 and at its own; empty if it takes no rank as a cutoff."""
        if self.measure.facts.cutoff not in (Cutoff.OPTIONAL, Cutoff.REQUIRED):
            return ()
        depths = sorted({*CUTOFFS, *([self.measure.depth] if self.measure.depth else [])})
        return tuple(replace(self.measure, cutoff=depth) for depth in depths)  # type: ignore[call-arg]
