"""Risk in comparisons: the table, the verdicts, the command."""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from rankgauge import compare
from rankgauge.cli.main import run as run_command
from rankgauge.comparison.risk import RiskVerdict
from rankgauge.errors import ParameterError

QUERIES = [f"q{n}" for n in range(20)]
JUDGMENTS = {query: {"a": 1, "b": 1} for query in QUERIES}
BASE = {query: ["a", "x", "b"] for query in QUERIES}
SAFE = {query: ["a", "b", "x"] for query in QUERIES}
RISKY = {query: (["a", "b"] if n % 2 else ["x", "y"]) for n, query in enumerate(QUERIES)}


def test_table_of_risks() -> None:
    """A run that only gains is no risk; one that loses half of the queries is, though it gains on the others."""
    runs = {"base": BASE, "safe": SAFE, "risky": RISKY}
    found = compare(JUDGMENTS, runs, ["AP", "P@2"], baseline="base", risk=5).risks
    rows = {(row["measure"], row["run"]): row for row in found.iter_rows(named=True)}
    won, lost = 1 - 5 / 6, -5 / 6
    assert rows["AP", "risky"]["urisk"] == pytest.approx((won - 6 * -lost) / 2)
    assert rows["AP", "safe"]["urisk"] == pytest.approx(won)
    assert rows["AP", "safe"]["verdict"] == "gain"
    assert rows["AP", "risky"]["verdict"] == "risk"
    assert (rows["AP", "risky"]["wins"], rows["AP", "risky"]["losses"]) == (10, 10)
    assert rows["AP", "safe"]["georisk"] > rows["AP", "base"]["georisk"] > rows["AP", "risky"]["georisk"]
    base = rows["AP", "base"]
    assert np.isnan([base["urisk"], base["trisk"]]).all()
    assert [base[name] for name in ("verdict", "wins", "losses", "queries")] == ["baseline", None, None, 20]


@pytest.mark.parametrize(
    ("trisk", "queries", "said"),
    [
        (2.1, 100, "gain"),
        (2.0, 100, "open"),
        (-2.0, 100, "open"),
        (-2.1, 100, "risk"),
        (-2.1, 20, "risk"),
        (-2.1, 10, "open"),
        (9.0, 2, "open"),
        (13.0, 2, "gain"),
        (np.nan, 1, "open"),
    ],
)
def test_verdict_is_beyond_two(trisk: float, queries: int, said: str) -> None:
    """TRisk says something beyond two standard errors on either side of 0; with few queries Student's t decides."""
    assert RiskVerdict.of(trisk, queries) == said


def test_risk_needs_a_baseline_and_no_love_of_losses() -> None:
    """Without a baseline there is no risk; losses cannot weigh less than gains."""
    runs = {"base": BASE, "safe": SAFE}
    with pytest.raises(ParameterError, match="baseline"):
        compare(JUDGMENTS, runs, "AP", risk=5)
    with pytest.raises(ParameterError, match="from 0 on"):
        compare(JUDGMENTS, runs, "AP", baseline="base", risk=-1)
    with pytest.raises(ParameterError, match="risk=5"):
        _ = compare(JUDGMENTS, runs, "AP", baseline="base").risks


def test_command_shows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """--risk gives a table with notes, and JSON has it whole; a format of one table says that risk is another."""
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 {d} 1\n" for query in QUERIES for d in "ab"))
    for name, lists in {"base": BASE, "risky": RISKY}.items():
        lines = [f"{q} Q0 {d} {n} {-n} t\n" for q, found in lists.items() for n, d in enumerate(found, 1)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)

    def shown(*more: str) -> str:
        asked = ["compare", "qrels.txt", "base.txt", "risky.txt", "-m", "AP", "--baseline", "base.txt", *more]
        monkeypatch.setattr(sys, "argv", ["rankgauge", *asked])
        with pytest.raises(SystemExit) as ended:
            run_command()
        assert not ended.value.code
        out, err = capsys.readouterr()
        said.append(err)
        return out

    said: list[str] = []

    assert "Risk against base.txt" in shown("--risk", "5")
    assert "Risk against" not in shown()
    alone = shown("--risk", "5", "--tables", "risk")
    assert alone.partition("\n\n")[2].startswith("measure  run")
    assert not [
        line for line in alone.splitlines() if re.match(r"(test|corrected|verdict|effect|needed|interval) ", line)
    ]
    assert shown("--risk", "5", "--tables", "risk", "-o", "csv").startswith("measure,run,urisk,trisk,verdict,georisk")
    assert not any("single table" in one for one in said)
    with warnings.catch_warnings(action="default"):
        assert shown("--risk", "5", "-o", "csv").startswith("measure,run,other")
    assert "csv holds a single table, here pairs: --tables risk writes risk" in said[-1]
    assert "in the table of risk TRisk decides" in " ".join(shown("--risk", "5").split())
    base, row = json.loads(shown("--risk", "5", "-o", "json"))["risk"]["runs"]
    assert (base["run"], base["urisk"], row["verdict"]) == ("base.txt", None, "risk")
    assert f" –  baseline   {base['georisk']:.4f}  –" in alone
