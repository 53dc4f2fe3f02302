"""An audit for a terminal: the headline, the scores, the causes, and what to do."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console

from rankgauge.audit import Audit, headline, preferences
from rankgauge.report.audit import content
from rankgauge.report.audit.content import Table
from rankgauge.report.formats.text import console, escaped, pairs, ruled, text_width

__all__ = ["show", "titled", "write"]


def write(audit: Audit, stream: TextIO) -> None:
    """The whole audit."""
    out = console(stream)
    for run in audit.scores:
        out.print(escaped(str(headline(audit, run))), width=text_width())
    out.print()
    if audit.several:
        show(content.scores(audit), out)
    for run in audit.scores:
        _why(audit, run, out)
    out.print()
    pairs(content.settings(audit), out)
    if audit.refused:
        titled("Refused", out)
        pairs(audit.refused.items(), out)
    if audit.several:
        _verdict(audit, out)
    titled("What to do", out)
    for title, words in content.advice(audit):
        out.print(f"[cyan]{title}.[/cyan] {escaped(words)}", width=text_width())


def _why(audit: Audit, run: str, out: Console) -> None:
    if audit.several:
        titled(f"Why: {run}", out)
    show(content.why(audit, run), out)
    moving = content.moving(audit, run, most=5)
    if moving.rows and not audit.several:
        titled("Queries on which tools are furthest apart", out)
        show(moving, out)


def _verdict(audit: Audit, out: Console) -> None:
    verdict = preferences(audit)
    titled("Which run is better", out)
    show(content.orders(audit, verdict), out)
    out.print()
    pairs([*content.verdicts(verdict), ("luck", _test(verdict.seed))], out)


def _test(seed: int) -> str:
    return f"paired t test and randomisation test (seed {seed}) over queries, both at 5 %; no correction for many tests"


def show(table: Table, out: Console) -> None:
    """A table without lines."""
    ruled_table = ruled(*(escaped(name) for name in table.header), numbers=tuple(map(escaped, table.numbers)))
    for row in table.rows:
        ruled_table.add_row(*(escaped(cell) for cell in row))
    out.print(ruled_table)


def titled(title: str, out: Console) -> None:
    """A heading, after a free line."""
    out.print(f"\n[bold]{escaped(title)}[/bold]")
