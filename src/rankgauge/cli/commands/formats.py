"""rankgauge formats: the files that are read and written, and the scales of their grades."""

from __future__ import annotations

import sys

from rankgauge.cli.command import command, group

group(
    "formats",
    "List the formats of files that are read and written, or the scales of grades.",
    "rankgauge formats",
    "rankgauge formats scales",
    place=120,
    alone="formats",
    page="formats.md",
)


@command("formats scales", "rankgauge formats scales", "rankgauge evaluate qrels.txt run.txt --scale trec-dl")
def scales() -> None:
    """List the scales that --scale knows, each with its words and their grades."""
    from rankgauge.reference import screens

    screens.scales(sys.stdout)
