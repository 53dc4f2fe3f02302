"""The contract of a command, the registry of them all, and the command line that is made of them.

A file in `commands/` adds a command: a function with typer's annotations under `@command`. A name of two words is a
command in a group, which is declared by `group`. The modules import what they work with when a command runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from rankgauge.cli.choices import spell_out
from rankgauge.registry import Registered, Registry

__all__ = ["COMMANDS", "Command", "CommandGroup", "command", "examples_of", "fill", "group"]

Function = TypeVar("Function", bound=Callable[..., Any])

LAST = 1000
_serial = count()


class PlainCommand(TyperCommand):
    """A command whose help lists the names that its options take."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the options and arguments."""
        spell_out(self.get_params(ctx))
        super().format_options(ctx, formatter)


class CommandGroup(TyperGroup):
    """A group of commands. If a word is no command but an option, as in `rankgauge help`, the error says so."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named."""
        option = f"--{args[0]}"
        if args[0] not in self.commands and any(option in parameter.opts for parameter in self.get_params(ctx)):
            ctx.fail(f"There is no command called '{args[0]}'. Did you mean {ctx.command_path} {option}?")
        return super().resolve_command(ctx, args)


COMMANDS: Registry[Command] = Registry(
    "command", "rankgauge.cli.commands", order=lambda command: (command.place, command.serial)
)


@dataclass(frozen=True, kw_only=True)
class Command(Registered):
    """A command or a group of commands."""

    registry = COMMANDS

    name: str
    """What a user types after `rankgauge`."""
    examples: tuple[str, ...]
    function: Callable[..., Any] | None
    """What it does; a group may do something without a command, too."""
    place: int
    """Commands are listed by rising place, those of one place in the order of their declaration."""
    group: type[TyperGroup] | None = None
    help: str | None = None
    """What a group is for; the help of a command is its function's docstring."""
    serial: int = field(default_factory=_serial.__next__)


def command(name: str, *examples: str, place: int = LAST) -> Callable[[Function], Function]:
    """Registers the function below it as a command; its name follows `rankgauge`, as in "audit lint"."""

    def register(function: Function) -> Function:
        Command(name=name, examples=examples, function=function, place=place).register()
        return function

    return register


def group(
    name: str,
    help: str,
    *examples: str,
    place: int = LAST,
    alone: Callable[[], None] | None = None,
    kind: type[TyperGroup] = CommandGroup,
) -> None:
    """Registers a group of commands; `alone` is what it does without one, which is to show its help otherwise."""
    Command(name=name, examples=examples, function=alone, place=place, group=kind, help=help).register()


def fill(app: typer.Typer) -> None:
    """Puts every command into the app."""
    groups = {found.name: _group(found) for found in COMMANDS.values() if found.group}
    for found in COMMANDS.values():
        parent, _, name = found.name.rpartition(" ")
        holder = groups[parent] if parent else app
        if found.group:
            holder.add_typer(groups[found.name], name=name)
        elif found.function:
            holder.command(name=name, cls=PlainCommand, epilog=examples_of(*found.examples))(found.function)


def _group(found: Command) -> typer.Typer:
    app = typer.Typer(
        cls=found.group,
        help=found.help,
        epilog=examples_of(*found.examples),
        invoke_without_command=found.function is not None,
        no_args_is_help=found.function is None,
        rich_markup_mode=None,
    )
    if found.function is not None:
        app.callback()(_unless_commanded(found.function))
    return app


def _unless_commanded(function: Callable[[], None]) -> Callable[[typer.Context], None]:
    def callback(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            function()

    return callback


def examples_of(*commands: str) -> str:
    """The commands as the last paragraph of a help text, each on its own line."""
    head = "Example:" if len(commands) == 1 else "Examples:"
    return "\b\n" + "\n".join([head, *(f"  {command}" for command in commands)])
