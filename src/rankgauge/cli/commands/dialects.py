"""rankgauge dialects: the tools that can be computed as, and where they differ."""

from __future__ import annotations

from typing import Annotated

import typer

from rankgauge.cli.completion import names
from rankgauge.cli.help import example

__all__ = ["add_to"]

app = typer.Typer(
    help="List the dialects, or show what one does otherwise than standard.",
    epilog=example("rankgauge dialects", "rankgauge dialects show trec_eval"),
    invoke_without_command=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    """The commands, in the app."""
    root.add_typer(app, name="dialects")


@app.callback()
def list_(context: typer.Context) -> None:
    """List the dialects, or show what one does otherwise than standard."""
    if context.invoked_subcommand is None:
        import sys

        from rankgauge.report import screens

        screens.dialects(sys.stdout)


@app.command(epilog=example("rankgauge dialects show trec_eval"))
def show(
    name: Annotated[
        str,
        typer.Argument(help="A dialect's name.", metavar="NAME", autocompletion=names("rankgauge.dialects:DIALECTS")),
    ],
) -> None:
    """Show a dialect: every choice that differs from standard, in words."""
    import sys

    from rankgauge.report import screens

    screens.dialect(name, sys.stdout)
