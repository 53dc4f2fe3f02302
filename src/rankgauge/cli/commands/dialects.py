"""rankgauge dialects: the tools that RankGauge can compute as, and where they differ."""

from __future__ import annotations

import sys

from rankgauge.cli import choices
from rankgauge.cli.command import command, group

group(
    "dialects",
    "List the dialects, or show how one differs from standard.",
    "rankgauge dialects",
    "rankgauge dialects show trec_eval",
    place=50,
    alone="dialects",
    page="dialects.md",
)


@command("dialects show", "rankgauge dialects show trec_eval", "rankgauge dialects show standard")
def show(
    name: str = choices.argument("NAME", "A dialect's name.", "rankgauge.dialects:DIALECTS"),
) -> None:
    """Show a dialect: every choice that differs from standard, in words."""
    from rankgauge.reference import screens

    screens.dialect(name, sys.stdout)
