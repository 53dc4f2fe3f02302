"""Where a number comes from: the tools, cutoffs and choices that give it on this data, to its printed digits.

Every tool that has the measure is tried as it is, at usual cutoffs, and with one of its choices changed; the standard
also with two. What matters neither to the data nor to the measure is not varied, and what computes alike is computed
once. Ways that come to the same value are ranked by how likely they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects as known
from rankgauge import files
from rankgauge.audit.tools.attribution import attribute
from rankgauge.audit.tools.conditions import Conditions
from rankgauge.audit.tools.scores import (
    NO_TOOL,
    WRAPPERS,
    Scores,
    bare,
    computes,
    fitting,
    frameworks_of,
    judged_for,
    reason,
    taking_copies,
)
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, RankGaugeError
from rankgauge.evaluation import display
from rankgauge.measures import Aggregate, Cutoff, Measure, as_list, parse_all
from rankgauge.measures.measure import kind_asked
from rankgauge.policies import LEAVE_OUT, Duplicates, IdealPool, MissingQuery, NegativeGrade, ShortList, Ties, Unjudged

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
"""The cutoffs that are tried besides the measure's own."""

NEAR = 5
"""How many are shown if none gives the number."""

GRADES = 10
"""How many grades are tried as the lowest relevant one."""

ALIKE = 3
"""How many ways to the same value are kept, the likeliest first."""

ODD = 2.0
"""How many changed choices a tool counts as that people do not use on such files."""

LESS = 0.05
"""How much more than the tool a wrapper of it counts."""

UNUSUAL = {"discount": 0.3, "ideal": 0.3, "short": 0.3, "negative": 0.2, "ties": 0.2, "unjudged": 0.1}
"""How much more than others a change counts that people rarely make."""

SAME = 1e-2
"""Values that differ by less than this part of the last printed digit are one: tools add up in different ways."""

PARAMETERS = ("gain", "discount", "rel")
"""The choices that are part of a measure's name."""

Choices = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class PrintedNumber:
    """A number as it was printed: 0.4812, or 48.12 %."""

    text: str
    value: float
    unit: float
    """What the last printed digit counts."""
    taken: bool = False
    """Whether it is taken for a percentage though it has no %."""

    @property
    def percentage(self) -> PrintedNumber:
        """The number, taken for a percentage."""
        return replace(self, value=self.value / 100, unit=self.unit / 100, taken=True)

    @classmethod
    def of(cls, value: str | float) -> PrintedNumber:
        """Return the number that a text or a number says."""
        text = str(value).strip()
        match = re.fullmatch(r"(?P<number>[+-]?\d*[.,]?\d+(?:[eE][+-]?\d+)?)\s*(?P<percent>%?)", text)
        if match is None:
            raise ParameterError("audit", "value", "a number as it was printed, such as 0.4812 or 48.12%", value)
        number = match["number"].replace(",", ".")
        digits, _, power = number.lower().partition("e")
        unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
        share = 0.01 if match["percent"] else 1.0
        return cls(text=text, value=float(number) * share, unit=unit * share)

    def holds(self, mean: float) -> bool:
        """Say whether the mean is printed so, with as many digits."""
        return abs(mean - self.value) <= self.unit / 2 * (1 + 1e-9)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """One way to compute the measure: a tool, what is changed in it, and what that gives."""

    tool: str
    changes: tuple[tuple[str, Any], ...]
    """The fields of the dialect that differ from the tool's, and their values."""
    measure: Measure
    departures: int
    """How many choices differ from what was asked: the cutoff, the measure's parameters, the changes."""
    unlikely: float
    """How unlikely the way is: its departures, and more for a tool or a change that is rare on such files."""
    mean: float
    also: tuple[str, ...] = ()
    """Other tools that compute alike on this data."""

    @property
    def options(self) -> str:
        """The changes as `rankgauge evaluate` takes them; one without an option there as Python does."""
        return " ".join(_option(name, value) for name, value in self.changes)


@dataclass(frozen=True, kw_only=True, eq=False)
class Origins:
    """What may have given a number."""

    claim: PrintedNumber
    measures: tuple[Measure, ...]
    run: str
    origins: tuple[Origin, ...]
    """Those that give it, the likeliest first and then the nearest; if none does, the nearest."""
    tried: int
    """How many ways were computed that may differ on this data."""
    refused: Mapping[str, str]
    conditions: Conditions
    why: Mapping[str, str] = field(default_factory=dict)
    """By cause, what the likeliest way does that the usual definition does not."""

    @property
    def found(self) -> bool:
        """Whether any way gives the number."""
        return any(self.claim.holds(one.mean) for one in self.origins)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row per way: tool, measure, changes, mean, its difference from the number, whether it is printed so."""
        rows = [
            {
                "tool": one.tool,
                "also": ", ".join(one.also),
                "measure": str(one.measure),
                "changes": one.options,
                "mean": one.mean,
                "difference": one.mean - self.claim.value,
                "gives": self.claim.holds(one.mean),
            }
            for one in self.origins
        ]
        return pl.DataFrame(rows)

    def _repr_html_(self) -> str:
        rows = [(one.tool, str(one.measure), one.options, f"{one.mean:.6f}") for one in self.origins]
        return display.table(("tool", "measure", "changes", "mean"), rows, f"{self.claim.text}: of {self.tried} ways")


def origins(
    judgments: Any,
    run: Any,
    value: str | float,
    measure: str | Measure | Iterable[str | Measure] = "nDCG@10",
    *,
    dialects: Iterable[str | Dialect] | None = None,
    name: str = "run",
    scale: Any = None,
) -> Origins:
    """Return which tools, cutoffs, gains, orders of ties and treatments of queries give a run this number.

    `value` is the number as it was printed: its digits say how near is near enough. `measure` is one, or several that
    it may be of. `dialects` limits the tools. `scale` is that of `evaluate`: its threshold counts for every tool that
    has none of its own.
    """
    claim, wanted = PrintedNumber.of(value), parse_all(as_list(measure))
    if any(one.facts.aggregate is Aggregate.SUM for one in wanted):
        raise ParameterError("audit", "measure", "one whose values are averaged over queries", str(measure))
    kind = kind_asked(wanted)
    scores = Scores(judgments=judged_for(judgments, kind), run=files.keep_rereadable(run, files.run_from), kind=kind)
    fit = {one.name for one in fitting(judgments, run, kind)} | {*WRAPPERS, *NO_TOOL}
    own = frameworks_of(judgments, run)
    searches = []
    for one in wanted:
        every = (tool for tool in known.DIALECTS.values() if computes(tool, kind) and tool.has(one))
        tools = tuple(tool.on_scale(scale, one) for tool in (every if dialects is None else map(known.get, dialects)))
        tools = tuple(taking_copies(tool, [scores]) if tool.name == "standard" else tool for tool in tools)
        searches.append(_OriginSearch(scores=scores, measure=one, tools=tools, fit=fit, own=own))
    found = _together([search.result(claim, name) for search in searches])
    top = max(one.facts.bounds[1] for one in wanted)
    if found.found or not top < claim.value <= 100 * top or any(one.mean > top for one in found.origins):
        return found
    return _together([search.result(claim.percentage, name) for search in searches])


def _together(found: Sequence[Origins]) -> Origins:
    """Return what may have given a number, where it may be of several measures."""
    if len(found) == 1:
        return found[0]
    ways = [way for one in found for way in one.origins]
    claim = found[0].claim
    giving = sorted((way for way in ways if claim.holds(way.mean)), key=lambda way: way.unlikely)
    near = sorted(ways, key=lambda way: abs(way.mean - claim.value))[:NEAR]
    measures = tuple(measure for one in found for measure in one.measures)
    return replace(found[0], measures=measures, origins=tuple(giving or near), tried=sum(one.tried for one in found))


@dataclass(frozen=True, kw_only=True, eq=False)
class _OriginSearch:
    scores: Scores
    measure: Measure
    tools: tuple[Dialect, ...]
    fit: Collection[str]
    """The tools that people use on such files."""
    own: Collection[str] = ()
    """The tools whose files these are."""

    def result(self, claim: PrintedNumber, name: str) -> Origins:
        """Return the ways that give the number, or the nearest."""
        refused = self._refusals()
        taking = [tool for tool in self.tools if tool.name not in refused]
        if not taking:
            first = self.tools[0].name
            raise InputError(f"no tool accepts this input; {first} says: {refused[first]}")
        base = next((tool for tool in taking if tool.name == "standard"), taking[0])
        conditions = Conditions.of(self.scores, base, self.measure)
        taking.sort(key=lambda tool: tool is not base)
        means: dict[Any, float] = {}
        unchanged: dict[tuple[str, int], float] = {}
        ways: dict[int, list[Origin]] = {}
        for dialect, origin in self._ways(taking, base, self._choices(base, conditions)):
            key = self._key(dialect, origin.measure)
            if key not in means:
                means[key] = self._mean(dialect, origin.measure)
            # A tool's first way at a cutoff is as it is; a change that changes nothing on this data tells nothing.
            place = origin.tool, origin.measure.depth
            moves = place not in unchanged or abs(means[key] - unchanged[place]) > claim.unit * SAME
            unchanged.setdefault(place, means[key])
            if moves and not np.isnan(means[key]):
                _add(ways, replace(origin, mean=means[key]), claim.unit * SAME)
        for value, alike in ways.items():
            ways[value] = sorted(alike, key=lambda one: one.unlikely)[:ALIKE]
        far = sorted((alike[0] for alike in ways.values()), key=lambda one: abs(one.mean - claim.value))
        giving = [one for first in far if claim.holds(first.mean) for one in ways[_value(first, claim.unit * SAME)]]
        giving.sort(key=lambda one: one.unlikely)
        return Origins(
            claim=claim,
            measures=(self.measure,),
            run=name,
            origins=tuple(giving or far[:NEAR]),
            tried=len(means),
            refused=refused,
            conditions=conditions,
            why=self._why(base, giving[0], conditions) if giving else {},
        )

    def _why(self, base: Dialect, way: Origin, conditions: Conditions) -> dict[str, str]:
        """Return what the way does on this data that the base does not, the largest first."""
        tool = next(one for one in self.tools if one.name == way.tool).changed(**dict(way.changes))
        tool = replace(tool, name=f"{tool.name} {way.options}".strip())
        parts = attribute(self.scores, base, tool, way.measure).parts
        return {
            one.cause.name: one.cause.told(base, tool.provider(way.measure), way.measure, conditions)
            for one in parts
            if one.shows
        }

    def _key(self, dialect: Dialect, measure: Measure) -> tuple[Dialect, Measure]:
        """What ways have in common that compute alike: what is neutral to the data and the measure is left out."""
        return bare(self.scores.traits(dialect).simplest(dialect, measure)), dialect.read(measure)

    def _refusals(self) -> dict[str, str]:
        """Return why tools refuse the input."""
        found = {}
        for tool in self.tools:
            try:
                self.scores.mean(tool, self.measure)
            except RankGaugeError as error:
                found[tool.name] = reason(error)
        return found

    def _mean(self, dialect: Dialect, measure: Measure) -> float:
        """Return what the dialect gives; NaN where it refuses the data or nothing is left to average."""
        try:
            return self.scores.mean(dialect, measure)
        except RankGaugeError:
            return float("nan")

    def _choices(self, base: Dialect, conditions: Conditions) -> Choices:
        """Return what may be varied on this data, and to what."""
        traits, measure = self.scores.traits(base), self.measure
        own = {f.name for f in fields(measure) if getattr(measure, f.name) is None}
        relevant = tuple(grade for grade in conditions.grades if grade > 0)[:GRADES]
        varied: dict[str, tuple[bool, tuple[Any, ...]]] = {
            "gain": ("gain" in own and conditions.grades[-1] > 1, ("linear", "exp")),
            "discount": ("discount" in own, ("log2", "letor")),
            "rel": ("rel" in own and len(relevant) > 1, relevant),
            "ties": (traits.tied, (Ties.EXPECTED, Ties.INPUT, Ties.DOCID, Ties.ASCENDING, Ties.BEST, Ties.WORST)),
            "empty": (conditions.count("empty") > 0, (0.0, 1.0, 0.5, LEAVE_OUT)),
            "missing": (traits.missing, (MissingQuery.ZERO, MissingQuery.SKIP)),
            "unjudged": (traits.unjudged, (Unjudged.NOT_RELEVANT, Unjudged.SKIP)),
            "ideal": (traits.unretrieved, (IdealPool.JUDGED, IdealPool.RETRIEVED)),
            "short": (conditions.count("short") > 0 and measure.depth > 0, (ShortList.CUT, ShortList.ZERO)),
            "duplicates": (self.scores.repeats, (Duplicates.COUNT_ONCE, Duplicates.FIRST, Duplicates.COUNT_EACH)),
            "negative": (traits.negative, (NegativeGrade.ZERO, NegativeGrade.UNJUDGED, NegativeGrade.KEEP)),
        }
        return {name: values for name, (matters, values) in varied.items() if matters}

    def _ways(self, tools: list[Dialect], base: Dialect, choices: Choices) -> Iterator[tuple[Dialect, Origin]]:
        """Yield every way to try, those with fewer departures first."""
        single = [{name: value} for name, values in choices.items() for value in values]
        of_base = self._changing(base, single)
        pairs = [{**one, **other} for one, other in combinations(of_base, 2) if one.keys() != other.keys()]
        cut = self._cutoffs()
        for measure, tool in ((measure, tool) for measure in (self.measure, *cut) for tool in tools):
            if measure is self.measure or tool.has(measure):
                yield self._way(tool, measure, {})
        for tool in tools:
            yield from (self._way(tool, self.measure, changes) for changes in self._changing(tool, single))
        for measure, changes in ((measure, changes) for measure in cut for changes in of_base):
            yield self._way(base, measure, changes)
        for changes in pairs:
            yield self._way(base, self.measure, changes)

    def _changing(self, tool: Dialect, changes: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the changes that change something: what the tool does anyway is none, nor what it limits to others."""
        as_it_is = self._key(*self._dialect_and_measure(tool, {}))
        return [one for one in changes if self._key(*self._dialect_and_measure(tool, one)) != as_it_is]

    def _dialect_and_measure(self, tool: Dialect, changes: Mapping[str, Any]) -> tuple[Dialect, Measure]:
        """Return the tool with the changes, and the measure."""
        dialect, origin = self._way(tool, self.measure, changes)
        return dialect, origin.measure

    def _cutoffs(self) -> tuple[Measure, ...]:
        """Return the measure at other cutoffs, and without one if it may do without."""
        rule = self.measure.facts.cutoff
        if rule not in (Cutoff.OPTIONAL, Cutoff.REQUIRED):
            return ()
        whole = (None,) if rule is Cutoff.OPTIONAL else ()
        depths = [depth for depth in (*CUTOFFS, *whole) if (depth or 0) != self.measure.depth]
        return tuple(replace(self.measure, cutoff=depth) for depth in depths)  # type: ignore[call-arg]

    def _way(self, tool: Dialect, measure: Measure, changes: Mapping[str, Any]) -> tuple[Dialect, Origin]:
        """Return the dialect with the changes; those that a measure's name can say are said there."""
        named = {name: value for name, value in changes.items() if name in PARAMETERS}
        other = {name: value for name, value in changes.items() if name not in PARAMETERS}
        departures = len(changes) + (measure.depth != self.measure.depth)
        changed = tool.changed(**other)
        if tool.rel_scale is not None:
            named = {"rel": tool.rel, **named}
        if tool.provider(measure).top_scale is not None and measure.needs_top:
            named = {"max_grade": tool.provider(measure).max_grade, **named}
        said = replace(measure, **named) if named else measure
        rare = (
            (0.0 if tool.name in self.fit else ODD)
            + LESS * (tool.name in (*WRAPPERS, *NO_TOOL))
            - LESS * (tool.name in self.own)
            + sum(UNUSUAL.get(name, 0.0) for name in changes)
        )
        origin = Origin(
            tool=tool.name,
            changes=tuple(other.items()),
            measure=said,
            departures=departures,
            unlikely=departures + rare,
            mean=float("nan"),
        )
        return changed, origin


def _add(ways: dict[int, list[Origin]], one: Origin, unit: float) -> None:
    """Adds a way to its value; tools that come to it by the same changes are one way, of the likelier tool."""
    alike = ways.setdefault(_value(one, unit), [])
    for place, first in enumerate(alike):
        if one.changes == first.changes and one.measure == first.measure:
            if one.tool not in (first.tool, *first.also):
                likely, other = (first, one) if first.unlikely <= one.unlikely else (one, first)
                alike[place] = replace(likely, also=(*first.also, other.tool))
            return
    alike.append(one)


def _value(one: Origin, unit: float) -> int:
    """Return what ways have in common that come to the same value."""
    return round(one.mean / unit)


def _option(name: str, value: Any) -> str:
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{name}={shown} (in Python)" if name == "ideal" else f"--{name} {shown}"
