"""What `--help` shows: at most one screen, with every option in a group; `--help-all` explains them all."""

from __future__ import annotations

import os

from rankgauge.cli.choices import spelled_out
from rankgauge.cli.command import usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgauge.cli.command import Command
    from rankgauge.cli.parser import Parameter

WIDEST, TERM = 100, 26
"""The widest line, and the widest first column."""

SHOWN = 2
"""How many examples --help shows."""

DOCS = "https://github.com/rankgauge/rankgauge/blob/main/docs/"

SELF = ("-h, --help", "Show this message.")
SELF_SHORT = ("-h, --help", "Show this message; --help-all explains every option.")
ROOT_OPTIONS = [
    SELF,
    ("--version", "Show the version."),
    ("--install-completion", "Let Tab complete commands, options and names in this shell."),
    ("--show-completion [SHELL]", "Print the script that does it: bash, zsh, fish, powershell."),
]


def help_text(asked: Command, *, whole: bool = False, width: int = 0) -> str:
    """Return the help of a command: all of it if that was asked for, else what people use most, where that is said."""
    width = width or _terminal_width()
    if asked.is_group:
        return "\n".join(_group_lines(asked, width))
    examples = asked.examples if whole else asked.examples[:SHOWN]
    return "\n".join(_lines(asked, width, whole=whole or not asked.first, examples=examples))


def _terminal_width() -> int:
    """Return how wide a help text may be: as COLUMNS or the terminal says, and no wider than people read."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns or 80)
    except (OSError, ValueError):  # no terminal
        columns = 80
    return min(columns, WIDEST)


def _group_lines(asked: Command, width: int) -> Iterator[str]:
    yield usage(asked)
    yield from _about(asked, width)
    if not asked.name:
        yield from _table("Options:", ROOT_OPTIONS, width)
    children = asked.children()
    room = width - max(map(len, children), default=0) - 4
    yield from _table("Commands:", [(name, _summary(known, room)) for name, known in children.items()], width)
    yield from _end(asked, asked.examples)


def _lines(asked: Command, width: int, *, whole: bool, examples: Sequence[str]) -> Iterator[str]:
    yield usage(asked)
    yield from _about(asked, width)
    arguments = [parameter for parameter in asked.parameters if parameter.is_argument]
    options = [parameter for parameter in asked.parameters if not parameter.is_argument]
    if arguments:
        yield from _table("Arguments:", [_describe(argument) for argument in arguments], width)
    if whole:
        groups = {title: [*map(_describe, part)] for title, part in _by_group(options).items()} or {"Options": []}
        [*groups.values()][-1].append(SELF)
        for title, rows in groups.items():
            yield from _table(f"{title}:", rows, width)
    else:
        first = [one for name in asked.first for one in options if one.name == name]
        yield from _table("Most used:", [*map(_describe, first), SELF_SHORT], width)
        others = [one for one in options if one not in first]
        named = _by_group(others).items()
        more = [(title, ", ".join(option.flags[-1].partition("/")[0] for option in part)) for title, part in named]
        yield from _table("More, which --help-all explains:", more, width)
    yield from _end(asked, examples)


def _about(asked: Command, width: int) -> Iterator[str]:
    for paragraph in asked.about.split("\n\n"):
        yield ""
        yield from (f"  {line}" for line in wrap(" ".join(paragraph.split()), width - 2))


def _summary(asked: Command, room: int) -> str:
    """Return what a command is for, on one line: as much of its first sentence as there is room for."""
    text = asked.about.partition("\n\n")[0].replace("\n", " ")
    if len(text) <= room:
        return text
    ends = [text.rfind(f"{sign} ", 0, room) for sign in ".:;,"]
    end = next((end for end in ends if end > 0), len(text) - 1)
    return f"{text[:end]}."


def _end(asked: Command, examples: Sequence[str]) -> Iterator[str]:
    yield ""
    yield "Example:" if len(examples) == 1 else "Examples:"
    yield from (f"  {example}" for example in examples)
    yield ""
    yield f"Read more: {DOCS}{asked.page}"


def _by_group(options: Sequence[Parameter]) -> dict[str, list[Parameter]]:
    groups: dict[str, list[Parameter]] = {}
    for option in options:
        groups.setdefault(option.group or "Options", []).append(option)
    if "Options" in groups and len(groups) > 1:
        groups["Other options"] = groups.pop("Options")
    return groups


def _describe(parameter: Parameter) -> tuple[str, str]:
    """Return how a parameter is written, and what it is for."""
    if parameter.is_argument:
        shown = parameter.metavar + ("..." if parameter.count is None and "..." not in parameter.metavar else "")
        return shown, spelled_out(parameter.help)
    name = ", ".join(parameter.flags) + (f" {parameter.metavar}" if not parameter.is_flag else "")
    default = parameter.default
    if parameter.required:
        ending = "  [required]"
    elif default is None or parameter.is_flag or isinstance(default, list | tuple) or "efault" in parameter.help:
        ending = ""
    else:
        ending = f"  [default: {default:g}]" if isinstance(default, float) else f"  [default: {default}]"
    return name, spelled_out(parameter.help) + ending


def _table(title: str, rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield a title and two columns below it; a long first cell has a line to itself."""
    yield ""
    yield title
    column = max([len(term) for term, _ in rows if len(term) <= TERM], default=0) + 4
    for term, words in rows:
        lines = wrap(words, max(width - column, 20)) or [""]
        if len(term) + 4 > column:
            yield f"  {term}"
            term = ""
        yield f"  {term:<{column - 2}}{lines[0]}".rstrip()
        yield from (" " * column + line for line in lines[1:])


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines at its blanks; two blanks before a bracket stay together with it."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
