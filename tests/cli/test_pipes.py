"""A reader who leaves, as head does: a gate keeps its verdict's code, other commands end as Unix programs do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG = """judgments = "qrels.txt"
runs = {main = "bm25.txt", new = "NEW"}
baseline = "main"
fail-if-worse = ["RULE"]
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
    ("run", "rule", "code"), [("dense.txt.gz", "AP", 0), ("dense.txt.gz", "AP:0.2", 0), ("bm25.txt", "AP:0.01", 0)]
)
def test_a_gate_keeps_its_code(folder: Path, run: str, rule: str, code: int) -> None:
    """A pass stays a pass, whoever reads it, whether the report or the verdict's line is what nobody reads."""
    (folder / "rankgauge.toml").write_text(CONFIG.replace("NEW", run).replace("RULE", rule))
    words = ("check", "-o", "pr.md") if "0.01" in rule else ("check",)
    assert unread(folder, *words, errors=":" in rule) == code


def test_other_commands_end_as_programs_do(folder: Path) -> None:
    """128 and SIGPIPE, as a shell counts; a mistake keeps its own code."""
    assert unread(folder, "measures") == 141
    assert unread(folder, "evaluate", "qrels.txt", errors=True) == 2
