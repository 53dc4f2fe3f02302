"""Runs against each other on the same judgments: means, and every pair with its test, its effect and its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankgauge.comparison import tables
from rankgauge.comparison.judging import TRUSTING, JudgedRule, MissingJudgments, Places
from rankgauge.comparison.segments import segment_pairs
from rankgauge.comparison.settings import ComparisonSettings
from rankgauge.comparison.tables import choose_tables, pair_html, pair_line, paired_places, verdicts
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.evaluation import display
from rankgauge.evaluation.evaluation import (
    apply_spelling,
    evaluate_runs,
    from_arrays,
    has_integer_queries,
    override_choices,
    weigh_subtopics,
)
from rankgauge.evaluation.judged_hits import judged_as
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.summary import LEVEL
from rankgauge.input_notes import collecting_notes
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable, as_frame
from rankgauge.records import entity
from rankgauge.statistics.effects import cohen_dz, outcomes, queries_needed
from rankgauge.statistics.intervals import Interval, column_means, limits, mean_interval
from rankgauge.statistics.paired_test import Family

if TYPE_CHECKING:
    from rankgauge.comparison.collections import CollectionsComparison
    from rankgauge.comparison.gate import Gate
    from rankgauge.comparison.similarity import RunSimilarity, SimilaritySettings
    from rankgauge.evaluation.judged_share import JudgedShare
    from rankgauge.evaluation.segments import Segmentation


@overload
def compare(
    judgments: Any,
    runs: Mapping[str, Any] | Iterable[Any],
    measures: str | Measure | Iterable[str | Measure],
    **options: Any,
) -> Comparison: ...


@overload
def compare(
    judgments: Mapping[str, tuple[Any, Any]], runs: str | Measure | Iterable[str | Measure], **options: Any
) -> CollectionsComparison: ...


def compare(
    judgments: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | Iterable[str] | None = None,
    settings: ComparisonSettings | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
    by: Any = None,
    similarity: str | SimilaritySettings | None = None,
    risk: float | None = None,
    dialect: str | Dialect = "standard",
    columns: str | Mapping[str, str] | None = None,
    scale: Any = None,
    ids: str | Iterable[str] | None = None,
    chunks: str | None = None,
    spans: str | None = None,
    intents: Any = None,
    weights: str | Mapping[str, float] = "each",
    groups: Mapping[str, str] | None = None,
    holes: str = "common",
    **overrides: Any,
) -> Comparison | CollectionsComparison:
    """Compare runs: which of them differ by more than luck, by each of the measures.

    >>> judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(8)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    >>> mixed = {query: {"a": float(query < "q3"), "b": 0.5} for query in judgments}
    >>> comparison = compare(judgments, {"mixed": mixed, "good": good}, "RR")
    >>> comparison.pairs.select("run", "other", "difference", "verdict").row(0)
    ('good', 'mixed', 0.3125, 'better')

    `runs` are runs by name, or a list, in which paths are named for their files. With a `baseline`, or several, every
    other run is compared with each of them, else each with each. `test` ("t", "wilcoxon" …), `correction` ("holm",
    "bonferroni" …) and `alpha`, the level, replace those of the `settings`.
    `similarity` ("rbo", "tau" …, or settings) also says how alike the runs' lists are. `risk` also says what each run
    risks against the baseline, where losses weigh 1 + `risk` times as much as gains. The other arguments are those of
    `evaluate`; who says `unjudged` is believed, and else a verdict asks that enough is judged (`judged_rule`).

    Over many collections: `compare({"fiqa": (judgments, runs), …}, measures)`. `weights` are "each", "queries",
    "groups" or numbers by collection, `groups` names the task of each; `holes` says what becomes of runs that lack a
    collection: "common" compares on those that all have, "bounds" keeps all and bounds such runs.
    """
    from rankgauge import files

    bases = (baseline,) if isinstance(baseline, str) else tuple(dict.fromkeys(baseline or ()))
    stated: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha}
    chosen = replace(settings or ComparisonSettings(), **{k: v for k, v in stated.items() if v is not None})
    said = {"columns": columns, "scale": scale, "ids": ids, "chunks": chunks, "spans": spans}
    if measures is None:
        from rankgauge.comparison.collections.sources import are_collections, compare_collections

        if not are_collections(judgments):
            wanted = (
                "given, as in compare(judgments, runs, 'nDCG@10'), or compare({name: (judgments, runs)}, 'nDCG@10')"
            )
            raise ParameterError("compare", "measures", wanted, None)
        unfit = {"by": by, "similarity": similarity, "risk": risk, "intents": intents}
        unfit |= {"test": test, "correction": correction}
        if named_unfit := [name for name, value in unfit.items() if value is not None]:
            raise ParameterError("compare", named_unfit[0], "left out over many collections", unfit[named_unfit[0]])
        choices: dict[str, Any] = {"bases": bases, "settings": chosen, "holes": holes}
        choices |= {"weights": weights, "groups": groups, "dialect": dialect, "said": said, "overrides": overrides}
        return compare_collections(judgments, runs, **choices)
    for name, value, usual in (("weights", weights, "each"), ("groups", groups, None), ("holes", holes, "common")):
        if value != usual:
            raise ParameterError("compare", name, "left out unless there are many collections", value)
    named: Mapping[str, Any] = files.named_runs("compare", runs)
    spoken = override_choices(dialect, overrides, compare).on_chunks(chunks)
    spoken = spoken.on_scale(scale, measures, rel="rel" not in overrides)
    judgments, named = from_arrays(judgments, named, spoken)
    whole = ids is None and has_integer_queries(judgments, columns)
    with collecting_notes() as notes, judged_as(spoken):
        judgments, named = apply_spelling(judgments, named, **said)
    judgments = weigh_subtopics(judgments, intents, spoken.select(measures))
    if similarity is not None:
        named = {name: files.keep_rereadable(run, files.run_from) for name, run in named.items()}
    evaluated = evaluate_runs(judgments, named, spoken.select(measures), spoken)
    results = {name: replace(result.noted(notes), integer_queries=whole) for name, result in evaluated}
    comparison = Comparison(
        results=results,
        baseline=bases[0] if bases else None,
        rivals=bases[1:],
        settings=chosen,
        judged_rule=TRUSTING if "unjudged" in overrides or spans is not None else JudgedRule(),
        risk=risk,
    )
    if similarity is not None:
        comparison = comparison.likened(
            {name: files.run_beside(judgments, run) for name, run in named.items()}, similarity
        )
    return comparison if by is None else comparison.segmented(by, ids)


@entity
class Comparison:
    """Runs that were evaluated on the same judgments by the same measures, and how to compare them.

    `pairs` has the differences with their tests, `means` the runs by measure, `per_query` every query's values,
    `segments` the same by group of queries, if `compare` was given groups.
    """

    results: Mapping[str, Result]
    baseline: str | None = None
    rivals: tuple[str, ...] = ()
    """Further baselines, against which every other run is held too."""
    settings: ComparisonSettings = field(default_factory=ComparisonSettings)
    by: tuple[Segmentation, ...] = ()
    """How the queries are grouped, where that was asked for."""
    alike: RunSimilarity | None = None
    """How alike the runs' lists are, where that was asked for."""
    judged_rule: JudgedRule = field(default_factory=JudgedRule)
    """How much must be judged for a verdict."""
    risk: float | None = None
    """How much more losses weigh than gains, where the risk against the baseline was asked for."""

    def __post_init__(self) -> None:
        if len(self.results) < 2:
            raise ParameterError("compare", "runs", "at least two, with different names", list(self.results))
        for name in self.bases:
            if name not in self.results:
                raise UnknownNameError("run", name, self.results)
        if self.bases and not set(self.results) - set(self.bases):
            raise ParameterError("compare", "baseline", "fewer than all runs", list(self.bases))
        if self.risk is not None:
            from rankgauge.comparison.risk import check_risk

            check_risk(self.risk, self.baseline, self.measures)
            if self.rivals:
                raise ParameterError("compare", "baseline", "a single run, where risk is asked for", list(self.bases))
        tables.refuse_unpaired(self.measures)

    @property
    def bases(self) -> tuple[str, ...]:
        """Every run that the others are held against."""
        return () if self.baseline is None else tuple(dict.fromkeys((self.baseline, *self.rivals)))

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The runs' names, in the order in which they were given."""
        return tuple(self.results)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order in which they were asked for."""
        return next(iter(self.results.values())).measures

    @property
    def dialect(self) -> Dialect:
        """The dialect that the runs were evaluated in."""
        return next(iter(self.results.values())).dialect

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries that count for at least one run, and last those whose search failed in every run."""
        failed = [query for result in self.results.values() for query in result.hits.failed]
        return tuple(dict.fromkeys([*tables.counted_queries(self.results), *failed]))

    @cached_property
    def values(self) -> FloatArray:
        """The values (measures × queries × runs); NaN where a run has none for the query."""
        return tables.stacked_values(self.results, self.queries)

    @cached_property
    def paired(self) -> tuple[IndexArray, IndexArray]:
        """The positions of the runs of each pair; the second one is what the first is held against."""
        return paired_places(self.runs, self.bases)

    @cached_property
    def differences(self) -> FloatArray:
        """The differences of the paired values (measures × queries × pairs)."""
        run, other = self.paired
        return np.asarray(np.round(self.values[:, :, run] - self.values[:, :, other], tables.DECIMALS))

    means = as_frame("mean_table", "A row per measure and run: measure, run, mean, low, high, queries.")
    pairs = as_frame("pair_table", "A row per measure and pair: difference, interval, p-values, verdict, effect, wins.")
    agreement = as_frame(
        "agreement_table", "A row per pair of measures: how alike they order the runs (tau_b, tau_ap)."
    )
    sensitivity = as_frame("sensitivity_table", "A row per measure: how many pairs of runs it separates.")
    segments = as_frame("segment_table", "A row per segment, measure and pair: means, difference, p-values, verdict.")
    similarity = as_frame("similarity_table", "A row per pair of runs: how alike their lists are, if asked for.")
    boards = as_frame("board_table", "A row per pair of measures: how alike they order the runs, if asked for.")
    risks = as_frame("risk_table", "A row per measure and run: what it risks against the baseline, if asked for.")

    @cached_property
    def movers(self) -> pl.DataFrame:
        """The queries that differ most: measure, query, run, other, value, other_value, difference."""
        return self._restore_queries(self.mover_table)

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """Every query: measure, query, run, other, value, other_value, difference."""
        return self._restore_queries(self.query_table)

    def _restore_queries(self, table: PlainTable) -> pl.DataFrame:
        # Queries as they were given: whole numbers or texts.
        whole = all(result.integer_queries for result in self.results.values())
        return table.frame.with_columns(pl.col("query").cast(pl.Int64)) if whole else table.frame

    # The same tables without polars, which takes longer to import than a small comparison takes.

    @cached_property
    def mean_table(self) -> PlainTable:
        """The means."""
        return PlainTable.stack([self._means(row) for row in range(len(self.measures))])

    @cached_property
    def pair_table(self) -> PlainTable:
        """The pairs."""
        return PlainTable.stack([self._pairs(row) for row in range(len(self.measures))])

    mover_table = cached_property(tables.movers)
    query_table = cached_property(tables.differences)
    agreement_table = cached_property(tables.orders)
    sensitivity_table = cached_property(tables.sensitivity)
    segment_table = cached_property(segment_pairs)

    @cached_property
    def similarity_table(self) -> PlainTable:
        """How alike the runs' lists are."""
        return self._asked_alike().table(self.interval)

    @cached_property
    def board_table(self) -> PlainTable:
        """How alike measures order the runs, by the similarity of lists."""
        from rankgauge.comparison.similarity import boards

        return boards(self.mean_table, self._asked_alike().settings)

    @cached_property
    def risk_table(self) -> PlainTable:
        """What runs risk against the baseline."""
        from rankgauge.comparison.risk import risks

        if self.risk is None:
            raise ParameterError("compare", "risk", "given, such as risk=5", None)
        return risks(self, self.risk)

    def _asked_alike(self) -> RunSimilarity:
        if self.alike is None:
            raise ParameterError("compare", "similarity", "given, such as similarity='rbo'", None)
        return self.alike

    def ordered(self, measure: Measure) -> tuple[str, ...]:
        """Return the runs by falling mean."""
        return tuple(self.mean_table.where("measure", str(measure)).ordered("mean", falling=True)["run"])

    def segmented(self, by: Any, ids: str | Iterable[str] | None = None) -> Comparison:
        """Return the comparison with its queries grouped, as `evaluate` groups them; `ids` says which are the same."""
        from rankgauge.evaluation.segments import keep_matching, segmentations

        return replace(self, by=keep_matching(segmentations(by, ids), self.queries, by))

    def likened(self, runs: Mapping[str, pl.DataFrame], by: str | SimilaritySettings, tell: Any = None) -> Comparison:
        """Return the comparison with how alike the runs' lists are; `tell` hears how far the work is."""
        from rankgauge.comparison.similarity import RunSimilarity, SimilaritySettings

        settings = SimilaritySettings(similarity=by) if isinstance(by, str) else by
        ranking, heard = self.dialect.ranking, tell or (lambda done, parts, name: None)
        return replace(self, alike=RunSimilarity.of(runs, self.queries, settings, ranking, heard))

    def gate(
        self, *rules: str, floors: Mapping[str, float] | None = None, segments: Mapping[str, float] | None = None
    ) -> Gate:
        """Whether runs are worse than the baseline by more than luck: `nDCG@10`, or `nDCG@10:0.01` with a tolerance.

        `floors` are the least means by measure, `segments` the tolerances by segment.
        """
        from rankgauge.comparison.gate import Gate, GateRule
        from rankgauge.comparison.settings import GateFloor, SegmentTolerance

        return Gate(
            comparison=self,
            rules=tuple(GateRule.of(rule) for rule in rules),
            floors=tuple(GateFloor(measure=name, least=least) for name, least in (floors or {}).items()),
            tolerances=tuple(SegmentTolerance(segment=name, loss=loss) for name, loss in (segments or {}).items()),
        )

    @property
    def judged(self) -> dict[str, dict[str, JudgedShare]]:
        """How much of what each measure looks at is judged, by run and measure."""
        return {name: result.judged for name, result in self.results.items()}

    def to_pandas(self, table: str = "pairs") -> Any:
        """Return the `pairs`, `means`, `per_query`, `movers`, `agreement` or `sensitivity` as a pandas frame."""
        return display.pandas(self, ("pairs", "means", "per_query", "movers", "agreement", "sensitivity"), table)

    def table(self, format: str = "table", *, tables: Iterable[str] | None = None, digits: int = 4) -> str:
        """Write the comparison as text: "table", "latex" (or "tex"), "md", "csv" or "json", as `-o` does.

        `tables` names some of "means", "pairs", "matrix", "segments" and "queries"; `digits` are a mean's in LaTeX.
        """
        from rankgauge.comparison.report import TABLES, ComparisonReport

        return ComparisonReport(comparison=self, chosen=choose_tables(tables, TABLES), digits=digits).text(format)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.runs)}: {pair_line(self.pair_table)}>"

    def _repr_html_(self) -> str:
        test = f"{self.settings.test} test, {self.settings.correction} correction"
        return pair_html(self.pair_table, f"{test}; dialect {self.dialect.describe(self.measures)}")

    def limits(self, row: int) -> tuple[float, float]:
        """Return how far that measure reaches, by the values of all runs."""
        return limits(self.measures[row].facts.bounds, self.values[row])

    def _means(self, row: int) -> PlainTable:
        values, count = self.values[row], len(self.runs)
        mean, known = column_means(values)
        ends = self.interval(values).within(*self.limits(row), mean)
        named = {"measure": [str(self.measures[row])] * count, "run": list(self.runs)}
        return PlainTable.from_columns(named | {"mean": mean, "low": ends.low, "high": ends.high, "queries": known})

    def pair_names(self, row: int) -> dict[str, list[str]]:
        """Return the columns that name each pair by a measure."""
        run, other = ([self.runs[at] for at in side] for side in self.paired)
        return {"measure": [str(self.measures[row])] * len(run), "run": run, "other": other}

    def tested(self, row: int, differences: FloatArray) -> dict[str, FloatArray]:
        """Test differences (queries × pairs) by a measure: p-values, and those that are corrected together."""
        (run, other), settings = self.paired, self.settings
        draws = settings.draws_for(len(run))
        p, error = settings.paired_test(differences, rng=settings.rng(), draws=draws)
        family = Family(p=p, values=self.values[row], first=run, second=other, rng=settings.rng(), draws=draws)
        return {"p": p, "p_error": error, "corrected": settings.family_correction.adjust(family)}

    def _pairs(self, row: int) -> PlainTable:
        values, settings = self.differences[row], self.settings
        (mean, count), tested = column_means(values), self.tested(row, values)
        effect, tally, reach = cohen_dz(values), outcomes(values), np.ptp(self.limits(row))
        ends = self.interval(values).within(-reach, reach, mean)
        separated = np.asarray(tested["corrected"] < settings.alpha)
        alike = (tally.wins + tally.losses == 0) & (count > 0)  # of runs without a common query nothing is known
        return PlainTable.from_columns(
            {
                **self.pair_names(row),
                "difference": mean,
                "low": ends.low,
                "high": ends.high,
                **tested,
                "verdict": verdicts(self.measures[row], mean, separated, alike, self.untold(row, separated)),
                "effect": effect,
                **tally._asdict(),
                "queries": count,
                "needed": queries_needed(effect, alpha=settings.alpha),
            }
        )

    @cached_property
    def missing(self) -> MissingJudgments:
        """What missing judgments alone can do to the differences."""
        return MissingJudgments(results=self.results, queries=self.queries, rule=self.judged_rule)

    def untold(self, row: int, separated: BoolArray, places: Places = None) -> BoolArray:
        """Return which of the separated pairs may be so only because documents are not judged, or searches failed."""
        untold = np.zeros(len(separated), dtype=bool)
        for pair in np.flatnonzero(separated).tolist():
            run, other = (self.runs[side[pair]] for side in self.paired)
            plain = self.differences[row, slice(None) if places is None else places, pair]
            turns = partial(self._is_turned, plain)
            untold[pair] = bool(self.missing.reason(self.measures[row], run, other, plain, turns, places))
        return untold

    def _is_turned(self, plain: FloatArray, moved: FloatArray) -> bool:
        """Say whether two runs would not be separated by other differences, or the other way round."""
        settings = self.settings
        p = float(settings.paired_test(moved[:, np.newaxis], rng=settings.rng(), draws=settings.draws_for(1)).p[0])
        return not p < settings.alpha or np.sign(np.nanmean(moved)) != np.sign(np.nanmean(plain))

    def interval(self, values: FloatArray, level: float = LEVEL) -> Interval:
        """Return the interval of each column's mean, of the kind that the settings name."""
        return mean_interval(values, self.settings.interval, seed=self.settings.seed, level=level)
