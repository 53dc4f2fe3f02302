"""A judge that is not a person, such as a language model: the grades that it gave, and how sure it was of them.

Its grades come in any file that holds judgments. A table may have the chance of each grade besides (p_0, p_1, …), or a
confidence between 0 and 1. Documents that the judge left without a grade are not part of what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.conversion import as_frame
from rankgauge.files.scales import scales_of
from rankgauge.files.source import suffix_of
from rankgauge.numeric import FloatArray, IndexArray

KEYS = ["query", "document"]
CONFIDENCE = "confidence"
CHANCE = "p_"
"""What the columns with the chance of a grade begin with."""

LEVELS = 10
"""Grades are taken in at most this number of steps: means of many samples may differ from document to document."""

JUDGED = re.compile(r"(?:.+_)?(?:llm|judge|model)_(?:grade|rating|label|relevance)")
"""The names of columns that hold a judge's grades in a table of documents."""

BOOLEANS: Mapping[str, float] = {"true": 1.0, "false": 0.0}
"""Words that are grades wherever they stand."""

ROUNDED = 0.01
"""How far the chances of a document may be from adding up to 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineJudge:
    """The grades of a judge by query and document.

    `frame` has the columns query, document and grade (the likeliest, if the judge gave chances), and where they were
    given the chances of the grades and the confidence.
    """

    name: str
    frame: pl.DataFrame

    @classmethod
    def read(cls, source: Any, name: str | None = None, *, words: Mapping[str, float] = BOOLEANS) -> MachineJudge:
        """Return the judge whose grades a file, a frame, a dict or rows hold; a file's judge has the file's name.

        `words` are grades that a table may have in place of numbers, besides those of a scale that the file is said to
        have. A document that several assessors of the file
        graded has the mean of their grades.
        """
        path = source if files.is_path(source) else None
        called = name or (Path(path).name.partition(".")[0] if path is not None else "judge")
        table = _table(source)
        frame = files.judgments_from(source) if table is None else table
        said = getattr(getattr(source, "spelling", None), "scale", None)
        known = {**words, **dict(said.levels if said else ())}
        typed = _check(frame, path, {**BOOLEANS, **{word.lower(): grade for word, grade in known.items()}})
        if "assessor" not in frame.columns:
            several = typed.group_by(KEYS, maintain_order=True).agg(pl.col("grade").unique())
            for query, document, differing in several.filter(pl.col("grade").list.len() > 1).head(1).iter_rows():
                given = " and ".join(f"{grade:g}" for grade in sorted(differing))
                hint = "If these are several samples, name each in a column assessor: then their mean counts."
                raise InputError(f"document {document} of query {query} is graded {given}", path=path, hint=hint)
        if typed.is_empty():
            raise InputError("the judge gave no grade", path=path)
        return cls(name=called, frame=typed.group_by(KEYS, maintain_order=True).agg(pl.all().mean()))

    @property
    def grades(self) -> tuple[float, ...]:
        """The grades of its scale, ascending: those that it gave, or gave a chance."""
        return tuple(chances(self.frame)) or tuple(self.frame["grade"].unique().sort().to_list())

    def of(self, documents: pl.DataFrame) -> pl.DataFrame:
        """Return what it says of these documents (query, document), a row each; null where it gave no grade."""
        return documents.join(self.frame, on=KEYS, how="left", maintain_order="left").drop(KEYS)


def chances(frame: pl.DataFrame) -> dict[float, str]:
    """Return the columns with the chance of a grade, by grade, ascending."""
    columns = {}
    for name in frame.columns:
        if name.startswith(CHANCE):
            with suppress(ValueError):
                columns[float(name.removeprefix(CHANCE))] = name
    return dict(sorted(columns.items()))


def steps(said: pl.DataFrame, levels: FloatArray | None = None) -> FloatArray:
    """How far each document reaches each level of the judge's scale but the lowest (documents × levels), NaN where it
    gave no grade.

    It is 1 or 0 for a plain grade, the chance of reaching the level where there are chances, and drawn towards the mean
    of all documents where the judge is not confident. `levels` are those of its own grades unless they are given.
    """
    grade = said["grade"].to_numpy().astype(np.float64)
    columns = chances(said)
    if len(columns) > 1:
        each = said.select(columns.values()).to_numpy().astype(np.float64)
        plain, soft = _reach(grade, np.array(list(columns))[1:]), np.cumsum(each[:, :0:-1], axis=1)[:, ::-1]
        reached = np.where(np.isnan(soft), plain, soft)
    else:
        reached = _reach(grade, levels_of(grade) if levels is None else levels)
    if CONFIDENCE in said.columns and reached.size and not np.isnan(reached).all():
        sure = np.nan_to_num(said[CONFIDENCE].to_numpy().astype(np.float64), nan=1.0)[:, np.newaxis]
        reached = sure * reached + (1.0 - sure) * np.nanmean(reached, axis=0)
    return np.asarray(reached)


def place_on_scale(given: FloatArray, scale: FloatArray, ours: FloatArray) -> IndexArray:
    """Return the place of a judge's grades on our scale: as they are, or stretched if its scale is another one.

    A grade below our lowest is as good as the lowest.
    """
    if is_stretched(scale, ours):
        known = np.maximum(scale, ours[0])
        given = ours[0] + (np.maximum(given, ours[0]) - known.min()) / (np.ptp(known) or 1.0) * (ours[-1] - ours[0])
    return np.asarray(np.abs(np.subtract.outer(given, ours)).argmin(axis=1))


def is_stretched(scale: FloatArray, ours: FloatArray) -> bool:
    """Say whether a judge's scale is another one than ours, so that its grades have to be stretched to it."""
    return bool(len(scale)) and not bool(np.isin(np.maximum(scale, ours[0]), ours).all())


def read_judges(sources: Mapping[str, Any]) -> Iterator[MachineJudge]:
    """Yield the judges of these sources, by name."""
    for name, source in sources.items():
        yield source if isinstance(source, MachineJudge) else MachineJudge.read(source, name)


def judges_in(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the judges whose grades are columns of a table of documents, such as `llm_grade`, by column."""
    names = [name for name in frame.columns if JUDGED.fullmatch(name.lower())]
    return {name: frame.select(*KEYS, grade=name) for name in names}


def _reach(grade: FloatArray, levels: FloatArray) -> FloatArray:
    return np.where(np.isnan(grade)[:, np.newaxis], np.nan, grade[:, np.newaxis] >= levels)


def levels_of(grade: FloatArray) -> FloatArray:
    """Return the levels of a judge's grades but the lowest, or some of them where there are many."""
    known = grade[np.isfinite(grade)]
    levels = np.unique(known)[1:]
    return levels if len(levels) <= LEVELS else np.unique(np.quantile(known, np.arange(1, LEVELS + 1) / (LEVELS + 1)))


def _table(source: Any) -> pl.DataFrame | None:
    """The source with all its columns if it is a table, under our names; None if only judgments can be read from it."""
    if files.is_path(source) and suffix_of(str(source)) in files.table_suffixes():
        frame = files.read_table(source)
    elif not files.is_path(source) and hasattr(source, "columns"):
        frame = as_frame(source)
    else:
        return None
    named = {column: name for name in (*KEYS, "grade", "assessor") if (column := find(frame.columns, name)) is not None}
    wanted = [*named, *chances(frame).values(), *([CONFIDENCE] if CONFIDENCE in frame.columns else [])]
    has_grades = "grade" in named.values() or len(chances(frame)) > 1
    return frame.select(wanted).rename(named) if has_grades and set(KEYS) <= set(named.values()) else None


def _check(frame: pl.DataFrame, path: Any, words: Mapping[str, float]) -> pl.DataFrame:
    """The columns in their types, without rows that have no grade; a grade for each document that has chances."""
    numbers = [name for name in frame.columns if name not in (*KEYS, "assessor")]
    typed = frame.select(pl.col(KEYS).cast(pl.String), *(_number(frame, name, path, words) for name in numbers))
    given = chances(typed)
    if given:
        each, named = typed.select(given.values()), ", ".join(given.values())
        if each.select(pl.sum_horizontal(pl.all().is_null())).to_series().is_between(1, each.width - 1).any():
            raise InputError(f"some of the chances {named} of a document are missing", path=path)
        whole = each.drop_nulls().select(total=pl.sum_horizontal(pl.all()), least=pl.min_horizontal(pl.all()))
        if not (whole["total"].is_between(1 - ROUNDED, 1 + ROUNDED) & (whole["least"] >= 0)).all():
            raise InputError(f"the chances {named} of a document are below 0 or do not add up to 1", path=path)
    if CONFIDENCE in numbers and not typed[CONFIDENCE].drop_nulls().is_between(0, 1).all():
        raise InputError("a confidence is not between 0 and 1", path=path, hint="Divide percentages by 100.")
    if "grade" not in typed.columns:
        likeliest = pl.concat_list(given.values()).list.arg_max().cast(pl.Int64)
        typed = typed.with_columns(grade=likeliest.replace_strict(dict(enumerate(given)), default=None))
    return typed.select(*KEYS, pl.col("grade").cast(pl.Float64), *(name for name in numbers if name != "grade")).filter(
        pl.col("grade").is_not_null()
    )


def _number(frame: pl.DataFrame, name: str, path: Any, words: Mapping[str, float]) -> pl.Expr:
    column = frame[name].cast(pl.String).str.strip_chars()
    numbers = column.cast(pl.Float64, strict=False)
    if name == "grade" and numbers.null_count():
        told = column.str.to_lowercase().replace_strict(dict(words), default=None, return_dtype=pl.Float64)
        numbers = numbers.fill_null(told)
    odd = numbers.is_null() & column.is_not_null() & (column != "")
    if odd.any() or numbers.is_infinite().any():
        bad = column.filter(odd | numbers.is_infinite().fill_null(value=False))[0]
        hint = scales_of(bad) if name == "grade" else None
        raise InputError(f"the judge's {name} {bad!r} is not a number", path=path, hint=hint)
    return pl.lit(numbers.fill_nan(None).alias(name))
