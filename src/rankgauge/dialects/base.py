"""The contract of a dialect: how one tool turns judgments and a run into numbers, said field by field.

A dialect is one constant in one file. Two dialects run the same named stages, so an audit can compare them field by
field and find where two tools part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
import polars as pl

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.judgments import combine
from rankgauge.measures import Measure, Printed, parse_all
from rankgauge.policies import (
    IdealPool,
    MissingQuery,
    NegativeGrade,
    Policy,
    QueryOrder,
    ShortList,
    Ties,
    Undefined,
    Unjudged,
)
from rankgauge.ranking import Hits, Ranking

__all__ = ["Dialect", "Printed", "registry"]

ALL = "all"
"""The name that stands for everything that the tool prints."""

_REGISTRY: dict[str, Dialect] = {}


def registry() -> Mapping[str, Dialect]:
    """Every dialect by its name."""
    return dict(sorted(_REGISTRY.items()))


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one tool computes: a value per stage of the way from tables to summary."""

    name: str
    title: str
    reference: str

    # judgments
    negative: NegativeGrade = NegativeGrade.ZERO
    assessors: str | None = None
    # ranking
    ties: Ties = Ties.EXPECTED
    single_precision: bool = False
    unjudged: Unjudged = Unjudged.NOT_RELEVANT
    depth: int | None = None
    fewest: int = 1
    """How many documents a list must have; the tool refuses a shorter one."""
    single_arithmetic: bool = False
    """Whether values and means are computed in single precision."""
    ideal: IdealPool = IdealPool.JUDGED
    cut_ideal: bool = False
    """Whether the ideal ranking ends at the depth of the run and lacks documents that are not relevant."""
    # measures
    gain: str = "linear"
    discount: str = "log2"
    rel: float = 1.0
    max_grade: float = 4.0
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """What a measure's open parameters mean here, by the measure's name."""
    # summary
    empty: Undefined = 0.0
    short: ShortList = ShortList.CUT
    missing: MissingQuery = MissingQuery.ZERO
    query_order: QueryOrder = QueryOrder.APPEARANCE
    # report
    printed: tuple[Printed, ...] = ()
    """What `-m all` prints, in the tool's order."""
    lists_missing: bool = True
    """Whether a judged query that counts without an answer is listed among the queries."""

    def register(self) -> Self:
        """The dialect, known by its name from now on."""
        _REGISTRY[self.name] = self
        return self

    @property
    def ranking(self) -> Ranking:
        """The part of the dialect that the ranking stage reads."""
        return Ranking(**{f.name: getattr(self, f.name) for f in fields(Ranking)})

    def select(self, names: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
        """The measures of those names; `all` is everything that the tool prints."""
        wanted = [names] if isinstance(names, str | Measure) else list(names)
        if not wanted:
            raise ParameterError("evaluate", "measures", "at least one name, such as nDCG@10", names)
        listed = [measure for printed in self.printed for measure in (printed.measure, *printed.rest)]
        named = (listed if name == ALL and listed else parse_all([name]) for name in wanted)
        return tuple(dict.fromkeys(measure for group in named for measure in group))

    def prepare(self, judgments: pl.DataFrame) -> pl.DataFrame:
        """The judgments with one grade for each query and document."""
        if "assessor" not in judgments.columns:
            return judgments
        if self.assessors is not None:
            return combine(judgments, self.assessors)
        n = judgments["assessor"].n_unique()
        if n > 1:
            raise InputError(
                f"{n} assessors judged these documents, and nothing says how their grades become one",
                hint="Choose a rule: assessors='mean', 'majority', 'and@1' … (--assessors on the command line).",
            )
        return judgments.drop("assessor")

    def check(self, hits: Hits) -> Hits:
        """The hits, unless a list is too short for the tool to judge."""
        few = np.flatnonzero((hits.retrieved > 0) & (hits.retrieved < self.fewest))
        if len(few):
            query, n = hits.queries[int(few[0])], hits.retrieved[few[0]]
            raise InputError(
                f"the list of query {query} has {n:g} of the {self.fewest} documents that {self.name} needs",
                hint="Leave such queries out, or set fewest=1.",
            )
        return hits

    def read(self, measure: Measure) -> Measure:
        """The measure with its open parameters set as this dialect understands them."""
        shared = {"gain": self.gain, "discount": self.discount, "rel": self.rel, "max_grade": self.max_grade}
        cut = {"cutoff": self.depth, "ideal_rel": self.rel} if self.cut_ideal else {}
        return measure.bound({**shared, **cut, **self.readings.get(measure.facts.name, {})})

    def changed(self, **overrides: Any) -> Self:
        """The dialect with some of its choices replaced; names of policies become policies."""
        known = {f.name: f for f in fields(self)}
        values: dict[str, Any] = {}
        for name, value in overrides.items():
            if name not in known:
                raise UnknownNameError("setting of a dialect", name, known)
            kind = type(getattr(self, name))
            values[name] = kind.parse(value) if issubclass(kind, Policy) else value
        return replace(self, **values)
