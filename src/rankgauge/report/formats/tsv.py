"""tsv: measure, query, value, as trec_eval lays them out, in full precision; several runs have a run column first.

There is no header line, so that `cut`, `awk` and trec_eval's own scripts read it as they read trec_eval. Where all that
a tool prints was asked for (-d letor4 -m all), names and digits are the tool's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rankgauge.report.base import Format, Report
from rankgauge.report.lines import lines

__all__ = ["TSV"]


def write(report: Report, stream: TextIO) -> None:
    """A line per value; the mean's query is called `all`."""
    if report.dialect.printed and report.printed == report.dialect.printed:
        stream.writelines("\t".join(row) + "\n" for row in _as_printed(report))
    else:
        stream.write(report.rows.write_csv(separator="\t", include_header=False, quote_style="never"))


def _as_printed(report: Report) -> Iterator[tuple[str, ...]]:
    """The tool's own names and digits."""
    for run, result in report.results.items():
        for line in lines(result, report.printed, per_query=report.per_query, overall=report.overall):
            yield (run, *line) if report.several else tuple(line)


TSV = Format(
    name="tsv", title="measure, query, value, between tabs; no header", endings=(".tsv", ".tab"), write=write
).register()
