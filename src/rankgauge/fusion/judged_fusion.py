"""A fusion beside the best single run on judged queries, and what it gains there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from rankgauge.comparison import Comparison
from rankgauge.fusion.fusing import Fusion, FusionPlan
from rankgauge.fusion.gains import held_out_gains
from rankgauge.fusion.loaded_run import Watch
from rankgauge.fusion.method import FusionMethod
from rankgauge.fusion.run_pool import RunPool
from rankgauge.plain_table import PlainTable

if TYPE_CHECKING:
    from rankgauge.fusion.tuning import TuningTask

SINGLE, FUSED, UNTUNED, TUNED = "best single run", "fused", "untuned", "tuned"
"""The names of what is compared."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldChoice:
    """What was chosen for one fold from the others."""

    fold: int
    queries: int
    method: FusionMethod
    single: str
    """The run that was best on the other folds."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgedFusion:
    """A fusion as it is, and the best single run, which is chosen for each fold on the others."""

    name: ClassVar[str] = FUSED
    """What the fusion is called where it is compared."""

    plan: FusionPlan
    """The plan, with what the method learned from all judged queries."""
    pool: RunPool
    task: TuningTask
    choices: tuple[FoldChoice, ...]
    comparison: Comparison
    """The best single run and the fusion on queries that no choice has seen."""
    queries: int
    unjudged: int
    """How many queries of the runs nobody judged."""

    def __repr__(self) -> str:
        gains = ", ".join(f"{row['difference']:+.4f} over {row['other']}" for row in self.gains.named())
        what = f"{self.method.name}, {self.name}, by {self.comparison.measures[0]}"
        return f"<{what} on {self.queries} queries: {gains}>"

    @property
    def method(self) -> FusionMethod:
        """The method, with its parameters."""
        return self.plan.method

    @property
    def folds(self) -> int:
        """How many folds the judged queries were dealt into."""
        return len(self.choices)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters."""
        return self.method.parameters

    @cached_property
    def gains(self) -> PlainTable:
        """What the fusion gains over what it is compared with, on unseen queries."""
        return self.pairs.where("run", self.name)

    @cached_property
    def pairs(self) -> PlainTable:
        """The same of each two that are compared; intervals and tests know that folds share queries."""
        return held_out_gains(self.comparison, self.folds)

    @property
    def over_single(self) -> dict[str, Any]:
        """What the fusion gains over the best single run."""
        return next(row for row in self.gains.named() if row["other"] == SINGLE)

    @cached_property
    def fusion(self) -> Fusion:
        """All queries of the runs, fused."""
        return self.fused()

    def fused(self, watch: Watch | None = None) -> Fusion:
        """The same; `watch` is told how far it is."""
        return self.plan.run(self.pool, watch=watch)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TunedFusion(JudgedFusion):
    """A tuned fusion: its parameters from all judged queries, and how those of each fold did on the fold."""

    name: ClassVar[str] = TUNED

    untuned: FusionMethod
    in_sample: float
    """The value of the tuned fusion on the very queries that it was tuned on."""
