"""What a lint found, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console

from rankgauge.audit.check import Lint
from rankgauge.report.audit.content import signed
from rankgauge.report.formats.text import console, escaped, pairs
from rankgauge.report.numbers import number, share

__all__ = ["write"]


def write(found: Sequence[Lint], stream: TextIO, *, measure: str) -> None:
    """Each finding: how many, what it does to which tool, examples, and the means with and without."""
    out = console(stream)
    if not found:
        out.print("Nothing in this data bends scores.")
    for place, one in enumerate(found):
        if place:
            out.print()
        _finding(one, out, measure)


def _finding(one: Lint, out: Console, measure: str) -> None:
    finding = one.finding
    part = share(finding.count, finding.of)
    title = one.check.title[0].upper() + one.check.title[1:]
    out.print(f"[bold]{escaped(title)}:[/bold] {finding.count} of {finding.of} {finding.things} ({part})")
    more = finding.count - len(finding.examples)
    examples = ", ".join(finding.examples) + (f" and {more} more" if more > 0 else "")
    told = [("  effect", one.check.effect), ("  such as", examples)]
    if one.shifts:
        told.append((f"  {measure}", "; ".join(_shifts(one))))
    pairs([pair for pair in told if pair[1]], out)


def _shifts(one: Lint) -> list[str]:
    """The means with and without the queries; tools that agree are told together."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for shift in one.shifts:
        key = (number(shift.whole), number(shift.without), signed(shift.amount) or "0")
        groups.setdefault(key, []).append(shift.dialect)
    return [
        f"{', '.join(names)} {whole}, without them {without} ({amount})"
        for (whole, without, amount), names in groups.items()
    ]
