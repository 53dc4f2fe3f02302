"""rankgauge formats: the files that are read and written."""

from __future__ import annotations

import typer

from rankgauge.cli.help import example

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """The command, in the app."""
    app.command(name="formats", epilog=example("rankgauge formats"))(formats)


def formats() -> None:
    """List the file formats that are read, and the ones that results are written in."""
    import sys

    from rankgauge.report import screens

    screens.formats(sys.stdout)
