"""docs/cli.md: what `--help` says of every command."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import typer

HEAD = """# Command line

Every command has `--help`; this page is that text. Errors that a user can cause are one message on stderr and an exit
code: 2 input that is not what was expected, or wrong usage; 3 an unknown name; 4 a parameter that makes no sense; 5 a
missing extra; 130 Ctrl-C. With a gate (`check`, or `compare --fail-if-worse`) 1 says worse and 3 undecided, and an
unknown name is 2.

`rankgauge --install-completion` lets Tab complete, in bash, zsh, fish and PowerShell, what has a name: measures (also
after a comma), dialects, formats, policies, rankers, tests, papers, and ids of ir_datasets after `irds:`. Elsewhere it
completes files.
"""


def page() -> str:
    """The page."""
    return "\n".join([HEAD, *(f"## {name}\n\n```text\n{text}\n```\n" for name, text in commands())])


def commands() -> Iterator[tuple[str, str]]:
    """The name and the help text of every command."""
    # The command line is a layer above the reports; its texts are looked up when the page is made, not imported.
    app = importlib.import_module("rankgauge.cli.main").app
    yield from _commands(typer.main.get_command(app), None, "rankgauge")


def _commands(command: Any, parent: Any, name: str) -> Iterator[tuple[str, str]]:
    context = command.make_context(name, [], parent, resilient_parsing=True, terminal_width=80, max_content_width=80)
    path = context.command_path
    yield path, command.get_help(context).rstrip()
    for child in getattr(command, "commands", {}).items():
        yield from _commands(child[1], context, child[0])
