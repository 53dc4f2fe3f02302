"""tsv: measure, query, value, as trec_eval lays them out, in full precision; several runs have a run column first.

There is no header line, so that `cut`, `awk` and trec_eval's own scripts read it as they read trec_eval.
"""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.base import Format, Report

__all__ = ["TSV"]


def write(report: Report, stream: TextIO) -> None:
    """A line per value; the mean's query is called `all`."""
    stream.write(report.rows.write_csv(separator="\t", include_header=False, quote_style="never"))


TSV = Format(
    name="tsv", title="measure, query, value, between tabs; no header", endings=(".tsv", ".tab"), write=write
).register()
