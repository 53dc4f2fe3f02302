"""The check of every table that comes in: its columns in their types, or an error that names the row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from rankgauge.errors import InputError, JudgmentsError
from rankgauge.files.columns import JUDGMENTS, RUN, Table, find, is_blank, is_number, missing_columns, numbers, truths
from rankgauge.files.scales import scales_of
from rankgauge.files.spelling import Spelling
from rankgauge.input_notes import note
from rankgauge.numeric import EXACT_WHOLE
from rankgauge.policies import JudgmentKind

KEY = ["query", "subtopic"]
NAMES = {JudgmentKind.SUBTOPICS: "subtopic", JudgmentKind.GROUPS: "group", JudgmentKind.PREFERENCES: "group"}
"""What the column `subtopic` names, by what the judgments are read for."""


def check_subtopics(judgments: pl.DataFrame, kind: JudgmentKind) -> None:
    """Raise an error for judgments that do not name their subtopic, and for probabilities that make no sense."""
    if kind not in NAMES or "subtopic" not in judgments.columns:
        return
    unnamed = judgments.filter(pl.col("subtopic").is_null() | (pl.col("subtopic") == ""))
    if len(unnamed):
        row = unnamed.row(0, named=True)
        raise JudgmentsError(
            f"the judgment of document {row['document']} of query {row['query']} names no {NAMES[kind]}",
            hint=f"Name the {NAMES[kind]} in every row, or leave such rows out.",
        )
    if kind is JudgmentKind.SUBTOPICS and "probability" in judgments.columns:
        check_probabilities(judgments)


def check_probabilities(judgments: pl.DataFrame) -> None:
    """An error for a subtopic without a probability, with one below 0 or with several, and for a query with only 0."""
    known = judgments.group_by(KEY, maintain_order=True).agg(pl.col("probability").unique(maintain_order=True))
    single = known.with_columns(pl.col("probability").list.first())
    several = known.filter(pl.col("probability").list.len() > 1)
    if len(several):
        query, subtopic, total = several.row(0)
        listed = " and ".join("none" if one is None else f"{one:g}" for one in total)
        raise JudgmentsError(
            f"subtopic {subtopic} of query {query} has several probabilities: {listed}",
            hint="Give the same one in all rows of a subtopic.",
        )
    _refuse(
        single.filter(pl.col("probability").is_null()),
        "subtopic {1} of query {0} has no probability",
        "Give one for every subtopic that is judged, 0 if it does not count.",
    )
    refuse_negative(single)
    _refuse(
        single.filter((pl.col("probability") == 0).all().over("query")),
        "all judged subtopics of query {0} have the probability 0",
        "Give one above 0 to at least one of them, or leave the query out.",
    )


def refuse_negative(known: pl.DataFrame) -> None:
    """Raise an error for a probability that is below 0 or not finite."""
    _refuse(
        known.select(*KEY, "probability").filter(~(pl.col("probability") >= 0) | ~pl.col("probability").is_finite()),
        "the probability of subtopic {1} of query {0} is {2:g}",
        "Give a number from 0 on for each subtopic; they need not add up to 1.",
    )


def _refuse(rows: pl.DataFrame, problem: str, hint: str) -> None:
    """Raise an error on the first of the rows, if there is one."""
    if len(rows):
        raise JudgmentsError(problem.format(*rows.row(0)), hint=hint)


LARGE = (
    "are whole numbers beyond 2^53 that differ only in digits which double precision does not have, and count as tied: "
    "subtract the same number from all scores, or give ranks"
)
"""The note on scores such as times in nanoseconds."""

UNDRAWN = -1.0
"""The grade of a document of the pool that was not drawn, where judgments are a sample."""

Place = tuple[int, str]
"""The number and the text of a row's line in its file."""


_repeats: ContextVar[bool] = ContextVar("repeats", default=False)


@contextmanager
def keeping_repeats() -> Iterator[None]:
    """Within the block, tables keep judgments that repeat or contradict others: a dialect says what they count."""
    token = _repeats.set(True)
    try:
        yield
    finally:
        _repeats.reset(token)


def keeps_repeats() -> bool:
    """Say whether tables keep repeated judgments here."""
    return _repeats.get()


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
    spelling: Spelling | None = None,
    comma: bool | None = None,
    whole: bool = False,
) -> pl.DataFrame:
    """Return the frame with the table's columns in the table's types, or an error that says what is wrong and where.

    `locate` gives the line of the row with that number (from 0); `spelling` is how the file spells grades and ids.
    `comma` says for a table that people may have written whether its numbers have a decimal comma; see `cells`. Rows
    without a grade are left out, and judgments that say the same twice are merged; a note counts them. With `whole`
    both are errors.
    """
    if error := missing_columns(table, frame.columns, frame.columns):
        error.path = path
        raise error
    if frame.is_empty():
        hint = "Check that the program that wrote it finished."
        raise InputError(f"no {table.name} found: there are no rows", path=path, hint=hint)
    wanted = [name for name in table.columns if name in frame.columns]
    _refuse_odd_columns(frame, wanted, table, path)
    typed = frame.select(_cast(frame, name, table.columns[name]) for name in wanted)
    if table is RUN and (words := _large_scores(frame, typed)):
        note(words, path)
    if spelling is None and is_clean(typed, table):
        return typed
    rows = _Rows(raw=frame, typed=typed, table=table, spelling=spelling or Spelling(), comma=comma, whole=whole)
    fault = next(rows.faults(locate), None)
    if fault is None:
        return _understood(rows.keep_counting(path), table, spelling, path)
    line, text = (None, None) if locate is None else locate(fault.row)
    problem = fault.problem if locate else f"row {fault.row + 1}: {fault.problem}{_of_what(typed, fault)}"
    raise InputError(problem, path=path, line=line, text=text, hint=fault.hint)


def _of_what(typed: pl.DataFrame, fault: _Fault) -> str:
    """Name the query and the document of a row, unless they are at fault: in a dict of dicts nothing counts rows."""
    row = typed.row(fault.row, named=True)
    whole = row.get("query") and row.get("document") and "document" not in fault.problem
    return f" (document {row['document']} of query {row['query']})" if whole else ""


def _understood(kept: pl.DataFrame, table: Table, spelling: Spelling | None, path: str | Path | None) -> pl.DataFrame:
    """Return the rows, with the judged spans that those of a run cover, if spans are asked for."""
    if spelling is None or spelling.spans is None or table is not RUN:
        return kept
    matched, words = spelling.spans.match(kept, path)
    note(words, path)
    return matched


def is_clean(typed: pl.DataFrame, table: Table) -> bool:
    """Say whether every id and number is there and no row is repeated."""
    required = typed.select(list(table.required))
    if sum(required.null_count().row(0)) or not typed.height:
        return False
    if _weighs_subtopics(typed) and typed["probability"].null_count():
        return False
    numbers = [name for name, dtype in table.required.items() if dtype == pl.Float64]
    odd = [pl.col(name).is_infinite() if table is JUDGMENTS else pl.col(name).is_nan() for name in numbers]
    odd += [pl.col(name).is_nan() for name in numbers]
    odd += [pl.col(name).str.len_bytes() == 0 for name, dtype in typed.schema.items() if dtype == pl.String]
    if any(typed.select(expression.any().alias(str(i)) for i, expression in enumerate(odd)).row(0)):
        return False
    key = [name for name in table.key if name in typed.columns]
    return not key or typed.select(pl.struct(key).n_unique()).item() == typed.height


def _large_scores(frame: pl.DataFrame, typed: pl.DataFrame) -> str | None:
    """Say in how many queries whole scores beyond 2^53 differ only in digits that doubles lack; None if in none."""
    rounded = typed["score"].is_finite() & (typed["score"].abs() > EXACT_WHOLE)
    if not rounded.any():
        return None
    given = frame["score"].cast(pl.String).str.strip_chars(" \t\r+")
    whole = pl.DataFrame({"query": typed["query"], "score": typed["score"], "given": given}).filter(
        rounded & given.str.contains(r"^-?\d+$")
    )
    merged = whole.group_by("query", "score").agg(pl.col("given").n_unique()).filter(pl.col("given") > 1)
    queries = merged["query"].n_unique()
    if not queries:
        return None
    named = "1 query" if queries == 1 else f"{queries:,} queries"
    return f"scores of {named} {LARGE}"


def _weighs_subtopics(frame: pl.DataFrame) -> bool:
    """Say whether these are judgments that say how likely each subtopic is; of a sample, the chance to be drawn is."""
    return {"subtopic", "probability", "grade"} <= set(frame.columns) and "stratum" not in frame.columns


def _refuse_odd_columns(frame: pl.DataFrame, wanted: Iterable[str], table: Table, path: str | Path | None) -> None:
    """Refuse columns of lists or objects, and scores of a run that stand where its ranks should be."""
    for name in wanted:
        kind = frame.schema[name]
        if kind.is_nested() or kind == pl.Object or (name == "grade" and kind.is_temporal()):
            raise InputError(f"the column {name} has no plain values: its type is {kind}", path=path)
    if table is not RUN or "rank" not in frame.columns:
        return
    rank = frame["rank"].cast(pl.Float64, strict=False)
    odd = frame.filter(((rank % 1 != 0) | (rank < 0)) & (pl.col("score").cast(pl.Float64, strict=False) == -rank))
    if len(odd):
        raise InputError(
            f"the rank {odd['rank'][0]} is not a whole number from 0 on",
            path=path,
            hint="If ranks are scores, call them score; a document that was not retrieved has no row.",
        )


def _cast(frame: pl.DataFrame, name: str, dtype: pl.DataType) -> pl.Expr:
    column, given = pl.col(name), frame.schema[name]
    if given == dtype:
        return column
    if dtype == pl.String and given.is_float():
        # pandas turns a column of whole numbers with a hole in it into doubles: document 7 must not become "7.0", and
        # the hole not one called "NaN".
        column = column.fill_nan(None)
        whole = column.cast(pl.Int64, strict=False)
        return pl.when(column == whole).then(whole.cast(pl.String)).otherwise(column.cast(pl.String)).alias(name)
    if dtype.is_numeric() and given in (pl.String, pl.Categorical, pl.Enum):
        column = column.cast(pl.String).str.strip_chars(" \t\r")
    return column.cast(dtype, strict=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """Rows that are not as we write them, or that a user says how to read."""

    raw: pl.DataFrame
    typed: pl.DataFrame
    table: Table
    spelling: Spelling
    comma: bool | None
    whole: bool

    def faults(self, locate: Callable[[int], Place] | None) -> Iterator[_Fault]:
        """Yield what is wrong: the first row with each kind of fault."""
        for name, dtype in self.table.required.items():
            column = self.read[name]
            bad = column.is_null()
            if dtype == pl.String:
                bad |= (column.str.len_bytes() == 0).fill_null(True)
            else:
                bad |= column.is_nan().fill_null(True)
            if self.table is JUDGMENTS and dtype == pl.Float64:
                bad |= column.is_infinite().fill_null(True)
            bad &= ~self.blank
            row = bad.arg_max() if bad.any() else None
            if row is not None:
                yield self._complaint(name, row)
        if _weighs_subtopics(self.read):
            cells, numbers = self.raw["probability"], self.read["probability"]
            odd = numbers.is_null() & ~is_blank(cells, words=self.comma is not None) & ~self.blank
            yield from (self._complaint("probability", row) for row in odd.arg_true().head(1))
        yield from self._contradictions(locate)

    def keep_counting(self, path: str | Path | None) -> pl.DataFrame:
        """Return the rows that count, with a note on those that do not."""
        blank, again = int(self.blank.sum()), int(self.again.sum())
        if blank == len(self.raw):
            raise InputError(
                f"no {self.table.name} found: none of the {blank} rows has a grade",
                path=path,
                hint="Fill in the grades, or name the column that has them: --columns grade=NAME.",
            )
        if blank:
            said = "row has no grade and is left out" if blank == 1 else "rows have no grade and are left out"
            note(f"{blank} {said}", path)
        if again:
            one = "judgment" if self.table is JUDGMENTS else "row"
            said = f"{one} repeats an earlier one" if again == 1 else f"{one}s repeat earlier ones"
            note(f"{again} {said} with the same {self._value}; each counts once", path)
        chunks = self.spelling.chunks
        if chunks is not None and (words := chunks.words(self.typed["document"], self.read["document"])):
            note(words, path)
        return self.read.filter(~self.blank & ~self.again)

    @cached_property
    def blank(self) -> pl.Series:
        """Which rows are to be left out: those of judgments without a grade, unless they are a sample's."""
        return self._none if "stratum" in self.typed.columns else self._ungraded

    @cached_property
    def _ungraded(self) -> pl.Series:
        if self.table is not JUDGMENTS or self.whole:
            return self._none
        named = self.raw["grade"].is_in(self._levels) if self._levels else self._none
        return is_blank(self.raw["grade"], words=self.comma is not None) & ~named.fill_null(value=False)

    @property
    def _levels(self) -> list[str]:
        """The words of the scale, one of which may be `none`."""
        scale = self.spelling.scale
        return [] if scale is None or self.raw["grade"].dtype != pl.String else [label for label, _ in scale.levels]

    @cached_property
    def read(self) -> pl.DataFrame:
        """The rows with numbers as spreadsheets write them, grades as words, and ids in one spelling."""
        numbers = [name for name, dtype in self.table.columns.items() if dtype.is_numeric() and name in self.typed]
        mended = [self._numbers(name) for name in numbers]
        if "stratum" in self.typed.columns:
            mended = [one.set(self._ungraded, UNDRAWN) if one.name == "grade" else one for one in mended]
        ids = [self.spelling.same(name) for name in ("query", "document") if name in self.typed]
        return self.typed.with_columns(*mended, *ids)

    def _numbers(self, name: str) -> pl.Series:
        raw, typed = self.raw[name], self.typed[name]
        if name == "grade" and self.spelling.scale is not None:
            return self.spelling.scale.grades(raw)
        if raw.dtype != pl.String:
            return typed
        parsed = typed if self.comma is None else numbers(raw, comma=self.comma).cast(typed.dtype, strict=False)
        return parsed.fill_null(truths(raw)) if name == "grade" else parsed

    @cached_property
    def again(self) -> pl.Series:
        """Which judgments repeat an earlier one: the same document, assessor and grade."""
        return self._none if self.whole or self._keeps else self._later([self._value])

    @property
    def _keeps(self) -> bool:
        return self.table is JUDGMENTS and keeps_repeats()

    @property
    def _value(self) -> str:
        """The column that says something of what the key names."""
        return next(name for name, dtype in self.table.required.items() if dtype.is_numeric())

    @property
    def _none(self) -> pl.Series:
        return pl.repeat(False, len(self.raw), dtype=pl.Boolean, eager=True)

    def _later(self, more: list[str]) -> pl.Series:
        """Return which rows share the key, and the columns in `more`, with an earlier row that counts."""
        key = [name for name in self.table.key if name in self.read.columns]
        if not key:
            return self._none
        alone = pl.when(self.blank).then(pl.int_range(pl.len())).alias("blank")
        return self.read.select(~pl.struct(*key, *more, alone).is_first_distinct()).to_series() & ~self.blank

    def _contradictions(self, locate: Callable[[int], Place] | None) -> Iterator[_Fault]:
        again = self._none if self._keeps else self._later([]) & ~self.again
        row = again.arg_max() if again.any() else None
        if row is None:
            return
        key = [name for name in self.table.key if name in self.read.columns]
        second = self.read.row(row, named=True)
        same = [pl.col(name).eq_missing(pl.lit(second[name])) for name in key]
        earlier = self.read.with_row_index("row").filter(~self.blank, *same).row(0, named=True)
        line = 0 if locate is None else locate(earlier["row"])[0]
        on = f"; first on line {line}" if line else ""
        said = f": {self._value} {earlier[self._value]:g}, then {second[self._value]:g}{on}"
        if self.table is not JUDGMENTS:
            subject = " of ".join(f"{name} {second[name]}" for name in reversed(key))
            yield _Fault(row=row, problem=f"{subject} is there twice{said}", hint="Keep one of the two lines.")
            return
        by = f" by {second['assessor']}" if second.get("assessor") else ""
        by += f" for subtopic {second['subtopic']}" if second.get("subtopic") else ""
        yield _Fault(
            row=row,
            problem=f"document {second['document']} of query {second['query']} is judged twice{by}{said}",
            hint="Keep one judgment of each document, or say which counts: --judged-twice max, first or last "
            "(judged_twice='max' in Python); or name the assessors: in a column, or as trec-assessors.",
        )

    def _is_header(self, row: int, name: str) -> bool:
        """Say whether a row has the names of columns in its cells."""
        cells, said = self.raw.row(row, named=True), self.spelling.columns
        return all(one in cells and find([str(cells[one])], one, said) for one in ("query", "document", name))

    def _complaint(self, name: str, row: int) -> _Fault:
        value = self.raw[name][row]
        if name == "score" and value is None and "rank" in self.raw.columns:  # a run without scores has its ranks
            stated = self.raw["rank"][row]
            name, value = (name, value) if is_number(str(stated)) else ("rank", stated)
        no_id = self.table.columns.get(name) == pl.String and value != value  # NaN
        if value is None or value == "" or no_id:
            return _Fault(row=row, problem=f"there is no {name}", hint="Fill in the cell, or take out the row.")
        if self._is_header(row, name):
            hint = "Were files put together? Keep the first header line only."
            return _Fault(row=row, problem=f"the {name} is {value!r}: the line repeats the header", hint=hint)
        if name != "grade":
            hint = f"Write a number, or name the column that has the numbers: --columns {name}=NAME."
            return _Fault(row=row, problem=f"the {name} {value!r} is not a number", hint=hint)
        scale = self.spelling.scale
        if scale is None:
            hint = scales_of(value) or "Write a finite number, or take out the row."
            return _Fault(row=row, problem=f"the grade {value!r} is not a finite number", hint=hint)
        levels = ", ".join(label for label, _ in scale.levels)
        problem = f"the grade {value!r} is not a level of the scale {scale.name}: {levels}"
        return _Fault(row=row, problem=problem, hint=scales_of(value))


def rank_conflict(run: pl.DataFrame, column: str) -> str | None:
    """What to know of a run whose ranks and scores order it differently; None where they agree, or it has no ranks.

    `column` is what the file calls its ranks.
    """
    if "rank" not in run.columns or "score" not in run.columns:
        return None
    # Equal ranks, as in a file that has 0 on every line, contradict nothing.
    ordered = run.drop_nulls("rank").sort("query", "rank", "score", descending=[False, False, True])
    steps = ordered.select(
        "query", step=pl.col("score").diff().over("query"), apart=pl.col("rank").diff().over("query")
    )
    moves = steps.filter((pl.col("step") != 0) & (pl.col("apart") != 0))
    rising = moves.filter(pl.col("step") > 0)
    if rising.is_empty():
        return None
    ranks = f"--columns rank={column} orders it by its ranks, and so does --order rank"
    if len(rising) == len(moves):
        return f"its scores rise from rank to rank, as distances do, and the highest score comes first; {ranks}"
    queries, total = rising["query"].n_unique(), run["query"].n_unique()
    return f"in {queries} of {total} queries the ranks contradict the scores, which order a run; {ranks}"
