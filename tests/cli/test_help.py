"""The examples in the help of every command are commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from rankgauge import dialects
from rankgauge.cli.main import app
from rankgauge.cli.options import names
from rankgauge.papers import PAPERS
from rankgauge.reference.pages.cli import commands as help_texts
from rankgauge.statistics.paired_test import TESTS

PROGRAM = "rankgauge"


@cache
def root() -> Any:
    """The whole command line."""
    return typer.main.get_command(app)


def commands(command: Any) -> Iterator[Any]:
    """The command, and those below it."""
    yield command
    for child in getattr(command, "commands", {}).values():
        yield from commands(child)


def examples() -> list[str]:
    """Every example that a help text shows, each once."""
    # A help text breaks long lines; what was written is in the epilog.
    lines = [line for command in commands(root()) for line in command.epilog.splitlines() if line.startswith("  ")]
    return list(dict.fromkeys(line.strip() for line in lines))


def parsed(words: list[str]) -> Any:
    """The context of the command that the words call, as it is when the command begins."""
    command, context = root(), root().make_context(PROGRAM, words)
    while rest := [*context._protected_args, *context.args]:
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    return context


def test_there_are_examples() -> None:
    """Every command, and every group, shows one or several."""
    assert all("Example" in command.epilog for command in commands(root()))
    assert len(examples()) > len(list(commands(root())))


@pytest.mark.parametrize("line", examples())
def test_an_example_is_a_command(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An example names a command, arguments and options that there are, and measures and dialects that are known."""
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line)
    lay(words)
    assert program == PROGRAM
    given = parsed(words).params
    spoken = dialects.get(given.get("dialect") or "standard")
    for measure in names(listed(given, "measure", "metric")):
        spoken.select(measure)
    for dialect in names(listed(given, "dialects", "against")):
        dialects.get(dialect)


@pytest.mark.parametrize(
    "line", ["nothing", "evaluate", "evaluate q r --nothing", "active nothing", "dialects show", "compare q r --seed x"]
)
def test_what_is_no_command_does_not_parse(line: str) -> None:
    """A wrong command, a missing argument, an unknown option and a wrong value would each be found."""
    with pytest.raises(Exception, match=r"No such|Missing|valid"):
        parsed(line.split())


def lay(words: list[str]) -> None:
    """Puts files and folders in the place of those that an example takes to be there."""
    for before, word in zip(["", *words], words, strict=False):
        if before == "--data":
            Path(word).mkdir(parents=True)
        elif word.endswith(".txt") and "*" not in word:
            Path(word).touch()


def listed(given: dict[str, Any], *parameters: str) -> list[str]:
    """The values of those parameters, of which some may be given more than once."""
    values = [given.get(parameter) or [] for parameter in parameters]
    return [name for value in values for name in ([value] if isinstance(value, str) else value)]


def test_choices_are_those_of_the_registry() -> None:
    """Where a help text lists names, they are all the registry has, and no mark is left in any text."""
    texts = dict(help_texts())
    listed_ = " ".join(texts["rankgauge compare"].split())
    assert f"The paired test: {', '.join(TESTS)}." in listed_
    assert not [name for name, text in texts.items() if "{choices}" in text or "{rankgauge." in text]


def test_trials_are_told_beside_those_of_the_papers() -> None:
    """The help of reproduce names each default, and the 5,000 repetitions of the paper on active evaluation."""
    usual = {name: paper.trials for name, paper in PAPERS.items()}
    text = " ".join(dict(help_texts())["rankgauge reproduce"].split())
    hundred = dict.fromkeys(("few-labels", "multigraded", "ndcg-tools", "pools"), 100)
    assert usual == hundred | {"active": 1000, "gate": 60}
    assert "by default 100, gate 60, active 1,000, where the paper has 5,000." in text
