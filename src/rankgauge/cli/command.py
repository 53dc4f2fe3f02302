"""The contract of a command, the registry of them all, and how words find their command.

A file in `commands/` adds a command: a function under `@command`, whose parameters declare its options (`parser.py`). A
name of two words is a command in a group, which is declared by `group`. The modules import what they work with when a
command runs, and only the file of the command that was asked for is loaded.
"""

from __future__ import annotations

from rankgauge.cli.parser import Line, call, spread
from rankgauge.errors import UsageError, nearest
from rankgauge.registry import Registered, Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from rankgauge.cli.parser import Parameter

    Function = TypeVar("Function", bound=Callable[..., Any])

PROGRAM = "rankgauge"
LAST = 1000

HELP, HELP_ALL = ("-h", "--help"), "--help-all"

SYNONYMS = {
    "evaluate": "score eval metric metrics ndcg trec_eval measure quality",
    "compare": "diff test significance ab paired versus better",
    "check": "gate ci regression verify",
    "fuse": "merge ensemble rrf hybrid blend",
    "audit": "lint explain why debug",
    "judgments": "agreement kappa assessors qrels annotators",
    "judge": "llm grade annotate label",
    "active": "campaign labels budget sample estimate",
    "pool": "pooling depth",
    "train": "learn fit ltr lambdamart",
    "rank": "predict apply rerank",
    "serve": "web server room ui start",
    "demo": "example tutorial try",
    "mcp": "agent tools llm",
    "measures": "list metrics",
    "dialects": "tools",
    "catalogue": "coverage novelty diversity recommender",
    "doctor": "info diagnose versions status setup",
    "reproduce": "paper papers experiment",
}
"""Words that people try for a command."""


class Command(Registered):
    """A command or a group of commands."""

    def __init__(
        self,
        *,
        name: str,
        examples: Sequence[str],
        function: Callable[..., Any] | None,
        place: int,
        page: str,
        first: Sequence[str] = (),
        about: str = "",
        otherwise: str = "",
    ) -> None:
        """`name` is what a user types after `rankgauge`; `page` is the file in docs/ that says more.

        Without a page it is that of the command's group. Commands are listed by `place`, those with the same place in
        the order of their declaration. `first` are the options that people use most. `about` is what a group is for;
        `otherwise` is the command that a first word which names none is given to; its function is what it does alone.
        """
        self.name, self.examples, self.function, self.place = name, examples, function, place
        self.first, self.otherwise, self.is_group, self._page = first, otherwise, bool(about), page
        written = about or (function and function.__doc__) or ""
        self.about = "\n".join(line.strip() for line in written.strip().splitlines())
        self.serial = len(COMMANDS.loaded)

    @property
    def parameters(self) -> list[Parameter]:
        """The options and arguments."""
        return [] if self.function is None or self.is_group else list(spread(self.function)[0].values())

    @property
    def page(self) -> str:
        """The file in docs/ that says more."""
        group = self.name.rpartition(" ")[0]
        return self._page or (COMMANDS[group].page if group else "cli.md")

    @property
    def path(self) -> str:
        """What a user types."""
        return f"{PROGRAM} {self.name}".rstrip()

    def children(self) -> dict[str, Command]:
        """Return the commands of a group by their last words."""
        parted = ((*known.name.rpartition(" ")[::2], known) for known in COMMANDS.values())
        return {name: known for parent, name, known in parted if parent == self.name}

    def run(self, words: Sequence[str]) -> None:
        """Read the words and do what they ask for; an error lists all that is wrong with them."""
        assert self.function is not None
        line = Line(self.parameters, words)
        values = line.values()
        if line.problems:
            raise UsageError(line.problems, self.path, usage(self))
        call(self.function, values)


COMMANDS: Registry[Command] = Registry(
    "command", "rankgauge.cli.commands", order=lambda command: (command.place, command.serial)
)
Command.registry = COMMANDS

ROOT = Command(
    name="",
    examples=("rankgauge demo", "rankgauge evaluate qrels.txt run.txt -m nDCG@10 -m AP"),
    function=None,
    place=0,
    page="tutorial.md",
    about="Evaluate rankings on graded relevance, by the usual definitions or as other tools compute them.",
)


def command(
    name: str, *examples: str, place: int = LAST, page: str = "", first: Sequence[str] = ()
) -> Callable[[Function], Function]:
    """Register the function below it as a command; its name follows `rankgauge`, as in "audit lint".

    A parameter of the function that is a subclass of `Options` stands for options that commands share.
    """

    def register(function: Function) -> Function:
        made = Command(name=name, examples=examples, function=function, place=place, page=page, first=first)
        made.register()
        return function

    return register


def group(
    name: str,
    about: str,
    *examples: str,
    place: int = LAST,
    page: str = "",
    alone: str = "",
    otherwise: str = "",
) -> None:
    """Register a group of commands; `alone` names the screen that it shows without one, by default its help.

    A first word that is no command of the group is given to the command `otherwise`, if there is one.
    """
    settings: dict[str, Any] = {"place": place, "page": page, "otherwise": otherwise}
    screen = _screen(alone) if alone else None
    Command(name=name, examples=examples, function=screen, about=about, **settings).register()


def _screen(name: str) -> Callable[[], None]:
    """Return a function that shows a screen of `reference/screens.py`."""

    def show() -> None:
        import sys

        from rankgauge.reference import screens

        getattr(screens, name)(sys.stdout)

    return show


def execute(words: Sequence[str]) -> None:
    """Do what the words after `rankgauge` ask for."""
    asked, rest = find(words)
    before = rest[: rest.index("--")] if "--" in rest else rest
    if HELP_ALL in before or any(flag in before for flag in HELP):
        from rankgauge.cli.help import help_text

        print(help_text(asked, whole=HELP_ALL in before))
    elif not asked.is_group:
        asked.run(rest)
    elif rest:
        raise _unknown(asked, rest[0])
    elif asked.function is not None:
        asked.function()
    else:
        from rankgauge.cli.help import help_text

        raise UsageError([], asked.path, help_text(asked))


def find(words: Sequence[str]) -> tuple[Command, list[str]]:
    """Find the command that the first words name, and the words that are left for it."""
    command_, rest = ROOT, list(words)
    while rest and rest[0] not in (*HELP, HELP_ALL):
        name = f"{command_.name} {rest[0]}".lstrip()
        if not command_.is_group and not COMMANDS.has_file(name):  # only a file says, before any is loaded
            break
        if not rest[0].startswith("-") and name in COMMANDS:
            rest.pop(0)
        elif command_.otherwise:
            name = f"{command_.name} {command_.otherwise}"
        else:
            break
        command_ = COMMANDS[name]
    return command_, rest


def usage(asked: Command) -> str:
    """Return the line that says how a command is called."""
    if asked.is_group:
        return f"Usage: {asked.path} COMMAND [OPTIONS]"
    places = [_place(parameter) for parameter in asked.parameters if parameter.is_argument]
    return " ".join([f"Usage: {asked.path}", *places, "[OPTIONS]"])


def _place(argument: Parameter) -> str:
    shown = argument.metavar + ("..." if argument.count is None and "..." not in argument.metavar else "")
    return shown if argument.required or shown.startswith("[") else f"[{shown}]"


def _unknown(asked: Command, word: str) -> UsageError:
    """Return the error for a word that names no command; it may be an option, or another word for a command."""
    if word.startswith("-"):
        problem = f"No such option: {word}."
    elif f"--{word}" in ("--version", *HELP, HELP_ALL):
        problem = f"There is no command called '{word}'. Did you mean {asked.path} --{word}?"
    else:
        known = asked.children()
        deeper = [name for name in COMMANDS if name.endswith(f" {word}")]
        meant = [name for name in known if word.lower() in SYNONYMS.get(name, "").split()]
        near = deeper or meant or nearest(word, known)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"Known: {', '.join(known)}."
        problem = f"No such command '{word}'. {hint}"
    return UsageError([problem], asked.path, usage(asked))
