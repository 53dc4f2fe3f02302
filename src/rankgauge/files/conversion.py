"""Python objects that hold judgments or a run, converted to tables.

polars, pandas and pyarrow frames, dicts of dicts or of ordered lists, columns, and lists of tuples or dicts are
recognised by their shape. Neither pandas nor pyarrow is imported, and pandas needs no pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from numbers import Real
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.columns import JUDGMENTS, RUN, UNSAID, Said, Table, find, missing_columns, recognise, wide_note
from rankgauge.files.grade_columns import find_grade
from rankgauge.files.spelling import Spelling
from rankgauge.files.validation import check, rank_conflict
from rankgauge.input_notes import note
from rankgauge.policies import JudgmentKind

ITERATION: Said = {"subtopic": "iteration"}


def as_frame(source: Any) -> pl.DataFrame:
    """Return a frame, columns or rows as a frame with its own column names; missing numbers of pandas become null."""
    frame = _frame(source, RUN).collect()
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return frame
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def as_judgments(
    source: Any, spelling: Spelling | None = None, kind: JudgmentKind = JudgmentKind.GRADES
) -> pl.DataFrame:
    """The judgments that a frame, a dict of dicts, columns or rows hold: query, document, grade[, assessor, subtopic].

    Where they are read for their subtopics, a column `iteration` names these, as in ir-measures.
    """
    return as_table(source, JUDGMENTS, spelling, ITERATION if kind is JudgmentKind.SUBTOPICS else UNSAID)


def as_run(source: Any, spelling: Spelling | None = None) -> pl.DataFrame:
    """The run that a frame, a dict of dicts or of ordered lists, columns or rows hold: query, document, score …"""
    named = spelling is not None and not RUN.columns.keys().isdisjoint(spelling.columns)
    return as_table(_by_rank(source) if not named and _is_ordered(source) else source, RUN, spelling)


def _is_ordered(source: Any) -> bool:
    """Say whether it is {query: [documents in order]}, not {column: values}."""
    if not isinstance(source, Mapping) or any(find(map(str, source), column) for column in RUN.required):
        return False
    lists = [_is_listed(value) for value in source.values()]
    return bool(lists) and all(lists)


def _is_listed(value: Any) -> bool:
    """Say whether these are documents in an order."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | Set)


def _by_rank(source: Mapping[Any, Iterable[Any]]) -> list[tuple[Any, Any, float]]:
    """Return the rows of ordered lists: the score is the falling rank, unless it stands beside the document."""
    return [(query, *_hit(one, n)) for query, ranking in source.items() for n, one in enumerate(ranking, 1)]


def _hit(listed: Any, rank: int) -> tuple[Any, float]:
    """Return a document and its score, of an id or a pair (document, score)."""
    if isinstance(listed, tuple | list) and len(listed) == 2 and isinstance(listed[1], Real):
        return listed[0], listed[1] if isinstance(listed[1], int) else float(listed[1])  # an int may have more digits
    if not isinstance(listed, str | bytes) and isinstance(listed, Iterable):
        raise InputError(
            f"a list of a run holds ids or pairs (document, score), not {listed!r}",
            hint="Take the id of each document first, as in {query: [hit['_id'] for hit in hits]}.",
        )
    return listed, -float(rank)


def as_table(source: Any, table: Table, spelling: Spelling | None = None, otherwise: Said = UNSAID) -> pl.DataFrame:
    """The table that a frame, a dict of dicts, columns or rows hold; `otherwise` names columns that are not found."""
    frame = _frame(source, table)
    columns = frame.collect_schema().names()
    said = {name: column for name, column in otherwise.items() if find(columns, name) is None and column in columns}
    said |= {} if spelling is None else spelling.columns
    if table is JUDGMENTS:
        said = dict(find_grade(frame, columns, said))
    named = recognise(frame, table, columns, said)
    if error := missing_columns(table, named.collect_schema(), columns, said):
        raise error
    known = check(named.collect(), table, spelling=spelling)
    for words in _run_notes(known, columns, said) if table is RUN else ():
        note(words)
    return known


def _run_notes(run: pl.DataFrame, columns: list[str], said: Said) -> Iterator[str]:
    """Yield what to know of the order of a run that a frame holds."""
    if words := wide_note(columns, said):
        yield words
    ranks = find(columns, "rank", said)
    if ranks is not None and (words := rank_conflict(run, ranks)):
        yield f"the run: {words}"


def _frame(source: Any, table: Table) -> pl.LazyFrame:
    """Return the source as a polars frame with its own column names."""
    origin = type(source).__module__.partition(".")[0]
    if isinstance(source, pl.LazyFrame):
        return source
    if isinstance(source, pl.DataFrame):
        return source.lazy()
    if origin == "pandas" and getattr(getattr(source, "index", None), "nlevels", 1) == 2:
        source = _from_index(source, table)
    if origin == "pandas" and hasattr(source, "columns"):
        names = [str(name) for name in source.columns]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(
                f"the frame has several columns {', '.join(repeated)}", hint="Rename or drop all but one of them."
            )
        return pl.LazyFrame([_series(name, source.iloc[:, at]) for at, name in enumerate(names)])
    if origin == "pandas":
        raise InputError(
            f"{type(source).__name__} of pandas cannot be read as {table.name}",
            hint="Index it by query and document, or give a frame with columns for both and for the number.",
        )
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source).lazy()
    if isinstance(source, Mapping):
        return _from_mapping(source, table)
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return _from_rows(list(source), table)
    raise InputError(
        f"{type(source).__name__} cannot be read as {table.name}",
        hint="Give a polars, pandas or pyarrow frame, {query: {document: number}}, or rows of query, document, number.",
    )


def _from_index(source: Any, table: Table) -> Any:
    """Return a pandas frame or series that is indexed by query and document, with columns for them."""
    names = ["query", "document"] if None in source.index.names else list(source.index.names)
    series = {} if hasattr(source, "columns") else {"name": source.name or [*table.required][-1]}
    return source.rename_axis(index=names).reset_index(**series)


def _series(name: str, column: Any) -> pl.Series:
    """Return one column of a pandas frame. Its numbers go through NumPy; anything else through a list."""
    if getattr(column.dtype, "kind", "O") in "iufb" and type(column.dtype).__module__.startswith("numpy"):
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    return _mixed_column(name, column.astype(object).where(column.notna(), None).tolist())


def _mixed_column(name: str, values: list[Any]) -> pl.Series:
    """Return a column of Python values; one that mixes text and numbers, as ids may, becomes text."""
    try:
        series = pl.Series(name, values, strict=True)
        return _texts(name, values) if series.dtype == pl.Object else series
    except (TypeError, pl.exceptions.PolarsError):
        kinds = {type(value) for value in values if value is not None}
        # Whole numbers fail only if they need more than 64 bits: as text they keep every digit.
        doubles = kinds <= {bool, int, float} and kinds != {int}
        return pl.Series(name, values, dtype=pl.Float64, strict=False) if doubles else _texts(name, values)


def _texts(name: str, values: list[Any]) -> pl.Series:
    return pl.Series(name, [None if _is_missing(value) else str(value) for value in values], dtype=pl.String)


def _is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, or pandas' own NA and NaT, none of which is an id called 'nan'."""
    return (
        value is None or (isinstance(value, Real) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


LISTED = "If these are the relevant documents of each query, grade them: {query: dict.fromkeys(documents, 1), …}."
"""What to do with lists of documents as judgments."""


def _from_mapping(source: Mapping[Any, Any], table: Table) -> pl.LazyFrame:
    nested = [isinstance(value, Mapping) for value in source.values()]
    if nested and all(nested):
        rows = [(query, document, number) for query, numbers in source.items() for document, number in numbers.items()]
        if not any(isinstance(number, Mapping) for _, _, number in rows):
            return _from_rows(rows, table)
    unread = table is JUDGMENTS and all(isinstance(value, set | frozenset) for value in source.values())
    if any(nested) or unread or not source:
        ordered = ", {query: [documents in order]}" if table is RUN else ""
        first, second, third = table.required
        shape = f"{{{first}: {{{second}: {third}}}}}"
        hint = (
            LISTED
            if unread
            else "Subtopics and assessors are columns: {'query': […], 'document': […], 'subtopic': […], 'grade': […]}."
        )
        raise InputError(
            f"a dict of {'a run' if table is RUN else table.name} is {shape}{ordered} or {{column: values}}",
            hint=hint if table is JUDGMENTS and source else None,
        )
    columns = {str(name): list(values) for name, values in source.items()}
    if len(lengths := {len(values): f"{len(values)} in {name}" for name, values in columns.items()}) > 1:
        told = ", ".join(list(lengths.values())[:2])
        raise InputError(f"columns of different lengths: {told}", hint=LISTED if table is JUDGMENTS else None)
    return pl.LazyFrame([_mixed_column(name, values) for name, values in columns.items()])


def _from_rows(rows: list[Any], table: Table) -> pl.LazyFrame:
    """Return rows as tuples (query, document, number), named tuples or dicts."""
    if not rows:
        raise InputError(f"no {table.name} found: there are no rows")
    first = rows[0]
    if isinstance(first, Mapping):
        names = list(dict.fromkeys(name for row in rows for name in row))
        return pl.LazyFrame([_mixed_column(str(name), [row.get(name) for row in rows]) for name in names])
    names = list(getattr(first, "_fields", table.columns))
    width = len(first) if isinstance(first, tuple | list) else 0
    if not len(table.required) <= width <= len(names):
        named = " Several runs are a dict: {'bm25': 'bm25.txt', …}." if table is RUN and isinstance(first, str) else ""
        raise InputError(
            f"rows of {table.name} are ({', '.join(table.required)}); got {first!r}", hint=named[1:] or None
        )
    short = next((n for n, row in enumerate(rows) if len(row) != width), None)
    if short is not None:
        raise InputError(f"row {short + 1}: {width} fields expected, got {rows[short]!r}")
    columns = zip(names[:width], zip(*rows, strict=True), strict=True)
    return pl.LazyFrame([_mixed_column(name, list(values)) for name, values in columns])
