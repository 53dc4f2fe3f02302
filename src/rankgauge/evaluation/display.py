"""Results in notebooks: as a line, as a table, and as pandas frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankgauge.errors import MissingExtraError, UnknownNameError
from rankgauge.lazy_polars import pl

STYLE = "text-align: right; font-variant-numeric: tabular-nums; padding: 2px 12px"


def line(summary: pl.DataFrame, dialect: str) -> str:
    """Return the measures and their means: nDCG@10 0.4132 ± 0.0310, AP … (43 queries, standard)."""
    parts = [f"{row['measure']} {row['mean']:.4f}{_half(row)}" for row in summary.iter_rows(named=True)]
    queries = max(summary["queries"].to_list(), default=0)
    return f"{', '.join(parts)} ({queries} {'query' if queries == 1 else 'queries'}, {dialect})"


def html(summary: pl.DataFrame, dialect: str, notes: Iterable[str] = ()) -> str:
    """A table: measure, mean, interval, queries; below it how many queries were empty, missing or tied, and notes."""
    from html import escape

    rows = [
        (row["measure"], f"{row['mean']:.4f}", interval(row["low"], row["high"]), f"{row['queries']:g}")
        for row in summary.iter_rows(named=True)
    ]
    counts = {name: max(summary[name].to_list(), default=0) for name in ("empty", "missing", "tied")}
    foot = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    note = f"dialect {dialect}{f'; queries: {foot}' if foot else ''}"
    below = "".join(f"<p>{escape(words)}</p>" for words in notes)
    return table(("measure", "mean", "95 % interval", "queries"), rows, note) + below


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], note: str) -> str:
    """Return a table of texts with a note below it."""
    from html import escape

    head = "".join(_cell("th", name) for name in heads)
    body = "".join(f"<tr>{''.join(_cell('td', cell) for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(note)}</p>"


def interval(low: float, high: float) -> str:
    """Return the ends of an interval; a dash where there is none."""
    return "–" if low != low else f"{low:.4f} … {high:.4f}"


def pandas(thing: Any, tables: Sequence[str], wanted: str) -> Any:
    """Return one of the tables that a thing has as attributes, as a pandas frame."""
    if wanted not in tables:
        raise UnknownNameError(f"table of a {type(thing).__name__.lower()}", wanted, tables)
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", "notebooks") from None
    return pandas.DataFrame({column.name: column.to_list() for column in getattr(thing, wanted)})


def _cell(tag: str, text: str) -> str:
    from html import escape

    return f'<{tag} style="{STYLE}">{escape(text)}</{tag}>'


def _half(row: dict[str, float]) -> str:
    """Return half of the interval, or its ends where one side is longer: the measure's bounds may cut the other."""
    above, below = row["high"] - row["mean"], row["mean"] - row["low"]
    if above != above:
        return ""
    even = abs(above - below) < 5e-5
    return f" ± {above:.4f}" if even else f" [{row['low']:.4f}, {row['high']:.4f}]"
