"""What shells offer at Tab, asked as the shells ask."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rankgauge import dialects, files
from rankgauge import training as ltr
from rankgauge.cli.choices import measures
from rankgauge.cli.command import ROOT, Command
from rankgauge.cli.completion import FILES, SCRIPTS
from rankgauge.cli.main import run
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.labelling import methods
from rankgauge.measures import MEASURES
from rankgauge.papers import PAPERS
from rankgauge.policies import MissingQuery, NegativeGrade, ShortList, Ties, Unjudged
from rankgauge.statistics.paired_test import CORRECTIONS, TESTS

BIN = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}
BASH = shutil.which("bash")


Complete = Callable[..., list[str]]


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """The program as the script of bash asks it: words in, what is offered for the last of them out."""

    def ask(*words: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["rankgauge"])
        monkeypatch.setenv("_RANKGAUGE_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(["rankgauge", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit, match="0"):
            run()
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out.split()

    return ask


EVALUATE = ("evaluate", "qrels.txt", "run.txt")


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ((*EVALUATE, "-d", ""), dialects.DIALECTS),
        ((*EVALUATE, "-o", ""), EvaluationReport.formats()),
        ((*EVALUATE, "--ties", ""), Ties),
        ((*EVALUATE, "--unjudged", ""), Unjudged),
        ((*EVALUATE, "--missing", ""), MissingQuery),
        ((*EVALUATE, "--short", ""), ShortList),
        ((*EVALUATE, "--negative", ""), NegativeGrade),
        ((*EVALUATE, "--format-run", ""), files.FORMATS),
        (("compare", "q", "r", "--test", ""), TESTS),
        (("compare", "q", "r", "--correction", ""), CORRECTIONS),
        (("train", ""), ltr.RANKERS),
        (("reproduce", ""), PAPERS),
        (("dialects", "show", ""), dialects.DIALECTS),
        (("active", "plan", "--method", ""), (*methods.METHODS, "leaderboard", "posterior")),
    ],
    ids=" ".join,
)
def test_a_registry_is_offered(complete: Complete, words: tuple[str, ...], known: object) -> None:
    """Every name that an option may have is offered by bash, and nothing else."""
    assert sorted(complete(*words)) == sorted(str(name) for name in known)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ev",), ["evaluate"]),
        ((*EVALUATE, "-d", "let"), ["letor3", "letor4"]),
        ((*EVALUATE, "-m", "AP,nDCGR"), ["AP,nDCGRel"]),
        # Bash breaks words at @, = and : itself and puts the answer in the place of its last piece.
        ((*EVALUATE, "-m", "nDCG", "@", "10,recip"), ["@10,recip_rank"]),
        ((*EVALUATE, "-m", "P", "@"), ["@5", "@10", "@20", "@100"]),
        ((*EVALUATE, "--engine", "=", "sp"), ["spark"]),
        (("evaluate", "irds", ":", "vasw"), ["vaswani"]),
        (("audit", "t.txt", "s.txt", "-d", "ranklib,yah"), ["ranklib,yahoo"]),
        (("audit", "explain", "q", "r", "--query", "1", "-d", "yah"), ["yahoo"]),
        (("measures", "show", "Bpre"), ["Bpref"]),
        (
            ("active", "simulate", "f", "--methods", "passive,uni"),
            ["passive,uniD", "passive,uniC", "passive,uniform", "passive,uniform+judge"],
        ),
        (("judgments", "combine", "f", "--rule", "ma"), ["majority", "majority-high", "majority-mean", "max"]),
        (("romip", "search", "t", "r", "--lang", "r"), ["ru"]),
        (("train", "ranknet", "f", "--set", "hid"), ["hidden=(10,)"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_beginning_is_completed(complete: Complete, words: tuple[str, ...], expected: list[str]) -> None:
    """What begins as the last word does is offered: after a comma, beside a cutoff, and in commands of a group."""
    assert complete(*words) == expected


@pytest.mark.parametrize("words", [("evaluate", "qr"), ("evaluate", "qrels.txt", ""), (*EVALUATE, "-o", "out/v")])
def test_files_are_left_to_the_shell(complete: Complete, words: tuple[str, ...]) -> None:
    """Where a file is wanted nothing is offered, upon which shells complete files."""
    assert complete(*words) == []


def test_fish_and_zsh() -> None:
    """Both are offered the choices of a policy with the words that explain them, and nothing where files are wanted."""
    words = ("evaluate", "qrels.txt", "run.txt", "--unjudged", "")
    assert asked("fish", *words).splitlines() == [f"{choice.value}\t{choice.words}" for choice in Unjudged]
    assert asked("zsh", *words).splitlines() == [f"{choice.value}:{choice.words}" for choice in Unjudged]
    assert asked("zsh", "evaluate", "irds:vasw").strip() == r"irds\:vaswani"
    assert asked("zsh", "evaluate", "qr") == ""


def asked(shell: str, *words: str) -> str:
    """What the program answers a shell that asks by its variables."""
    line = "\n".join(["rankgauge", *words])
    variables = {"_RANKGAUGE_COMPLETE": f"complete_{shell}", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    return subprocess.run(
        [sys.executable, "-c", "from rankgauge.cli.main import run; import sys; sys.argv = ['rankgauge']; run()"],
        env={**ENVIRONMENT, **variables},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script is where the shell looks for it, and is loaded by one line, however often it is installed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["rankgauge", "--install-completion", shell])
    for _ in range(2):
        with pytest.raises(SystemExit, match="0"):
            run()
    script, settings, line = FILES[shell]
    assert (tmp_path / script).read_text() == SCRIPTS[shell]
    assert not settings or (tmp_path / settings).read_text().count(line) == 1
    assert str(tmp_path / script) in capsys.readouterr().err


@pytest.mark.parametrize(("words", "offered"), [(("evaluate", "--per"), ["--per-query"]), (("--vers",), ["--version"])])
def test_options_are_offered(complete: Complete, words: tuple[str, ...], offered: list[str]) -> None:
    """After a hyphen, Tab completes the names of options."""
    assert complete(*words) == offered


def test_every_named_value_is_offered() -> None:
    """An option or argument whose value is a name from some list has something to offer."""
    listed = {"NAMES", "NAME,NAME", "POLICY", "FORMAT", "FORMAT|FILE", "RULE", "KIND", "RANKER", "PAPER", "LANGUAGE"}
    free = {"assessor"}  # people's names
    silent = [
        f"{command.name} {parameter.name}"
        for command in commands(ROOT)
        for parameter in command.parameters
        if parameter.metavar in {*listed, "NAME"} and parameter.name not in free
        if parameter.offer is None
    ]
    assert silent == []


def commands(command: Command) -> Iterator[Command]:
    """The command, and those below it."""
    yield command
    for child in command.children().values() if command.is_group else ():
        yield from commands(child)


def test_a_measure_leaves_its_cutoff_open() -> None:
    """A name that may have a cutoff is offered with and without, so that no shell takes it for finished."""
    for name, kind in MEASURES.items():
        found = {value for value, _ in measures(name) if value.startswith(name)}
        assert name in found
        assert (f"{name}@10" in found) == (kind.facts.cutoff.value in ("optional", "required"))


@pytest.mark.skipif(BASH is None or not (BIN / "rankgauge").exists(), reason="no bash, or not installed")
def test_at_the_keyboard(tmp_path: Path) -> None:
    """In a terminal with the script that users install, Tab completes files, and a name after a comma and a cutoff."""
    with (tmp_path / "rankgauge.sh").open("w", encoding="utf-8") as script:
        subprocess.run(["rankgauge", "--show-completion", "bash"], env=ENVIRONMENT, stdout=script, check=True)
    (tmp_path / "judgments-of-autumn.txt").touch()
    with Terminal(tmp_path) as terminal:
        terminal.type("source rankgauge.sh; echo rea''dy\n")
        terminal.wait("ready")
        terminal.type("rankgauge evaluate judg\t")
        terminal.wait("judgments-of-autumn.txt ")
        terminal.type("-m nDCG@10,recip\t")
        terminal.wait("recip_rank ")
        terminal.type("--ties=bes\t")
        terminal.wait("t ")
        terminal.type("irds:vasw\t")
        terminal.wait("ani ")
        terminal.type("\x01echo : \n")  # to the line's beginning: print it
        terminal.wait(": rankgauge evaluate judgments-of-autumn.txt -m nDCG@10,recip_rank --ties=best irds:vaswani\r\n")


class Terminal:
    """Bash at a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        import pty  # not on Windows

        self.ours, theirs = pty.openpty()
        self.bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"],
            cwd=folder,
            env={**ENVIRONMENT, "PS1": "> ", "COLUMNS": "200"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.bash.kill()
        self.bash.wait()
        os.close(self.ours)

    def type(self, keys: str) -> None:
        """Presses the keys."""
        os.write(self.ours, keys.encode())

    def wait(self, wanted: str, *, seconds: float = 60.0) -> None:
        """Reads what is shown, bells and colours aside, until that was."""
        shown, end = "", time.monotonic() + seconds
        while wanted not in shown:
            ready, _, _ = select.select([self.ours], [], [], max(end - time.monotonic(), 0.0))
            assert ready, f"{wanted!r} expected, the terminal shows {shown!r}"
            new = os.read(self.ours, 4096).decode(errors="replace")
            shown = re.sub(r"\x07|\x1b\[[?0-9;]*[a-zA-Z]", "", shown + new)
