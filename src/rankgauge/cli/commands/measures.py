"""rankgauge measures: what can be measured, and how each measure is defined."""

from __future__ import annotations

import sys

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.parser import argument

group(
    "measures",
    "List the measures, or show one with its formula, reference and a worked example.",
    "rankgauge measures",
    "rankgauge measures show nDCG",
    place=40,
    alone="measures",
    page="measures.md",
)


@command("measures show", "rankgauge measures show nDCG", "rankgauge measures show 'nDCG(gain=\"exp\")@10'")
def show(
    name: str = argument("NAME", help="A measure's name.", offer=choices.measures),
) -> None:
    """Show a measure: formula, reference, bounds, parameters, traits, worked examples."""
    from rankgauge.reference import screens

    screens.measure(name, sys.stdout)
