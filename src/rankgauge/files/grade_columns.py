"""Which column of judgments is the grade, where no column is called so: never one that is merely a number.

A column is taken for the grade by its values only if they are those of a known scale and no other column's are; a note
says so. Counts of clicks, prices and the like are not grades, whatever their values.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.columns import ALIASES, JUDGMENTS, Said, find, is_blank, raters
from rankgauge.files.scales import scale_of_values
from rankgauge.input_notes import note
from rankgauge.registry import plain

COUNTED = frozenset(
    re.findall(
        r"\w+",
        """achats add adds age amount atc aufrufe basket baskets bestellungen bid bids bookings bounce bounces buys
        cart carts clic click clicked clicks clics cnt conversion conversions converted cost costs count counts ctr
        cvr date day days discount downloads duration dwell eur freq frequency gmv hit hits hour hours impression
        impressions index installs klick klicks length likes margin minutes month n nb nbr num number order ordered
        orders page pageviews popularity precio preis preise price prices prix purchase purchased purchases qty
        quantity rate ratio read reads revenue review reviews row sale sales seconds sessions shares size sold spend
        stock stocked sum time timestamp total traffic umsatz usd users ventes version view viewed views
        visit visits vues weight year""",
    )
)
"""Words in the name of a column that counts or measures something other than relevance."""

OTHERWISE = frozenset(re.findall(r"\w+", "id ids key code unnamed iter iteration rank position is has q split fold"))
"""Words in the name of a column that says something else of a document or a row."""

BEIR = frozenset({"query-id", "corpus-id"})
"""What BEIR's judgments call their ids; their scores are grades."""

RANX = frozenset({"q_id", "doc_id"})
"""What ranx calls ids in judgments and in runs; it calls grades scores, too."""

MANY = 50
"""A column with more different values than this is on no scale."""


def is_count(column: str) -> bool:
    """Say whether the name of a column says that it counts or measures something other than relevance."""
    return not COUNTED.isdisjoint(_words(column))


def _words(column: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", column)]


def find_grade(frame: pl.LazyFrame, columns: Iterable[str], said: Said, path: str | Path | None = None) -> Said:
    """Add to the user's word the column that is the grade by its values, if no name says which one is.

    Raise an error if a column that the user names is not there, if a column called `score`, as in BEIR's judgments, has
    values that are no grades, if several columns could be the grade, or if there are only counts.
    """
    columns = list(columns)
    _refuse_unknown(columns, said)
    has = {name: find(columns, name, said) is not None for name in ("query", "document", "grade")}
    if "grade" in said or not (has["query"] and has["document"]):
        return said
    if has["grade"]:
        _tell_others(columns, path)
        return said
    if raters(columns) or find(columns, "score", said) is not None:
        _refuse_doubtful(frame, columns, said, path)
        return said
    free = _free(columns, said)
    scales = {column: scale for column, scale in _scales(frame, free).items() if scale and not is_count(column)}
    if len(scales) == 1:
        ((column, scale),) = scales.items()
        note(
            f"the column {column} is taken for the grade, as its values are those of the scale {scale}; "
            f"--columns grade={_quote(column)} says that it is",
            path,
        )
        return {**said, "grade": column}
    _refuse(columns, list(scales), free)
    return said


def _tell_others(columns: list[str], path: str | Path | None) -> None:
    """Note which columns have a grade's name too, where one has the surest: `grade` itself."""
    taken, people = find(columns, "grade"), raters(columns)
    others = [column for column in columns if column != taken and (find([column], "grade") or column in people)]
    if others and taken is not None and plain(taken) == "grade":
        other = _quote(others[0])
        note(f"the column {taken} is the grade, not {' or '.join(others)}; another: --columns grade={other}", path)


def _refuse_unknown(columns: list[str], said: Said) -> None:
    """Raise an error if judgments lack a column that a user names and that only judgments have, such as the grade."""
    for name in said.keys() & JUDGMENTS.columns.keys() - {"query", "document"}:
        if find(columns, said[name]) is None:
            near = difflib.get_close_matches(said[name], columns, n=1)
            raise InputError(
                f"no column for {name} among {', '.join(columns)}",
                hint=f"There is no such column: {name}={said[name]}." + (f" Did you mean {near[0]}?" if near else ""),
            )


def _free(columns: list[str], said: Said) -> list[str]:
    """Return the columns that may be a grade: none of ours, and none whose name says something else."""
    known = {find(columns, name, said) for name in ALIASES}
    named = {column for column in columns for name in ALIASES if find([column], name) is not None}
    return [column for column in columns if column not in known | named and OTHERWISE.isdisjoint(_words(column))]


def _refuse_doubtful(frame: pl.LazyFrame, columns: list[str], said: Said, path: str | Path | None) -> None:
    """Raise an error if the one assessor's column, or the score, of judgments holds something else than grades.

    Note that a score is taken for the grade.
    """
    people = list(raters(columns))
    if len(people) == 1:  # of several, a user says how to combine them
        _refuse_unscaled(frame, people[0], "the average of a shop's customers")
    score = find(columns, "score", said)
    if not people and score is not None and find(columns, "rank", said) is None and not BEIR.issubset(columns):
        _refuse_unscaled(frame, score, "a run's")
        if not RANX.issubset(columns):
            note(f"the column {score} is taken for the grade; --columns grade={_quote(score)} says that it is", path)


def _scales(frame: pl.LazyFrame, columns: list[str]) -> dict[str, str | None]:
    """Return the scale of each column; None where its values are on none, or where they are all the same."""
    schema = frame.collect_schema()
    able = [column for column in columns if schema[column].is_numeric() or schema[column] == pl.String]
    if not able:
        return {}
    values = frame.select(pl.col(column).unique().head(MANY + 1).implode() for column in able).collect()
    return {column: _scale(values[column][0]) for column in able}


def _scale(values: pl.Series) -> str | None:
    filled = values.filter(~is_blank(values, words=True))
    return scale_of_values(filled.to_list()) if 1 < len(filled) <= MANY else None


def _refuse_unscaled(frame: pl.LazyFrame, column: str, otherwise: str) -> None:
    """Raise an error if the values of a column that may be something else are on no scale."""
    values = frame.select(pl.col(column).unique().head(MANY + 1)).collect().to_series()
    filled = values.filter(~is_blank(values, words=True)).to_list()
    if filled and (len(filled) > MANY or scale_of_values(filled) is None):
        odd = next((value for value in filled if scale_of_values([value]) is None), filled[0])
        if _is_word(odd):
            return  # a scale of the user's own may have it
        raise InputError(
            f"the column {column} has values such as {odd}, which are those of no known scale: it may be {otherwise}",
            hint=f"If it is the grade, say so: {_option(column)}",
        )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and not re.search(r"\d", value)


def _refuse(columns: list[str], several: list[str], free: list[str]) -> None:
    if several:
        raise InputError(
            f"no column is called grade, and the values of {' and '.join(several)} are those of a scale",
            hint=f"Say which is the grade: {_option(several[0])}\n"
            "  Grades of several people are read from columns such as anna_rating, ben_rating, or from rows with a "
            "column assessor.",
        )
    if counts := [column for column in free if is_count(column)]:
        are = "is a count or an amount, not a grade" if len(counts) == 1 else "are counts or amounts, not grades"
        meant = _option(counts[0] if counts == free else "NAME")
        raise InputError(
            f"no column for grade among {', '.join(columns)}: {' and '.join(counts)} {are}",
            hint="Judgments say how relevant a document is, in a column grade, rating or label. If a column is meant "
            f"that is called otherwise, say so: {meant}",
        )


def _option(column: str) -> str:
    return f"--columns grade={_quote(column)}, or columns={{'grade': '{column}'}} in Python."


def _quote(column: str) -> str:
    return f"'{column}'" if re.search(r"[^\w.-]", column) else column
