"""The contract of a command, the registry of them all, and the command line that is made of them.

A file in `commands/` adds a command: a function with typer's annotations under `@command`. A name of two words is a
command in a group, which is declared by `group`. The modules import what they work with when a command runs. Only the
command that was asked for is made, and only its file is loaded: that of all of them takes longer than a small command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import wraps
from itertools import count
from typing import Any, TypeVar, cast, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from rankgauge.cli.choices import spell_out
from rankgauge.cli.values import read_plainly, refuse_empty, refuse_repeated
from rankgauge.registry import Registered, Registry

Function = TypeVar("Function", bound=Callable[..., Any])

PROGRAM = "rankgauge"
LAST = 1000
_serial = count()


class PlainCommand(TyperCommand):
    """A command whose help lists the names that its options take."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Reads the words of the command line."""
        read_plainly(self.get_params(ctx))
        if not ctx.resilient_parsing:  # Tab may ask about half a line
            words, _, given = self.make_parser(ctx).parse_args(args=list(args))
            refuse_repeated(given, ctx)
            refuse_empty(given, words, ctx)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the options and arguments."""
        spell_out(self.get_params(ctx))
        super().format_options(ctx, formatter)


class CommandGroup(TyperGroup):
    """A group of commands. If a word is an option, not a command, as in `rankgauge help`, the error says so."""

    def __init__(self, *, name: str | None = None, commands: Any = None, **settings: Any) -> None:
        super().__init__(name=name, commands=_Branch("" if name in (None, PROGRAM) else name), **settings)  # type: ignore[arg-type]

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Reads the words of the command line up to the command."""
        read_plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands, none of which is made for it."""
        branch = cast(_Branch, self.commands)
        known: dict[str, Any] = {name: TyperCommand(name=name, help=help) for name, help in branch.helps().items()}
        TyperGroup(name=self.name, commands=known).format_commands(ctx, formatter)

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
    """Commands are listed by place; those with the same place, in the order of their declaration."""
    group: type[TyperGroup] | None = None
    help: str | None = None
    """What a group is for; the help of a command is its function's docstring."""
    serial: int = field(default_factory=_serial.__next__)


def command(name: str, *examples: str, place: int = LAST) -> Callable[[Function], Function]:
    """Registers the function below it as a command; its name follows `rankgauge`, as in "audit lint".

    A parameter of the function that is a dataclass stands for options that commands share: one for each field.
    """

    def register(function: Function) -> Function:
        Command(name=name, examples=examples, function=function, place=place).register()
        return function

    return register


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of a dataclass in place of each parameter that is one, as typer needs it."""
    given = inspect.signature(function, eval_str=True).parameters
    shared: dict[str, Any] = {name: one.annotation for name, one in given.items() if is_dataclass(one.annotation)}
    if not shared:
        return function

    @wraps(function)
    def call(**values: Any) -> Any:
        made = {name: kind(**{one.name: values.pop(one.name) for one in fields(kind)}) for name, kind in shared.items()}
        return function(**made, **values)

    spread = [one for name in given for one in (_parameters(shared[name]) if name in shared else [given[name]])]
    call.__signature__ = inspect.Signature([one.replace(kind=one.KEYWORD_ONLY) for one in spread])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in spread}
    return call


def _parameters(kind: Any) -> list[inspect.Parameter]:
    """The fields of a dataclass as parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(kind)
    ]


def group(
    name: str,
    help: str,
    *examples: str,
    place: int = LAST,
    alone: Callable[[], None] | None = None,
    kind: type[TyperGroup] = CommandGroup,
) -> None:
    """Registers a group of commands; `alone` is what it does without one; by default it shows its help."""
    Command(name=name, examples=examples, function=alone, place=place, group=kind, help=help).register()


class _Branch(Mapping[str, Any]):
    """The commands of a group by their last words, then the groups in it; each is made when it is first asked for."""

    def __init__(self, parent: str) -> None:
        self.parent = parent
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(COMMANDS[f"{self.parent} {name}".lstrip()], name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.helps())

    def __len__(self) -> int:
        return len(self.helps())

    def helps(self) -> dict[str, str]:
        """What each of them is for."""
        parted = ((*found.name.rpartition(" ")[::2], found) for found in COMMANDS.values())
        here = [(name, found) for parent, name, found in parted if parent == self.parent]
        here.sort(key=lambda pair: pair[1].group is not None)
        return {name: found.help or inspect.getdoc(found.function) or "" for name, found in here}


def _made(found: Command, name: str) -> Any:
    """The command or the group as typer has it."""
    if found.group:
        return typer.main.get_group(_group(found, name))
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    if found.function:
        made = app.command(name=name, cls=PlainCommand, epilog=examples_of(*found.examples))
        made(_spread(found.function))
    return typer.main.get_command(app)


def _group(found: Command, name: str) -> typer.Typer:
    app = typer.Typer(
        name=name,
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
