"""The pages on adding a measure and a dialect: one new file is enough."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankgauge
from tests.docs.blocks import ROOT, blocks


def written(page: str, folder: Path) -> Path:
    """The page's file, written into the folder."""
    (block,) = (b for b in blocks((ROOT / "docs" / page).read_text(encoding="utf-8")) if "file=" in b.info)
    path = folder / block.info.partition("file=")[2]
    path.write_text(block.body, encoding="utf-8")
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package to add files to."""
    source = Path(rankgauge.__file__).parent
    shutil.copytree(source, tmp_path / "rankgauge", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "rankgauge"


def run(copy: Path, *command: str) -> str:
    """What a program prints that finds the copy where it looks for the package."""
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_measure_is_one_file(copy: Path) -> None:
    """A measure's file alone makes it known: it parses, scores and is shown, with its parameters' meanings."""
    written("adding-a-measure.md", copy / "measures" / "binary")
    shown = " ".join(run(copy, "-m", "rankgauge.cli", "measures", "show", "Patience").split())
    assert "how much of the interest is left after each document (default: 0.5)" in shown
    assert "(1 + 0.25) / (1 + 0.5 + 0.25) = 0.7143" in shown
    code = (
        "from rankgauge import evaluate\n"
        "result = evaluate({'q': {'a': 1, 'b': 0}}, {'q': {'a': 1.0, 'b': 1.0}}, ['Patience(left=0.5)@2'])\n"
        "print(result.values['value'][0])\n"
    )
    # a and b are tied: the mean of 1 / 1.5 (a first) and 0.5 / 1.5 (b first).
    assert float(run(copy, "-c", code)) == pytest.approx((1 / 1.5 + 0.5 / 1.5) / 2)


def test_the_measure_keeps_the_contract(copy: Path) -> None:
    """The contract tests find a new measure by themselves, and the page's measure keeps the contract."""
    written("adding-a-measure.md", copy / "measures" / "binary")
    tests = ("tests/measures/test_examples.py", "tests/measures/test_contract.py", "tests/ranking/test_ties.py")
    options = ("-o", "addopts=", "-k", "Patience", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly")
    told = run(copy, "-m", "pytest", *options, *tests)
    assert int(told.rpartition(" passed")[0].split()[-1]) >= 5


def test_a_dialect_is_one_file(copy: Path) -> None:
    """A dialect's file alone makes it known: it is explained, and computes as it says."""
    written("adding-a-dialect.md", copy / "dialects" / "tools")
    shown = run(copy, "-m", "rankgauge.cli", "dialects", "show", "house_tool")
    assert "tied documents stand in the order of the input" in shown
    code = (
        "from rankgauge import evaluate\n"
        "judgments = {'q': {'a': 2, 'b': 1}, 'empty': {'c': 0}}\n"
        "run = {'q': {'b': 1.0, 'a': 1.0}, 'empty': {'c': 1.0}}\n"
        "print(evaluate(judgments, run, ['nDCG@1'], dialect='house_tool')['nDCG@1'])\n"
    )
    # b stands first, as in the input: (2^1 − 1) / (2^2 − 1); the empty query is left out.
    assert float(run(copy, "-c", code)) == pytest.approx(1 / 3)
