"""docs/cli.md: what `--help` says of every command."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

HEAD = """# Command line

Every command has `--help`, which fits on a screen, and `--help-all`, which explains every option; this page is the
latter. Errors that a user can cause are one message on stderr and an exit
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
    """Yield the name and the whole help text of every command."""
    # The command line is a layer above the reports; its texts are looked up when the page is made, not imported.
    root = importlib.import_module("rankgauge.cli.command").ROOT
    return _commands(root)


def _commands(command: Any) -> Iterator[tuple[str, str]]:
    help_text = importlib.import_module("rankgauge.cli.help").help_text
    yield command.path, help_text(command, whole=True, width=80)
    if command.is_group:
        for child in command.children().values():
            yield from _commands(child)
