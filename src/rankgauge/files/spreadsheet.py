"""Cells of CSV files that a spreadsheet would take for formulas: an apostrophe before them keeps them text.

What is written so is read back as it was.
"""

from __future__ import annotations

import re

from rankgauge.lazy_polars import pl

SIGNS = "=+-@\t\r\n＝＋－＠"
"""What makes a cell a formula if it comes first; the wide signs do in East Asian settings."""

_FORMULA, _KEPT = (re.compile(f"{quotes}[{re.escape(SIGNS)}]") for quotes in ("'*", "'+"))


def as_text(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would compute, or take for such an apostrophe."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def as_written(cell: str) -> str:
    """The cell without the apostrophe that `as_text` put before it."""
    return cell[1:] if _KEPT.match(cell) else cell


def text_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every cell of text as `as_text` gives it."""
    safe = pl.when(pl.col(pl.String).str.contains(f"^{_FORMULA.pattern}")).then("'" + pl.col(pl.String))
    return frame.with_columns(safe.otherwise(pl.col(pl.String)).name.keep())
