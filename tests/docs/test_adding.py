"""The page on extending: the one file that each of its sections shows is enough.

All of them are written into one copy of the package, which is then used through the command line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rankgauge
from tests.docs.blocks import ROOT, blocks

ROOMS = {
    "patience.py": "measures/binary",
    "house_tool.py": "dialects/tools",
    "ridge.py": "training/rankers",
    "thrifty.py": "labelling/methods",
    "half_life.py": "fusion/methods",
    "pipes.py": "files/formats",
    "overlap.py": "cli/commands",
    "comments.py": "room/pages",
}
"""Where each file of the page belongs."""

PAGE = ROOT / "docs" / "extending.md"

pytestmark = pytest.mark.xdist_group("adding")  # they share the copy

Run = Callable[..., str]


def shown_files() -> dict[str, str]:
    """Return the files that the page shows, by name."""
    shown = [block for block in blocks(PAGE.read_text(encoding="utf-8")) if "file=" in block.info]
    return {block.info.partition("file=")[2]: block.body for block in shown}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the file of every page."""
    folder = tmp_path_factory.mktemp("adding") / "rankgauge"
    shutil.copytree(Path(rankgauge.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, body in shown_files().items():
        path = folder / ROOMS[name] / name
        assert not path.exists(), f"{path.name} is in the package already"
        path.write_text(body, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environment(package: Path) -> dict[str, str]:
    """The variables with which a program finds the copy in place of the package."""
    path = f"{package.parent}{os.pathsep}{ROOT}"
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "80"}


@pytest.fixture(scope="module")
def python(environment: dict[str, str]) -> Run:
    """Runs Python with the copy in place of the package, in the root of the repository."""

    def run(*arguments: str, **variables: str) -> str:
        command, known = [sys.executable, *arguments], environment | variables
        done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


SERVANT = """
import dataclasses, json, pathlib, sys
from tests.program import rankgauge
for line in sys.stdin:
    print(json.dumps(dataclasses.asdict(rankgauge(json.loads(line), pathlib.Path.cwd()))), flush=True)
"""
"""Runs one command after the other: a line of words in, a line with what each printed out."""


@pytest.fixture(scope="module")
def cli(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs `rankgauge` of the copy, in one process, and in a folder that holds the demo's collection."""
    folder, pipes = tmp_path_factory.mktemp("collection"), {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", SERVANT]
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, encoding="utf-8", **pipes) as servant:
        assert servant.stdin is not None
        assert servant.stdout is not None
        asks, answers = servant.stdin, servant.stdout

        def run(*arguments: str) -> str:
            print(json.dumps(arguments), file=asks, flush=True)
            done = json.loads(answers.readline())
            assert done["code"] == 0, done["out"] + done["err"]
            return str(done["out"])

        run("demo", "--data-only", ".")
        yield run
        asks.close()


def test_every_page_is_tested() -> None:
    """There is no file on the page that is not tried here."""
    assert set(shown_files()) == set(ROOMS)


def test_a_measure_is_one_file(cli: Run, python: Run) -> None:
    """A measure's file alone makes it known: it parses, scores and is shown, with its parameters' meanings."""
    shown = " ".join(cli("measures", "show", "Patience").split())
    assert "how much of the interest is left after each document (default: 0.5)" in shown
    assert "(1 + 0.25) / (1 + 0.5 + 0.25) = 0.7143" in shown
    code = (
        "from rankgauge import evaluate\n"
        "result = evaluate({'q': {'a': 1, 'b': 0}}, {'q': {'a': 1.0, 'b': 1.0}}, ['Patience(left=0.5)@2'])\n"
        "print(result.values['value'][0])\n"
    )
    # a and b are tied: the mean of 1 / 1.5 (a first) and 0.5 / 1.5 (b first).
    assert float(python("-c", code)) == pytest.approx((1 / 1.5 + 0.5 / 1.5) / 2)


def test_the_measure_keeps_the_contract(python: Run) -> None:
    """The contract tests find a new measure by themselves, and the page's measure keeps the contract."""
    options = ("-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly")
    tests = ("tests/measures/test_examples.py", "tests/ranking/test_ties.py")
    told = python("-m", "pytest", *options, "-k", "Patience", *tests)
    assert int(told.rpartition(" passed")[0].split()[-1]) >= 2
    told = python("-m", "pytest", *options, "tests/measures/test_contract.py", RANKGAUGE_MEASURES="Patience")
    assert int(re.search(r"(\d+) passed", told)[1]) >= 10  # type: ignore[index]


def test_a_dialect_is_one_file(cli: Run, python: Run) -> None:
    """A dialect's file alone makes it known: it is explained, and computes as it says."""
    assert "house_tool" in cli("dialects")
    assert "order of the input" in cli("dialects", "show", "house_tool")
    code = (
        "from rankgauge import evaluate\n"
        "judgments = {'q': {'a': 2, 'b': 1}, 'empty': {'c': 0}}\n"
        "run = {'q': {'b': 1.0, 'a': 1.0}, 'empty': {'c': 1.0}}\n"
        "print(evaluate(judgments, run, ['nDCG@1'], dialect='house_tool')['nDCG@1'])\n"
    )
    # b is first, as in the input: (2^1 − 1) / (2^2 − 1); the empty query is left out.
    assert float(python("-c", code)) == pytest.approx(1 / 3)


def test_a_ranker_is_one_file(cli: Run) -> None:
    """A ranker's file alone makes it known: it lists its parameters, learns, is saved, and ranks from its file."""
    assert "penalty" in cli("train", "ridge")
    told = cli("train", "ridge", "test.txt", "--set", "penalty=0.1", "-o", "ridge.json")
    assert "penalty=0.1" in told
    scores = cli("rank", "ridge.json", "test.txt").splitlines()
    assert len(scores) == 350
    assert len(set(scores)) > 100


def test_a_method_is_one_file(cli: Run) -> None:
    """A method's file alone makes it known: it is forecast, hands documents out, and its estimate is near the truth."""
    plan = cli(
        "active", "plan", "pool.csv", "-m", "ERR@10", "--budget", "400", "--method", "thrifty", "-o", "campaign.rg"
    )
    assert "→  thrifty" in plan
    assert "20 documents to judge" in cli("active", "next", "campaign.rg", "-n", "20", "-o", "tasks.csv")
    cli("active", "record", "campaign.rg", "grades.csv")
    with pytest.raises(AssertionError, match="nothing is handed out: the budget is spent"):  # every label is there
        cli("active", "next", "campaign.rg", "-n", "400", "-o", "tasks.csv")
    told = cli("active", "estimate", "campaign.rg")
    low, high = map(float, told.partition("interval ")[2].partition(")")[0].split(" to "))
    truth = float(cli("evaluate", "grades.csv", "pool.csv", "-m", "ERR@10", "-o", "tsv").split()[-1])
    # A 95 % interval is two standard errors to either side; four hold the truth whatever the seed.
    assert abs((low + high) / 2 - truth) < high - low


def test_a_fusion_is_one_file(cli: Run) -> None:
    """A fusion method's file alone makes it known: it is described, fuses with its parameter, and is tuned."""
    assert "--set half=10" in " ".join(cli("fuse").split())
    assert "half = 5" in cli("fuse", "bm25.txt", "dense.txt.gz", "--method", "half-life", "--set", "half=5")
    tuned = cli("fuse", "bm25.txt", "dense.txt.gz", "--method", "half-life", "--judgments", "qrels.txt", "--tune")
    assert "tuned − best single run" in tuned


def test_a_command_is_one_file(cli: Run) -> None:
    """A command's file alone makes it known: it is in the list, has a help text, and runs."""
    assert "overlap" in cli("--help")
    assert "rankgauge overlap bm25.txt dense.txt.gz --depth 100" in cli("overlap", "--help")
    assert cli("overlap", "bm25.txt", "bm25.txt", "--depth", "1") == "100.0% of the top 1\n"


def test_a_page_is_one_file(python: Run, tmp_path: Path) -> None:
    """A page's file alone makes it known: it is served, guarded, and in the navigation of a campaign."""
    code = (
        "from tests.web.house import open_house\n"
        f"with open_house('sqlite:///{tmp_path / 'room.db'}') as house:\n"
        "    address = f'/campaigns/{house.campaign()}/comments'\n"
        "    page = house.admin().get(address).text\n"
        "    print(house.guest().get(address).status_code, 'No comments yet.' in page, '>Comments</a>' in page)\n"
    )
    assert python("-W", "ignore", "-c", code) == "401 True True\n"


def test_a_format_is_one_file(cli: Run) -> None:
    """A format's file alone makes it known: it is listed, written by its ending, and recognised when it is read."""
    assert "pipes" in cli("formats")
    cli("judgments", "combine", "ratings.csv", "--rule", "median", "-o", "median.pipes")
    cli("judgments", "combine", "ratings.csv", "--rule", "median", "-o", "median.csv")
    piped, plain = (cli("evaluate", f"median.{name}", "bm25.txt", "-m", "AP", "-o", "tsv") for name in ("pipes", "csv"))
    assert piped == plain
