"""Intervals of what a sample of judgments leaves open: when there are any, and that they hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import Result, evaluate
from rankgauge.comparison import ComparisonSettings
from rankgauge.errors import ParameterError
from tests.program import invoke

pytestmark = pytest.mark.process  # computes for long


NAMES = ["xinfAP", "xinfNDCG", "statAP"]
WHOLE = {"xinfAP": "AP", "xinfNDCG": "nDCG", "statAP": "AP"}
EMPTY = 0.0


def collection(seed: int, *, queries: int = 30, documents: int = 60) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Judgments of all documents in two strata, a dozen in the first, and a run that is better than chance."""
    rng, rows, run = np.random.default_rng(seed), list[tuple[str, str, str, float]](), {}
    for query in range(queries):
        odds = rng.normal(-1.5, 1.0) + np.where(np.arange(documents) < 12, 1.5, 0.0)
        grades = (rng.random(documents) < 1 / (1 + np.exp(-odds))) * rng.integers(1, 3, documents)
        grades[0] = 2
        rows += [(f"q{query}", f"d{d}", "top" if d < 12 else "rest", float(g)) for d, g in enumerate(grades)]
        order = np.argsort(-(grades + rng.normal(0, 1.5, documents)), kind="stable")
        run[f"q{query}"] = [f"d{d}" for d in order[:40]]
    return pl.DataFrame(rows, schema=["query", "document", "stratum", "grade"], orient="row"), run


def drawn(judgments: pl.DataFrame, seed: int, share: float = 0.3) -> pl.DataFrame:
    """The judgments of which a share of the second stratum is kept."""
    luck = pl.Series(np.random.default_rng(seed).random(len(judgments)))
    kept = (pl.col("stratum") == "top") | (luck < share)
    return judgments.with_columns(grade=pl.when(kept).then("grade").otherwise(-1.0))


def found(judgments: pl.DataFrame, run: dict[str, list[str]], names: list[str] = NAMES) -> Result:
    """The estimates."""
    return evaluate(judgments, run, names, empty=EMPTY)


def test_they_hold() -> None:
    """In samples of a generated collection nearly every interval holds what the whole pool would say."""
    held = []
    for seed in range(12):
        judgments, run = collection(seed)
        truth = evaluate(judgments.drop("stratum"), run, ["AP", "nDCG"], empty=EMPTY)
        result = found(drawn(judgments, seed), run)
        ends = result.sample_intervals(seed).interval
        for name, low, high in zip(NAMES, ends.low, ends.high, strict=True):
            assert low < result[name] < high
            assert high - low < 0.3
            held.append(low <= truth[WHOLE[name]] <= high)
    assert np.mean(held) >= 0.9


def test_more_judgments_leave_less_open() -> None:
    """Intervals shrink with the sample, and with everything judged they are a point."""
    judgments, run = collection(1)
    widths = []
    for share in (0.2, 0.6, 1.0):
        ends = found(drawn(judgments, 2, share), run).sample_intervals().interval
        widths.append(ends.high - ends.low)
    assert (widths[0] > widths[1]).all()
    assert (widths[1] > widths[2]).all()
    assert widths[2] == pytest.approx(0.0)


def test_seeded() -> None:
    """The same seed gives the same ends, another one others; the summary has them."""
    judgments, run = collection(2)
    result = found(drawn(judgments, 0), run)
    again = found(drawn(judgments, 0), run)
    assert result.sample_intervals(4).interval.low.tolist() == again.sample_intervals(4).interval.low.tolist()
    assert (result.sample_intervals(4).interval.low != result.sample_intervals(5).interval.low).all()
    summary = result.summarise(interval="sample", seed=4)
    assert summary["low"].to_list() == result.sample_intervals(4).interval.low.tolist()


def test_strata_may_have_any_name_and_be_missing() -> None:
    """A query without a stratum that others have is one without documents to guess; names do not matter."""
    judgments, run = collection(3)
    partly = drawn(judgments, 0).filter((pl.col("query") != "q3") | (pl.col("stratum") == "top"))
    renamed = partly.with_columns(pl.col("stratum").replace({"top": "2", "rest": "10"}))
    one, other = (found(table, run).sample_intervals().interval for table in (partly, renamed))
    assert not np.isnan(one.low).any()
    assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.5)


REASONS = {
    "few queries": "9 queries are too few, 10 will do",
    "few documents": "30 documents drawn from strata judged in part are too few, 50 will do",
    "one stratum": "of 30 of the queries no stratum was judged throughout",
    "nothing relevant": "of 2 of the queries no relevant document was drawn",
    "no sample": "it does not estimate from a sample",
    "no strata": "its sample is told by grades of −1, not by strata",
    "chances": "the documents that were not drawn are not listed",
    "judged only": "with judged_only it leaves out what was not drawn",
}


@pytest.mark.parametrize("case", REASONS)
def test_where_there_is_none_yet(case: str) -> None:
    """Too little to go by gives no interval, and the reason."""
    judgments, run = collection(4)
    sample, names = drawn(judgments, 0), NAMES
    if case == "few queries":
        sample = sample.filter(pl.col("query").is_in([f"q{n}" for n in range(9)]))
    if case == "few documents":
        first = pl.col("document") == "d12"
        sample = judgments.with_columns(
            grade=pl.when((pl.col("stratum") == "top") | first).then("grade").otherwise(-1.0)
        )
    if case == "one stratum":
        sample = sample.with_columns(stratum=pl.lit("all"))
    if case == "nothing relevant":
        poor = pl.col("query").is_in(["q1", "q2"]) & (pl.col("grade") > 0)
        sample = sample.with_columns(grade=pl.when(poor).then(0.0).otherwise("grade"))
    if case == "judged only":
        names = ["statAP(judged_only=True)"]
    if case == "no sample":
        names = ["AP"]
        sample = judgments.drop("stratum")
    if case == "no strata":
        names = ["infAP"]
        sample = sample.drop("stratum")
    if case == "chances":
        sample = judgments.with_columns(probability=pl.lit(0.5))
    intervals = found(sample, run, names).sample_intervals()
    assert np.isnan(intervals.interval.low).all()
    assert all(reason is not None and reason.startswith(REASONS[case]) for reason in intervals.reasons)


def test_queries_may_be_left_out() -> None:
    """Those of which nothing relevant was drawn, if the user takes them out of the mean."""
    judgments, run = collection(5)
    poor = pl.col("query").is_in(["q1", "q2"]) & (pl.col("grade") > 0)
    sample = drawn(judgments, 0).with_columns(grade=pl.when(poor).then(0.0).otherwise("grade"))
    intervals = evaluate(sample, run, NAMES, empty="leave-out").sample_intervals()
    assert intervals.reasons == (None,) * len(NAMES)
    assert not np.isnan(intervals.interval.low).any()


def test_the_command(tmp_path: Path) -> None:
    """The table shows the intervals, and the notes say what they are of and why one is missing."""
    judgments, run = collection(6)
    drawn(judgments, 0).write_csv(tmp_path / "sample.csv")
    pl.DataFrame([(q, d, -float(n)) for q, ids in run.items() for n, d in enumerate(ids)], orient="row").write_csv(
        tmp_path / "run.csv", include_header=False
    )
    lines = (tmp_path / "run.csv").read_text()
    (tmp_path / "run.csv").write_text("query,document,score\n" + lines)
    command = ["evaluate", str(tmp_path / "sample.csv"), str(tmp_path / "run.csv"), "-m", "xinfAP,AP"]
    said = invoke([*command, "--interval", "sample", "--seed", "3"], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    words = " ".join(said.output.split())
    assert "with all of the pool judged; not of other queries (100 samples drawn again, seed 3)" in words
    assert "no interval for AP: it does not estimate from a sample" in words


def test_differences_have_none() -> None:
    """A comparison knows intervals of means over queries only."""
    with pytest.raises(ParameterError, match="'sample' belongs to 'rankgauge evaluate'"):
        ComparisonSettings(interval="sample")
