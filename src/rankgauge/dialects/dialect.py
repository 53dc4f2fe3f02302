"""The contract of a dialect: how one tool turns judgments and a run into numbers, field by field.

A dialect is one constant in one file. Two dialects run the same named stages, so an audit can compare them field by
field and find where two tools differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankgauge.constraints import Constraint
from rankgauge.errors import (
    AmbiguousNameError,
    InputError,
    JudgmentsError,
    ParameterError,
    UncombinedError,
    UnknownNameError,
)
from rankgauge.input_notes import note
from rankgauge.lazy_polars import pl
from rankgauge.measures import Listed, Measure, Printed, as_list, each, measures_of, parse, resolve
from rankgauge.measures.names import ours
from rankgauge.measures.output import FULL, NumberFormat
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import (
    ABOVE_ZERO,
    LEAVE_OUT,
    Duplicates,
    FractionalGrade,
    Grouping,
    HighGrade,
    IdealPool,
    JudgedTwice,
    JudgmentKind,
    MissingQuery,
    NegativeGrade,
    Policy,
    QueryOrder,
    RunOrder,
    ShortList,
    Ties,
    Undefined,
    Unjudged,
)
from rankgauge.ranking import Hits, Ranking
from rankgauge.ranking.lists import Names, to_single
from rankgauge.records import record
from rankgauge.registry import Registered, Registry

if TYPE_CHECKING:
    from rankgauge.files import Reading

ALL, ALL_TREC, OFFICIAL = "all", "all_trec", "official"
"""The names for everything that the tool prints, for what trec_eval's version does, and for what it prints unless it is
told otherwise."""

UNDEFINED = Constraint(f"a number or {LEAVE_OUT!r}", lambda value: value == LEAVE_OUT or float(value) == float(value))
"""What a query may count for whose value is 0/0."""

DIALECTS: Registry[Dialect] = Registry("dialect", "rankgauge.dialects.tools", entry="rankgauge.dialects")


@record
class SpokenMeasure:
    """A measure as a dialect computes it: what its name leaves open is set, and all choices on its values are made.

    The top of the scale may still be open, which judgments then say. A query is empty if nothing in it has the grade
    `level`; `empty` is what an undefined value becomes. Lists of fewer than `fewest` documents count 0. `bare` are the
    value of a query without retrieved documents, and of one without relevant ones either; None where the formula says
    it, NaN if the query is left out.
    """

    measure: Measure
    kernel: Measure
    threshold: float | None
    """The lowest grade that it counts as relevant; None if it makes no such difference."""
    ideal: IdealPool
    ties: Ties
    empty: Undefined
    short: ShortList
    bare: tuple[float | None, float | None]
    single: bool
    decimals: int | None
    half_up: bool

    @property
    def level(self) -> float:
        """The lowest grade that keeps a query from being empty."""
        return self.threshold or ABOVE_ZERO

    @property
    def fewest(self) -> int:
        """How many documents a list must have to count."""
        return self.measure.depth if self.short is ShortList.ZERO else 0

    def settle(self, values: FloatArray, best: FloatArray, retrieved: FloatArray) -> FloatArray:
        """Decide on empty queries, undefined values and short lists, by the best grade and the length of each list."""
        if self.empty == LEAVE_OUT:
            values = np.where(best < self.level, np.nan, values)
        elif not self.measure.left_out:
            values = np.where(np.isnan(values), float(self.empty), values)
        vacant, bare = retrieved == 0, self.bare
        for value, where in zip(bare, (vacant, vacant & (best < self.level)), strict=True):
            values = values if value is None else np.where(where, value, values)
        values = np.where(retrieved < self.fewest, 0.0, values) if self.fewest else values
        if self.decimals is not None:
            unit = 10.0**self.decimals
            up = np.floor(values * unit + 0.5) / unit
            kept = [round(value, self.decimals) for value in values.tolist()] if not self.half_up else up
            values = np.array(kept, dtype=np.float64)
        return to_single(values) if self.single else values


@record
class Dialect(Registered):
    """How one tool computes: its choices at each stage from files to summary."""

    registry = DIALECTS

    name: str
    title: str
    reference: str
    differs: tuple[str, ...] = ()
    """What the tool does that is not done here, a sentence each."""
    also: tuple[str, ...] = ()
    """The measures that the tool computes beside those it prints (`printed`); @k stands for any cutoff. A dialect that
    states neither has every measure."""
    providers: tuple[Dialect, ...] = ()
    """Where the tool takes measures from that it does not compute itself: the first of these that has one gives it."""
    strict: bool = False
    """Whether a measure that the tool lacks is an error; otherwise it is computed by the standard definition."""

    # files
    duplicates: Duplicates = Duplicates.REFUSE
    judged_twice: JudgedTwice = JudgedTwice.REFUSE
    grouping: Grouping = Grouping.QUERY
    extra_scores: bool = False
    """Whether scores past the last document are ignored; otherwise they are an error."""
    # judgments
    fractional: FractionalGrade = FractionalGrade.KEEP
    high: HighGrade = HighGrade.KEEP
    negative: NegativeGrade = NegativeGrade.ZERO
    assessors: str | None = None
    # ranking
    order: RunOrder = RunOrder.SCORE
    ties: Ties = Ties.EXPECTED
    single_precision: bool = False
    unjudged: Unjudged = Unjudged.NOT_RELEVANT
    depth: int | None = None
    fewest: int = 1
    """The least number of documents in a list; the tool refuses a shorter one."""
    single_arithmetic: bool = False
    """Whether values and means are computed in single precision."""
    ideal: IdealPool = IdealPool.JUDGED
    cut_ideal: bool = False
    """Whether the ideal ranking ends at the depth of the run and holds relevant documents only."""
    # measures
    gain: str = "linear"
    discount: str = "log2"
    rel: float = 1.0
    rel_scale: str | None = field(default=None, compare=False)
    """The scale that `rel` was taken from, where the user named a scale and no threshold."""
    max_grade: float | None = None
    """The top of the grading scale; None: the highest grade of the judgments."""
    top_scale: str | None = field(default=None, compare=False)
    """The scale that `max_grade` was taken from, where the user named a scale and no top."""
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """What a measure's open parameters mean to the tool, by the measure's name."""
    # summary
    empty: Undefined = 0.0
    unanswered: Undefined | None = None
    """What a measure is for a query without retrieved documents; None: what its formula gives."""
    vacant: Undefined | None = None
    """What a measure is for a query with neither relevant nor retrieved documents; None: as `unanswered` says."""
    short: ShortList = ShortList.CUT
    decimals: int | None = None
    """To how many decimals the value of a query is rounded before the mean is taken; None: not at all."""
    half_up: bool = False
    """Whether a half of the last decimal is rounded up by floor(x + ½); otherwise the nearest number is printed."""
    missing: MissingQuery = MissingQuery.ZERO
    query_order: QueryOrder = QueryOrder.APPEARANCE
    only_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """For `empty`, `short` or `ideal`: the measures that the choice is limited to. The others follow the standard."""
    by_measure: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """The choices that the tool makes otherwise for some measures, by the measure's name."""
    # report
    printed: tuple[Printed, ...] | Listed = ()
    """What `-m all` prints, in the tool's order."""
    usual: str | None = None
    """What `-m official` stands for, and no measure at all; None: what trec_eval and the command say."""
    lists_missing: bool = True
    """Whether a judged query that the run does not answer is listed among the queries, if it counts."""
    lists_short: bool = True
    """Whether the value of a list shorter than the cutoff is listed among the queries."""

    @property
    def reading(self) -> Reading:
        """The part of the dialect that the readers of files need."""
        from rankgauge.files import Reading

        return Reading(**{f.name: getattr(self, f.name) for f in fields(Reading)})

    @property
    def ranking(self) -> Ranking:
        """The part of the dialect that the ranking stage needs."""
        return self.ranking_for(JudgmentKind.GRADES)

    def ranking_for(self, kind: JudgmentKind) -> Ranking:
        """Return how runs are ranked for a kind of judgments: trec_eval turns its ties round for preferences."""
        levels = kind is JudgmentKind.PREFERENCES
        said = {f.name: getattr(self, f.name) for f in fields(Ranking) if f.name != "levels"}
        # comp_sim_docno has falling ids in form_res_rels.c and rising ones in form_prefs_counts.c.
        ties = Ties.ASCENDING if levels and self.ties is Ties.DOCID else self.ties
        return Ranking(**{**said, "ties": ties}, levels=levels)

    def has(self, measure: Measure) -> bool:
        """Say whether the tool computes the measure, at some cutoff if it has one, or has a provider that does."""
        return self._computes(measure) or any(one.has(measure) for one in self.providers)

    def _computes(self, measure: Measure) -> bool:
        listed = () if isinstance(self.printed, Listed) else self.printed
        names = (*self.also, *(str(one) for printed in listed for one in (printed.measure, *printed.rest)))
        return not names or any(_is_kind(name, measure) and self._gains_as(name, measure) for name in names)

    def _gains_as(self, name: str, measure: Measure) -> bool:
        """Say whether a measure of the right name also has gains and discounts that the tool offers under that name."""
        stated = {one: getattr(measure, one, None) for one in ("gain", "discount")}
        said = {one: value for one, value in stated.items() if isinstance(value, str)}  # a table of gains is the user's
        if all(getattr(self, one) == value for one, value in said.items()):
            return True
        offered = parse(re.sub(r"@(k|{}).*", "@1", name)) if "(" in name else None
        return offered is not None and all(getattr(offered, one) == value for one, value in said.items())

    def provider(self, measure: Measure) -> Dialect:
        """Return the dialect that the tool computes the measure by: its own, or that of a provider."""
        if own := self.by_measure.get(measure.facts.name):
            return replace(self, by_measure={}, **own)
        if not self.providers or self._computes(measure):
            return replace(self, by_measure={}) if self.by_measure else self
        return next((one for one in self.providers if one.has(measure)), self)

    def parts(self, measures: Iterable[Measure]) -> dict[Dialect, tuple[Measure, ...]]:
        """Return the measures by the dialect that the tool computes them by."""
        parts: dict[Dialect, tuple[Measure, ...]] = {}
        for measure in measures:
            dialect = self.provider(measure)
            parts[dialect] = (*parts.get(dialect, ()), measure)
        return parts

    def lacked(self, measures: Iterable[Measure]) -> str | None:
        """Return what to know of measures that the tool lacks; None if it has them all."""
        missing = [measure for measure in measures if not self.has(measure)]
        if not missing:
            return None
        usual = self.registry["standard"]
        pairs = [(self.read(measure), usual.read(measure)) for measure in missing]
        formula = [[getattr(one, name, None) for one in pair] for pair in pairs for name in ("gain", "discount")]
        how = f"with this dialect's order, grades{', gains' * any(own != other for own, other in formula)} and queries"
        names = ", ".join(map(str, missing))
        return f"the dialect {self.name} has no {names}: computed by the standard definition, {how}"

    def speak(self, measure: Measure) -> SpokenMeasure:
        """Return the measure as this dialect computes it."""
        if measure not in self._spoken:
            provider = self.provider(measure)
            self._spoken[measure] = self._speak(measure) if provider is self else provider.speak(measure)
        return self._spoken[measure]

    @cached_property
    def _spoken(self) -> dict[Measure, SpokenMeasure]:
        return {}

    def choice(self, name: str, measure: Measure) -> Any:
        """Return what `empty`, `short` or `ideal` is for a measure; see `only_for`."""
        return getattr(self.speak(measure), name)

    def _speak(self, measure: Measure) -> SpokenMeasure:
        shared = {"gain": self.gain, "discount": self.discount, "rel": self.rel, "max_grade": self.max_grade}
        cut = {"cutoff": self.depth, "ideal_rel": self.rel} if self.cut_ideal else {}
        kernel = measure.bound({**shared, **cut, **self.readings.get(measure.facts.name, {})})
        rel = getattr(kernel, "rel", None)
        name, only = measure.facts.name, self.only_for
        limited = {one: _STANDARD[one] for one in _LIMITED if name not in only.get(one, (name,))}
        bare = (np.nan if one == LEAVE_OUT else one for one in (self.unanswered, self.vacant))
        listed, vacant = (None if one is None else float(one) for one in bare)
        return SpokenMeasure(
            measure=measure,
            kernel=kernel,
            threshold=rel if rel and np.isfinite(rel) else None,
            **{one: getattr(self, one) for one in _LIMITED} | limited,
            ties=self.ties,
            bare=(listed, vacant),
            single=self.single_arithmetic,
            decimals=self.decimals,
            half_up=self.half_up,
        )

    def resolve(self, names: str | Measure | Iterable[str | Measure]) -> tuple[Printed, ...]:
        """What the names stand for, in the tool's own format if the tool prints it; `all` is everything it prints."""
        # A list made on demand is of trec_eval's names, which `resolve` knows by itself.
        listed = () if isinstance(self.printed, Listed) else self.printed
        known = {printed.name: printed for printed in listed}

        def expand(name: str | Measure) -> Iterable[Printed]:
            if name == OFFICIAL and self.usual is not None:
                name = self.usual
            if (name == ALL and self.printed) or (name == ALL_TREC and isinstance(self.printed, Listed)):
                return self.printed
            if name == "rbp" and all(name != printed.name for printed in self.printed):
                name = parse(name)  # in trec_eval 10 alone it is gRBP
            if isinstance(name, Measure):
                return resolve([name])
            return [known[name]] if name in known else _own(name, known)

        resolved = each(as_list(names), expand)
        if not resolved:
            raise ParameterError("evaluate", "measures", "at least one name, such as nDCG@10", names)
        self._refuse_lacking(measures_of(resolved))
        return tuple(resolved)

    def select(self, names: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
        """Return the measures that the names stand for, each once."""
        if isinstance(names, tuple) and names and all(isinstance(name, Measure) for name in names):
            self._refuse_lacking(names)
            return tuple(dict.fromkeys(names))
        return measures_of(self.resolve(names))

    def _refuse_lacking(self, measures: Iterable[Measure]) -> None:
        """Raise an error for a measure that the tool lacks, if the dialect is strict."""
        if self.strict and (lacking := [str(measure) for measure in measures if not self.has(measure)]):
            raise InputError(
                f"the dialect {self.name} has no {', '.join(lacking)}",
                hint=f"'rankgauge dialects show {self.name}' lists its measures; without --strict (strict=True in "
                "Python) others are computed by the standard definition, and a note says so.",
            )

    def prepare(self, judgments: pl.DataFrame, kind: JudgmentKind = JudgmentKind.GRADES) -> pl.DataFrame:
        """Return the judgments with one grade for each query and document (and subtopic), on the tool's scale.

        Levels of preferences are no grades: tools read them with their fractions.
        """
        combined = self._combine_assessors(self._judged_once(judgments))
        if not self.rescales or kind is JudgmentKind.PREFERENCES:
            return combined
        return combined.with_columns(pl.Series("grade", self.rescaled(combined["grade"].to_numpy())))

    def _judged_once(self, judgments: pl.DataFrame) -> pl.DataFrame:
        """Return the judgments with repeated ones resolved, where the readers kept these."""
        from rankgauge.files.validation import keeps_repeats

        key = [name for name in ("query", "document", "assessor", "subtopic") if name in judgments.columns]
        if not keeps_repeats() or not (twice := judgments.select(key).is_duplicated()).any():
            return judgments
        extra = len(judgments) - judgments.select(key).n_unique()
        note(f"{extra:,} judgment{'' if extra == 1 else 's'} of documents judged before; {self.judged_twice.words}")
        match self.judged_twice:
            case JudgedTwice.EACH:
                return judgments
            case JudgedTwice.MAX:
                judgments = judgments.sort("grade", descending=True, maintain_order=True)
            case JudgedTwice.REFUSE if judgments.select(*key, "grade").n_unique() > len(judgments) - extra:
                row = judgments.filter(twice).row(0, named=True)
                raise JudgmentsError(
                    f"document {row['document']} of query {row['query']} is judged twice, with different grades",
                    hint="Say which judgment counts: --judged-twice max, first or last.",
                )
        order = judgments.select(pl.col("query").unique(maintain_order=True))
        kept: Any = "last" if self.judged_twice is JudgedTwice.LAST else "first"
        once = judgments.unique(key, keep=kept, maintain_order=True)
        return order.join(once, on="query", how="left", maintain_order="left_right").select(judgments.columns)

    def highest(self, judgments: pl.DataFrame) -> float | None:
        """The highest grade that an assessor gave; None where no grades are combined: then it is that of the pool.

        A mean of two grades is on the scale of the grades, even if nobody reached its top twice.
        """
        if self.assessors is None or "assessor" not in judgments.columns:
            return None
        return 1.0 if self.binary else float(np.max(judgments["grade"].to_numpy(), initial=0.0))

    @property
    def binary(self) -> bool:
        """Whether the grades of several assessors are first made binary."""
        from rankgauge.judgments import level_of

        return self.assessors is not None and level_of(self.assessors) is not None

    @property
    def rescales(self) -> bool:
        """Whether the tool treats grades specially that are not whole or above the top of its scale."""
        return self.fractional is not FractionalGrade.KEEP or self.high is not HighGrade.KEEP

    def rescaled(self, grades: FloatArray) -> FloatArray:
        """Return the grades after the policies on fractions and on grades above the top of the scale."""
        odd = grades[np.isfinite(grades) & (grades != np.trunc(grades))]
        if self.fractional is FractionalGrade.REFUSE and len(odd):
            raise JudgmentsError(
                f"{self.name} does not accept the grade {odd[0]:g}",
                hint="Use whole grades, or in Python fractional='keep'.",
            )
        if self.fractional is FractionalGrade.CUT and len(odd):
            has = "has" if len(odd) == 1 else "have"
            note(f"{len(odd):,} of the judgments {has} a fraction: {self.fractional.words}")
            grades = np.trunc(grades) + 0.0  # not -0
        top = self.top(np.inf)
        above = grades > top
        if self.high is HighGrade.REFUSE and above.any():
            raise JudgmentsError(
                f"a grade of {grades[above][0]:g} is above {top:g}, the highest that {self.name} knows",
                hint="Bring the grades to its scale, or name the top of yours: --max-grade (max_grade in Python).",
            )
        return np.where(above, 0.0, grades) if self.high is HighGrade.ZERO else grades

    def _combine_assessors(self, judgments: pl.DataFrame) -> pl.DataFrame:
        """Return the judgments with one grade for each query and document."""
        if "assessor" not in judgments.columns:
            return judgments
        if self.assessors is not None:
            from rankgauge.judgments import combine

            if "subtopic" in judgments.columns:
                raise JudgmentsError(
                    "judgments by subtopic cannot be combined over assessors", hint="Combine them first."
                )
            return combine(judgments, self.assessors)
        names = judgments["assessor"].unique(maintain_order=True).cast(pl.String)
        if len(names) > 1:
            raise UncombinedError(str(len(names)), names.to_list())
        return judgments.drop("assessor")

    def check(self, hits: Hits) -> Hits:
        """Return the hits, unless the tool refuses them."""
        self.check_lists(hits.names, hits.retrieved, hits.is_answered)
        return hits

    def check_lists(self, names: Names, retrieved: FloatArray, answered: BoolArray) -> None:
        """Raise the tool's refusal: a list has too few documents, or a judged query is not answered."""
        lacking = np.flatnonzero(~answered)
        if self.missing is MissingQuery.REFUSE and len(lacking):
            raise InputError(
                f"{self.name} refuses a run without documents for a judged query: {names[int(lacking[0])]}",
                hint="Evaluate with --missing zero to count such queries as empty lists, or skip to leave them out.",
            )
        few = np.flatnonzero((retrieved > 0) & (retrieved < self.fewest))
        if len(few):
            query, n = names[int(few[0])], retrieved[few[0]]
            raise InputError(
                f"the list of query {query} has {n:g} of the {self.fewest} documents that {self.name} needs",
                hint="Leave such queries out, or in Python set fewest=1.",
            )

    def read(self, measure: Measure) -> Measure:
        """Return the measure with its open parameters set as this dialect understands them."""
        return self.speak(measure).kernel

    def threshold(self, measure: Measure) -> float | None:
        """Return the lowest grade that the measure counts as relevant; None if it makes no such difference."""
        return self.speak(measure).threshold

    def describe(self, measures: Sequence[Measure]) -> str:
        """Return the dialect's name, and which grades count as relevant where the measures tell them from others."""
        rels = sorted({rel for measure in measures if (rel := self.threshold(measure) or 0.0) > 0})
        words = ["any above 0" if rel == ABOVE_ZERO else f"{rel:g} or more" for rel in rels]
        relevant = f"; relevant grades: {', '.join(words)}" if words else ""
        return self.label(besides="rel") + relevant + self.unmoved_words(measures)

    def label(self, besides: str | None = None) -> str:
        """Return the dialect's name and the choices that a user replaced, but for the one that is told elsewhere."""
        known = self.registry.get(self.name, self)
        elsewhere = ("providers", "readings", "by_measure", besides)
        choices = [f.name for f in fields(self) if f.compare and f.name not in elsewhere]
        changed = {name: getattr(self, name) for name in choices if getattr(self, name) != getattr(known, name)}
        changed = {name: f"{value:g}" if isinstance(value, float) else value for name, value in changed.items()}
        origin = {"rel": self.rel_scale, "max_grade": self.top_scale}
        of = {name: f" of the scale {scale}" for name, scale in origin.items() if scale}
        told = ", ".join([*(f"{name}={value}{of.get(name, '')}" for name, value in changed.items()), *self.settings])
        return self.name + (f", changed: {told}" if told else "")

    @property
    def settings(self) -> tuple[str, ...]:
        """The parameters of measures that a user set for all that leave them open, as in rel=2."""
        known = self.registry.get(self.name, self).readings
        return tuple(
            dict.fromkeys(
                f"{parameter}={value}"
                for name, values in self.readings.items()
                for parameter, value in values.items()
                if known.get(name, {}).get(parameter) != value
            )
        )

    def unmoved_words(self, measures: Iterable[Measure]) -> str:
        """That the user's threshold changes nothing for some of the measures; empty if it does for all."""
        names = ", ".join(str(measure) for measure in self.unmoved(measures))
        return f"; rel={self.rel:g} changes nothing for {names}" if names else ""

    def unmoved(self, measures: Iterable[Measure]) -> list[Measure]:
        """Return the measures without a threshold, or with their own, where the user chose one for all of them."""
        known = self.registry.get(self.name, self)
        if self.rel_scale is not None or self.rel == known.rel:
            return []
        return [measure for measure in measures if getattr(measure, "rel", 0.0) is not None]

    def on_scale(self, scale: Any, names: str | Measure | Iterable[str | Measure], *, rel: bool = True) -> Self:
        """The dialect with the top and the threshold of the scale that the user names, if a measure leaves them open.

        A tool that has its own keeps it. Without `rel` the threshold stays, as a user said it.
        """
        if scale is None:
            return self
        from rankgauge.judgments import scale as scale_of

        named, measures = scale_of(scale), self.select(names)
        open_ = any(measure.needs_top and self.provider(measure).max_grade is None for measure in measures)
        spoken = self.topped_by(named.name, named.max_grade) if open_ else self
        usual = self.rel == _STANDARD["rel"] and named.rel not in (None, self.rel)
        if not rel or not usual or not any(getattr(measure, "rel", 0.0) is None for measure in measures):
            return spoken
        return replace(spoken.changed(rel=named.rel), rel_scale=named.name)

    def on_chunks(self, chunks: Any) -> Self:
        """The dialect that counts a document once, in its first place and with its highest grade, if chunks are read.

        A tool that says what copies count keeps it.
        """
        if chunks is None:
            return self
        once = self if self.duplicates is not Duplicates.REFUSE else self.changed(duplicates=Duplicates.FIRST)
        return once if once.judged_twice is not JudgedTwice.REFUSE else once.changed(judged_twice=JudgedTwice.MAX)

    def topped_by(self, scale: str, top: float) -> Self:
        """Return the dialect with the top of a scale where neither the tool nor the user has one."""
        topped = self.topped(top)
        given = self.max_grade is None and topped.max_grade is not None
        providers = tuple(one if one.max_grade is not None else one.topped_by(scale, top) for one in self.providers)
        return replace(topped, providers=providers, top_scale=scale if given else self.top_scale)

    def knows(self, grade: float) -> bool:
        """Say whether a grade is not above the top of the dialect's scale."""
        return grade <= self.top(np.inf)

    def top(self, highest: float) -> float:
        """Return the top of the scale: the dialect's, or else the highest grade of the judgments."""
        return highest if self.max_grade is None else self.max_grade

    def topped(self, highest: float) -> Self:
        """Return the dialect with the top of the scale set."""
        if self.max_grade is not None and not self.providers:
            return self
        topped = tuple(one.topped(highest) for one in self.providers)
        return replace(self, providers=topped, max_grade=self.top(highest))

    def changed(self, **overrides: Any) -> Self:
        """Return the dialect with some of its choices replaced, its providers' too; policies may be given by name."""
        known = {f.name for f in fields(self) if f.compare}
        values: dict[str, Any] = {}
        for name, value in overrides.items():
            if name not in known:
                raise UnknownNameError("setting of a dialect", name, known)
            kind = type(getattr(self, name))
            values[name] = kind.parse(value) if issubclass(kind, Policy) else value
        if values and self.providers:
            values["providers"] = tuple(one.changed(**_add_parameters(values, one)) for one in self.providers)
        if "rel" in values:
            if not isinstance(values["rel"], int | float | np.number) or not values["rel"] > 0:
                raise ParameterError("evaluate", "rel", "above 0: a document of grade 0 is not relevant", values["rel"])
            values["rel_scale"] = None
        for name in {"empty", "unanswered", "vacant"} & values.keys():
            if values[name] is not None or name == "empty":
                UNDEFINED.check("evaluate", name, values[name])
        depth = values.get("depth")
        if depth is not None and (not isinstance(depth, int | np.integer) or depth < 1):
            raise ParameterError("evaluate", "depth", "a whole number from 1 up, or None for all documents", depth)
        if "max_grade" in values:
            values["top_scale"] = None
        if self.by_measure and values:  # a user's choice is for every measure
            own = {name: {k: v for k, v in one.items() if k not in values} for name, one in self.by_measure.items()}
            values.setdefault("by_measure", {name: one for name, one in own.items() if one})
        return replace(self, **values) if values else self


def _add_parameters(values: Mapping[str, Any], dialect: Dialect) -> Mapping[str, Any]:
    """Return the changes, with parameters of measures added to those that the dialect states itself."""
    if "readings" not in values:
        return values
    own, new = dialect.readings, values["readings"]
    return {**values, "readings": {name: {**own.get(name, {}), **new.get(name, {})} for name in {**own, **new}}}


_PATTERN = re.compile(r"(?P<name>\w+)(?:\(.*?\))?(?:{})?(?P<cutoff>@?)")


def _is_kind(name: str, measure: Measure) -> bool:
    """Say whether a name or pattern (`nDCG@k`) is of the measure, with a cutoff if that has one."""
    match = _PATTERN.match(name)
    cut = getattr(measure, "cutoff", None) is not None
    return match is not None and match["name"] == measure.facts.name and bool(match["cutoff"]) == cut


def _own(name: str, known: Mapping[str, Printed]) -> list[Printed]:
    """Return what a name stands for; of several meanings, that of the tool's own label: ranx's hits@10 is its hits."""
    try:
        return resolve([name])
    except AmbiguousNameError:
        label, at, rest = re.split(r"([@-]|$)", name, maxsplit=1)
        measure = ours(f"{known[label].measure.facts.name}{at}{rest}") if label in known else None
        if measure is None:
            raise
        return [replace(known[label], name=name, measure=parse(measure))]


_STANDARD: Mapping[str, Any] = {f.name: f.default for f in fields(Dialect)}
"""The choices of a dialect that states none."""

_LIMITED = ("empty", "short", "ideal")
"""The choices that a dialect may make for some measures only."""


def get(name: str | Dialect, **overrides: Any) -> Dialect:
    """Look up a dialect by its name, and replace some of its choices.

    >>> from rankgauge import dialect
    >>> dialect("standard", empty="leave-out").empty
    'leave-out'
    """
    if isinstance(name, Dialect):
        return name.changed(**overrides)
    if not isinstance(name, str):
        raise ParameterError("evaluate", "dialect", "the name of a dialect, such as 'trec_eval'", name)
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and DIALECTS.keys() >= set(parts):
        side = "One dialect at a time here; 'rankgauge audit' shows several side by side."
        raise UnknownNameError("dialect", name, DIALECTS, near=(), otherwise=side)
    return DIALECTS.find(name).changed(**overrides)


listed = partial(
    Dialect, duplicates=Duplicates.COUNT_EACH, judged_twice=JudgedTwice.MAX, ties=Ties.INPUT, rel=ABOVE_ZERO
)
"""Make the dialect of a framework that is handed lists of ids and what is relevant: the order of a list is its ranking,
every copy is credited, and any grade above 0 is relevant."""


def prints(labels: Mapping[str, str], number: NumberFormat = FULL, **how: Any) -> tuple[Printed, ...]:
    """Return what a tool prints: measures by their labels; `how` is the rest of `Printed`, the same for all."""
    return tuple(Printed(name=label, measure=parse(measure), number=number, **how) for label, measure in labels.items())


def at_cutoffs(cutoffs: Sequence[int | str], labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels and measures at each cutoff: at 1 and 5, {"prec@": "P"} is {"prec@1": "P@1", "prec@5": "P@5"}."""
    return {f"{label}{k}": f"{name}@{k}" for label, name in labels.items() for k in cutoffs}
