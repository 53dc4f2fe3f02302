"""rankgauge formats: the files that are read and written."""

from __future__ import annotations

import sys

from rankgauge.cli.command import command


@command("formats", "rankgauge formats", place=120)
def formats() -> None:
    """List the file formats that are read, and the ones that results are written in."""
    from rankgauge.report import screens

    screens.formats(sys.stdout)
