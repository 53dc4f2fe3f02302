"""What `rankgauge train` shows: the rankers, the parameters of one, and how one learned."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from rankgauge import dialects
from rankgauge.evaluation.notes import worths
from rankgauge.measures import Aggregate
from rankgauge.statistics.intervals import limits, t_interval
from rankgauge.training import RANKERS, Objective, Ranker
from rankgauge.training.ranker import changed_dialect

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 40
"""How many rounds a line of bars has room for."""


def show_rankers(out: TextIO) -> None:
    """Each ranker and what it is."""
    _write(out, [(name, (inspect.getdoc(kind) or "").partition("\n")[0]) for name, kind in RANKERS.items()])


def show_parameters(kind: type[Ranker], out: TextIO) -> None:
    """What a ranker is, and what each of its parameters is by default and may be."""
    print(f"{inspect.getdoc(kind)}\n", file=out)
    defaults = kind().own_parameters
    _write(out, [(f"--set {name}={value}", kind.constraints[name].words) for name, value in defaults.items()])


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """A ranker that has learned, what it learned from, and how long it took."""

    ranker: Ranker
    train: Objective
    validation: Objective | None
    seconds: float

    def show(self, out: TextIO) -> None:
        """The ranker, its curve, and its values with their intervals."""
        ranker, documents = self.ranker, self.train.documents
        parameters = ", ".join(f"{name}={value}" for name, value in ranker.own_parameters.items())
        spoken = dialects.get(ranker.dialect)
        known = changed_dialect(spoken)
        changes = "" if isinstance(known, str) else ", ".join(f"{k}={v}" for k, v in known.items() if k != "name")
        said = f"{spoken.name} with {changes}" if changes else spoken.name
        _write(
            out,
            [
                ("ranker", f"{ranker.name} ({parameters})"),
                ("metric", f"{self.train.measure}, as {said} computes it"),
                *worths(spoken, (self.train.measure,), float(np.max(documents.grades, initial=0.0))),
                (
                    "documents",
                    f"{len(documents.grades)} of {len(documents.sizes)} queries, {ranker.n_features_in_} features",
                ),
                *self._curve(),
                ("train", self._value(self.train)),
                *([] if self.validation is None else [("validation", self._value(self.validation))]),
                ("seconds", f"{self.seconds:.1f}"),
            ],
        )

    def _curve(self) -> list[tuple[str, str]]:
        by = "train" if self.validation is None else "validation"
        known = [row for row in self.ranker.curve_ if row[by] is not None]
        if not known:
            return []
        # Rounds that were undone, or that a start did not need, have numbers too: the place on the curve says more.
        values, rounds = [row[by] for row in known], [row["round"] for row in known]
        kept = self.ranker.best_round_
        best = f", number {rounds.index(kept) + 1} stays" if kept in rounds else ""
        ends = f"{min(values):.4f} to {max(values):.4f}"
        return [("rounds", f"{len(values)}{best}"), ("curve", f"{sparkline(values)}  {ends} ({by})")]

    def _value(self, objective: Objective) -> str:
        values = objective.values(self.ranker.predict(objective.documents))
        value = f"{objective.overall(values):.4f}"
        if objective.measure.facts.aggregate is not Aggregate.MEAN or len(values) < 2:
            return value
        reach = limits(objective.measure.facts.bounds, values)
        low, high = t_interval(values).within(*reach, objective.overall(values))
        return f"{value} [{low:.4f}, {high:.4f}]"


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """Return the values as bars, each the last of its share of them where there are more than fit."""
    shown = np.array([part[-1] for part in np.array_split(values, min(width, len(values)))])
    span = np.ptp(shown)
    heights = np.zeros(len(shown)) if span == 0 else (shown - shown.min()) / span
    return "".join(BARS[int(height)] for height in np.rint(heights * (len(BARS) - 1)))


def _write(out: TextIO, rows: Sequence[tuple[str, str]]) -> None:
    width = max((len(name) for name, _ in rows), default=0)
    for name, words in rows:
        print(f"{name:<{width}}  {words}".rstrip(), file=out)
