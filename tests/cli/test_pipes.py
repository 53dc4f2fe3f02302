"""A reader who leaves, as head does: a gate keeps its verdict's code, other commands end as Unix programs do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG = """judgments = "qrels.txt"
runs = {{main = "{}", new = "{}"}}
baseline = "main"
fail-if-worse = ["{}"]
"""


def unread(folder: Path, *words: str, errors: bool = False) -> int:
    """The exit code of a command whose output goes into a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        called = [sys.executable, "-m", "rankgauge.cli", *words]
        said = pipe if errors else subprocess.PIPE
        done = subprocess.run(called, cwd=folder, stdout=pipe, stderr=said)
    assert errors or not done.stderr
    return done.returncode


@pytest.mark.parametrize(
    ("runs", "rule", "words", "code"),
    [
        (("bm25.txt", "dense.txt.gz"), "AP", ("check",), 0),
        (("dense.txt.gz", "bm25.txt"), "AP:0.2", ("check",), 3),
        (("bm25.txt", "bm25.txt"), "AP:0.01", ("check", "-o", "pr.md"), 0),
    ],
)
def test_a_gate_keeps_its_code(
    folder: Path, runs: tuple[str, str], rule: str, words: tuple[str, ...], code: int
) -> None:
    """A pass stays a pass and undecided stays so, whether the report, the verdict's line or a note is not read."""
    (folder / "rankgauge.toml").write_text(CONFIG.format(*runs, rule))
    assert unread(folder, *words, errors=":" in rule) == code


def test_other_commands_end_as_programs_do(folder: Path) -> None:
    """128 and SIGPIPE, as a shell counts; a mistake keeps its own code."""
    assert unread(folder, "measures") == 141
    assert unread(folder, "evaluate", "qrels.txt", errors=True) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
@pytest.mark.parametrize(("where", "code", "said"), [("&-", 3, b""), ("/dev/full", 2, b"cannot be written: No space")])
def test_output_that_is_closed_or_full(folder: Path, where: str, code: int, said: bytes) -> None:
    """A gate keeps its code without a standard output; with a full one there is one clear error and no verdict."""
    (folder / "rankgauge.toml").write_text(CONFIG.format("dense.txt.gz", "bm25.txt", "AP:0.2"))
    called = ["sh", "-c", f'"$0" -m rankgauge.cli check >{where}', sys.executable]
    done = subprocess.run(called, cwd=folder, stderr=subprocess.PIPE)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)
    assert said in done.stderr
