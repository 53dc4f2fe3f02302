"""Best-worst scaling: grades from choices of the best and the worst of a few documents."""

from __future__ import annotations

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.columns import find

COLUMNS = ("documents", "best", "worst")
ALL_THREE = (
    "Every row has the documents that were shown, the best and the worst of them; leave out rows without a choice."
)


def best_worst(choices: pl.DataFrame) -> pl.DataFrame:
    """Judgments: how often a document was the best less how often it was the worst, out of the times it was shown.

    A row of the choices has a query, the documents that were shown (separated by blanks, or a list), the best and the
    worst of them. Louviere, Flynn & Marley, Best-worst scaling, 2015.
    """
    rows = _named(choices).with_row_index("row", offset=1)
    _refuse_strangers(rows)
    shown = rows.explode("documents").rename({"documents": "document"})
    score = (pl.col("document") == pl.col("best")).cast(pl.Int64) - (pl.col("document") == pl.col("worst")).cast(
        pl.Int64
    )
    return (
        shown.group_by("query", "document", maintain_order=True)
        .agg((score.sum() / pl.len()).cast(pl.Float64).alias("grade"))
        .select("query", "document", "grade")
    )


def _named(choices: pl.DataFrame) -> pl.DataFrame:
    """The four columns by our names, with the documents as lists."""
    query = find(choices.columns, "query")
    lacking = [name for name in COLUMNS if name not in choices.columns]
    if query is None or lacking:
        wanted = ", ".join(([] if query else ["query"]) + lacking)
        raise InputError(
            f"the table has no column {wanted}", hint="Columns: query, documents (separated by blanks), best, worst."
        )
    return choices.select(
        pl.col(query).cast(pl.String).alias("query"),
        _shown(choices["documents"]),
        *(pl.col(name).cast(pl.String).str.strip_chars() for name in ("best", "worst")),
    )


def _shown(documents: pl.Series) -> pl.Series:
    """The documents of each choice as a list, which they are in JSON lines, else from words."""
    if isinstance(documents.dtype, pl.List):
        lists = documents.cast(pl.List(pl.String))
    else:
        lists = documents.cast(pl.String).str.split(" ")
    named = pl.element().str.strip_chars()
    return lists.list.eval(named.filter(named != ""))


def _refuse_strangers(rows: pl.DataFrame) -> None:
    """An error for a choice that was not shown, of one document as both, or among documents of which one repeats."""
    for name in COLUMNS:
        filled = pl.col(name).list.len() if name == "documents" else pl.col(name).str.len_bytes()
        empty = rows.filter(filled.fill_null(0) == 0)
        if len(empty):
            row = empty.row(0, named=True)
            said = "shows no documents" if name == "documents" else f"names no {name} document"
            raise InputError(f"choice {row['row']} of query {row['query']} {said}", hint=ALL_THREE)
    for name in ("best", "worst"):
        bad = rows.filter(~pl.col("documents").list.contains(pl.col(name)).fill_null(False))
        if len(bad):
            row = bad.row(0, named=True)
            shown = ", ".join(row["documents"] or ())
            raise InputError(
                f"choice {row['row']} of query {row['query']}: the {name}, {row[name]}, is not among {shown}"
            )
    twice = rows.filter(pl.col("documents").list.n_unique() < pl.col("documents").list.len())
    if len(twice):
        row = twice.row(0, named=True)
        again = next(one for one in row["documents"] if row["documents"].count(one) > 1)
        raise InputError(f"choice {row['row']} of query {row['query']} shows {again} more than once")
    same = rows.filter(pl.col("best") == pl.col("worst"))
    if len(same):
        row = same.row(0, named=True)
        raise InputError(f"choice {row['row']} of query {row['query']}: {row['best']} is both the best and the worst")
