"""The examples in the help of every command are commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankgauge import dialects
from rankgauge.cli.command import ROOT, Command, execute, find
from rankgauge.cli.help import help_text
from rankgauge.cli.options import names
from rankgauge.cli.parser import Line
from rankgauge.errors import UnknownNameError, UsageError
from rankgauge.papers import PAPERS
from rankgauge.reference.reference import command_helps as help_texts
from rankgauge.statistics.paired_test import TESTS

PROGRAM = "rankgauge"
DOCS = Path(__file__).parents[2] / "docs"

OLD = {
    "evaluate q r -M 5": "evaluate q r --depth 5",
    "fuse a b -M 5": "fuse a b --depth 5",
    "train adarank t --metric AP": "train adarank t --measure AP",
    "active plan a --budget 5 -o c.rg --option stages=1": "active plan a --budget 5 -o c.rg --set stages=1",
    "active plan a --budget 5 -o c.rg --judged q": "active plan a --budget 5 -o c.rg --judgments q",
    "pool make a --judged q": "pool make a --judgments q",
    "active simulate q a --repetitions 5": "active simulate q a --trials 5",
    "judge p --url u --model m --jobs 3": "judge p --url u --model m --requests 3",
}
"""Command lines as they were written before, and as they are written now."""


def commands(command: Command = ROOT) -> Iterator[Command]:
    """The command, and those below it."""
    yield command
    for child in command.children().values() if command.is_group else ():
        yield from commands(child)


def examples() -> list[str]:
    """Every example that a help text shows, each once."""
    return list(dict.fromkeys(example for command in commands() for example in command.examples))


def parsed(words: list[str]) -> dict[str, Any]:
    """What the words give to the command that they name; an error if that cannot be."""
    command, rest = find(words)
    if command.is_group:
        if rest or command.function is None:
            execute(words)
        return {}
    line = Line(command.parameters, rest)
    values = line.values()
    if line.problems:
        raise UsageError(line.problems, command.path, "")
    return values


def test_there_are_examples() -> None:
    """Every command, and every group, shows two or more, no two of them the same."""
    assert [command.path for command in commands() if len(set(command.examples)) < 2] == []
    assert len(examples()) > len(list(commands()))


def headings(page: Path) -> set[str]:
    """The names that links give to the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: command.path)
def test_help_fits_on_a_screen(command: Command) -> None:
    """--help has at most 45 lines, names every option, and ends with examples and a page that is there."""
    text = help_text(command, width=80)
    assert len(text.splitlines()) <= 45
    assert all(option.flags[-1].partition("/")[0] in text for option in command.parameters if option.flags)
    page = text.splitlines()[-1].removeprefix("Read more: https://github.com/rankgauge/rankgauge/blob/main/docs/")
    name, _, anchor = page.partition("#")
    assert (DOCS / name).is_file()
    assert not anchor or anchor in headings(DOCS / name)
    assert f"\n  {command.path}" in text.rpartition("Example")[2]
    assert len(text.rpartition("Example")[2].strip().splitlines()) <= 7


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: command.path)
def test_the_six_most_used_options_come_first(command: Command) -> None:
    """Where not all options are explained on a screen, six are, and --help-all explains the rest."""
    names = [option.name for option in command.parameters]
    assert set(command.first) <= set(names)
    assert "Most used" not in help_text(command, width=80) or len(command.first) == 6
    whole = help_text(command, whole=True, width=80)
    assert all(f"  {', '.join(option.flags)}" in whole for option in command.parameters if option.flags)


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_old_spellings_still_work(old: str, new: str) -> None:
    """What a flag was called before is read as its new name, and no help shows it."""
    assert parsed(shlex.split(old)) == parsed(shlex.split(new))
    command, _ = find(shlex.split(old))
    flag = [word for word in shlex.split(old) if word.startswith("-")][-1]
    assert not re.search(rf"(^|\s){flag}\b", help_text(command, whole=True, width=80))


@pytest.mark.parametrize(
    ("words", "meant"),
    [("score", "evaluate"), ("diff", "compare"), ("merge", "fuse"), ("lint", "audit lint")],
)
def test_a_command_is_suggested_by_meaning(words: str, meant: str) -> None:
    """A word that people use for a command, or the last word of one in a group, leads to it."""
    with pytest.raises(UsageError, match=f"No such command '{words}'. Did you mean .*'{meant}'"):
        execute([words])


def test_a_dialect_is_suggested_by_a_part_of_its_name() -> None:
    """Who types trek means trec_eval."""
    with pytest.raises(UnknownNameError, match=r"Did you mean trec_eval"):
        dialects.get("trek")


def test_all_that_is_wrong_is_said_at_once() -> None:
    """One message lists every problem of a line: unknown options, wrong values, what is missing, what is empty."""
    with pytest.raises(UsageError) as raised:
        parsed(["evaluate", "qrels.txt", "--nosuch", "--depth", "0", "--rel", "x", "--ties", ""])
    assert len(raised.value.problems) == 5
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("line", examples())
def test_an_example_is_a_command(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An example names a command, arguments and options that there are, and measures and dialects that are known."""
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line)
    lay(words)
    assert program == PROGRAM
    given = parsed(words)
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
    with pytest.raises(UsageError, match=r"No such|Missing|valid"):
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
    assert usual == hundred | {"active": 1000, "gate": 60, "pairwise": 20}
    assert "by default 100, pairwise 20, gate 60, active 1,000, where the paper has 5,000." in text
