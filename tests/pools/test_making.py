"""Pools to judge: which documents they have, what is left out, and what they cover."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError, InputWarning
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.labelling.board import Board
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.pool_sources import PoolTable
from rankgauge.labelling.pools import make_pool
from rankgauge.labelling.pools.making import PoolMakingReport
from rankgauge.labelling.selection import SELECTIONS

RUNS = {
    "one": {"q10": {"a": 5.0, "b": 4.0, "c": 3.0}, "q9": {"x": 2.0, "y": 1.0}},
    "two": {"q10": {"b": 9.0, "d": 8.0, "a": 7.0}, "q9": {"y": 2.0, "z": 1.0}},
}

THREE = {**RUNS, "three": {"q10": {"d": 2.0, "c": 1.0}, "q9": {"z": 1.0}}}


def test_a_depth_pool_is_the_first_of_every_list() -> None:
    """Each document once, with its best rank, how many runs have it, and the rank in each."""
    frame = make_pool(RUNS, depth=2).frame()
    assert set(frame.filter(pl.col("query") == "q10")["document"]) == {"a", "b", "d"}
    row = frame.filter(pl.col("document") == "a").row(0, named=True)
    assert {name: row[name] for name in ("best_rank", "runs", "rank_one", "rank_two")} == {
        "best_rank": 1,
        "runs": 2,
        "rank_one": 1,
        "rank_two": 3,
    }
    assert frame.filter(pl.col("query") == "q10")["place"].to_list() == [1, 2, 3]
    assert frame["rank_two"].null_count() == 1  # x is in the first run alone


@pytest.mark.parametrize("method", SELECTIONS)
def test_a_budget_is_kept(method: str) -> None:
    """No more documents than the budget, none that is judged, and coverage is of both together."""
    made = make_pool(RUNS, method=method, budget=3, judged={"q10": {"b": 1, "c": 0}, "other": {"u": 1}})
    frame = made.frame()
    assert len(frame) == 3
    assert not set(frame["document"]) & {"b", "c", "u"}
    shares = made.coverage(["P@3"])
    for run, listed in RUNS.items():
        judged = sum(len({"b", "c"} & set(found)) for found in listed.values())
        chosen = sum(len(set(frame["document"]) & set(found)) for found in listed.values())
        row = shares.filter(pl.col("run") == run).row(0, named=True)
        assert row["judged"] == pytest.approx(judged / 5)
        assert row["covered"] == pytest.approx((judged + chosen) / 5)


def test_weights_are_those_of_the_measure() -> None:
    """With the first documents judged, nDCG@2 has 1 of 1 + 1/log2(3) of its weight covered."""
    made = make_pool(RUNS, depth=1, judged=None)
    row = made.coverage(["nDCG@2"]).row(0, named=True)
    # Run one: a first, b second (first in two) for q10; x first, y second (first in two) for q9: all is covered.
    assert row["covered"] == pytest.approx(1.0)
    row = make_pool({"one": RUNS["one"]}, depth=1).coverage(["nDCG@2"]).row(0, named=True)
    assert row["covered"] == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_judgments_lead_an_adaptive_selection() -> None:
    """The run whose documents were relevant is read on."""
    runs = {name: {"q": {f"{name}{n}": -n for n in range(8)}} for name in ("good", "bad")}
    judged = {"q": {"good0": 1, "good1": 1, "bad0": 0, "bad1": 0}}
    for method in ("mtf", "maxmean", "hedge"):
        first = make_pool(runs, method=method, budget=1, judged=judged).frame()["document"].to_list()
        assert first == ["good2"], method


def test_the_table_goes_on_to_judges_and_campaigns(tmp_path: Path) -> None:
    """With texts a model can be asked; the ranks of one or two runs are rankers, those of more are a board."""
    texts = pl.DataFrame({"document": list("abcdxyz"), "text": [f"text of {letter}" for letter in "abcdxyz"]})
    queries = pl.DataFrame({"query": ["q9", "q10"], "query_text": ["nine", "ten"]})
    frame = make_pool(RUNS, depth=2, documents=texts, queries=queries).frame()
    assert frame.columns[:4] == ["query", "document", "query_text", "text"]
    frame.write_csv(tmp_path / "pool.csv")
    assert len(TextPairs.from_pool(tmp_path / "pool.csv")) == len(frame)
    assert Pool.of(tmp_path / "pool.csv", grades=[0, 1], depth=2).ranks.shape == (len(frame), 2)
    assert list(PoolTable.of(make_pool(THREE, depth=2).frame()).runs) == list(THREE)
    with pytest.raises(InputError, match=r"has 3 runs \(one, two, three\)"):
        Pool.of(make_pool(THREE, depth=2).frame(), grades=[0, 1])


def test_gaps_are_told() -> None:
    """d is third in run two, and the second document of it that is in the pool."""
    runs = {"one": {"q": {"a": 3.0, "b": 2.0}}, "two": {"q": {"a": 9.0, "c": 8.0, "b": 7.0}}}
    frame = make_pool(runs, budget=2, judged={"q": {"c": 0}}).frame()
    with pytest.warns(InputWarning, match="rank_two has gaps"):
        Pool.of(frame, grades=[0, 1])
    Pool.of(frame, grades=[0, 1], depth=1)


def test_a_board_of_the_table_keeps_the_ranks() -> None:
    """With all of the pool judged, each run has what an evaluation by the same judgments gives it, gaps and all."""
    runs = {**THREE, "four": {"q10": {"e": 4.0, "b": 3.0, "f": 2.0, "d": 1.0}, "q9": {"u": 2.0, "z": 1.0}}}
    frame = make_pool(runs, budget=6, judged={"q10": {"e": 0.0}, "q9": {"u": 0.0}}).frame()
    assert frame["rank_four"].to_list() != frame["rank_four"].rank().to_list()
    grades = pl.Series("grade", [float(n % 3) for n in range(len(frame))])
    judgments = frame.select("query", "document").with_columns(grades)
    pool = PoolTable.of(frame).board_pool()
    board = Board.of(pool, ["nDCG", "P@3"], grades=(0, 1, 2), dialect="standard")
    known = pool.grades(judgments)
    for estimate in board.estimate(board.read(board.stream(0), np.arange(len(known)), known, budget=len(known))):
        expected = [evaluate(judgments, run, str(estimate.target)).matrix.mean() for run in runs.values()]
        assert estimate.values == pytest.approx(expected, abs=1e-9)


def test_queries_come_in_order() -> None:
    """By number where all are numbers, else by name."""
    runs = {"one": {name: {"a": 1.0} for name in ("10", "9", "2")}}
    assert make_pool(runs, depth=1).frame()["query"].to_list() == ["2", "9", "10"]


def test_what_makes_no_pool() -> None:
    """Neither a depth nor a budget, or nothing left to judge, are errors that say what to do."""
    with pytest.raises(InputError, match="neither a depth nor a budget"):
        make_pool(RUNS)
    with pytest.raises(InputError, match="judged already"):
        make_pool(RUNS, depth=1, judged={"q10": {"a": 0, "b": 1}, "q9": {"x": 0, "y": 0}})


def test_judged_documents_in_the_lists_are_counted() -> None:
    """Those that no run retrieves are known but leave nothing out; if all are such, ids may be spelled differently."""
    for judged, words in (
        ({"b": 1, "c": 0, "u": 1}, "3 documents, of which 2 are in these lists and left out"),
        ({"b": 1, "u": 1}, "2 documents, of which 1 is in these lists"),
        ({"B": 1, "u": 1}, "2 documents, none of which is in these lists: are ids spelled alike"),
    ):
        report = PoolMakingReport(made=make_pool(RUNS, depth=2, judged={"q10": judged}), measures=("AP",))
        assert words in dict(report._facts())["judged already"]
        assert report.data()["judged_in_lists"] == len({"b", "c"} & set(judged))


def test_how_documents_are_chosen_is_said_once() -> None:
    """A method's name is followed by what it stands for, unless that is the name itself."""
    runs = {"one": {"1": {"a": 2.0, "b": 1.0}}, "two": {"1": {"c": 2.0, "a": 1.0}}}
    said = {}
    for method in SELECTIONS:
        report = PoolMakingReport(made=make_pool(runs, method=method, budget=2), measures=("nDCG@10",))
        said[method] = dict(report._facts())["chosen by"]
    assert said["hedge"].startswith("hedge: the document")
    assert said["maxmean"].startswith("maxmean: the next document")
    assert said["mtf"].startswith("mtf, move-to-front pooling: a run")
    assert said["rrf"].startswith("rrf, reciprocal rank fusion: the documents")
