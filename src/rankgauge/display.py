"""A summary as a notebook shows it, and as a line."""

from __future__ import annotations

from html import escape

import polars as pl

__all__ = ["html", "line"]

STYLE = "text-align: right; font-variant-numeric: tabular-nums; padding: 2px 12px"


def line(summary: pl.DataFrame, dialect: str) -> str:
    """The measures and their means: nDCG@10 0.4132 ± 0.0310, AP … (43 queries, standard)."""
    parts = [f"{row['measure']} {row['mean']:.4f}{_half(row, ' ± ')}" for row in summary.iter_rows(named=True)]
    queries = max(summary["queries"].to_list(), default=0)
    return f"{', '.join(parts)} ({queries} queries, {dialect})"


def html(summary: pl.DataFrame, dialect: str) -> str:
    """A table: measure, mean, interval, queries; below it what there is to know of the queries."""
    heads = ("measure", "mean", "95 % interval", "queries")
    rows = [
        (row["measure"], f"{row['mean']:.4f}", _interval(row), f"{row['queries']:g}")
        for row in summary.iter_rows(named=True)
    ]
    head = "".join(_cell("th", name) for name in heads)
    body = "".join(f"<tr>{''.join(_cell('td', cell) for cell in row)}</tr>" for row in rows)
    counts = {name: max(summary[name].to_list(), default=0) for name in ("empty", "missing", "tied")}
    foot = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    note = f"<p>dialect {escape(dialect)}{f'; queries: {foot}' if foot else ''}</p>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(tag: str, text: str) -> str:
    return f'<{tag} style="{STYLE}">{escape(text)}</{tag}>'


def _half(row: dict[str, float], before: str) -> str:
    half = (row["high"] - row["low"]) / 2
    return "" if half != half else f"{before}{half:.4f}"


def _interval(row: dict[str, float]) -> str:
    return "–" if row["low"] != row["low"] else f"{row['low']:.4f} … {row['high']:.4f}"
