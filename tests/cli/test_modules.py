"""What a small command loads: a scan of regular files needs NumPy, and nothing else that is large."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LARGE = {"charset_normalizer", "jinja2", "pandas", "polars", "pyarrow", "pydantic", "rich", "scipy", "sklearn"}
"""Libraries that a scan of regular files and a table for people do without."""

UNUSED = (
    "rankgauge.labelling",
    "rankgauge.audit",
    "rankgauge.training",
    "rankgauge.files.columns",
    "rankgauge.files.validation",
    "rankgauge.files.formats",
    "rankgauge.cli.project",
    "rankgauge.render.html",
    "difflib",
    "tomllib",
    "xml",
)
"""Parts of the package that have nothing to do with them."""

CODE = """
import atexit, sys
from rankgauge.cli.main import run
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
run()
"""


def loaded(folder: Path, *words: str) -> set[str]:
    """The modules that the command has loaded when it ends."""
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "COLUMNS": "80"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    return set(done.stderr.splitlines()[-1].split())  # above it are the notes of formats that have no place for them


@pytest.mark.parametrize("output", ["table", "tsv", "trec", "md"])
def test_evaluate_loads_little(folder: Path, output: str) -> None:
    """An evaluation of regular files loads neither large libraries nor readers nor other parts of the package."""
    modules = loaded(folder, "evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG@10", "-o", output)
    assert not LARGE & {name.partition(".")[0] for name in modules}
    assert not [name for name in modules if name.startswith(UNUSED)]
    assert len([name for name in modules if name.startswith("rankgauge")]) < 90


def test_compare_loads_little(folder: Path) -> None:
    """A comparison of regular files loads no large library either."""
    modules = loaded(folder, "compare", "qrels.txt", "bm25.txt", "dense.txt.gz")
    assert not LARGE & {name.partition(".")[0] for name in modules}
    assert not [name for name in modules if name.startswith(UNUSED)]


def test_help_loads_less(folder: Path) -> None:
    """The list of commands needs not even NumPy."""
    modules = loaded(folder, "--help")
    assert not (LARGE | {"numpy"}) & {name.partition(".")[0] for name in modules}
