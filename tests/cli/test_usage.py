"""A command line that cannot be understood."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., str]


@pytest.mark.parametrize(
    ("arguments", "words", "path"),
    [
        (("evaluate", "qrels.txt"), "Missing argument 'RUN'", "rankgauge evaluate"),
        (("evaluate", "--nosuch"), "--nosuch", "rankgauge evaluate"),
        (("evaluate", "qrels.txt", "bm25.txt", "-M", "0"), "--depth", "rankgauge evaluate"),
        (("audit", "lint"), "Missing argument 'JUDGMENTS'", "rankgauge audit lint"),
        (("evalute",), "Did you mean 'evaluate'?", "rankgauge"),
        (
            ("compare", "q", "a", "--test", "t", "--test", "sign"),
            "--test can be given only once",
            "rankgauge compare",
        ),
        (
            ("catalogue", "bm25.txt", "-o", "a.md", "-o", "b.md"),
            "-o / --output can be given",
            "rankgauge catalogue",
        ),
        (("compare", "q", "a", "b", "--measures-agree", "--no-measures-agree"), "only once", "rankgauge compare"),
        (("evaluate", "q", "a", "-m", ""), "-m / --measure has an empty value", "rankgauge evaluate"),
        (("evaluate", "q", ""), "Argument RUN has an empty value", "rankgauge evaluate"),
        (("help",), "Did you mean rankgauge --help?", "rankgauge"),
        (("version",), "Did you mean rankgauge --version?", "rankgauge"),
    ],
)
def test_wrong_use(command: Command, arguments: tuple[str, ...], words: str, path: str) -> None:
    """A wrong use ends with 2 and one message like every other error: what is wrong, the usage, where to read more."""
    first, *_, last = command(*arguments, code=2).splitlines()
    assert first.startswith("rankgauge: ")
    assert words in first
    assert last == f"  Run '{path} --help' for details."


@pytest.mark.parametrize("group", [(), ("audit",), ("active",)])
def test_a_group_without_a_command(command: Command, group: tuple[str, ...]) -> None:
    """It shows its help, not an error."""
    assert command(*group, code=2).startswith("Usage: ")


def test_help_ends_well(command: Command) -> None:
    """What was asked for is no error."""
    assert command("--version").startswith("rankgauge ")
    assert command("evaluate", "--help").startswith("Usage: ")


def test_a_folder_that_does_not_exist(command: Command) -> None:
    """The error of an output names the folder that is missing."""
    said = command("evaluate", "qrels.txt", "bm25.txt", "-o", "nosuch/values.csv", code=2)
    assert said == "rankgauge: nosuch/values.csv: there is no folder nosuch\n  Make it first: mkdir -p nosuch\n"


def test_a_list_without_names(command: Command) -> None:
    """Commas alone do not stand for the default measures."""
    assert "expected names" in command("evaluate", "qrels.txt", "bm25.txt", "-m", ",", code=2)


def test_several_outputs(command: Command, folder: Path) -> None:
    """Each -o is written, and one of them may go to the terminal; what cannot be is an error before any work."""
    shown = command("evaluate", "qrels.txt", "bm25.txt", "-m", "AP", "-o", "a.md", "-o", "b.json", "-o", "csv")
    assert shown.startswith("run,measure,mean")
    assert "| run | measure | mean |" in (folder / "a.md").read_text(encoding="utf-8")
    assert (folder / "b.json").read_text(encoding="utf-8").startswith("{")
    said = command("compare", "qrels.txt", "bm25.txt", "dense.txt.gz", "-o", "csv", "-o", "json", code=2)
    assert "only one output can go to the terminal, and these do: csv, json" in said
    assert "would be overwritten" in command("evaluate", "qrels.txt", "bm25.txt", "-o", "c.md", "-o", "c.md", code=2)
    assert not (folder / "c.md").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate qrels.txt bm25.txt -c --missing skip", "-c means --missing zero, and the line says --missing skip"),
        ("evaluate qrels.txt bm25.txt -J --unjudged not-relevant", "-J means --unjudged skip, and the line says"),
        ("audit qrels.txt bm25.txt --value 0.5564 --against trec_eval", "--against is for the comparison of tools"),
        ("audit lint qrels.txt -m AP", "--measure needs a run, given after the judgments"),
        ("audit lint qrels.txt -d trec_eval", "--dialects needs a run"),
        ("audit judge qrels.txt judge.qrels -d trec_eval", "--dialect needs runs, given after the judges"),
        ("audit judge qrels.txt judge.qrels --first 3", "--first needs runs"),
        ("pool make bm25.txt dense.txt.gz --scale trec-dl", "--scale needs --judgments"),
        ("active plan bm25.txt dense.txt.gz --budget 40 --combine majority", "--combine needs several assessors"),
    ],
)
def test_options_without_an_effect(command: Command, line: str, words: str) -> None:
    """An option that would change nothing beside the others on the line is an error, which says what it needs."""
    assert words in command(*line.split(), code=4)


def test_one_assessor_has_nothing_to_combine(command: Command, folder: Path) -> None:
    """A note says that a rule for several assessors had the grades of one."""
    (folder / "one.csv").write_text("query,document,grade,assessor\nq,a,2,ann\nq,b,0,ann\n")
    assert "one assessor judged, so that there is nothing to combine" in command(
        "judgments", "combine", "one.csv", "-o", "new.txt", stderr=True
    )
