"""The paper of µMAP and NDCNG: its tables as arithmetic, its simulations on few trials, its data where it is here."""

from __future__ import annotations

import csv
import json
import sys
from math import log10
from pathlib import Path

import numpy as np
import pytest

from rankgauge.arrays import score_arrays
from rankgauge.cli.main import run
from rankgauge.errors import InputError, MissingExtraError
from rankgauge.experiments import PAPERS, Setting, Verdict
from rankgauge.experiments.papers.multigraded import ohsumed, swaps, tables
from rankgauge.experiments.reproduction import Reproduction
from rankgauge.report import plots
from tests.shared import shared

GRADES = [1, 0, 3, 3, 2, 0, 1, 4]
FEW = Setting(trials=10, seed=1)


@pytest.fixture(scope="module")
def few() -> Reproduction:
    """The experiment on ten trials, without data."""
    return Reproduction.of(PAPERS["multigraded"], FEW)


def test_first_table() -> None:
    """Table 1: average precision at each threshold; nothing reaches 5; µAP leaves out the thresholds 0 and 5."""
    numbers = {name: number.value for name, number in tables.compute().numbers.items()}
    precisions = [
        1,
        (1 / 1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 7 + 6 / 8) / 6,
        (1 / 3 + 2 / 4 + 3 / 5 + 4 / 8) / 4,
        (1 / 3 + 2 / 4 + 3 / 8) / 3,
        1 / 8,
        0,
    ]
    assert [numbers[f"AP at t={t}"] for t in range(6)] == pytest.approx(precisions)
    assert numbers["mean of AP"] == pytest.approx(sum(precisions) / 6)
    assert numbers["µAP"] == pytest.approx(sum(precisions[1:5]) / 4)


@pytest.mark.parametrize(
    ("name", "factor", "divisor"),
    [
        ("NDCG, grades", 1, 1),
        ("NDCG, doubled grades", 2, 1),
        ("NDCNG, grades", 1, 4),
        ("NDCNG, doubled grades", 2, 8),
    ],
)
def test_second_table(name: str, factor: int, divisor: int) -> None:
    """Table 2: the mean over the cutoffs 1 to 8 of gains 2^(g/m) − 1 over log10(r + 1), against the ideal order's."""

    def dcg(grades: list[int]) -> float:
        return sum((2 ** (factor * g / divisor) - 1) / log10(rank + 1) for rank, g in enumerate(grades, start=1))

    best = sorted(GRADES, reverse=True)
    expected = sum(dcg(GRADES[:k]) / dcg(best[:k]) for k in range(1, 9)) / 8
    assert tables.compute().numbers[name].value == pytest.approx(expected)


def test_walks_swap_one_pair_a_step() -> None:
    """A walk begins with the ideal order, and each step changes two ranks."""
    orders = swaps.walks(4, np.random.default_rng(0))
    assert orders.shape == (100, 4, 100)
    assert (orders[0] == np.arange(100)).all()
    assert ((orders[1:] != orders[:-1]).sum(axis=-1) == 2).all()
    assert (np.sort(orders, axis=-1) == np.arange(100)).all()


@pytest.mark.parametrize("levels", swaps.LEVELS)
def test_grades(levels: int) -> None:
    """Uniform grades use every level alike often; uneven ones half of them, with the lowest and the highest."""
    rng = np.random.default_rng(0)
    even, odd = swaps.uniform(levels, 3, rng), swaps.uneven(levels, 3, rng)
    for row in even:
        assert np.unique(row, return_counts=True)[1].tolist() == [100 // levels] * levels
    for row in odd:
        assert len(row) == 100
        assert (np.diff(row) <= 0).all()
        assert len(np.unique(row)) == max(levels // 2, 2)
        assert (row[0], row[-1]) == (levels - 1, 0)


def test_spread() -> None:
    """A measure moves by the highest less the lowest mean of the levels, averaged over the swaps."""
    means = np.array([[[1.0], [0.5]], [[0.9], [0.8]], [[0.7], [0.6]]])  # levels × swaps
    assert swaps._spread(means)[0] == pytest.approx(((1.0 - 0.7) + (0.8 - 0.5)) / 2)


def test_a_single_order_moves_at_least_as_far(few: Reproduction) -> None:
    """The range of a mean is at most the mean of the ranges: averages hide what single orders do."""
    numbers = few.measurements.numbers
    for scale in swaps.SCALES:
        for name in ("NDCG", "µMAP", "NDCNG", "linear NDCG"):
            mean, single = (numbers[f"{scale}: {name}{of} moves by"].value for of in ("", " of a single order"))
            assert mean <= single


def test_levels_bend_ndcg_by_its_gain(few: Reproduction) -> None:
    """NDCG with the grade as gain moves far less with the number of levels than NDCG with 2^g − 1."""
    numbers = few.measurements.numbers
    for scale in swaps.SCALES:
        assert numbers[f"{scale}: linear NDCG moves by"].value < numbers[f"{scale}: NDCG moves by"].value / 2


def test_seed_decides(few: Reproduction) -> None:
    """The same seed gives the same numbers, another one others."""
    again = Reproduction.of(few.experiment, FEW).measurements
    assert again.numbers == few.measurements.numbers
    other = swaps.simulate(10, np.random.default_rng(2)).numbers
    assert other["uniform: NDCG moves by"] != again.numbers["uniform: NDCG moves by"]


def test_ideal_order_is_worth_one(few: Reproduction) -> None:
    """Without swaps every measure is 1 on every scale; after all of them NDCG on 50 levels is the lowest NDCG."""
    for figure in ("figure-4", "figure-5"):
        frame = few.measurements.tables[figure]
        assert len(frame) == 3 * 4 * 100
        assert frame.filter(swaps=0)["mean"].to_numpy() == pytest.approx(1.0)
        last = frame.filter(measure="NDCG", swaps=99).sort("mean")
        assert last["levels"][0] == 50


def test_verdicts_without_data(few: Reproduction) -> None:
    """Tables and simulations are tested; what needs OHSUMED is not, and says what it needs."""
    verdicts = {claim.place: few.verdict(claim) for claim in few.experiment.paper.claims}
    assert verdicts["Table 1"] is verdicts["Table 2"] is Verdict.HOLDS
    assert verdicts["Figure 4, µMAP"] is Verdict.HOLDS
    for claim in few.experiment.paper.claims:
        assert (few.verdict(claim) is Verdict.UNTESTED) == bool(claim.needs)


def test_files(few: Reproduction, tmp_path: Path) -> None:
    """The folder holds verdicts, numbers and the data of the figures; each figure as a picture and a page."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    written = {path.name for path in few.write(tmp_path / "out")}
    endings = (".csv", *plots.OPTIONS)
    figures = {f"figure-{number}{ending}" for number in (4, 5) for ending in endings}
    assert written == {"claims.csv", "tables-1-2.csv", "results.json", *figures}
    document = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert document["setting"] == {"trials": 10, "seed": 1, "data": False}
    assert document["claims"][0]["verdict"] == "holds"
    with (tmp_path / "out/claims.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["number"]: row for row in csv.DictReader(stream)}
    assert float(rows["µAP"]["value"]) == few.measurements.numbers["µAP"].value
    assert rows["NDCG changes by"]["verdict"] == "not tested"
    assert (tmp_path / "out/figure-4.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "out/figure-4.html").read_text(encoding="utf-8")
    assert "<script src=" not in page


def test_drawing_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the drawing libraries are absent, the error names the command that installs them."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"rankgauge\[plots\]"):
        plots.require()


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """The command line, which has to end well."""
    monkeypatch.setattr(sys, "argv", ["rankgauge", "reproduce", *arguments])
    with pytest.raises(SystemExit) as ended:
        run()
    assert not ended.value.code


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a paper the command lists them; with one it prints a verdict per claim and writes into the folder."""
    called(monkeypatch)
    assert "multigraded  Performance measures" in capsys.readouterr().out
    called(monkeypatch, "multigraded", "--trials", "2", "--no-figures", "-o", str(tmp_path))
    shown = capsys.readouterr().out
    for claim in PAPERS["multigraded"].paper.claims:
        assert f"\n{claim.place}: " in shown
    assert "needs   OHSUMED" in shown
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv"] * 4 + [".json"]


def test_levels() -> None:
    """A virtual user's grades are dense levels: the lowest value of a group is 0, equal values are equal."""
    values, queries = np.array([2.5, 0.5, 7.0, 2.5, -1.0]), np.array(["a", "a", "b", "a", "b"])
    assert ohsumed.levels(values, queries).tolist() == [1, 0, 1, 1, 0]
    assert ohsumed.levels(values, np.zeros(5)).tolist() == [2, 1, 3, 2, 0]


def test_scaled_gains() -> None:
    """Divided gains give the NDCG of 2^g − 1, also of grades whose gains no number could hold."""
    grades, queries, scores = np.array([3.0, 0.0, 1.0, 2.0]), np.zeros(4), np.array([1.0, 4.0, 3.0, 2.0])
    gains = ohsumed.scaled_gains(grades, queries)
    assert gains == pytest.approx((2**grades - 1) / 2**3)
    plain = score_arrays([grades], [scores], "nDCG(dcg='exp-log2')")
    assert score_arrays([gains], [scores], "nDCG(dcg='log2')") == pytest.approx(plain)
    assert ohsumed.scaled_gains(np.array([1128.0, 1127.0, 0.0]), np.zeros(3)).tolist() == [1.0, 0.5, 0.0]


def test_folder_without_files(tmp_path: Path) -> None:
    """A folder that holds no data is an error that says which one is meant."""
    with pytest.raises(InputError, match="Feature-min"):
        ohsumed.load(tmp_path)


def test_ohsumed() -> None:
    """Figures 6 to 8: a user's own strategy is worth 1; features that are the same for all documents of a query rank
    at random, and so alike; NDCG falls as the user has more levels, the others move less."""
    data = ohsumed.load(shared("data/ohsumed/Feature-min"))
    assert data.matrix.shape == (16140, 45)
    assert [len(np.unique(data.matrix[:, f - 1])) for f in (1, 9)] == [10, 1129]
    outcome = ohsumed.compare(data)
    for figure, feature in (("figure-7", 1), ("figure-8", 9)):
        assert outcome.tables[figure].filter(feature=feature)["mean"].to_numpy() == pytest.approx(1.0)
    for frame in outcome.tables.values():
        same = [frame.filter(feature=feature)["mean"].to_list() for feature in (5, 21, 22)]
        assert same[1] == pytest.approx(same[0])
        assert same[2] == pytest.approx(same[0])
    numbers = outcome.numbers
    assert numbers["NDCG changes by"].value == pytest.approx(-numbers["NDCG moves by"].value)
    assert numbers["NDCG moves by"].value > 3 * max(numbers["µMAP moves by"].value, numbers["NDCNG moves by"].value)
    assert numbers["NDCG moves by"].value > 3 * numbers["linear NDCG moves by"].value
