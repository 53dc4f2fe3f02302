"""Numbers as spreadsheets write them: decimal commas, thousands separators, TRUE and FALSE, yes and no."""

from __future__ import annotations

import polars as pl

BLANKS = " \t\r\u00a0\u2007\u2009\u202f"
"""What may stand around a cell; the last four are no-break and thin spaces, which also separate thousands."""

_GAPS = r"['’ \x{a0}\x{2007}\x{2009}\x{202f}]"
_POINT = rf"^[-+]?\d{{1,3}}(?:(?:,|{_GAPS})\d{{3}})+(?:\.\d+)?$"
_COMMA = rf"^[-+]?(?:\d+|\d{{1,3}}(?:(?:\.|{_GAPS})\d{{3}})+)(?:,\d+)?$"
_NOTHING = ("", "nan", "na", "n/a", "#n/a", "null", "none", "-", "–", "?")
"""What pandas, R, Excel, databases and people write into a cell that has no value, in small letters."""

_TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def numbers(cells: pl.Series, *, comma: bool = False) -> pl.Series:
    """The numbers in cells of text; null where a cell is none.

    A column has one style: 1,234.5 or 1.234,5. Where its cells allow both, as 1,234 does, `comma` says whether it is
    the decimal one.
    """
    text = cells.str.strip_chars(BLANKS)
    plain = text.cast(pl.Float64, strict=False)
    odd = text.filter(plain.is_null() & text.is_not_null() & (text != ""))
    if not len(odd):
        return plain
    pointed, decimal = odd.str.contains(_POINT).all(), odd.str.contains(_COMMA).all()
    if decimal and (comma or not pointed):
        grouped = bool(odd.str.contains(r"\..*,").any())
        given = text if grouped else text.filter(plain.is_null())
        read = _read(given, rf"\.|{_GAPS}", _COMMA)
    elif pointed:
        given = text.filter(plain.is_null())
        read = _read(given, rf",|{_GAPS}", _POINT)
    else:
        return plain
    known = dict(zip(given.to_list(), read.to_list(), strict=True))
    told = [known.get(cell, number) for cell, number in zip(text.to_list(), plain.to_list(), strict=True)]
    return pl.Series(cells.name, told, dtype=pl.Float64)


def truths(cells: pl.Series) -> pl.Series:
    """1 for TRUE and yes, 0 for FALSE and no, null for all else."""
    return (
        cells.str.strip_chars(BLANKS).str.to_lowercase().replace_strict(_TRUTH, default=None, return_dtype=pl.Float64)
    )


def is_blank(cells: pl.Series, *, words: bool = False) -> pl.Series:
    """Which cells hold nothing; with `words` also those with what programs write for that: NaN, N/A, null."""
    if cells.dtype != pl.String:
        return cells.is_null()
    text, nothing = cells.str.strip_chars(BLANKS).str.to_lowercase(), _NOTHING if words else _NOTHING[:1]
    return cells.is_null() | text.is_in(nothing).fill_null(value=True)


def _read(given: pl.Series, separators: str, style: str) -> pl.Series:
    """The numbers without their separators of thousands; what is not in the style is read as it stands."""
    bare = given.str.replace_all(separators, "").str.replace(",", ".", literal=True)
    return pl.select(
        pl.when(given.str.contains(style)).then(bare).otherwise(given).cast(pl.Float64, strict=False)
    ).to_series()
