"""rankgauge measures: what can be measured, and how each measure is defined."""

from __future__ import annotations

from typing import Annotated

import typer

from rankgauge.cli.completion import measures
from rankgauge.cli.help import example

__all__ = ["add_to"]

app = typer.Typer(
    help="List the measures, or show one with its formula, reference and a worked example.",
    epilog=example("rankgauge measures", "rankgauge measures show nDCG"),
    invoke_without_command=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    """The commands, in the app."""
    root.add_typer(app, name="measures")


@app.callback()
def list_(context: typer.Context) -> None:
    """List the measures, or show one with its formula, reference and a worked example."""
    if context.invoked_subcommand is None:
        import sys

        from rankgauge.report import screens

        screens.measures(sys.stdout)


@app.command(epilog=example("rankgauge measures show nDCG", "rankgauge measures show 'nDCG(gain=\"exp\")@10'"))
def show(
    name: Annotated[str, typer.Argument(help="A measure's name.", metavar="NAME", autocompletion=measures)],
) -> None:
    """Show a measure: formula, reference, bounds, parameters, traits, worked examples."""
    import sys

    from rankgauge.report import screens

    screens.measure(name, sys.stdout)
