"""Agreement: published examples, peers, and laws."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.judgments import agreement
from rankgauge.judgments.coefficient import COEFFICIENTS
from tests.examples import examples
from tests.shared import shared


def table(rows: list[str]) -> pl.DataFrame:
    """Judgments from one line of grades per assessor, items from left to right, a dot where one was not judged."""
    cells = [
        ("q", f"d{item}", float(grade), f"assessor {number}")
        for number, row in enumerate(rows, 1)
        for item, grade in enumerate(row.split(), 1)
        if grade != "."
    ]
    return pl.DataFrame(cells, schema=["query", "document", "grade", "assessor"], orient="row")


KRIPPENDORFF = table(
    [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
)
# 14 assessors, 10 subjects, 5 categories: how many gave each (Fleiss 1971's layout; the example of Wikipedia).
FLEISS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]


def test_krippendorffs_own_example() -> None:
    """Computing Krippendorff's alpha-reliability (2011), sections C to E: 4 observers, 12 units, gaps."""
    result = agreement(KRIPPENDORFF)
    assert result["alpha-nominal"] == pytest.approx(0.743, abs=5e-4)
    assert result["alpha-ordinal"] == pytest.approx(0.815, abs=5e-4)
    assert result["alpha-interval"] == pytest.approx(0.849, abs=5e-4)
    assert result.items.rows() == [(1, 1), (2, 1), (3, 2), (4, 8)]
    assert result.assessors["judgments"].to_list() == [9, 11, 10, 11]


def test_fleiss_with_unequal_numbers() -> None:
    """The R package irrCAC on the same data: observed .8181818, chance .2387153, Fleiss' kappa .76117."""
    result = agreement(KRIPPENDORFF)
    assert result["observed"] == pytest.approx(0.8181818, abs=5e-8)
    assert result["fleiss"] == pytest.approx((0.8181818 - 0.2387153) / (1 - 0.2387153), abs=5e-7)
    assert result["fleiss"] == pytest.approx(0.76117, abs=5e-6)


def test_fleiss_example() -> None:
    """P = .378, P_e = .213, kappa = .210: 14 assessors judge 10 subjects into 5 categories."""
    grades = [[k for k, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    result = agreement(table([" ".join(str(row[i]) for row in grades) for i in range(14)]))
    chance = sum((sum(column) / 140) ** 2 for column in zip(*FLEISS, strict=True))
    observed = sum(sum(n * (n - 1) for n in row) / (14 * 13) for row in FLEISS) / 10
    assert result["observed"] == pytest.approx(observed)
    assert result["fleiss"] == pytest.approx((observed - chance) / (1 - chance))
    assert result["fleiss"] == pytest.approx(0.210, abs=5e-4)
    assert result["unanimous"] == 1 / 10


def test_cohen_example() -> None:
    """20 times both yes, 15 times both no, 5 and 10 times apart: p_o = .7, p_e = .5, kappa = .4."""
    yes_no = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    result = agreement(table([" ".join(map(str, side)) for side in zip(*yes_no, strict=True)]))
    chance = (25 / 50) * (30 / 50) + (25 / 50) * (20 / 50)
    row = result.pairs.row(0, named=True)
    assert row["items"] == 50
    assert row["observed"] == pytest.approx((20 + 15) / 50)
    assert [row["kappa"], row["kappa_linear"], row["kappa_quadratic"]] == pytest.approx(
        [(0.7 - chance) / (1 - chance)] * 3
    )
    assert result.confusion.select("grade", "other_grade", "items").rows() == [
        (0, 0, 15),
        (0, 1, 10),
        (1, 0, 5),
        (1, 1, 20),
    ]


def test_weighted_kappa_by_hand() -> None:
    """Weights are the grades' differences: 1 − Σ w o / Σ w e, spelled out on grades 0, 1, 3."""
    row = agreement(table(["0 0 1 3", "0 1 3 3"])).pairs.row(0, named=True)
    # rows: 0 twice, 1 once, 3 once; columns: 0 once, 1 once, 3 twice; e = row × column / 4
    linear = 1 - (1 + 2) / ((2 * 1 * 1 + 2 * 2 * 3 + 1 * 1 * 1 + 1 * 2 * 2 + 1 * 1 * 3 + 1 * 1 * 2) / 4)
    quadratic = 1 - (1 + 4) / ((2 * 1 * 1 + 2 * 2 * 9 + 1 * 1 * 1 + 1 * 2 * 4 + 1 * 1 * 9 + 1 * 1 * 4) / 4)
    assert row["kappa_linear"] == pytest.approx(linear)
    assert row["kappa_quadratic"] == pytest.approx(quadratic)


grades = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@settings(max_examples=examples(50), deadline=None)
@given(judged=grades)
def test_cohen_is_scikit_learns(judged: list[tuple[int, int]]) -> None:
    """On levels 0 to 3 every kappa is that of scikit-learn, where its formula is defined."""
    left, right = zip(*judged, strict=True)
    row = agreement(table([" ".join(map(str, left)), " ".join(map(str, right))])).pairs.row(0, named=True)
    if len({*left, *right}) == 1:
        assert np.isnan([row["kappa"], row["kappa_linear"], row["kappa_quadratic"]]).all()
        return
    for column, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        peer = cohen_kappa_score(left, right, labels=[0, 1, 2, 3], weights=weights)
        assert row[column] == pytest.approx(peer, abs=1e-12)


panels = st.lists(
    st.lists(st.sampled_from([None, 0, 1, 2, 5]), min_size=3, max_size=3).filter(
        lambda row: any(g is not None for g in row)
    ),
    min_size=2,
    max_size=12,
)


def pairwise_alpha(rows: list[list[int | None]], distance: str) -> float:
    """Alpha by its definition: every two judgments of an item against every two judgments at all."""
    units = [[g for g in row if g is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    pool = [g for unit in units for g in unit]

    def ordinal(c: int, k: int) -> float:
        low, high = min(c, k), max(c, k)
        between = sum(low <= g <= high for g in pool) - (pool.count(low) + pool.count(high)) / 2
        return 0.0 if c == k else between**2

    apart = {"nominal": lambda c, k: float(c != k), "interval": lambda c, k: (c - k) ** 2, "ordinal": ordinal}[distance]

    within = sum(2 * apart(c, k) / (len(unit) - 1) for unit in units for c, k in itertools.combinations(unit, 2))
    between = sum(2 * apart(c, k) for c, k in itertools.combinations(pool, 2))
    return float("nan") if between == 0 else 1 - within * (len(pool) - 1) / between


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
@settings(max_examples=examples(50), deadline=None)
@given(rows=panels)
def test_alpha_is_its_definition(distance: str, rows: list[list[int | None]]) -> None:
    """The coincidence matrix gives what all pairs of judgments give, one by one."""
    lines = [" ".join("." if g is None else str(g) for g in column) for column in zip(*rows, strict=True)]
    result = agreement(table(lines))
    assert result[f"alpha-{distance}"] == pytest.approx(pairwise_alpha(rows, distance), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_perfect_agreement_is_one(name: str) -> None:
    """Assessors who always agree, on more than one grade, agree fully: in the point and in the interval."""
    result = agreement(table(["0 1 2 2 . 0", "0 1 2 2 1 .", "0 1 2 2 1 0"]), rng=np.random.default_rng(7))
    assert result.coefficients.filter(coefficient=name).select("value", "low", "high").row(0) == (1, 1, 1)
    assert result.pairs.select("kappa", "kappa_linear", "kappa_quadratic").rows() == [(1, 1, 1)] * 3


@pytest.mark.parametrize("name", ["fleiss", "alpha-nominal", "alpha-ordinal", "alpha-interval"])
def test_one_grade_only_is_undefined(name: str) -> None:
    """Where every judgment is the same, chance would agree too: 0/0 is NaN, not 1."""
    result = agreement(table(["2 2 2", "2 2 2"]), rng=np.random.default_rng(7))
    assert np.isnan(result.coefficients.filter(coefficient=name).select("value", "low", "high").row(0)).all()
    assert np.isnan(result.pairs["kappa"][0])
    assert result["observed"] == result["unanimous"] == 1


def test_assessors_without_common_items() -> None:
    """Who shares no item with anyone is counted, and compared with nobody."""
    result = agreement(table(["1 2 . .", ". . 1 2"]), rng=np.random.default_rng(7))
    assert result.pairs.is_empty()
    assert result.confusion.is_empty()
    assert result.assessors.rows() == [("assessor 1", 2, 1.5), ("assessor 2", 2, 1.5)]
    assert result.coefficients["items"].to_list() == [0] * len(COEFFICIENTS)
    assert result.coefficients["value"].is_nan().all()


def test_the_order_of_rows_does_not_matter() -> None:
    """Shuffled judgments give the same coefficients, and the same interval for the same seed."""
    shuffled = KRIPPENDORFF.sample(fraction=1.0, shuffle=True, seed=3)
    plain, other = (agreement(j, rng=np.random.default_rng(1)) for j in (KRIPPENDORFF, shuffled))
    assert plain.coefficients.equals(other.coefficients)


def test_intervals_are_those_of_resampled_items() -> None:
    """The interval equals the percentiles of alpha on items drawn one by one, within Monte Carlo error."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, 40)
    seen = np.where(rng.random((3, 40)) < 0.3, rng.integers(0, 3, (3, 40)), truth)
    judged = table([" ".join(map(str, row)) for row in seen])
    row = agreement(judged, rng=rng, resamples=4000, level=0.9).coefficients.filter(coefficient="alpha-nominal")
    drawn = [pairwise_alpha(seen[:, rng.integers(0, 40, 40)].T.tolist(), "nominal") for _ in range(300)]
    low, high = np.quantile(drawn, [0.05, 0.95])
    assert row["low"][0] < row["value"][0] < row["high"][0]
    assert row["low"][0] == pytest.approx(low, abs=0.04)
    assert row["high"][0] == pytest.approx(high, abs=0.04)


def test_without_a_generator_there_is_no_interval() -> None:
    """Randomness only by request."""
    coefficients = agreement(KRIPPENDORFF).coefficients
    assert coefficients["low"].is_nan().all()
    assert coefficients["high"].is_nan().all()


def test_bad_requests_are_refused() -> None:
    """Judgments without assessors, scores for grades, levels past 1 and unknown names are errors."""
    with pytest.raises(InputError, match="who judged"):
        agreement(KRIPPENDORFF.filter(assessor="assessor 2").drop("assessor"))
    with pytest.raises(InputError, match="300 different grades"):
        agreement(table([" ".join(map(str, range(300)))]))
    with pytest.raises(ParameterError, match="'level'"):
        agreement(KRIPPENDORFF, level=95)
    with pytest.raises(ParameterError, match="'resamples'"):
        agreement(KRIPPENDORFF, resamples=0)
    with pytest.raises(UnknownNameError, match="Did you mean alpha-nominal"):
        agreement(KRIPPENDORFF)["alpha-nominl"]


def test_three_raters_of_an_online_shop() -> None:
    """3,188 pairs of three raters: all agree on 2,278, and the parts add up."""
    ratings = pl.read_csv(shared("data/chorus_quepid/Broad_Query_Set_individual_ratings.csv"), infer_schema=False)
    agents = ["agent_1_rating", "agent_2_rating", "agent_3_rating"]
    judged = ratings.select("query", "docid", *agents).unpivot(
        agents, index=["query", "docid"], variable_name="assessor", value_name="grade"
    )
    result = agreement(judged.rename({"docid": "document"}), rng=np.random.default_rng(5))
    assert result["unanimous"] == 2278 / 3188
    assert result.items.rows() == [(3, 3188)]
    assert result["observed"] == pytest.approx(result.pairs["observed"].mean())
    for row in result.pairs.iter_rows(named=True):
        sides = ratings[row["assessor"]].to_numpy(), ratings[row["other"]].to_numpy()
        assert row["kappa"] == pytest.approx(cohen_kappa_score(*sides), abs=1e-12)
        assert row["kappa_quadratic"] == pytest.approx(cohen_kappa_score(*sides, weights="quadratic"), abs=1e-12)
    assert (result.coefficients["low"] < result.coefficients["value"]).all()
    assert (result.coefficients["value"] < result.coefficients["high"]).all()


def test_an_assessor_without_a_name_is_one_assessor() -> None:
    """Judgments whose assessor is unknown are compared with the others'."""
    known = table(["1 2 3", "1 2 2"])
    unknown = known.with_columns(assessor=pl.when(pl.col("assessor") == "assessor 1").then("assessor"))
    assert agreement(unknown).pairs.select("items", "kappa").equals(agreement(known).pairs.select("items", "kappa"))
    assert agreement(unknown).assessors["assessor"].to_list() == ["assessor 1", None]
