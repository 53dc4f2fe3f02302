"""rankgauge formats: the files that are read and written."""

from __future__ import annotations

import sys

from rankgauge.cli.command import command


@command("formats", "rankgauge formats", place=120)
def formats() -> None:
    """List the formats of files: those that are read, those of results, and those of labels."""
    from rankgauge.report import screens

    screens.formats(sys.stdout)
