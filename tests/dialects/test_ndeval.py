"""ndeval: what it printed of seven runs with each of its options, to the digit."""

from __future__ import annotations

import io
import lzma
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankgauge import compare, evaluate
from rankgauge.cli.main import run
from rankgauge.comparison.report import ComparisonReport
from rankgauge.errors import InputError
from rankgauge.evaluation.formats.ndeval import write
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.statistics.effects import trade_off

pytestmark = pytest.mark.process  # computes for long


GOLDEN = Path(__file__).parents[1] / "golden" / "ndeval"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
NOVEL = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")
FIRST = {"alpha_DCG": {"undivided_first": True}, "ERR_IA": {"undivided_first": True}}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "c": {"missing": "zero"},
    "traditional": {"order": "score"},
    "M8": {"depth": 8},
    "alpha0.2": {"readings": {name: {"alpha": 0.2, **FIRST.get(name, {})} for name in NOVEL}},
    "beta0.8": {"readings": {name: {"beta": 0.8} for name in ("NRBP", "nNRBP")}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as ndeval read them."""
    made = tmp_path_factory.mktemp("ndeval")
    for packed in GOLDEN.rglob("*.xz"):
        target = made / packed.relative_to(GOLDEN).with_suffix("")
        target.parent.mkdir(exist_ok=True)
        with lzma.open(packed) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file)
    return made


def test_golden_cases_are_all_there() -> None:
    """Seven runs with seven options each."""
    assert len(list(GOLDEN.glob("*/expected.*.csv"))) == 7 * 7


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("case", CASES)
def test_output_is_ndeval_s(case: str, option: str, folder: Path) -> None:
    """Every byte of the report is what ndeval printed."""
    files = folder / "qrels.txt", folder / case / "run.txt"
    result = evaluate(*files, "all", dialect="ndeval", **OPTIONS[option])
    printed = result.dialect.resolve("all")
    report = EvaluationReport(results={"run": result}, per_query=True, printed=printed)
    shown = io.StringIO()
    write(report, shown)
    assert shown.getvalue() == (GOLDEN / case / f"expected.{option}.csv").read_text()


Command = Callable[..., str]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line: arguments in, what it prints out."""

    def call(*words: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", ["rankgauge", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        assert not ended.value.code
        return capsys.readouterr().out

    return call


def test_command_line_prints_the_same(folder: Path, command: Command) -> None:
    """The command has an option for each of ndeval's; all that ndeval prints is what it prints without a measure."""
    files = [folder / "qrels.txt", folder / "ties" / "run.txt"]
    commands = {"plain": [], "c": ["-c"], "traditional": ["--order", "score"], "M8": ["-M", "8"]}
    commands |= {"alpha0.2": ["--set", "alpha=0.2"], "beta0.8": ["--set", "beta=0.8"]}
    for option, flags in commands.items():
        printed = command("evaluate", *files, "-d", "ndeval", "-m", "all", "-q", "-o", "ndeval", *flags)
        assert printed == (GOLDEN / "ties" / f"expected.{option}.csv").read_text()
    for flags in ([], ["-m", "official"]):
        printed = command("evaluate", *files, "-d", "ndeval", "-q", "-o", "ndeval", *flags)
        assert printed == (GOLDEN / "ties" / "expected.plain.csv").read_text()
    assert "StRecall@20" in command("evaluate", *files, "-d", "ndeval")


@pytest.mark.parametrize("case", CASES)
def test_the_command_for_risk_prints_the_same(case: str, folder: Path, command: Command) -> None:
    """compare --baseline --risk is ndeval's -baseline -riskAlpha, line for line."""
    files = folder / "qrels.txt", folder / case / "run.txt", folder / case / "baseline.txt"
    words = ("-d", "ndeval", "--baseline", "baseline.txt", "--risk", "5", "-o", "ndeval")
    assert command("compare", *files, *words) == (GOLDEN / case / "expected.risk.csv").read_text()


TOPICS = {
    "qrels": "1 1 a 1\n1 2 b 1\n3 1 a 1\n3 1 c 2\n5 1 a 1\n",
    "mine": "1 Q0 a 1 9 mine\n1 Q0 b 2 8 mine\n2 Q0 a 1 9 mine\n3 Q0 x 1 9 mine\n3 Q0 c 2 8 mine\n10 Q0 a 1 1 mine\n",
    "base": "1 Q0 b 1 9 base\n3 Q0 c 1 9 base\n5 Q0 a 1 9 base\n4 Q0 a 1 9 base\n",
}
"""A run and a baseline that answer different topics, some of which (2, 4, 10) nobody judged."""

STREC = {
    (): ({"1": 1, "2": 0, "3": 1, "10": 0}, "1.000000"),
    ("--missing", "zero"): ({"1": 1, "2": 0, "3": 1, "10": 0}, "0.666667"),
}
RISK = {
    (): ({"1": 0.5, "2": 0, "3": 0, "10": 0}, "0.125000"),
    ("--missing", "zero"): ({"1": 0.5, "2": 0, "3": 0, "4": 0, "5": -3, "10": 0}, "-0.416667"),
}
"""What ndeval printed as strec@20 of these with and without -c, alone and with -baseline base -riskAlpha 2."""


@pytest.mark.parametrize("flags", STREC)
def test_topics_that_nobody_judged(flags: tuple[str, ...], tmp_path: Path, command: Command) -> None:
    """ndeval prints zeros for them, which are in the mean only beside a baseline; who lacks a topic has 0 there."""
    for name, text in TOPICS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    qrels, mine, base = (tmp_path / name for name in TOPICS)
    plain = command("evaluate", qrels, mine, "-d", "ndeval", "-q", "-o", "ndeval", *flags)
    against = ("-d", "ndeval", "--baseline", "base", "--risk", "2", "-o", "ndeval")
    risk = command("compare", qrels, mine, base, *against, *flags)
    for printed, (values, mean) in ((plain, STREC[flags]), (risk, RISK[flags])):
        rows = [line.split(",") for line in printed.splitlines()]
        shown = {row[-22]: row[-1] for row in rows[1:]}
        assert shown == {**{topic: f"{value:.6f}" for topic, value in values.items()}, "amean": mean}
        assert list(shown) == [*values, "amean"]


def test_ndeval_s_lines_of_a_comparison_need_a_baseline(tmp_path: Path) -> None:
    """Nothing is written where there is no risk to tell of."""
    for name, text in TOPICS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    runs = {name: tmp_path / name for name in ("mine", "base")}
    stream = io.StringIO()
    with pytest.raises(InputError, match=r"--baseline RUN --risk 5"):
        write(ComparisonReport(comparison=compare(tmp_path / "qrels", runs, "all", dialect="ndeval")), stream)
    assert not stream.getvalue()


@pytest.mark.parametrize("case", CASES)
def test_risk_is_ndeval_s(case: str, folder: Path) -> None:
    """-baseline and -riskAlpha 5: each topic's trade-off and their mean, which is URisk."""
    lines = (GOLDEN / case / "expected.risk.csv").read_text().splitlines()
    header, *rows = [line.split(",")[-22:] for line in lines]  # the name of the runs holds commas
    runs = {"run": folder / case / "run.txt", "base": folder / case / "baseline.txt"}
    found = compare(folder / "qrels.txt", runs, "all", dialect="ndeval", baseline="base", risk=5)
    values = trade_off(found.values[:, :, 0] - found.values[:, :, 1], 5).T
    topics = [query for query, row in zip(found.queries, values, strict=True) if not np.isnan(row).any()]
    printed = [[f"{value:.6f}" for value in row] for row in values if not np.isnan(row).any()]
    assert [row[0] for row in rows] == [*topics, "amean"]
    assert [row[1:] for row in rows[:-1]] == printed
    assert rows[-1][1:] == [f"{mean:.6f}" for mean in found.risks["urisk"].drop_nans()]
    assert header[1:] == [printed.name for printed in found.dialect.printed]


def test_ranks_order_a_run(tmp_path: Path) -> None:
    """The rank that a line states counts, not its score and not its place; two of one rank are refused."""
    qrels = [("1", "1", "a", 1), ("1", "2", "b", 1)]
    (tmp_path / "qrels.txt").write_text("".join(f"{q} {s} {d} {g}\n" for q, s, d, g in qrels))
    listed = tmp_path / "run.txt"
    listed.write_text("1 Q0 b 2 9.5 t\n1 Q0 x 7 8.5 t\n1 Q0 a 5 1.5 t\n")
    named = [f"AP_IA@{k}" for k in (1, 2, 3)]
    by_rank = evaluate(tmp_path / "qrels.txt", listed, named, dialect="ndeval")
    assert by_rank.matrix[0].tolist() == [1 / 2, (1 + 1 / 2) / 2, (1 + 1 / 2) / 2]
    by_score = evaluate(tmp_path / "qrels.txt", listed, named, dialect="ndeval", order="score")
    assert by_score.matrix[0].tolist() == [1 / 2, 1 / 2, (1 + 1 / 3) / 2]
    listed.write_text("1 Q0 b 2 9.5 t\n1 Q0 a 2 1.5 t\n")
    with pytest.raises(InputError, match=r"shares rank 2(.|\n)*--order score"):
        evaluate(tmp_path / "qrels.txt", listed, named, dialect="ndeval")


def test_input_that_ndeval_refuses(tmp_path: Path) -> None:
    """Judgments are natural numbers."""
    for grade, said in (("-1", "negative grade"), ("0.5", "does not accept")):
        (tmp_path / "qrels.txt").write_text(f"1 1 a 1\n1 2 a {grade}\n")
        (tmp_path / "run.txt").write_text("1 Q0 a 1 1 t\n")
        with pytest.raises(InputError, match=said):
            evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", "StRecall@5", dialect="ndeval")


@pytest.mark.parametrize(
    ("qrels", "flags", "map_ia"),
    [
        ("1 1 a 1\n1 1 a 1\n1 1 b 1\n1 2 b 1\n", [], (1 + 1 / 2) / 2),  # ndeval: (2 / 3 + 1 / 2) / 2
        ("001 1 a 1\n1 2 b 1\n", [], 1 / 2),  # ndeval: as below
        ("001 1 a 1\n1 2 b 1\n", ["--ids", "number"], (1 + 1 / 2) / 2),
        ("1 1 a 1\n1 1 b 1\n", ["--format-judgments", "trec-subtopics"], 1),  # ndeval: the same without the format
        ("1 x a 1\n1 y b 1\n", [], (1 + 1 / 2) / 2),  # ndeval: refused
    ],
)
def test_what_is_not_ndeval_s(qrels: str, flags: list[str], map_ia: float, tmp_path: Path, command: Command) -> None:
    """Repeated lines, topics written with zeros, one subtopic and names: as docs/kinds-of-judgments.md says."""
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2\n1 Q0 b 2 1\n")
    printed = command(
        "evaluate", tmp_path / "qrels.txt", tmp_path / "run.txt", "-d", "ndeval", "-q", "-o", "ndeval", *flags
    )
    header, row, _ = (line.split(",") for line in printed.splitlines())
    assert dict(zip(header, row, strict=True))["MAP-IA"] == f"{map_ia:.6f}"
