"""Cells of CSV files that a spreadsheet would take for formulas: an apostrophe before them keeps them text.

What is written so is read back as it was.
"""

from __future__ import annotations

import re

from rankgauge.lazy_polars import pl

SIGNS = "=+-@\t\r\n＝＋－＠"
"""What makes a cell a formula if it comes first; the wide signs do in East Asian settings."""

BREAKS = ";\t\r\n"
"""Where a spreadsheet may begin another cell inside ours: many settings separate cells by semicolons, and then quotes
around a cell of commas do not hold it together."""

_BEGIN, _SIGN = f"(?:^|(?<=[{re.escape(BREAKS)}]))", f"(?=[\"']*[{re.escape(SIGNS)}])"
_FORMULA, _KEPT = re.compile(_BEGIN + _SIGN), re.compile(f"{_BEGIN}'{_SIGN}")


def as_text(cell: str) -> str:
    """Put an apostrophe before all that a spreadsheet would compute, or take for such an apostrophe."""
    return _FORMULA.sub("'", cell)


def as_written(cell: str) -> str:
    """Remove the apostrophes that `as_text` put into a cell."""
    return _KEPT.sub("", cell)


def text_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every cell of text as `as_text` gives it."""
    names = [name for name, kind in frame.schema.items() if kind == pl.String]
    cells = {name: [cell if cell is None else as_text(cell) for cell in frame[name]] for name in names}
    return frame.with_columns(pl.Series(name, column, dtype=pl.String) for name, column in cells.items())
