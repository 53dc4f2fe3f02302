"""An audit as Markdown, to paste into a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rankgauge.audit import Audit, headline, preferences
from rankgauge.report.audit import content
from rankgauge.report.formats.markdown import table

__all__ = ["write"]


def write(audit: Audit, stream: TextIO) -> None:
    """The whole audit."""
    stream.writelines(f"{part}\n" for part in _parts(audit))


def _parts(audit: Audit) -> Iterator[str]:
    yield f"# {audit.measure} by tool\n"
    yield "".join(f"{headline(audit, run)}\n\n" for run in audit.scores).rstrip("\n") + "\n"
    if audit.several:
        yield _table(content.scores(audit))
    for run in audit.scores:
        yield f"## Why{f': {run}' if audit.several else ''}\n"
        yield _table(content.why(audit, run))
        if audit.cutoffs:
            yield "### By cutoff\n"
            yield _table(content.cutoffs(audit, run))
        yield "### Queries on which tools are furthest apart\n"
        yield _table(content.moving(audit, run))
    yield "## What the choices are\n"
    yield _list(content.settings(audit))
    if audit.refused:
        yield "## Refused\n"
        yield _list(list(audit.refused.items()))
    if audit.several:
        verdict = preferences(audit)
        yield "## Which run is better\n"
        yield _table(content.orders(audit, verdict))
        yield _list(content.verdicts(verdict))
    yield "## What to do\n"
    yield _list(content.advice(audit))


def _table(shown: content.Table) -> str:
    return table(shown.header, shown.rows, right=shown.numbers)


def _list(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"- **{subject}**: {' '.join(words.split())}\n" for subject, words in pairs)
