"""The check of every table that comes in: its columns in their types, or an error that names the row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankgauge.errors import InputError
from rankgauge.tables.columns import JUDGMENTS, Table

Place = tuple[int, str]
"""The number and the text of a row's line in its file."""


@dataclass(frozen=True, kw_only=True)
class _Fault:
    row: int
    problem: str
    hint: str | None = None


def check(
    frame: pl.DataFrame,
    table: Table,
    *,
    path: str | Path | None = None,
    locate: Callable[[int], Place] | None = None,
) -> pl.DataFrame:
    """The frame with the table's columns in the table's types, or an error that says what is wrong and where.

    `locate` gives the line of the row with that number (from 0).
    """
    missing = [name for name in table.required if name not in frame.columns]
    if missing:
        raise InputError(
            f"{table.name} need the columns {', '.join(table.required)}; {', '.join(missing)} not found among "
            f"{', '.join(frame.columns) or 'no columns'}",
            path=path,
        )
    if frame.is_empty():
        raise InputError(f"no {table.name} found: there are no rows", path=path)
    wanted = [name for name in table.columns if name in frame.columns]
    typed = frame.select(_cast(frame, name, table.columns[name]) for name in wanted)
    fault = None if is_clean(typed, table) else next(_faults(frame, typed, table), None)
    if fault is None:
        return typed
    line, text = (None, None) if locate is None else locate(fault.row)
    problem = fault.problem if locate else f"row {fault.row + 1}: {fault.problem}"
    raise InputError(problem, path=path, line=line, text=text, hint=fault.hint)


def is_clean(typed: pl.DataFrame, table: Table) -> bool:
    """Whether every id and number is there and no row is repeated."""
    required = typed.select(list(table.required))
    if sum(required.null_count().row(0)) or not typed.height:
        return False
    numbers = [name for name, dtype in table.required.items() if dtype == pl.Float64]
    odd = [pl.col(name).is_infinite() if table is JUDGMENTS else pl.col(name).is_nan() for name in numbers]
    odd += [pl.col(name).is_nan() for name in numbers]
    odd += [pl.col(name).str.len_bytes() == 0 for name, dtype in typed.schema.items() if dtype == pl.String]
    if any(typed.select(expression.any().alias(str(i)) for i, expression in enumerate(odd)).row(0)):
        return False
    key = [name for name in table.key if name in typed.columns]
    return not key or typed.select(pl.struct(key).n_unique()).item() == typed.height


def _cast(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Expr:
    column, given = pl.col(name), frame.schema[name]
    if given == dtype:
        return column
    if dtype == pl.String and given.is_float():
        # pandas turns a column of whole numbers with a hole in it into doubles: document 7 must not become "7.0".
        whole = column.cast(pl.Int64, strict=False)
        return pl.when(column == whole).then(whole.cast(pl.String)).otherwise(column.cast(pl.String)).alias(name)
    if dtype.is_numeric() and given == pl.String:
        column = column.str.strip_chars(" \t\r")
    return column.cast(dtype, strict=False)


def _faults(raw: pl.DataFrame, typed: pl.DataFrame, table: Table) -> Iterator[_Fault]:
    """What is wrong: the first row with each kind of fault."""
    for name, dtype in table.required.items():
        bad = typed[name].is_null()
        if dtype == pl.String:
            bad |= (typed[name].str.len_bytes() == 0).fill_null(True)
        else:
            bad |= typed[name].is_nan().fill_null(True)
        if table is JUDGMENTS and dtype == pl.Float64:
            bad |= typed[name].is_infinite().fill_null(True)
        row = bad.arg_max() if bad.any() else None
        if row is not None:
            yield _Fault(row=row, problem=_complaint(name, raw[name][row], dtype))
    key = [name for name in table.key if name in typed.columns]
    if key:
        yield from _twice(typed, table, key)


def _complaint(name: str, value: object, dtype: pl.DataType) -> str:
    if value is None or value == "":
        return f"there is no {name}"
    return f"the {name} {value!r} is not a {'finite number' if name == 'grade' else 'number'}"


def _twice(typed: pl.DataFrame, table: Table, key: list[str]) -> Iterator[_Fault]:
    again = ~typed.select(pl.struct(key).is_first_distinct()).to_series()
    row = again.arg_max() if again.any() else None
    if row is None:
        return
    second = typed.row(row, named=True)
    same = [pl.col(name) == second[name] for name in key]
    first = typed.filter(*same).row(0, named=True)
    by = f" by {second['assessor']}" if "assessor" in key else ""
    yield _Fault(
        row=row,
        problem=f"document {second['document']} of query {second['query']} is judged twice{by}: "
        f"grade {first['grade']:g}, then {second['grade']:g}",
        hint="Keep one judgment of each document, or name the assessors: in a column, or as trec-assessors.",
    )
