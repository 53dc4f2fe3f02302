"""What is said to a command line that cannot be understood: the same way as every other error."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

__all__ = ["Commands", "UsageError", "tell"]

UsageError: Any = typer.BadParameter.__base__
"""The error of click for a wrong use; typer has click inside or beside it, depending on its version."""


class Commands(TyperGroup):
    """The commands; a word that is one of the options, as in `rankgauge help`, is told so."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named."""
        option = f"--{args[0]}"
        if args[0] not in self.commands and any(option in parameter.opts for parameter in self.get_params(ctx)):
            ctx.fail(f"There is no command called '{args[0]}'. Did you mean {ctx.command_path} {option}?")
        return super().resolve_command(ctx, args)


def tell(error: Any) -> str:
    """What is wrong, how the command is used, and where to read more."""
    if error.ctx is None:
        return str(error.format_message())
    usage, more = error.ctx.get_usage(), f"'{error.ctx.command_path} --help' tells more."
    return "\n  ".join([error.format_message(), *usage.splitlines(), more])
