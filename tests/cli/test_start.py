"""How the command line starts and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge.reference.reference import command_helps as commands
from tests.cli.conftest import Command

Program = Callable[..., "subprocess.Popen[str]"]


def test_starts_light() -> None:
    """The command line imports nothing heavy before a command runs, so that --help is there at once."""
    code = "import sys, rankgauge.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "polars", "scipy", "rich", "pandas"} & {name.partition(".")[0] for name in loaded}


@pytest.mark.parametrize(("name", "text"), list(commands()), ids=lambda item: item if len(item) < 50 else "")
def test_every_command_has_an_example(name: str, text: str) -> None:
    """Each command's help ends in an example that begins with the command itself."""
    _, _, examples = text.rpartition("Example")
    assert f"  {name}" in examples


def test_a_reader_who_has_gone(program: Program) -> None:
    """A command whose reader stops reading ends quietly, with the code that a shell gives for SIGPIPE."""
    started = program(
        "evaluate", "qrels.txt", "bm25.txt", "dense.txt.gz", "-d", "trec_eval", "-m", "all", "-q", "-o", "tsv"
    )
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.readline()
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait() == 141
    started.stderr.close()


def test_a_reader_who_has_gone_costs_no_file(program: Program, folder: Path) -> None:
    """What a command is to write is there, even if nobody reads what it says."""
    started = program("train", "ranksvm", "test.txt", "--set", "C=0.01", "-o", "model.json")
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.close()
    assert started.stderr.read() == ""
    started.stderr.close()
    started.wait()
    assert (folder / "model.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send to a child")
@pytest.mark.parametrize("command", [("evaluate", "{}", "bm25.txt"), ("judgments", "agreement", "{}")])
def test_interrupted(program: Program, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Ctrl-C ends a command with 130 and no traceback, also while it waits for input."""
    pipe = tmp_path / "never"
    os.mkfifo(pipe)
    started = program(*(part.format(pipe) for part in command))
    with pipe.open("wb") as held:  # opens once the program reads the other end, so it is at work now
        held.write(b"q01 0 d1 1\n")
        held.flush()
        time.sleep(0.3)  # by now it waits for more
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "Traceback" not in err
    assert out == ""


def test_any_encoding(folder: Path) -> None:
    """A terminal that has no Σ gets a question mark, not an error."""
    command = [sys.executable, "-m", "rankgauge.cli", "measures", "show", "nDCG"]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "?(r=1..k)" in done.stdout


def test_version(program: Program) -> None:
    """--version names the version."""
    out, _ = program("--version").communicate()
    assert out.startswith("rankgauge 0.")


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "qrels.txt", "run.csv", "-m", "AP", "-o", "run.csv"),
        ("compare", "qrels.txt", "run.csv", "run.md", "-m", "AP", "-o", "run.md"),
        ("compare", "qrels.txt", "bm25.txt", "dense.jsonl", "--by", "run.csv", "-m", "AP", "-o", "run.csv"),
        ("audit", "test.txt", "scores.html", "-o", "scores.html"),
        ("catalogue", "run.csv", "-o", "run.csv"),
        ("judgments", "agreement", "ratings.csv", "-o", "ratings.csv"),
    ],
    ids=lambda words: " ".join(words[:1] + words[4:5]),
)
def test_no_report_is_written_over_what_it_is_about(command: Command, folder: Path, words: tuple[str, ...]) -> None:
    """A file that a command reads stays as it is."""
    for name, like in (("run.csv", "dense.jsonl"), ("run.md", "dense.jsonl"), ("scores.html", "scores.txt")):
        (folder / name).write_bytes((folder / like).read_bytes())
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert "would be overwritten" in command(*words, code=2)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_all_reports_are_written_or_none(command: Command, folder: Path) -> None:
    """If one of several reports cannot be written, for its folder or for its name, no other is."""
    before = {path.name for path in folder.iterdir()}
    call = ("compare", "qrels.txt", "bm25.txt", "dense.jsonl", "-m", "AP", "-o", "first.md", "-o")
    assert "there is no folder nowhere" in command(*call, "nowhere/second.html", code=2)
    assert "cannot be written: " in command(*call, f"{'x' * 250}.html", code=2)
    assert {path.name for path in folder.iterdir()} == before
