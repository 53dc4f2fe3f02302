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

import polars as pl

from rankgauge import dialects as known
from rankgauge.audit.tools.cause import attribute
from rankgauge.audit.tools.scores import (
    NO_TOOL,
    WRAPPERS,
    Conditions,
    Scores,
    accepting,
    averaged,
    computes,
    explain_refusals,
    fitting,
    frameworks_of,
    simplest,
    taking_copies,
)
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError, RankGaugeError
from rankgauge.evaluation import display
from rankgauge.measures import Cutoff, Measure, as_list
from rankgauge.measures.measure import kind_asked
from rankgauge.policies import (
    LEAVE_OUT,
    Duplicates,
    IdealPool,
    MissingQuery,
    NegativeGrade,
    RunOrder,
    ShortList,
    Ties,
    Unjudged,
)
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage
from rankgauge.render.table import Column, ReportTable

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

SHOWN, DIGITS, NAMED = 10, 2, 6
"""How many ways a table shows, with how many more digits than the number has, and how many tools it names in a row."""


@dataclass(frozen=True, kw_only=True)
class PrintedNumber:
    """A number as it was printed: 0.4812, or 48.12 %."""

    text: str
    value: float
    unit: float
    """What the last printed digit counts."""
    taken: bool = False
    """Whether it is taken for a percentage though it has no %."""

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
    dialect: Dialect = field(repr=False)
    """The tool's dialect with the changes."""
    unlikely: float
    """How many choices differ from what was asked, and more for a tool or a change that is rare on such files."""
    mean: float = float("nan")
    also: tuple[str, ...] = ()
    """Other tools that compute alike on this data, the likeliest first."""

    @property
    def options(self) -> str:
        """The changes as `rankgauge evaluate` takes them; one without an option there as Python does."""
        shown = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in self.changes}
        return " ".join(
            f"ideal={said} (in Python)" if name == "ideal" else f"--{name} {said}" for name, said in shown.items()
        )


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
    contrary: int = 0
    """How many queries have ranks that contradict their scores."""
    why: Mapping[str, str] = field(default_factory=dict)
    """By cause, what the likeliest way does that the usual definition does not."""

    @property
    def found(self) -> bool:
        """Whether any way gives the number."""
        return any(self.claim.holds(origin.mean) for origin in self.origins)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row per way: tool, measure, changes, mean, its difference from the number, whether it is printed so."""
        rows = [
            {
                "tool": origin.tool,
                "also": ", ".join(origin.also),
                "measure": str(origin.measure),
                "changes": origin.options,
                "mean": origin.mean,
                "difference": origin.mean - self.claim.value,
                "gives": self.claim.holds(origin.mean),
            }
            for origin in self.origins
        ]
        return pl.DataFrame(rows)

    def _repr_html_(self) -> str:
        rows = [(origin.tool, str(origin.measure), origin.options, f"{origin.mean:.6f}") for origin in self.origins]
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
    claim, wanted = PrintedNumber.of(value), averaged(as_list(measure))
    kind = kind_asked(wanted)
    scores = Scores.of(judgments, {name: run}, kind)[name]
    fit = {dialect.name for dialect in fitting(judgments, run, kind)} | {*WRAPPERS, *NO_TOOL}
    own = frameworks_of(judgments, run)
    searches = []
    for one in wanted:
        every = (tool for tool in known.DIALECTS.values() if computes(tool, kind) and tool.has(one))
        tools = tuple(tool.on_scale(scale, one) for tool in (every if dialects is None else map(known.get, dialects)))
        tools = tuple(taking_copies(tool, [scores]) if tool.name == "standard" else tool for tool in tools)
        searches.append(_OriginSearch(scores=scores, measure=one, tools=tools, fit=fit, own=own))
    joined = _together([search.result(claim, name) for search in searches])
    top = max(one.facts.bounds[1] for one in wanted)
    if joined.found or not top < claim.value <= 100 * top or any(origin.mean > top for origin in joined.origins):
        return joined
    share = replace(claim, value=claim.value / 100, unit=claim.unit / 100, taken=True)
    return _together([search.result(share, name) for search in searches])


def _together(searches: Sequence[Origins]) -> Origins:
    """Return what may have given a number, where it may be of several measures."""
    if len(searches) == 1:
        return searches[0]
    ways = [way for search in searches for way in search.origins]
    claim = searches[0].claim
    giving = sorted((way for way in ways if claim.holds(way.mean)), key=lambda way: way.unlikely)
    near = sorted(ways, key=lambda way: abs(way.mean - claim.value))[:NEAR]
    measures = tuple(measure for search in searches for measure in search.measures)
    return replace(
        searches[0], measures=measures, origins=tuple(giving or near), tried=sum(search.tried for search in searches)
    )


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
        taking, refused = accepting(self.tools, [self.scores], self.measure)
        base = next((tool for tool in taking if tool.name == "standard"), taking[0])
        taking.sort(key=lambda tool: (self._rareness(tool), tool is not base))
        conditions, same = Conditions.of(self.scores, base, self.measure), claim.unit * SAME
        means: dict[Any, float] = {}
        unchanged: dict[tuple[str, int], float] = {}
        ways: dict[int, dict[Any, Origin]] = {}
        for way in self._ways(taking, base, conditions):
            key = self._key(way)
            if key not in means:
                means[key] = self._mean(way)
            # A tool's first way at a cutoff is as it is; a change that changes nothing on this data tells nothing.
            mean, place = means[key], (way.tool, way.measure.depth)
            if mean == mean and (place not in unchanged or abs(mean - unchanged[place]) > same):
                # Tools that come to a value by the same changes are one way, of the likelier tool.
                alike = ways.setdefault(round(mean / same), {})
                first = alike.setdefault((way.changes, way.measure), replace(way, mean=mean))
                if way.tool not in (first.tool, *first.also):
                    alike[way.changes, way.measure] = replace(first, also=(*first.also, way.tool))
            unchanged.setdefault(place, mean)
        ranked = [sorted(alike.values(), key=lambda origin: origin.unlikely)[:ALIKE] for alike in ways.values()]
        ranked.sort(key=lambda alike: abs(alike[0].mean - claim.value))
        giving = [origin for alike in ranked if claim.holds(alike[0].mean) for origin in alike]
        giving.sort(key=lambda origin: origin.unlikely)
        return Origins(
            claim=claim,
            measures=(self.measure,),
            run=name,
            origins=tuple(giving or [alike[0] for alike in ranked[:NEAR]]),
            tried=len(means),
            refused=refused,
            conditions=conditions,
            contrary=self.scores.contrary,
            why=self._why(base, giving[0], conditions) if giving else {},
        )

    def _mean(self, way: Origin) -> float:
        """Return what the way gives; NaN where it refuses the data or nothing is left to average."""
        try:
            return self.scores.mean(way.dialect, way.measure)
        except RankGaugeError:
            return float("nan")

    def _why(self, base: Dialect, way: Origin, conditions: Conditions) -> dict[str, str]:
        """Return what the way does on this data that the base does not, the largest first."""
        tool = replace(way.dialect, name=f"{way.tool} {way.options}".strip())
        parts = attribute(self.scores, base, tool, way.measure).parts
        spoken = tool.provider(way.measure)
        return {
            part.cause.name: part.cause.describe_change(base, spoken, way.measure, conditions)
            for part in parts
            if part.shows
        }

    def _key(self, way: Origin) -> tuple[Dialect, Measure]:
        """What ways have in common that compute alike: what is neutral to the data and the measure is left out."""
        traits = self.scores.traits(way.dialect)
        return simplest(way.dialect, way.measure, traits), way.dialect.read(way.measure)

    def _rareness(self, tool: Dialect) -> float:
        """Return how many changed choices the tool counts as, on such files."""
        wraps, own = tool.name in (*WRAPPERS, *NO_TOOL), tool.name in self.own
        return (0.0 if tool.name in self.fit else ODD) + LESS * (wraps - own)

    def _choices(self, base: Dialect, conditions: Conditions) -> list[dict[str, Any]]:
        """Return what may be varied on this data, one change each."""
        traits, measure = self.scores.traits(base), self.measure
        own = {f.name for f in fields(measure) if getattr(measure, f.name) is None}
        relevant = tuple(grade for grade in conditions.grades if grade > 0)[:GRADES]
        varied: dict[str, tuple[bool, tuple[Any, ...]]] = {
            "gain": ("gain" in own and conditions.grades[-1] > 1, ("linear", "exp")),
            "discount": ("discount" in own, ("log2", "letor")),
            "rel": ("rel" in own and len(relevant) > 1, relevant),
            "ties": ("tied" in traits, (Ties.EXPECTED, Ties.INPUT, Ties.DOCID, Ties.ASCENDING, Ties.BEST, Ties.WORST)),
            "empty": (conditions.count("empty") > 0, (0.0, 1.0, 0.5, LEAVE_OUT)),
            "missing": ("missing" in traits, (MissingQuery.ZERO, MissingQuery.SKIP)),
            "unjudged": ("unjudged" in traits, (Unjudged.NOT_RELEVANT, Unjudged.SKIP)),
            "ideal": ("unretrieved" in traits, (IdealPool.JUDGED, IdealPool.RETRIEVED)),
            "short": (conditions.count("short") > 0 and measure.depth > 0, (ShortList.CUT, ShortList.ZERO)),
            "duplicates": (self.scores.repeats, (Duplicates.COUNT_ONCE, Duplicates.FIRST, Duplicates.COUNT_EACH)),
            "order": (self.scores.contrary > 0, (RunOrder.SCORE, RunOrder.RANK)),
            "negative": ("negative" in traits, (NegativeGrade.ZERO, NegativeGrade.UNJUDGED, NegativeGrade.KEEP)),
        }
        return [{name: value} for name, (matters, values) in varied.items() if matters for value in values]

    def _ways(self, tools: list[Dialect], base: Dialect, conditions: Conditions) -> Iterator[Origin]:
        """Yield every way to try, those with fewer departures first; no tool has gains or discounts that it lacks."""
        rule, choices = self.measure.facts.cutoff, self._choices(base, conditions)
        whole = (None,) if rule is Cutoff.OPTIONAL else ()
        depths = (*CUTOFFS, *whole) if rule in (Cutoff.OPTIONAL, Cutoff.REQUIRED) else ()
        others = [depth for depth in depths if (depth or 0) != self.measure.depth]
        cut: list[Any] = [replace(self.measure, cutoff=depth) for depth in others]  # type: ignore[call-arg]
        of_base = self._changing(base, choices)
        pairs = [{**one, **other} for one, other in combinations(of_base, 2) if one.keys() != other.keys()]
        asked: list[tuple[Dialect, Measure, dict[str, Any]]] = [(tool, self.measure, {}) for tool in tools]
        asked += [(tool, measure, {}) for measure in cut for tool in tools if tool.has(measure)]
        asked += [(tool, self.measure, changes) for tool in tools for changes in self._changing(tool, choices)]
        asked += [(base, measure, changes) for measure in cut for changes in of_base]
        asked += [(base, self.measure, changes) for changes in pairs]
        ways = (self._way(*one) for one in asked)
        return (way for way in ways if way.measure == self.measure or way.dialect.has(way.measure))

    def _changing(self, tool: Dialect, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the changes that change something: what the tool does anyway is none, nor what it limits to others."""
        as_it_is = self._key(self._way(tool, self.measure, {}))
        return [change for change in changes if self._key(self._way(tool, self.measure, change)) != as_it_is]

    def _way(self, tool: Dialect, measure: Measure, changes: Mapping[str, Any]) -> Origin:
        """Return the tool with the changes; those that a measure's name can say are said there."""
        named = {name: value for name, value in changes.items() if name in PARAMETERS}
        other = {name: value for name, value in changes.items() if name not in PARAMETERS}
        departures = len(changes) + (measure.depth != self.measure.depth)
        if tool.rel_scale is not None:
            named = {"rel": tool.rel, **named}
        if tool.provider(measure).top_scale is not None and measure.needs_top:
            named = {"max_grade": tool.provider(measure).max_grade, **named}
        return Origin(
            tool=tool.name,
            changes=tuple(other.items()),
            measure=replace(measure, **named) if named else measure,
            dialect=tool.changed(**other),
            unlikely=departures + self._rareness(tool) + sum(UNUSUAL.get(name, 0.0) for name in changes),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class OriginsReport(Report):
    """What may have given a number, and what to ask if nothing does."""

    command = "audit --value"

    origins: Origins

    def frame(self) -> pl.DataFrame:
        """Return a row per way."""
        return self.origins.frame

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tools that refuse the data, the ways that give the number or are nearest, and what to ask."""
        origins = self.origins
        return ReportDocument(
            title=f"Where {origins.claim.text} comes from",
            headline=self._headline,
            facts=(self._asked, origins.run, f"{len(origins.conditions.queries)} queries"),
            passages=tuple(self._passages(page=medium is Medium.PAGE)),
        )

    def _passages(self, *, page: bool) -> Iterator[Passage]:
        origins = self.origins
        if origins.refused:
            yield Heading("Refused")
            yield Notes(explain_refusals(origins.refused))
        if not page:
            yield Paragraph(self._headline)
        claimed = max(len(f"{origins.claim.unit:.15f}".rstrip("0").partition(".")[2]), 2)
        value = Column("value", format=lambda mean: f"{mean:.{claimed + DIGITS}f}")
        rows = []
        for way in origins.origins[:SHOWN]:
            tools, more = (way.tool, *way.also), len(way.also) + 1 - NAMED
            named = ", ".join(tools) if more < 2 else f"{', '.join(tools[:NAMED])} and {more} more"
            rows.append((named, str(way.measure), way.options or "–", way.mean))
        yield ReportTable(columns=("tool", "measure", "changed", value), rows=rows)
        if origins.claim.taken:
            top = max(measure.facts.bounds[1] for measure in origins.measures)
            yield Notes([("value", f"{origins.claim.text} is above {top:g}, and so taken for {origins.claim.text} %")])
        if (more := len(origins.origins) - SHOWN) > 0:
            yield Paragraph(f"{more} more give it too; -o json or -o csv has all of them.")
        yield Heading("What to ask")
        yield Notes(list(self._questions()))

    @property
    def _asked(self) -> str:
        return " or ".join(map(str, self.origins.measures))

    @property
    def _headline(self) -> str:
        origins, n = self.origins, len(self.origins.origins)
        of = f"Of {origins.tried} ways to compute {self._asked} of {origins.run}"
        if not origins.found:
            return f"{of}, none gives {origins.claim.text}. The nearest:"
        gives = "one gives" if n == 1 else f"{n} give"
        return f"{of}, {gives} {origins.claim.text}" + (", the likeliest first:" if n > 1 else ":")

    def _questions(self) -> Iterator[tuple[str, str]]:
        """Yield what would tell the ways apart, or what else may differ, on this data."""
        origins, conditions = self.origins, self.origins.conditions
        if origins.found:
            yield "how", _how(origins.origins[0])
            yield from origins.why.items()
        if len(origins.origins) > 1 or not origins.found:
            kinds = {"missing": "not in the run", "empty": "without a relevant document"}
            told = [f"{conditions.count(kind)} {words}" for kind, words in kinds.items() if conditions.count(kind)]
            judged = f"{len(conditions.queries)} are judged here" + (f", {' and '.join(told)}" if told else "")
            yield "queries", f"how many queries is the mean over? {judged}"
        if origins.contrary and "order" not in origins.why:
            n = len(conditions.queries)
            words = f"in {origins.contrary} of {n} queries the ranks of {origins.run} contradict its scores"
            yield "order", f"by which of the two is the run in order? {words}"
        if not origins.found:
            yield "measure", f"is it {self._asked}, at that cutoff, or another measure? -m names it"
            yield "grades", "what is each grade worth, and from which one on is a document relevant?"
            yield "files", "are these the same judgments and the same run: edition, depth, duplicates, ids?"
            yield "mean", "is it the mean over all queries of one run, not of folds, of several runs, or of medians?"
        elif len(origins.origins) > 1:
            yield "choices", "the number alone does not tell these apart: ask for the tool, its version and options"

    def data(self) -> dict[str, Any]:
        """Return everything."""
        origins = self.origins
        return {
            "value": origins.claim.text,
            "percentage": origins.claim.taken,
            "measure": self._asked,
            "run": origins.run,
            "found": origins.found,
            "tried": origins.tried,
            "refused": dict(origins.refused),
            "why": dict(origins.why),
            "origins": origins.frame.to_dicts(),
            "questions": [{"subject": subject, "words": words} for subject, words in self._questions()],
        }


def _how(way: Origin) -> str:
    """Return the command that gives the number."""
    if any(name == "ideal" for name, _ in way.changes):
        changes = ", ".join(f"{name}={str(value)!r}" for name, value in way.changes)
        return f'evaluate(judgments, run, "{way.measure}", dialect="{way.tool}", {changes}) (in Python)'
    options = f" {way.options}" if way.options else ""
    return f'rankgauge evaluate JUDGMENTS RUN -d {way.tool} -m "{way.measure}"{options}'
