"""Several judges and judges asked again: known worths, prices and drifts come out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.audit.judge import audit_judges
from rankgauge.audit.judge.agreement import independence
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.audit.judge.tables import draw_separations
from rankgauge.judgments.llm.asking.outcome import beside
from rankgauge.render.svg import LETTER, NAME
from tests.judge_audit.collection import board
from tests.program import rankgauge


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_worth_follows_from_what_errors_share(shared: float) -> None:
    """Of k judges whose errors correlate by r, k / (1 + (k − 1) r) are independent."""
    pairs = GradedPairs.from_grades(board()[0], {"judge": board()[2]})
    rng = np.random.default_rng(0)
    common, *own = rng.normal(size=(5, len(pairs.people)))
    errors = {f"judge {n}": np.sqrt(shared) * common + np.sqrt(1 - shared) * mine for n, mine in enumerate(own)}
    judges = {name: pairs.people + error for name, error in errors.items()}
    found = independence(replace(pairs, judges=judges), seed=0)
    assert found.correlation == pytest.approx(shared, abs=0.04)
    assert found.number == pytest.approx(4 / (1 + 3 * shared), rel=0.06)
    assert found.low <= found.number + 1e-9
    assert found.high >= found.number - 1e-9


def test_no_panel_costs_more_for_less() -> None:
    """Panels rise in price and worth; a judge who guesses is in none, and the best single judge comes first."""
    judges = {"good": board()[2], "guess": board()[0].with_columns(pl.col("grade").shuffle(seed=1))}
    found = audit_judges(board()[0], judges, costs={"good": 2.0, "guess": 1.0}).panels
    assert found["judge"].to_list() == ["guess", "good"]
    assert found["cost"].to_list() == [1.0, 2.0]
    assert audit_judges(board()[0], judges).panels["judge"].to_list() == ["good"]


def test_a_judge_has_one_interval_of_auc() -> None:
    """The table of agreement and the comparison of judges show the same AUC with the same interval."""
    judges = {"good": board()[2], "guess": board()[0].with_columns(pl.col("grade").shuffle(seed=1))}
    found = audit_judges(board()[0], judges, seed=3)
    shown = found.agreement.filter(pl.col("coefficient") == "auc").select("judge_name", "value", "low", "high").rows()
    assert shown == [pytest.approx(row) for row in found.combined.select("judge", "auc", "low", "high").rows()[:2]]


@pytest.mark.parametrize(("share", "code"), [(0.0, 0), (0.5, 1)])
def test_a_judge_asked_again(share: float, code: int, tmp_path: Path) -> None:
    """The exit code is 0 for the same grades, 1 for a judge who guesses half of the time; queries that moved show."""
    people, _, judge = board()
    rng = np.random.default_rng(4)
    guessed = np.where(rng.random(len(judge)) < share, rng.integers(0, 4, len(judge)), judge["grade"])
    paths = {"people": people, "before": judge, "now": judge.with_columns(grade=guessed)}
    for name, frame in paths.items():
        frame.write_csv(tmp_path / f"{name}.csv")
    assert (
        rankgauge(
            ["audit", "judge", "people.csv", "now.csv", "--before", "before.csv", "-o", "drift.json"], tmp_path
        ).code
        == code
    )
    drift = json.loads((tmp_path / "drift.json").read_text())["drift"]
    assert drift["code"] == code
    assert drift["same"] == pytest.approx(1 - 0.75 * share, abs=0.03)
    assert {row["facet"] for row in drift["parts"]} == {"earlier grade", "query"}


def test_costs_come_from_provenance(tmp_path: Path) -> None:
    """A thousand pairs cost what the answers of that session did."""
    people, _, judge = board()
    people.write_csv(tmp_path / "people.csv")
    for name, cost in (("a", 0.6), ("b", 1.2)):
        judge.write_csv(tmp_path / f"{name}.csv")
        beside(tmp_path / f"{name}.csv").write_text(json.dumps({"cost": cost, "graded": 600, "cached": 300}))
    text = rankgauge(["audit", "judge", "people.csv", "a.csv", "b.csv"], tmp_path).out
    row = text.split("cost of 1,000 pairs")[1].splitlines()[1]
    assert row.split()[:2] == ["a", "1"]


def test_long_names_stay_in_the_picture() -> None:
    """A judge's name has room in the letters of a phone; what is too long is cut, and not at its beginning."""
    people, _, judge = board()
    long = "another-judge-of-a-long-name"
    drawn = draw_separations(audit_judges(people, {"judge": judge, long: judge.with_columns(pl.col("grade") - 1)}))
    written = [part for part in drawn.parts if "end" in part and "another" in part]
    (named,) = [one for part in written for one in re.findall(r">([^<>]*…)<", part)]
    assert named == long[: NAME - 1] + "…"
    assert float(re.findall(r'\bx="([\d.]+)"', written[0])[0]) >= LETTER * len(named)
