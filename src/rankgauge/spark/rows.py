"""Spark's frames → rows that tasks take → the job that every task does, by the very functions of one machine.

One exchange brings the judgments and the lines of a query to the same task: that is the join, and the documents are
matched there. Sorted partitions put each query in one piece and in rank order; Spark spills what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, UncombinedError
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.judged_hits import join_judgments
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.scoring import settle
from rankgauge.files import JUDGMENTS, RUN, Table, check, find
from rankgauge.files.formats.letor import AGAIN
from rankgauge.files.reading import whole_queries
from rankgauge.files.validation import Place, check_subtopics
from rankgauge.measures import Measure
from rankgauge.measures.measure import kind_asked
from rankgauge.numeric import FloatArray
from rankgauge.policies import IdealPool, JudgmentKind, RunOrder, Ties
from rankgauge.ranking import Hits, rank
from rankgauge.ranking.sorts import SORTS
from rankgauge.spark.session import F, quiet

ROWS = 200_000
"""How many rows are worked on at a time, at least: a batch ends with the query that reaches it."""

OWNER = "owner"
"""The column that says which queries stay together, where that is not the query itself."""

JUDGMENT, LINE = 0, 1
"""The kinds of rows: a judgment, and a line of the run."""


@dataclass(frozen=True, kw_only=True)
class EvaluationJob:
    """Some measures under a dialect, for queries that come in batches.

    A batch has the columns query, kind, document, number (the grade of a judgment, the score of a line) and, where
    several assessors are combined, assessor. The rows of a query are together, in the order of the input.
    """

    dialect: Dialect
    measures: tuple[Measure, ...]

    @classmethod
    def of(
        cls, measures: str | Measure | Iterable[str | Measure], dialect: str | Dialect = "standard", **overrides: Any
    ) -> Self:
        """Return the job that the names stand for."""
        spoken = dialects.get(dialect).changed(**overrides)
        return cls(dialect=spoken, measures=spoken.select(measures))

    @property
    def asks(self) -> JudgmentKind:
        """What the measures ask judgments to say."""
        return kind_asked(self.measures)

    @property
    def bare(self) -> EvaluationJob:
        """The same job without what the tool prints, which no task needs."""
        return replace(self, dialect=replace(self.dialect, printed=()))

    @property
    def grouped_by(self) -> str:
        """The column of what stays together: lists of a query that comes back may need the judgments of its first."""
        shares_ideal = any(self.dialect.choice("ideal", measure) is IdealPool.FIRST for measure in self.measures)
        return OWNER if shares_ideal else "query"

    def results(self, batches: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, Result]]:
        """Yield the result of each batch of whole queries; queries that nobody judged have none, the frame has them."""
        for frame in whole_queries(batches, rows=ROWS, name="the partition", by=self.grouped_by):
            judged, lines = (frame.filter(pl.col("kind") == kind) for kind in (JUDGMENT, LINE))
            yield frame, self.result(judged, lines) if len(judged) else self.nothing(lines)

    def result(self, judgments: pl.DataFrame, run: pl.DataFrame) -> Result:
        """Return the result of whole queries."""
        graded = _check(judgments.rename({"number": "grade"}), JUDGMENTS)
        check_subtopics(graded, self.asks)
        listed = _check(run.rename({"number": "score"}), RUN)
        parts = [
            score_hits(join_judgments(graded, listed, one, kind=self.asks), measures, one)
            for one, measures in self.dialect.parts(self.measures).items()
        ]
        return Result.join(parts, self.measures, self.dialect)

    def nothing(self, run: pl.DataFrame) -> Result:
        """Return the result where nothing was judged: no values, but a fault in the run is one here too."""
        _check(run.rename({"number": "score"}), RUN)
        empty = pl.DataFrame(schema={**JUDGMENTS.required})
        hits = rank(pl.DataFrame(schema={**RUN.required}), empty, self.dialect.ranking)
        return score_hits(hits, self.measures, self.dialect)


def _check(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the frame as the table; a batch may have no rows, which is no fault."""
    wanted = frame.select(name for name in table.columns if name in frame.columns)

    def locate(row: int) -> Place:
        """Show the row itself; a number would say nothing, as rows of a partition have no place in any file."""
        return 0, ", ".join(f"{name} {value}" for name, value in wanted.row(row, named=True).items())

    return check(wanted, table, locate=locate, whole=True) if len(wanted) else wanted


NUMERIC = ("double", "float")

FACETS = ("assessor", "subtopic", "stratum")
"""What else judgments may say of a grade."""


def group_rows(judgments: Any, run: Any, job: EvaluationJob, *, order: str | None = None) -> Any:
    """Return the rows of both, each query's in one partition and one piece: the judgments, then the lines by rank."""
    judged, lines = _judgments(judgments, job), _lines(run, order, by_rank=job.dialect.order is RunOrder.RANK)
    rows = judged.unionByName(lines, allowMissingColumns=True)
    by, number, ranked = job.grouped_by, F.col("number"), []
    if by == OWNER:
        rows = rows.withColumn(OWNER, F.regexp_replace("query", AGAIN, ""))
    if job.dialect.ties not in SORTS:  # sorts whose order of ties matters start from the order of the input
        # Scores are as the tool compares them, with one zero for 0 and -0.
        score = number.cast("float").cast("double") if job.dialect.single_precision else number
        ranked = [F.when(F.col("kind") == LINE, score + F.lit(0.0)).desc()]
    keys = [F.col(name) for name in dict.fromkeys((by, "query", "kind"))]
    return rows.repartition(F.col(by)).sortWithinPartitions(*keys, *ranked, F.col("order"))


def _judgments(frame: Any, job: EvaluationJob) -> Any:
    columns = name_columns(frame, JUDGMENTS)
    if "grade" not in columns and "score" in columns:
        columns["grade"] = columns.pop("score")  # as BEIR's files call it
    if "stratum" in columns and job.asks is not JudgmentKind.SAMPLES:  # what was not drawn is not judged
        frame = frame.filter(f"`{columns['grade']}` >= 0")
        columns = {name: column for name, column in columns.items() if name not in ("stratum", "probability")}
    rows = _number_rows(frame, columns, JUDGMENTS, "grade", JUDGMENT)
    if "assessor" not in columns or job.dialect.assessors is not None:
        return rows
    if len(rows.select("assessor").distinct().take(2)) > 1:
        raise UncombinedError("several")
    return rows.drop("assessor")


def _lines(frame: Any, order: str | None, *, by_rank: bool) -> Any:
    columns = name_columns(frame, RUN)
    if "rank" in columns and (by_rank or "score" not in columns):
        frame = frame.withColumn("score", -F.col(f"`{columns['rank']}`").cast("double"))
        columns["score"] = "score"
    rows = _number_rows(frame, columns, RUN, "score", LINE, order=order)
    return rows.drop("assessor")


def name_columns(frame: Any, table: Table) -> dict[str, str]:
    """Return our names of the frame's columns, and its own: those that other tools use are known."""
    wanted = (*table.columns, "score", "rank")
    return {name: column for name in wanted if (column := find(frame.columns, name)) is not None}


def texts(frame: Any, column: str) -> Any:
    """Return the ids of a column; one that is missing is empty, which the task refuses as any table does."""
    return F.coalesce(_text(frame, column), F.lit(""))


def _text(frame: Any, column: str) -> Any:
    """Return a column as text; a whole number that pandas made a double does not become 7.0."""
    cell = F.col(f"`{column}`")
    if dict(frame.dtypes)[column] not in NUMERIC:
        return cell.cast("string")
    whole = cell.cast("long")
    return F.when(cell == whole, whole.cast("string")).otherwise(cell.cast("string"))


def _number_rows(
    frame: Any, columns: dict[str, str], table: Table, number: str, kind: int, *, order: str | None = None
) -> Any:
    _require(frame.columns, columns, table)
    more = [_text(frame, columns[name]).alias(name) for name in FACETS if name in columns]
    if "probability" in columns and ("subtopic" in columns or "stratum" in columns):
        more.append(F.col(f"`{columns['probability']}`").cast("double").alias("probability"))
    return frame.select(
        *(texts(frame, columns[name]).alias(name) for name in ("query", "document")),
        *more,
        F.lit(kind).cast("byte").alias("kind"),
        F.expr(f"try_cast(`{columns[number]}` AS DOUBLE)").alias("number"),
        # Rows rise by partition, and within each.
        (F.monotonically_increasing_id() if order is None else F.col(order).cast("long")).alias("order"),
    )


def _require(present: Sequence[str], columns: dict[str, str], table: Table) -> None:
    missing = [name for name in table.required if name not in columns]
    if missing:
        raise InputError(
            f"no column for {', '.join(missing)} among {', '.join(present) or 'no columns'}",
            hint=f"Expected the columns {', '.join(table.required)}: rename yours.",
        )


MATRICES = ("raw", "errors", "worst", "best", "judged")

DIGEST: Mapping[str, str] = {
    "query": "string",
    "place": "long",
    "retrieved": "double",
    "answered": "boolean",
    "top": "double",
    "hits": "long",
    "pool": "long",
    "tied": "boolean",
    **dict.fromkeys(MATRICES, "array<double>"),
}
"""The columns of a record, in Spark's types; a query that nobody judged has a place, and nothing else."""


def digest(result: Result, places: pl.DataFrame) -> pl.DataFrame:
    """Return the records of a result's queries, and of those that nobody judged.

    `places` (query, place) says where the queries first appear: among the judgments, or else in the run.
    """
    hits, n = result.hits, len(result.hits.queries)
    top = np.full(n, -np.inf)
    np.maximum.at(top, hits.pool_query, hits.pool_grade)
    tied = hits.size > 1
    ordered = [result.reordered(ties) if tied.any() else result.raw for ties in (Ties.WORST, Ties.BEST)]
    judged = np.stack([result.judged_within(measure) for measure in result.measures], axis=1)
    matrices = zip(MATRICES, (result.raw, result.errors, *ordered, judged), strict=True)
    records = pl.DataFrame(
        {
            "query": hits.queries,
            "retrieved": hits.retrieved,
            "answered": hits.is_answered,
            "top": top,
            "hits": np.bincount(hits.query, minlength=n),
            "pool": np.bincount(hits.pool_query, minlength=n),
            "tied": np.bincount(hits.query[tied], minlength=n) > 0,
            **{name: pl.Series(list(matrix), dtype=pl.List(pl.Float64)) for name, matrix in matrices},
        }
    )
    return places.join(records, on="query", how="left").select(list(DIGEST))


def restore_result(records: pl.DataFrame, job: EvaluationJob) -> Result:
    """Return the result that the records were made of; of its hits only what the records tell is there."""
    judged = records.filter(pl.col("raw").is_not_null()).sort("place")
    if not len(judged):
        raise InputError("no judgments found: there are no rows")
    strangers = records.filter(pl.col("raw").is_null()).sort("place")["query"]
    if not (judged["answered"].any() or len(strangers)):
        raise InputError("no run found: there are no rows")
    shape = (len(judged), len(job.measures))

    def matrix(name: str) -> FloatArray:
        return judged[name].explode(empty_as_null=False).to_numpy().reshape(shape)

    hits = _hits(judged, tuple(strangers), single=job.dialect.single_arithmetic).check_matched()
    return Result(
        dialect=job.dialect,
        measures=job.measures,
        hits=hits,
        raw=matrix("raw"),
        matrix=settle(matrix("raw"), hits, job.measures, job.dialect),
        errors=matrix("errors"),
        bounds={Ties.WORST: matrix("worst"), Ties.BEST: matrix("best")},
        judged_counts=matrix("judged"),
    )


def _hits(judged: pl.DataFrame, strangers: tuple[str, ...], *, single: bool) -> Hits:
    """Return as many hits as there were, without their ranks, and for all of a query its best grade; the first hit of a
    query says whether some were tied."""
    counts, pool = judged["hits"].to_numpy(), judged["pool"].to_numpy()
    query = np.repeat(np.arange(len(judged)), counts)
    size = np.ones(len(query))
    size[(np.cumsum(counts) - counts)[judged["tied"].to_numpy()]] = 2.0
    unknown = np.broadcast_to(np.nan, query.shape)
    return Hits(
        names=judged["query"].to_list(),
        query=query,
        rank=unknown,
        grade=unknown,
        first=unknown,
        size=size,
        retrieved=judged["retrieved"].to_numpy(),
        pool_query=np.repeat(np.arange(len(judged)), pool),
        pool_grade=np.repeat(judged["top"].to_numpy(), pool),
        answered=judged["answered"].to_numpy(),
        strangers=strangers,
        single=single,
    )


Task = Callable[[Iterator[Any]], Iterator[Any]]

VALUES: Mapping[str, str] = {"query": "string", "measure": "string", "value": "double"}
"""The columns of values, in Spark's types."""


def values(job: EvaluationJob) -> Task:
    """Return the task that gives the settled values: query, measure, value."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        for _, result in job.results(frames(batches)):
            yield from pack(result.values, VALUES)

    return task


def digests(job: EvaluationJob) -> Task:
    """Return the task that gives a record for each query."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        for frame, result in job.results(frames(batches)):
            # The judgments of a query come before its lines.
            kinds = frame.group_by("query", "kind").agg(pl.col("order").min().alias("place"))
            places = kinds.sort("kind").unique("query", keep="first").select("query", "place")
            yield from pack(digest(result, places), DIGEST)

    return task


def map_rows(rows: Any, task: Task, columns: Mapping[str, str]) -> Any:
    """Return the Spark frame that the task makes of the rows, partition by partition."""
    with quiet():
        return rows.mapInArrow(task, ", ".join(f"{name} {kind}" for name, kind in columns.items()))


def frames(batches: Iterator[Any]) -> Iterator[pl.DataFrame]:
    """Yield the batches that hold rows."""
    for batch in batches:
        if batch.num_rows:
            yield pl.DataFrame(pl.from_arrow(batch))


def pack(frame: pl.DataFrame, columns: Mapping[str, str]) -> Iterator[Any]:
    """Yield the frame as Arrow batches of exactly those columns."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "double": pa.float64(),
        "long": pa.int64(),
        "boolean": pa.bool_(),
        "array<double>": pa.list_(pa.float64()),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    yield from frame.select(list(columns)).to_arrow().cast(schema).to_batches()
