"""A run's values under any dialect, computed once for all that compute alike; its data's traits; which tools fit it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, RankGaugeError
from rankgauge.evaluation.judged_hits import check_matches, join_judgments, judged_as
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.scoring import score, settle
from rankgauge.files import Kind, Reading
from rankgauge.files.validation import check_subtopics, keeping_repeats, keeps_repeats
from rankgauge.input_notes import collecting_notes, note
from rankgauge.measures import Aggregate, Measure, parse_all
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import (
    Duplicates,
    FractionalGrade,
    IdealPool,
    JudgedTwice,
    JudgmentKind,
    MissingQuery,
    QueryOrder,
    RunOrder,
)
from rankgauge.ranking import Hits, Ranking

T = TypeVar("T")
Traits = frozenset[str]


def reason(error: RankGaugeError) -> str:
    """Return what an error says, in one paragraph."""
    problem, *hints = str(error).splitlines()
    return ". ".join([problem, *(hint.strip() for hint in hints)])


def explain_refusals(refused: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return why tools refuse an input; those that give the same reason are told together."""
    alike: dict[str, list[str]] = {}
    for name, why in refused.items():
        alike.setdefault(why, []).append(name)
    return [(names[0], why + (f" So do {', '.join(names[1:])}." if names[1:] else "")) for why, names in alike.items()]


CAMPAIGNS = ("ndeval", "romip", "romip-1+p")
"""Tools of evaluation campaigns, whose assessors and tracks other judgments do not have."""

SEARCH_ONLY = ("elasticsearch", "quepid", "ranx")
"""Tools for the results of a search, which nobody uses on a learned ranker's test set."""

NO_TOOL = ("papers",)
"""Definitions that no tool computes by."""

WRAPPERS = ("beir", "beir-mrr", "ir-measures", "mteb", "pytrec_eval", "torchmetrics")
"""Libraries that compute as trec_eval, gdeval or scikit-learn do, but for queries that are not in the run: beside these
they would be the same numbers again."""

FRAMEWORKS = (
    *("deepeval", "evidently", "haystack", "haystack-2", "ignite", "implicit", "lenskit", "llamaindex"),
    *("llamaindex-0.12.1", "mlflow", "mlflow-2.9", "opensearch-srw", "phoenix", "pyvespa", "ragas", "rax", "recbole"),
    *("recommenders", "sentence-transformers", "sentence-transformers-reranking", "trulens", "trulens-before-2747"),
)
"""Frameworks for RAG and machine learning, whose own rows other people do not have."""

OWN_ROWS = {
    **{name: name for name in ("evidently", "haystack", "mlflow", "ragas", "trulens")},
    **{"langsmith": "", "llama_index": "llamaindex", "openinference": "phoenix"},
    **{"search_relevance": "opensearch-srw", "sentence_transformers": "sentence-transformers"},
}
"""The formats of rows that frameworks write, and the dialect of each."""

LEARNED_ONLY = (
    *("catboost", "letor3", "letor4", "lightgbm", "mslr", "ranklib", "ranklib-2.8", "ranklib-2011-fork"),
    *("xgboost", "yahoo"),
)
"""Tools that need a grade for every ranked document, and so cannot read pooled judgments and a run."""


def fitting(judgments: Any, run: Any, kind: JudgmentKind = JudgmentKind.GRADES) -> tuple[Dialect, ...]:
    """Return the dialects that fit the two files; a dialect that a user added fits any.

    For judgments that say more of a document than its grade, they are those of tools that read such.
    """
    if kind is not JudgmentKind.GRADES:
        tools = (one for one in dialects.DIALECTS.values() if one.printed and computes(one, kind))
        return (dialects.get("standard"), *tools)
    learned = files.is_path(judgments) and files.is_path(run) and files.detect(run).kind is Kind.COMPANION
    own = frameworks_of(judgments, run)
    away = {*NO_TOOL, *CAMPAIGNS, *WRAPPERS, *(SEARCH_ONLY if learned else LEARNED_ONLY)}
    away |= {*SEARCH_ONLY} if own else {*FRAMEWORKS}
    fit = tuple(dialect for name, dialect in dialects.DIALECTS.items() if name not in away)
    return tuple(sorted(fit, key=lambda one: one.name not in ("standard", "trec_eval"))) if own else fit


def frameworks_of(*sources: Any) -> list[str]:
    """Return the dialects of the frameworks whose own rows the files have."""
    named = (files.detect(source).format.name.removesuffix("-results") for source in sources if files.is_path(source))
    return [OWN_ROWS[name] for name in named if name in OWN_ROWS]


def computes(dialect: Dialect, kind: JudgmentKind) -> bool:
    """Say whether the tool prints a measure of such judgments, or nobody says what it prints."""
    return not dialect.printed or any(printed.measure.facts.judgments is kind for printed in dialect.printed)


def taking_copies(dialect: Dialect, scores: Iterable[Scores]) -> Dialect:
    """Return the dialect; where a run lists documents twice and it refuses that, it counts each of them once."""
    listed = any(one.repeats and not one.judges_twice for one in scores)
    if dialect.duplicates is not Duplicates.REFUSE or not listed:
        return dialect
    note(f"the run lists documents more than once: in {dialect.name} each counts once here (--duplicates count-once)")
    return dialect.changed(duplicates=Duplicates.COUNT_ONCE)


def accepting(
    tools: Iterable[Dialect], scores: Collection[Scores], measure: Measure
) -> tuple[list[Dialect], dict[str, str]]:
    """Return the dialects that accept every run, and why the others refuse one; if none does, that is an error."""
    taking, errors = [], dict[str, RankGaugeError]()
    for tool in tools:
        try:
            for one in scores:
                one.mean(tool, measure)
            taking.append(tool)
        except RankGaugeError as error:
            errors[tool.name] = error
    refused = {name: reason(error) for name, error in errors.items()}
    if not taking:
        # All tools stop at the same place in a file: then the file is at fault.
        places = {str(one) if isinstance(one, InputError) and one.path else None for one in errors.values()}
        first = next(iter(errors))
        if len(places) == 1 and None not in places:
            raise errors[first]
        raise InputError(f"no tool accepts this input; {first} says: {refused[first]}")
    return taking, refused


REPORTED = (
    *("name", "title", "reference", "differs", "also", "strict", "rel_scale", "top_scale"),
    *("printed", "usual", "lists_missing", "lists_short"),
)
"""The fields of a dialect that say how values are shown, not what they are."""

REFUSING = ("fewest", "extra_scores")
"""The fields that say which input the tool refuses; if two dialects both accept it, they change no value."""

RESOLVED = ("only_for", "providers", "by_measure")
"""The fields that say for which measures other fields hold; for a single measure they are already resolved."""

LATE = (
    *("gain", "discount", "rel", "max_grade", "readings", "empty", "unanswered", "vacant"),
    *("short", "decimals", "half_up", "missing", "query_order"),
)
"""The fields that only the measures and the summary read."""

OPEN = ("gain", "discount", "rel", "max_grade")
"""The parameters that a measure may leave to the dialect."""

NEUTRAL = {
    "odd": ("duplicates", "judged_twice", "grouping", "extra_scores", "fractional"),
    **{"negative": ("negative",), "high": ("high",), "close": ("single_precision",), "tied": ("ties",)},
}
"""The choices of reading and ranking that never matter to data without the trait."""


def find_traits(judged: pl.DataFrame, ranked: pl.DataFrame, *, odd: bool, dialect: Dialect) -> Traits:
    """Return what judgments and a run have that tools treat differently, as the dialect's tool reads them.

    `odd` says that tools read the lines differently: repeated documents, torn queries, grades such as 1.0.
    """
    pair, single = ["query", "document"], pl.col("score").cast(pl.Float32)
    listed = ranked.join(judged, on="query", how="semi")
    holds = {
        "odd": odd,
        "negative": (judged["grade"] < 0).any(),
        "high": not dialect.knows(float(np.max(judged["grade"].to_numpy(), initial=0.0))),
        "tied": ranked.select("query", single).is_duplicated().any(),
        "close": ranked["score"].n_unique() != ranked.select(single)["score"].n_unique(),  # equal in 32 bits, not in 64
        "missing": len(judged.join(ranked, on="query", how="anti")) > 0,
        "unjudged": len(listed.join(judged, on=pair, how="anti")) > 0,
        "unretrieved": len(judged.join(ranked, on=pair, how="anti")) > 0,
    }
    return frozenset(name for name, held in holds.items() if held)


def _neutral(dialect: Dialect, traits: Traits) -> Dialect:
    """Make those choices of reading and ranking as in standard that never matter to data with these traits."""
    idle = [name for trait, names in NEUTRAL.items() if trait not in traits for name in names]
    if not traits & {"unjudged", "negative"}:
        idle.append("unjudged")
    whole = dialect.ideal is IdealPool.RETRIEVED and "unretrieved" not in traits and dialect.depth is None
    if whole or (dialect.ideal is IdealPool.FIRST and "odd" not in traits):
        idle.append("ideal")
    return _as_standard(dialect, idle)


def _as_standard(dialect: Dialect, names: Iterable[str]) -> Dialect:
    standard = dialects.get("standard")
    return replace(dialect, **{name: getattr(standard, name) for name in names})


def simplest(dialect: Dialect, measure: Measure, traits: Traits) -> Dialect:
    """Return the bare dialect with every choice made neutral that matters neither to the data nor to the measure.

    Two dialects that become equal give the same values, but for the last bits of a mean: the order in which the
    queries are added is one of the choices.
    """
    dialect = dialect.provider(measure)
    held = {name: dialect.choice(name, measure) for name in ("empty", "short", "ideal")}
    matters = {"rel": dialect.cut_ideal, "max_grade": "high" in traits}
    closed = [name for name in OPEN if getattr(measure, name, "set") is not None and not matters.get(name)]
    own = {name: chosen for name, chosen in dialect.readings.items() if name == measure.facts.name}
    missing = dialect.missing if "missing" in traits else MissingQuery.ZERO
    order = QueryOrder.APPEARANCE
    spoken = replace(dialect, **held, only_for={}, providers=(), readings=own, missing=missing, query_order=order)
    return bare(_neutral(_as_standard(spoken, closed), traits))


def bare(dialect: Dialect) -> Dialect:
    """Return the dialect without the fields that change no value: two dialects that are equal then compute alike."""
    if not dialect.name:
        return dialect
    unnamed = replace(dialect, name="", title="", reference="", differs=(), also=(), strict=False)
    return replace(unnamed, printed=(), usual=None, lists_missing=True, lists_short=True)


STRICTEST = Reading(fractional=FractionalGrade.REFUSE, order=RunOrder.RANK)
"""The way of reading that refuses most, and that leaves out nothing which a tool looks at."""

KEY = ("query", "document", "assessor", "subtopic")
"""What a judgment is of."""


def averaged(measures: Iterable[str | Measure]) -> list[Measure]:
    """Return the measures; one that is no mean over queries is an error."""
    parsed = parse_all(measures)
    if sums := [measure for measure in parsed if measure.facts.aggregate is Aggregate.SUM]:
        raise ParameterError("audit", "measure", "one whose values are averaged over queries", str(sums[0]))
    return parsed


def judged_for(judgments: Any, kind: JudgmentKind) -> Any:
    """Return judgments that can be read more than once, for measures that ask for that kind."""
    if kind is JudgmentKind.GRADES:
        return files.keep_rereadable(judgments, files.judgments_from)
    table = files.judgments_from(judgments, kind)
    check_subtopics(table, kind)
    return table


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """A run's values under any dialect; judgments and run are paths, frames or dicts."""

    judgments: Any
    run: Any
    kind: JudgmentKind = JudgmentKind.GRADES
    """What the measures ask judgments to say."""
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, judgments: Any, runs: Mapping[str, Any], kind: JudgmentKind) -> dict[str, Scores]:
        """Return those of each run; sources that can be read only once become tables."""
        judged = judged_for(judgments, kind)
        read = {name: files.keep_rereadable(run, files.run_from) for name, run in runs.items()}
        return {name: cls(judgments=judged, run=run, kind=kind) for name, run in read.items()}

    def tables(self, dialect: Dialect) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the judgments, one grade for each document, and the run, as the dialect's tool reads them."""
        judged, ranked = self._read(dialect)
        with _as_judged(dialect):
            return dialect.prepare(judged, self.kind), ranked

    @property
    def repeats(self) -> bool:
        """Whether the run lists a document more than once."""
        return self._once("repeats", self._repeating)[1]

    @property
    def judges_twice(self) -> bool:
        """Whether a document is judged more than once."""
        return self._once("repeats", self._repeating)[0]

    def _repeating(self) -> tuple[bool, bool]:
        copies = dialects.get("standard", duplicates=Duplicates.COUNT_EACH, judged_twice=JudgedTwice.EACH)
        try:
            return _has_repeats(*self._read(copies))
        except RankGaugeError:  # another fault, which the dialects will tell of
            return False, False

    @property
    def contrary(self) -> int:
        """How many judged queries have ranks that contradict their scores; 0 where a run states no ranks."""
        return self._once("contrary", self._count_contrary)

    def _count_contrary(self) -> int:
        by_rank = dialects.get(
            "standard", order=RunOrder.RANK, duplicates=Duplicates.COUNT_EACH, judged_twice=JudgedTwice.EACH
        )
        try:
            judged, ranked = self._read(by_rank)
        except RankGaugeError:  # a fault of which the dialects will tell, or ranks that cannot be read
            return 0
        return len(contrary_queries(ranked.join(judged, on="query", how="semi"))) if "rank" in ranked.columns else 0

    def traits(self, dialect: Dialect) -> Traits:
        """Return what the data is like, as the dialect's tool reads it."""
        odd = self._plain is None
        key = ("traits", dialect.reading if odd else None, dialect.max_grade)
        return self._once(key, lambda: find_traits(*self._read(dialect), odd=odd, dialect=dialect))

    def _read(self, dialect: Dialect) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the tables in the files, read only once if every tool reads them alike."""
        with judged_as(dialect):
            key = "tables", dialect.reading, keeps_repeats()
            return self._plain or self._once(key, lambda: self._pair(dialect.reading))

    def _pair(self, reading: Reading) -> tuple[pl.DataFrame, pl.DataFrame]:
        return files.pair_from(self.judgments, self.run, reading, kind=self.kind)

    @property
    def _plain(self) -> tuple[pl.DataFrame, pl.DataFrame] | None:
        """The tables if every tool reads the same from the files, else None."""
        return self._once("plain", self._read_plainly)

    def _read_plainly(self) -> tuple[pl.DataFrame, pl.DataFrame] | None:
        """Return the tables if the strictest tool would accept the files and the lines of each query are together."""
        try:
            with keeping_repeats():
                judged, ranked = self._pair(STRICTEST)
        except InputError:
            return None  # the dialects that accept them nevertheless read them in their own ways
        query = judged["query"]
        torn = int((query != query.shift(1)).sum()) + 1 > query.n_unique()
        # A frame's reader leaves copies to the ranking stage, which refuses them or not.
        return None if torn or any(_has_repeats(judged, ranked)) else (judged, ranked)

    def mean(self, dialect: Dialect, measure: Measure) -> float:
        """Return the measure's one number under the dialect."""
        spoken = dialect.provider(measure)
        return self._once(("mean", bare(spoken), measure), lambda: float(self.result(spoken, measure)[measure]))

    def values(self, dialect: Dialect, measure: Measure) -> FloatArray:
        """Return the value of each of `queries` under the dialect; NaN where the query does not count."""
        result = self.result(dialect, measure)
        values = np.full(len(result.hits.queries), np.nan)
        values[result.counted] = result.matrix[:, 0]
        if result.hits.queries.equals(self.queries):
            return values
        # A tool that groups lines differently has other queries; queries of the same name are compared.
        named = pl.DataFrame({"query": result.hits.queries, "value": values})
        asked = pl.DataFrame({"query": self.queries})
        return asked.join(named, on="query", how="left", maintain_order="left")["value"].fill_null(np.nan).to_numpy()

    def only(self, query: str, dialect: Dialect) -> Scores:
        """Return the scores of one query alone, as the dialect's tool reads the files."""
        judged, ranked = (table.filter(pl.col("query") == query) for table in self.tables(dialect))
        return Scores(judgments=judged, run=ranked, kind=self.kind, _kept={"plain": (judged, ranked)})

    @property
    def queries(self) -> pl.Series:
        """The judged queries, as in the first dialect that accepted the files."""
        queries: pl.Series = self._kept["queries"]
        return queries

    def result(self, dialect: Dialect, measure: Measure) -> Result:
        """Return what `evaluate` gives for the one measure under the dialect."""
        dialect = dialect.provider(measure)
        hits = self.hits(dialect)
        self.prepare(dialect, [measure])
        raw, errors = self._kept[self._key(dialect, measure)]
        matrix = settle(raw, hits, (measure,), dialect)
        return Result(dialect=dialect, measures=(measure,), hits=hits, raw=raw, errors=errors, matrix=matrix)

    def hits(self, dialect: Dialect) -> Hits:
        """Return the judged hits under the dialect."""
        hits = self._once(("hits", self._early(dialect)), lambda: self._rank(dialect))
        checked = dialect.check(hits)  # which input a tool refuses is no part of the key
        self._kept.setdefault("queries", hits.queries)
        return checked

    def _rank(self, dialect: Dialect) -> Hits:
        with files.locating_repeats(self.run):
            tables = self._read(dialect)
            with _as_judged(dialect):
                hits = join_judgments(*tables, dialect, kind=self.kind)
            return check_matches(hits, lambda: tables, self.run)

    def prepare(self, dialect: Dialect, measures: Iterable[Measure]) -> None:
        """Compute the measures together, which is faster than one after the other."""
        wanted = {self._key(dialect, measure): measure for measure in measures}
        fresh = [(key, measure) for key, measure in wanted.items() if key not in self._kept]
        if fresh:
            values, errors = score(self.hits(dialect), [measure for _, measure in fresh], dialect)
            for column, (key, _) in enumerate(fresh):
                self._kept[key] = values[:, [column]], errors[:, [column]]

    def _key(self, dialect: Dialect, measure: Measure) -> Hashable:
        """Return the key of a kernel's values, which dialects share if they read the measure alike."""
        return "raw", self._early(dialect), dialect.read(measure)

    def _early(self, dialect: Dialect) -> Dialect:
        """The dialect as the stages before the kernels see it; choices that never matter to this data are neutral."""
        # The top of the scale is a measure's parameter, and where a tool cuts grades at it, the judgments' too.
        kept = {*(f.name for f in fields(Ranking)), *(["max_grade"] if dialect.rescales else [])}
        late = [name for name in LATE if name not in kept]
        made = bare(dialect)
        return self._once(("early", made), lambda: _neutral(_as_standard(made, late), self.traits(dialect)))

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what is computed, from now on kept under the key."""
        if key not in self._kept:
            self._kept[key] = compute()
        made: T = self._kept[key]
        return made


def _has_repeats(judged: pl.DataFrame, ranked: pl.DataFrame) -> tuple[bool, bool]:
    """Say whether a document is judged more than once, and whether one is listed more than once."""
    key = [name for name in KEY if name in judged.columns]
    return judged.select(key).is_duplicated().any(), ranked.select("query", "document").is_duplicated().any()


@contextmanager
def _as_judged(dialect: Dialect) -> Iterator[None]:
    """Within the block repeated judgments count as the dialect says; an audit names the choice, so notes need not."""
    with judged_as(dialect), collecting_notes() if keeps_repeats() else nullcontext():
        yield


def contrary_queries(ranked: pl.DataFrame) -> pl.Series:
    """Return the queries whose ranks contradict their scores."""
    # Equal ranks, as in a file that has 0 on every line, contradict nothing.
    ordered = ranked.drop_nulls("rank").sort("query", "rank", "score", descending=[False, False, True])
    rises = (pl.col("query") == pl.col("query").shift()) & (pl.col("score") > pl.col("score").shift())
    return ordered.filter(rises)["query"].unique(maintain_order=True)


CUTOFF = 10
"""The length below which a list is short, if the measure has no cutoff."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Conditions:
    """Which of the judged queries are of a kind, by the name of the kind."""

    queries: pl.Series
    holds: Mapping[str, BoolArray]
    grades: tuple[float, ...]
    """The grades in use, rising."""
    cutoff: int
    judges_twice: bool = False

    @classmethod
    def of(cls, scores: Scores, dialect: Dialect, measure: Measure) -> Conditions:
        """Return the conditions of a run, by the measure's cutoff and by what the dialect counts as relevant."""
        hits, cutoff = scores.hits(dialect), measure.depth or CUTOFF
        n = len(hits.queries)
        rel = dialect.speak(measure).level
        judged, _ = scores.tables(dialect)
        below = hits.queries.is_in(judged.filter(pl.col("grade") < 0)["query"].implode()).to_numpy()
        return cls(
            queries=hits.queries,
            holds={
                "empty": np.bincount(hits.pool_query[hits.pool_grade >= rel], minlength=n) == 0,
                "short": hits.is_answered & (hits.retrieved < cutoff),
                "tied": np.bincount(hits.query[hits.size > 1], minlength=n) > 0,
                "missing": ~hits.is_answered,
                "unjudged": np.bincount(hits.query, minlength=n) < hits.retrieved,
                "negative": below,
            },
            grades=tuple(sorted(judged["grade"].unique().to_list())),
            cutoff=cutoff,
            judges_twice=scores.judges_twice,
        )

    def count(self, kind: str) -> int:
        """Return how many queries are of the kind."""
        return int(self.holds[kind].sum())
