"""What every report of a simulation is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from rankgauge.active.study import ErrorCurve, Loss, Saving, Study, distance, misjudged

__all__ = ["REFERENCES", "Shown"]

REFERENCES = ("passive", "paper")
"""The methods that savings are counted against."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """Studies of the same methods, how often each was repeated, and at which budget savings are counted."""

    studies: tuple[Study, ...]
    repetitions: int
    seed: int
    budget: float | None = None
    """What the reference spends; None: the largest budget."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What each method is, by its name."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods in the order in which they were asked for."""
        return tuple(dict.fromkeys(name for study in self.studies for name in study.methods))

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row per study, method and budget."""
        return pl.concat([study.to_frame() for study in self.studies])

    @cached_property
    def savings(self) -> pl.DataFrame:
        """A row per study, loss, method and reference."""
        rows = [
            {
                "study": study.title,
                "measure": study.measure,
                "loss": name,
                "method": found.method,
                "against": found.against,
                "budget": found.budget,
                "saving": found.value,
                "error": found.error,
                "bound": found.bound,
            }
            for study in self.studies
            for name, found in _savings(study, self.budget)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def curve(self, study: Study, method: str) -> ErrorCurve | None:
        """A method's curve; None where the study lacks it."""
        return study.curves.get(method)


def _savings(study: Study, budget: float | None) -> Iterator[tuple[str, Saving]]:
    losses: dict[str, Loss] = {"error": distance, **({"wrong": misjudged} if study.facts.get("pair") else {})}
    for name, loss in losses.items():
        yield from ((name, found) for found in study.savings(REFERENCES, budget=budget, loss=loss))
