"""Spark's frames → rows that tasks take: judgments and lines of the run in one frame, a query's rows together.

One exchange brings the judgments and the lines of a query to the same task: that is the join, and the documents are
matched there. Sorted partitions put each query in one piece and in rank order; Spark spills what does not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankgauge.errors import InputError, UncombinedError
from rankgauge.files import JUDGMENTS, RUN, Table, find
from rankgauge.files.formats.letor import AGAIN
from rankgauge.policies import JudgmentKind, RunOrder
from rankgauge.ranking.rules import SORTS
from rankgauge.spark.job import JUDGMENT, LINE, EvaluationJob

OWNER = "owner"
"""The column that says which queries stay together, where that is not the query itself."""

NUMERIC = ("double", "float")

FACETS = ("assessor", "subtopic", "stratum")
"""What else judgments may say of a grade."""


def grouped(judgments: Any, run: Any, job: EvaluationJob, *, order: str | None = None) -> Any:
    """The rows of both, each query's in one partition and in one piece: the judgments, then the lines by rank."""
    from pyspark.sql import functions as F  # noqa: N812 - what Spark's users call it

    judged, lines = _judgments(judgments, job), _lines(run, order, by_rank=job.dialect.order is RunOrder.RANK)
    rows = judged.unionByName(lines, allowMissingColumns=True)
    by = "query"
    if job.shares_ideal:
        rows, by = rows.withColumn(OWNER, F.regexp_replace("query", AGAIN, "")), OWNER
    keys = [F.col(name) for name in dict.fromkeys((by, "query", "kind"))]
    # Sorts whose order of ties matters start from the order of the input.
    ranked = () if job.dialect.ties in SORTS else (_compared(job).desc(),)
    return rows.repartition(F.col(by)).sortWithinPartitions(*keys, *ranked, F.col("order"))


def _compared(job: EvaluationJob) -> Any:
    """What lines are ordered by: the score as the tool compares it, one zero for 0 and -0."""
    from pyspark.sql import functions as F  # noqa: N812

    number = F.col("number")
    score = number.cast("float").cast("double") if job.dialect.single_precision else number
    return F.when(F.col("kind") == LINE, score + F.lit(0.0))


def _judgments(frame: Any, job: EvaluationJob) -> Any:
    columns = named(frame, JUDGMENTS)
    if "grade" not in columns and "score" in columns:
        columns["grade"] = columns.pop("score")  # as BEIR's files call it
    if "stratum" in columns and job.asks is not JudgmentKind.SAMPLES:  # what was not drawn is not judged
        frame = frame.filter(f"`{columns['grade']}` >= 0")
        columns = {name: column for name, column in columns.items() if name not in ("stratum", "probability")}
    rows = _numbered(frame, columns, JUDGMENTS, "grade", JUDGMENT)
    if "assessor" not in columns or job.dialect.assessors is not None:
        return rows
    if len(rows.select("assessor").distinct().take(2)) > 1:
        raise UncombinedError("several")
    return rows.drop("assessor")


def _lines(frame: Any, order: str | None, *, by_rank: bool) -> Any:
    columns = named(frame, RUN)
    if "rank" in columns and (by_rank or "score" not in columns):
        from pyspark.sql import functions as F  # noqa: N812

        frame = frame.withColumn("score", -F.col(f"`{columns['rank']}`").cast("double"))
        columns["score"] = "score"
    rows = _numbered(frame, columns, RUN, "score", LINE, order=order)
    return rows.drop("assessor")


def named(frame: Any, table: Table) -> dict[str, str]:
    """Our names of the frame's columns, and its own: those that other tools use are known."""
    wanted = (*table.columns, "score", "rank")
    return {name: column for name in wanted if (column := find(frame.columns, name)) is not None}


def texts(frame: Any, column: str) -> Any:
    """The ids of a column; one that is missing is empty, which the task refuses as any table does."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce(_text(frame, column), F.lit(""))


def _text(frame: Any, column: str) -> Any:
    """A column as text; a whole number that pandas made a double does not become 7.0."""
    from pyspark.sql import functions as F  # noqa: N812

    cell = F.col(f"`{column}`")
    if dict(frame.dtypes)[column] not in NUMERIC:
        return cell.cast("string")
    whole = cell.cast("long")
    return F.when(cell == whole, whole.cast("string")).otherwise(cell.cast("string"))


def _numbered(
    frame: Any, columns: dict[str, str], table: Table, number: str, kind: int, *, order: str | None = None
) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

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
