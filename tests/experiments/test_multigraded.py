"""The paper of µMAP and NDCNG: its tables as arithmetic, its simulations on few trials, its data where it is here."""

from __future__ import annotations

import csv
import json
import sys
from math import comb, log10
from pathlib import Path

import numpy as np
import pytest

from rankgauge.cli.main import run
from rankgauge.errors import InputError, MissingExtraError
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.papers import PAPERS, Setting, Verdict
from rankgauge.papers.experiment import Measurements
from rankgauge.papers.published.multigraded import lists, ohsumed
from rankgauge.papers.published.multigraded.ohsumed import at_thresholds
from rankgauge.papers.reproduction import Reproduction
from rankgauge.render import plots
from tests.experiments.quoting import not_of_run
from tests.shared import shared

pytestmark = pytest.mark.xdist_group("multigraded")  # they share what is slow to make

GRADES = [1, 0, 3, 3, 2, 0, 1, 4]
FEW = Setting(trials=10, seed=1)


@pytest.fixture(scope="module")
def few() -> Reproduction:
    """The experiment on ten trials, without data."""
    return Reproduction.of(PAPERS["multigraded"], FEW)


FIRST_TABLE = """
t=5  - - - - - - - -  0.000
t=4  - - - - - - - +  0.125
t=3  - - + + - - - +  0.403
t=2  - - + + + - - +  0.483
t=1  + - + + + - + +  0.780
t=0  + + + + + + + +  1.000
"""
"""Table 1 as it is printed: the documents A to H, and AP."""

SECOND_TABLE: dict[str, tuple[str, str]] = {
    "NDCG, grades": (
        """
        gain      1 0 3 3 2 0 1 4
        gain_opt  4 3 3 2 1 1 0 0
        dcg       3.32 3.32 14.95 24.96 28.82 28.82 29.93 45.65
        dcg_opt   49.83 64.50 76.13 80.42 81.70 82.89 82.89 82.89
        ndcg      0.07 0.05 0.20 0.31 0.35 0.35 0.36 0.55
        """,
        "0.28",
    ),
    "NDCG, doubled grades": (
        """
        gain      2 0 6 6 4 0 2 8
        gain_opt  8 6 6 4 2 2 0 0
        dcg       9.97 9.97 114 204 224 224 227 494
        dcg_opt   847 979 1083 1105 1109 1112 1112 1112
        ndcg      0.01 0.01 0.11 0.19 0.20 0.20 0.20 0.44
        """,
        "0.17",
    ),
    "NDCNG, grades": (
        """
        gain      0.25 0 0.75 0.75 0.5 0 0.25 1
        gain_opt  1 0.75 0.75 0.5 0.25 0.25 0 0
        dcg       0.63 0.63 1.76 2.74 3.27 3.27 3.48 4.53
        dcg_opt   3.32 4.75 5.88 6.48 6.72 6.94 6.94 6.94
        ndcg      0.19 0.13 0.30 0.42 0.49 0.47 0.50 0.65
        """,
        "0.39",
    ),
}
"""Table 2 as it is printed: each row of an example, and the mean of its last one."""


def as_printed(value: float, printed: str) -> str:
    """The value in the printed form: two decimals or three are rounded, whole numbers of DCG are cut off."""
    decimals = len(printed.partition(".")[2])
    return f"{value:.{decimals}f}" if decimals else str(int(value))


def test_first_table() -> None:
    """Table 1: average precision at each threshold; nothing reaches 5; µAP leaves out the thresholds 0 and 5."""
    numbers = {name: number.value for name, number in lists.compute().numbers.items()}
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


def test_cells_of_the_first_table() -> None:
    """Table 1: who is relevant at each threshold, and AP, as printed in every cell."""
    found = lists.first_table().rows()
    printed = [line.split() for line in FIRST_TABLE.strip().splitlines()]
    assert [[f"t={t}", *marks, f"{value:.3f}"] for t, *marks, value in found] == printed


@pytest.mark.parametrize("example", SECOND_TABLE)
def test_cells_of_the_second_table(example: str) -> None:
    """Table 2: every cell as printed. DCG without decimals is cut off: 114.6 is printed as 114."""
    printed, mean = SECOND_TABLE[example]
    rows = {row: cells for _, row, *cells in lists.second_table().filter(example=example).rows()}
    for name, *expected in map(str.split, printed.strip().splitlines()):
        *cells, _ = rows[name]
        assert [as_printed(value, form) for value, form in zip(cells, expected, strict=True)] == expected
    assert as_printed(rows["ndcg"][-1], mean) == mean


def test_whole_numbers_are_cut_off() -> None:
    """Five different numbers of Table 2 would be printed otherwise if they were rounded."""
    rows = lists.second_table().filter(example="NDCG, doubled grades").rows()
    values = {value for _, row, *cells, _ in rows if row.startswith("dcg") for value in cells}
    assert {int(v) for v in values if v > 100 and round(v) != int(v)} == {114, 204, 494, 1083, 1112}


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
    assert lists.compute().numbers[name].value == pytest.approx(expected)


def test_weights_of_the_example() -> None:
    """Equation 4: on the scale 0.0, 0.3, 1.0 the thresholds weigh 0.3 − 0.0 and 1.0 − 0.3."""
    numbers = lists.compute().numbers
    assert numbers["weight of t=0.3"].value == pytest.approx(0.3 - 0.0)
    assert numbers["weight of t=1.0"].value == pytest.approx(1.0 - 0.3)


def test_walks_swap_one_pair_a_step() -> None:
    """A walk begins with the ideal order, and each step changes two ranks."""
    orders = lists.walks(4, np.random.default_rng(0))
    assert orders.shape == (100, 4, 100)
    assert (orders[0] == np.arange(100)).all()
    assert ((orders[1:] != orders[:-1]).sum(axis=-1) == 2).all()
    assert (np.sort(orders, axis=-1) == np.arange(100)).all()


@pytest.mark.parametrize("levels", lists.LEVELS)
def test_grades(levels: int) -> None:
    """Uniform grades use every level alike often; uneven ones half of them, with the lowest and the highest."""
    rng = np.random.default_rng(0)
    even, odd = lists.uniform(levels, 3, rng), lists.uneven(levels, 3, rng)
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
    assert lists._spread(means)[0] == pytest.approx(((1.0 - 0.7) + (0.8 - 0.5)) / 2)


def test_uneven_from_uniform() -> None:
    """The farthest number of levels counts: its mean over swaps and trials, up or down."""
    uniform = dict.fromkeys(lists.MEASURES, np.full((2, 3, 4), 0.5))  # levels × swaps × trials
    uneven = {name: values + np.array([0.1, -0.3])[:, np.newaxis, np.newaxis] for name, values in uniform.items()}
    found = dict(lists._apart(uniform, uneven))
    assert found["uneven: NDCNG from uniform, farthest"].value == pytest.approx(0.3)


def test_a_single_order_moves_at_least_as_far(few: Reproduction) -> None:
    """The range of a mean is at most the mean of the ranges: averages hide what single orders do."""
    numbers = few.measurements.numbers
    for scale in lists.SCALES:
        for name in ("NDCG", "µMAP", "NDCNG", "linear NDCG"):
            mean, single = (numbers[f"{scale}: {name}{of} moves by"].value for of in ("", " of a single order"))
            assert mean <= single


def test_levels_bend_ndcg_by_its_gain(few: Reproduction) -> None:
    """NDCG with the grade as gain moves far less with the number of levels than NDCG with 2^g − 1."""
    numbers = few.measurements.numbers
    for scale in lists.SCALES:
        assert numbers[f"{scale}: linear NDCG moves by"].value < numbers[f"{scale}: NDCG moves by"].value / 2


def test_seed_decides(few: Reproduction) -> None:
    """The same seed gives the same numbers, another one others."""
    again = Reproduction.of(few.experiment, FEW).measurements
    assert again.numbers == few.measurements.numbers
    other = lists.simulate(10, np.random.default_rng(2)).numbers
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
    assert written == {"claims.csv", "table-1.csv", "table-2.csv", "results.json", *figures}
    document = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert document["setting"] == {"trials": 10, "seed": 1, "data": False, "full": False, "how": "10 trials, seed 1"}
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
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv"] * 5 + [".json"]


def test_thresholds() -> None:
    """Each positive grade of a query is a threshold; between two grades in use AP is that of the higher one."""
    grades = np.array([2.5, 0.0, 0.5, 1.0, 0.0, 0.0])
    queries, scores = np.array(["b", "b", "b", "a", "a", "c"]), np.array([1.0, 3.0, 2.0, 1.0, 2.0, 1.0])
    levels, found, mean = at_thresholds(grades, queries, scores[np.newaxis])
    assert levels.tolist() == [0.5, 1.0, 2.5]
    half, most, other = (1 / 2 + 2 / 3) / 2, 1 / 3, 1 / 2
    expected = [[half, most, most], [other, other, np.nan], [np.nan] * 3]
    assert found[0] == pytest.approx(np.array(expected), nan_ok=True)
    assert mean[0] == pytest.approx([(half + most) / 2, other])


def test_strategies_that_rank_alike_are_one_curve() -> None:
    """A curve that hides another is drawn once, with the names of all its strategies."""
    found = np.array([[1.0, 0.5], [0.2, 0.3], [0.9, 0.8], [0.2, 0.3], *[[float(n), 0.0] for n in range(2, 6)]])
    assert list(ohsumed._alike("abcdefgh", found).items())[:3] == [("a", 0), ("b, d", 1), ("c", 2)]


def test_swaps_that_a_threshold_does_not_see() -> None:
    """AP sees a swap only if the threshold lies between: of 10 levels of 10 documents, 5 are on each side of it."""
    found = dict(lists._single_swaps())["share of swaps that a threshold does not see, 10 levels"].value
    assert found == pytest.approx(2 * (comb(50, 2) - 5 * comb(10, 2)) / (comb(100, 2) - 10 * comb(10, 2)))


def test_swaps_of_far_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a swap costs the distance of the two levels, those across more than half of 10 levels cost as much more.

    With 10 documents of each level there are as many swaps at a distance d as there are pairs of levels, 10 − d.
    """
    ladder = lists.ladder(10)
    monkeypatch.setattr(lists, "LEVELS", (2, 10))
    monkeypatch.setattr(lists, "_in_order", lambda lists, _: 1.0 - np.abs(lists - ladder).sum(axis=1) / 2)
    far, near = ([(10 - d, d) for d in distances] for distances in (range(5, 10), range(1, 5)))
    means = [sum(n * d for n, d in pairs) / sum(n for n, _ in pairs) for pairs in (far, near)]
    numbers = dict(lists._single_swaps())
    for name in ("NDCG", "µMAP", "NDCNG"):
        found = numbers[f"{name} lost by swaps of far levels, against near ones, least"]
        assert found.value == pytest.approx(means[0] / means[1])


def test_falls() -> None:
    """The largest change between fifths is that of the curve that falls least, and above 0 if one rises."""
    falling = np.linspace(1.0, 0.01, 100)  # 0.01 a swap
    curves = np.stack([falling, falling / 2, falling / 4, falling])[..., np.newaxis] + [[[0.0, 0.2]]]
    rising = np.concatenate([curves[:3], curves[3:, ::-1]])
    found = dict(lists._falls("uniform", {"NDCG": curves, "µMAP": rising, "NDCNG": curves / 2}))
    assert found["uniform: NDCG by fifths, largest change"].value == pytest.approx(-0.01 * 20 / 4)
    assert found["uniform: µMAP by fifths, largest change"].value == pytest.approx(0.01 * 20)
    assert found["uniform: NDCG from 2 to 50 levels changes by"].value == pytest.approx(0.0)


def test_folder_around_the_features(tmp_path: Path) -> None:
    """The folder of the whole data set will do: its raw features are found in Feature-min."""
    (tmp_path / "Feature-min").mkdir()
    (tmp_path / "Feature-min/S1.txt").write_text("2 qid:1 1:3.0 2:0.5 #docid = 7\n", encoding="utf-8")
    assert ohsumed.load(tmp_path).matrix.tolist() == [[3.0, 0.5]]


def test_folder_without_files(tmp_path: Path) -> None:
    """A folder that holds no data is an error that says which one is meant."""
    with pytest.raises(InputError, match="Feature-min"):
        ohsumed.load(tmp_path)


@pytest.fixture(scope="module")
def small() -> Measurements:
    """Figures 6 to 8 on five queries of twelve documents with 25 features; the ninth bends the first."""
    rng = np.random.default_rng(0)
    matrix = rng.random((60, ohsumed.FEATURES))
    matrix[:, 0] = np.tile([0, 1, 2, 3], 15)
    matrix[:, 8] = matrix[:, 0] ** 1.5
    grades, names = rng.integers(0, 3, 60).astype(float), np.arange(60).astype(str)
    queries = np.repeat(np.arange(5), 12)
    return ohsumed.compare(FeatureTable(grades=grades, queries=queries, documents=names, matrix=matrix))


def test_any_data_will_do(small: Measurements) -> None:
    """Both users of the small data rank alike, so each has 1.0 by the other; with 25 features levels are counted."""
    numbers = small.numbers
    assert numbers["TF of the title by its own user, lowest value"].value == pytest.approx(1.0)
    assert numbers["NDCG of the other user's strategy changes by"].value == pytest.approx(0.0)
    assert numbers["levels of TF-IDF of the title of the release with 25 features"].value == 4
    levels = np.array([0.0, 1.0, 2**1.5, 3**1.5])
    correlation = np.corrcoef([0, 1, 2, 3], levels)[0, 1]
    assert numbers["correlation of TF and TF-IDF of the title"].value == pytest.approx(correlation)
    spread = np.diff(levels).std() / np.diff(levels).mean()
    assert numbers["TF-IDF of the title: spread of the distances against their mean"].value == pytest.approx(spread)


def test_halves_of_a_figure(small: Measurements) -> None:
    """Figures 6 to 8 have two panels: MAP at each threshold, as bars if there are two, and the three measures."""
    pytest.importorskip("altair")
    marks = {}
    for name, draw in small.figures.items():
        left, right = draw().to_dict()["hconcat"]
        marks[name] = [[layer["mark"]["type"] for layer in half["layer"]] for half in (left, right)]
    bars, lines = ["bar", "rule"], ["area", "line"]
    assert marks == {"figure-6": [bars, bars], "figure-7": [lines, bars], "figure-8": [lines, bars]}


@pytest.fixture(scope="module")
def data() -> FeatureTable:
    """OHSUMED with its raw features, where it is here."""
    return ohsumed.load(shared("data/ohsumed/Feature-min"))


@pytest.fixture(scope="module")
def outcome(data: FeatureTable) -> Measurements:
    """Figures 6 to 8."""
    return ohsumed.compare(data)


def test_ohsumed(data: FeatureTable, outcome: Measurements) -> None:
    """Figures 6 to 8: a user's own strategy is worth 1; features that are the same for all documents of a query rank
    at random, and so alike; NDCG falls as the user has more levels, the others move far less."""
    assert data.matrix.shape == (16140, 45)
    assert [len(np.unique(data.matrix[:, f - 1])) for f in (1, 9)] == [10, 1129]
    for figure, user in (("figure-7", ohsumed.FEW), ("figure-8", ohsumed.MANY)):
        assert outcome.tables[figure].filter(strategy=user)["mean"].to_numpy() == pytest.approx(1.0)
    for figure in ohsumed.USERS:
        same = [
            outcome.tables[f"{figure}-by-id"].filter(strategy=name)["mean"].to_list()
            for name in ("feature 5", "feature 21", "feature 22")
        ]
        assert same[1] == pytest.approx(same[0])
        assert same[2] == pytest.approx(same[0])
    numbers = outcome.numbers
    assert numbers["NDCG changes by"].value == pytest.approx(-numbers["NDCG moves by"].value)
    assert numbers["NDCG moves by"].value > 20 * max(numbers[f"{name} moves by"].value for name in ("µMAP", "NDCNG"))
    assert numbers["µMAP with equal steps moves by"].value > 2 * numbers["µMAP moves by"].value
    moved = [numbers[name].value for name in ("NDCG changes by", "µMAP moves by", "NDCNG moves by")]
    assert moved == pytest.approx([-0.3053, 0.0084, 0.0051], abs=0.00005)
    by_id = [numbers[f"by id: {name}"].value for name in ("NDCG changes by", "µMAP moves by", "NDCNG moves by")]
    assert by_id == pytest.approx([-0.2967, 0.0068, 0.0052], abs=0.00005)


def test_ratings_are_the_scores(data: FeatureTable, outcome: Measurements) -> None:
    """A virtual user's grades are the scores as they are, so NDCG gains 2^score − 1 at any distance of scores."""
    grades, scores = data.matrix[:, 8], data.matrix[:, 0]
    query = data.queries == data.queries[0]
    order = np.argsort(-grades[query], kind="stable")
    discounts = 1 / np.log2(np.arange(2.0, query.sum() + 2))
    best = ((2 ** grades[query][order] - 1) * discounts).sum()
    tied = [discounts[np.flatnonzero(np.sort(-scores[query]) == -s)].mean() for s in scores[query]]
    expected = ((2 ** grades[query] - 1) * tied).sum() / best
    found = score_arrays(grades[query], scores[query], "nDCG", group=[query.sum()], dialect="papers")
    assert found[0] == pytest.approx(expected)
    judged = ohsumed._values(data, grades, lists.MEASURES["NDCG"], data.matrix[:, :1].T)
    assert judged[0, 0] == pytest.approx(expected)
    assert outcome.tables["figure-8"].filter(strategy=ohsumed.FEW, measure="NDCG")["mean"][0] == pytest.approx(
        judged[0].mean()
    )


def test_thresholds_of_ohsumed(outcome: Measurements) -> None:
    """The left halves: people's grades have the thresholds 1 and 2, a user's every score above 0; the user's own
    strategy has MAP 1 at each; at the lowest threshold every query has a relevant document."""
    levels = {"figure-6": 2, "figure-7": 9, "figure-8": 1128}
    for figure, count in levels.items():
        frame = outcome.tables[f"{figure}-thresholds"]
        # An IDF is the same for all documents of a query.
        curves = frame["strategy"].unique(maintain_order=True).to_list()
        assert [curve for curve in curves if ", " in curve] == ["IDF of the title, IDF of the abstract"]
        assert len(curves) == 7
        assert frame["threshold"].n_unique() == count
        assert len(frame) == 7 * count
    assert outcome.tables["figure-7-thresholds"].filter(strategy=ohsumed.FEW)["MAP"].to_numpy() == pytest.approx(1.0)
    assert outcome.tables["figure-8-thresholds"].filter(strategy=ohsumed.MANY)["MAP"].to_numpy() == pytest.approx(1.0)
    assert outcome.tables["figure-7-thresholds"].filter(threshold=1.0)["queries"].unique().to_list() == [106]


def test_claims_on_ohsumed(outcome: Measurements) -> None:
    """The scores of the two users correlate as printed, and all measures put strategy 9 nearest to strategy 1."""
    assert outcome.numbers["correlation of TF and TF-IDF of the title"].value == pytest.approx(0.9601, abs=0.00005)
    claims = {claim.place: claim.verdict(outcome.numbers) for claim in PAPERS["multigraded"].paper.claims}
    assert claims["Section 2.2, correlation"] is Verdict.HOLDS
    assert claims["Section 4, Figure 7, nearest"] is Verdict.HOLDS
    assert claims["Section 4, Figure 7, thresholds"] is Verdict.FAILS
    assert claims["Section 2.2, levels"] is Verdict.UNTESTED


def test_verdicts_do_not_depend_on_the_release(outcome: Measurements) -> None:
    """The paper's strategies and the features that have their ids in LETOR 3.0 lead to the same verdicts."""
    by_id = {**outcome.numbers, **{name.removeprefix("by id: "): n for name, n in outcome.numbers.items()}}
    for claim in PAPERS["multigraded"].paper.claims:
        assert claim.verdict(by_id) is claim.verdict(outcome.numbers), claim.place


@pytest.mark.study
def test_the_page_quotes_its_run() -> None:
    """Every number with an error on the page is one of its command's, which takes half a minute."""
    setting = Setting(trials=1000, seed=1, data=shared("data/ohsumed").resolve())
    assert not_of_run("multigraded.md", PAPERS["multigraded"].run(setting).numbers) == set()
