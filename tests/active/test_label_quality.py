"""The quality of labels: worked examples of agreement, levels, times and drift."""

from __future__ import annotations

import math

import polars as pl
import pytest

from rankgauge.labelling.campaign.review import _pace
from rankgauge.room.quality import SeenShare, by_assessor, by_level, comparisons, drift, time_bins

DAY = 86400.0

LABELS = pl.DataFrame(
    [
        ("q", "d1", "ann", "grade", 2.0, 0.0),
        ("q", "d1", "bob", "grade", 1.0, 10.0),
        ("q", "d1", "eve", "grade", 2.0, 20.0),
        ("q", "d2", "ann", "grade", 0.0, 30.0),
        ("q", "d2", "bob", "grade", 0.0, DAY + 1),
        ("q", "d3", "ann", "skip", None, DAY + 2),
    ],
    schema=["query", "document", "assessor", "kind", "grade", "made"],
    orient="row",
)
SECONDS = pl.DataFrame(
    [("q", "d1", "ann", 4.0), ("q", "d2", "ann", 8.0), ("q", "d3", "ann", 700.0), ("q", "d2", "bob", 30.0)],
    schema=["query", "document", "assessor", "seconds"],
    orient="row",
)


def test_comparisons_go_both_ways() -> None:
    """Three labels of d1 are three pairs, two of d2 are one, each seen from both sides; a skip is none."""
    assert len(comparisons(LABELS)) == 2 * (3 + 1)


def test_each_assessor() -> None:
    """Ann agrees with eve on d1 and with bob on d2, and not with bob on d1."""
    rows = {row["assessor"]: row for row in by_assessor(LABELS, SECONDS).iter_rows(named=True)}
    ann = rows["ann"]
    assert (ann["documents"], ann["skipped"], ann["mean_grade"]) == (3, 1, (2 + 0) / 2)
    assert (ann["shared"], ann["compared"], ann["agree"]) == (2, 3, pytest.approx(2 / 3))
    assert ann["above"] == pytest.approx(((2 - 1) + (2 - 2) + (0 - 0)) / 3)
    assert (ann["timed"], ann["median"]) == (2, (4 + 8) / 2), "a document that took more than ten minutes is a break"
    assert (rows["eve"]["timed"], rows["eve"]["median"]) == (0, None)


def test_each_level() -> None:
    """Specific agreement of level 2: one pair agrees, which counts twice, and two labels of 2 meet a 1."""
    rows = {row["grade"]: row for row in by_level(LABELS, (0, 1, 2, 3)).iter_rows(named=True)}
    assert rows[2.0]["agree"] == pytest.approx(2 * 1 / (2 * 1 + 2))
    assert (rows[1.0]["agree"], rows[1.0]["rather"]) == (0.0, 2.0)
    assert rows[0.0]["agree"] == 1.0
    assert (rows[3.0]["labels"], rows[3.0]["compared"], rows[3.0]["agree"]) == (0, 0, None)


def test_how_long_documents_take() -> None:
    """Under 5 s, 5 to 10 s, 10 to 600 s, and a break."""
    assert time_bins(SECONDS, (5.0, 10.0, 600.0)) == [1, 1, 1, 1]


def test_files_tell_no_pace() -> None:
    """Labels a minute apart are sixty an hour; those of two files, all at two moments, say nothing."""
    assert _pace([60.0 * n for n in range(10)]) == pytest.approx(60.0)
    assert _pace([0.0] * 20 + [30.0] * 20) is None


def test_drift_by_day() -> None:
    """A comparison belongs to the day of its later label."""
    first, second = drift(LABELS, SECONDS, daily=True).iter_rows(named=True)
    assert (first["labels"], first["compared"], first["agree"]) == (4, 3, pytest.approx(1 / 3))
    assert (second["labels"], second["compared"], second["agree"], second["skipped"]) == (2, 1, 1.0, 1)
    assert (first["mean_grade"], first["median"]) == ((2 + 1 + 2 + 0) / 4, (4 + 8) / 2)


def test_drift_by_hundred_labels() -> None:
    """The 101st label begins the second step."""
    many = pl.concat([LABELS.head(1).with_columns(document=pl.lit(f"x{n}"), made=float(n)) for n in range(101)])
    assert drift(many, SECONDS.head(0), daily=False)["labels"].to_list() == [100, 1]


def test_a_share_with_its_exact_interval() -> None:
    """Clopper and Pearson: with none of n right the upper end is 1 − (α/2)^(1/n), and it is symmetric."""
    assert SeenShare(seen=0, n=10).interval == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    low, high = SeenShare(seen=8, n=10).interval
    assert (1 - high, 1 - low) == pytest.approx(SeenShare(seen=2, n=10).interval)
    assert math.isnan(SeenShare(seen=0, n=0).value)


def test_the_interval_is_that_of_scipy() -> None:
    """For every count of 25."""
    from scipy.stats import binomtest

    for seen in range(26):
        found = binomtest(seen, 25).proportion_ci(0.95, "exact")
        assert SeenShare(seen=seen, n=25).interval == pytest.approx((found.low, found.high), abs=1e-9)
