"""A small collection, and the command line to try on it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pytest

from rankgauge.cli.main import run
from rankgauge.demo import generate, write
from tests.program import unexpected

Command = Callable[..., str]


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection's files, for looking at only."""
    found = tmp_path_factory.mktemp("collection")
    write(generate(rng=np.random.default_rng(0)), found)
    return found


@pytest.fixture
def folder(collection: Path, tmp_path: Path) -> Path:
    """The collection's files, for one test: what it writes beside them or over them no other test finds."""
    return Path(shutil.copytree(collection, tmp_path / "collection"))


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line beside the files: arguments in, what it prints out; it must end with the code given.

    On stderr there may be notes on subjects that are usual, and on those in `notes`.
    """
    monkeypatch.chdir(folder)

    def call(*arguments: str, code: int = 0, stderr: bool = False, notes: Collection[str] = ()) -> str:
        monkeypatch.setattr(sys, "argv", ["rankgauge", *arguments])
        with pytest.raises(SystemExit) as ended:
            run()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.err
        assert stderr or code or not unexpected(printed.err, notes)
        return printed.err if code or stderr else printed.out

    return call


@pytest.fixture
def by_subtopic(folder: Path) -> str:
    """The judgments with two subtopics of each query: the first has nothing relevant, the second the grades."""
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    rows = [f"{query} 1 {document} 0\n{query} 2 {document} {grade}\n" for query, _, document, grade in lines]
    (folder / "subtopics.txt").write_text("".join(rows))
    return "subtopics.txt"


@pytest.fixture
def program(folder: Path) -> Callable[..., subprocess.Popen[str]]:
    """The command line as a program of its own."""

    def start(*arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "rankgauge.cli", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    return start


def below_judged(text: str) -> str:
    """What follows the share judged, which comes before any verdict."""
    first, blank, rest = text.partition("\n\n")
    assert first.startswith("Judged: ")
    assert blank
    return rest
