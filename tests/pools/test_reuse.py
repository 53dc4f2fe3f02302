"""Reuse: values without what a run or a team alone contributed, against evaluations of judgments that lack it."""

from __future__ import annotations

import itertools
import re
import textwrap
from io import StringIO
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankgauge import dialects, evaluate
from rankgauge.errors import InputError
from rankgauge.labelling.pools import Reuse, reuse
from rankgauge.labelling.pools.contributions import read_teams
from rankgauge.labelling.pools.reuse_report import PoolReuseReport, beyond, bounds
from rankgauge.papers.experiment import PAPERS, Setting
from rankgauge.statistics.correlation import kendall_tau
from tests.docs.blocks import ROOT
from tests.shared import shared

MEASURES = ("nDCG@10", "AP", "RBP", "ERR@10", "R@20")
DEPTH = 10


@pytest.fixture(scope="module")
def collection() -> dict[str, Any]:
    """25 runs on 12 queries; the first 20, of ten teams, were pooled to the depth 10 and judged throughout."""
    rng = np.random.default_rng(5)
    worth = {f"q{q}": rng.normal(0, 1, 150) for q in range(12)}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for n in range(25):
        noise = 1.0 + 0.2 * (n % 5)
        runs[f"run{n:02d}"] = {
            query: {
                f"d{at}": float(score) for at, score in enumerate(scores + rng.normal(0, noise, 150)) if at % 25 != n
            }
            for query, scores in worth.items()
        }
    judged: dict[str, dict[str, float]] = {query: {} for query in worth}
    for name in list(runs)[:20]:
        for query, scored in runs[name].items():
            for document in sorted(scored, key=lambda one: -scored[one])[:DEPTH]:
                judged[query][document] = float(np.digitize(worth[query][int(document[1:])], [0.9, 1.6]))
    teams = {name: f"team {n // 2}" for n, name in enumerate(runs)}
    return {"runs": runs, "judgments": judged, "teams": teams}


@pytest.fixture(scope="module")
def found(collection: dict[str, Any]) -> Reuse:
    """The reuse of its judgments; the last run is new."""
    *old, last = collection["runs"]
    return reuse(
        collection["judgments"],
        {name: collection["runs"][name] for name in old},
        MEASURES,
        new={last: collection["runs"][last]},
        teams=collection["teams"],
    )


def values(judgments: Any, run: Any) -> list[float]:
    """The means of an evaluation, queries without relevant documents counting 0."""
    result = evaluate(judgments, run, [name.replace("ERR@", "ERR(max_grade=2)@") for name in MEASURES], ties="input")
    return [float(result.matrix[:, at].sum()) / len(judgments) for at in range(len(MEASURES))]


def top(run: dict[str, dict[str, float]], query: str) -> set[str]:
    return set(sorted(run[query], key=lambda one: -run[query][one])[:DEPTH])


def test_a_judged_query_that_no_run_answers_counts_zero() -> None:
    """Its judgments are counted, and every run, old or new, has the mean of an ordinary evaluation."""
    judged = {"q1": {"a": 1.0, "b": 0.0, "c": 2.0}, "q2": {"a": 1.0, "d": 0.0}}
    old, new = {"q1": {"b": 2.0, "a": 1.0}}, {"q1": {"a": 2.0, "x": 1.0}}
    found = reuse(judged, {"old": old}, MEASURES, new={"new": new}, depth=1)
    assert list(found.pool.queries) == ["q1", "q2"]
    assert len(found.judged_grades) == 5
    assert found.without_runs.values[:, 0] == pytest.approx(values(judged, old), abs=1e-12)
    assert found.new_runs is not None
    assert found.new_runs.frame()["value"].to_list() == pytest.approx(values(judged, new), abs=1e-12)


def test_the_judgments_show_who_was_pooled(found: Reuse) -> None:
    """The depth and the runs that contributed are found without being said."""
    made = found.contributions
    assert made.depth == DEPTH
    assert made.contributed.tolist() == [True] * 20 + [False] * 4


@pytest.mark.parametrize("kind", ["team", "run"])
def test_leaving_out_is_an_evaluation_without_the_documents(collection: dict[str, Any], kind: str) -> None:
    """Judgments without a group's own documents give every run the same values."""
    runs, judged, teams = collection["runs"], collection["judgments"], collection["teams"]
    some = reuse(judged, runs, MEASURES, teams=teams, depth=DEPTH)
    left = some.without_teams if kind == "team" else some.without_runs
    assert left is not None
    assert some.contributions.contributed.tolist() == [True] * 20 + [False] * 5
    for group in (0, 3):
        name = left.groups[group]
        mine = [run for run in list(runs)[:20] if (teams[run] if kind == "team" else run) == name]
        others = [run for run in list(runs)[:20] if run not in mine]
        unique = 0
        less: dict[str, dict[str, float]] = {}
        for query, grades in judged.items():
            kept = set().union(*(top(runs[run], query) for run in others))
            own = set().union(*(top(runs[run], query) for run in mine)) - kept
            unique += len(own)
            less[query] = {document: grade for document, grade in grades.items() if document not in own}
        assert left.unique[group] == unique
        for at in (0, 1, 7, 24):
            run = list(runs)[at]
            assert left.without[group, :, at] == pytest.approx(values(less, runs[run]), abs=1e-12)
            assert left.values[:, at] == pytest.approx(values(judged, runs[run]), abs=1e-12)


def test_tables_say_what_the_values_say(found: Reuse) -> None:
    """Changes, ranks and τ follow from the values with and without."""
    left = found.without_teams
    assert left is not None
    row = left.by_run().filter(pl.col("measure") == "AP").row(3, named=True)
    at = left.measures.index("AP")
    run = left.runs.index(row["run"])
    less = left.without[left.groups.index(row["left_out"]), at]
    assert row["change"] == pytest.approx(less[run] - left.values[at, run])
    assert row["rank"] == 1 + int((left.values[at] > left.values[at, run]).sum())
    assert row["rank_without"] == 1 + int((less > less[run]).sum())
    group = left.by_group().filter(pl.col("measure") == "AP").row(0, named=True)
    assert group["tau"] == pytest.approx(
        kendall_tau(left.values[at], left.without[left.groups.index(group["left_out"]), at])
    )
    assert left.by_measure()["change"].max() <= 0.02


def test_a_new_run_lies_within_its_bounds(found: Reuse, collection: dict[str, Any]) -> None:
    """What is judged gives the value; bounds hold it, the expected one, and the value with more judged."""
    assert found.new_runs is not None
    frame = found.new_runs.frame()
    last = list(collection["runs"])[-1]
    assert frame["value"].to_list() == pytest.approx(
        values(collection["judgments"], collection["runs"][last]), abs=1e-12
    )
    for row in frame.iter_rows(named=True):
        assert row["worst"] - 1e-12 <= row["value"] <= row["best"] + 1e-12
        assert 0 <= row["unjudged"] < 1


@pytest.mark.parametrize("measure", ["nDCG@3", "ERR(max_grade=3)@3", "ERR@3"])
def test_bounds_on_a_scale_whose_top_nobody_gave(measure: str) -> None:
    """With the scale declared, bounds are the extremes over all its grades of unjudged documents, and 3 is the top."""
    judged = {"q": {"a": 1.0, "b": 2.0, "c": 0.0}}
    old, new = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    said = reuse(judged, {"old": old}, [measure], new={"new": new}, levels=(0, 1, 2, 3), depth=3)
    assert said.new_runs is not None
    row = said.new_runs.frame().row(0, named=True)
    every = [
        evaluate({"q": judged["q"] | {"x": x, "y": y}}, new, measure, dialect=dialects.get("standard", max_grade=3))
        for x, y in itertools.product((0.0, 1.0, 2.0, 3.0), repeat=2)
    ]
    assert (row["worst"], row["best"]) == pytest.approx(
        (min(one[measure] for one in every), max(one[measure] for one in every))
    )
    assert row["value"] == pytest.approx(every[0][measure])


def test_relevant_from_the_threshold_on(collection: dict[str, Any]) -> None:
    """Documents are counted as relevant from the dialect's threshold on."""
    runs = {name: collection["runs"][name] for name in list(collection["runs"])[:20]}
    said = reuse(collection["judgments"], runs, ["AP"], dialect=dialects.get("standard", rel=2))
    grades = [grade for judged in collection["judgments"].values() for grade in judged.values()]
    assert PoolReuseReport(reuse=said).data()["relevant"] == grades.count(2.0)
    owned, judged = said.contributions.by_run, said.judged_grades
    assert (
        said.without_runs.relevant.sum() == ((owned >= 0) & (judged == 2)).sum() < ((owned >= 0) & (judged > 0)).sum()
    )


def test_everything_judged_leaves_nothing_open(collection: dict[str, Any]) -> None:
    """A new run whose documents are all judged has one value, and no share that is not judged."""
    runs = collection["runs"]
    whole = {query: {f"d{at}": float(at % 3) for at in range(150)} for query in collection["judgments"]}
    frame = reuse(whole, {"a": runs["run00"]}, MEASURES, new={"b": runs["run01"]}).new_runs.frame()  # type: ignore[union-attr]
    assert frame["unjudged"].to_list() == [0.0] * len(MEASURES)
    assert frame["worst"].to_list() == pytest.approx(frame["value"].to_list())
    assert frame["best"].to_list() == pytest.approx(frame["value"].to_list())


def test_no_interval_without_teams(collection: dict[str, Any]) -> None:
    """Ten teams fit a model but make no interval, which is said; two make neither."""
    runs = collection["runs"]
    old = {name: runs[name] for name in list(runs)[:20]}
    some = reuse(collection["judgments"], old, ["AP"], new={"x": runs["run24"]}, teams=collection["teams"], depth=DEPTH)
    row = some.new_runs.frame().row(0, named=True)  # type: ignore[union-attr]
    assert np.isnan(row["low"])
    assert "there are 10" in str(some.new_runs.reason)  # type: ignore[union-attr]
    two = reuse(collection["judgments"], {"a": runs["run00"], "b": runs["run01"]}, ["AP"], new={"x": runs["run24"]})
    assert np.isnan(two.new_runs.frame()["expected"][0])  # type: ignore[union-attr]


def test_errors_say_what_to_do(collection: dict[str, Any]) -> None:
    """A run may not be both old and new; judgments with gaps need a depth; nothing relevant is an error."""
    runs, judged = collection["runs"], collection["judgments"]
    with pytest.raises(InputError, match="both"):
        reuse(judged, runs, new={"run00": runs["run00"]})
    sparse = {query: dict(list(grades.items())[::3]) for query, grades in judged.items()}
    with pytest.raises(InputError, match="depth of the pool is not known"):
        _ = reuse(sparse, runs).contributions
    assert reuse(sparse, runs, depth=10).contributions.assumed
    with pytest.raises(InputError, match="above 0"):
        _ = reuse({query: dict.fromkeys(grades, 0) for query, grades in judged.items()}, runs).without_runs


def test_the_headline_says_who_loses(found: Reuse) -> None:
    """What a run loses is said as a loss, without a sign."""
    said = PoolReuseReport(reuse=found).headline()
    assert re.match(r"Without its team's own documents a run loses 0\.\d{4} \S+ on average", said)


def test_a_chart_of_bounds_has_room() -> None:
    """The scale goes on to a round value past the best, and the key names what is there."""
    row = {"run": "new", "worst": 0.3, "best": 0.81, "value": 0.5, "low": np.nan, "high": np.nan, "expected": np.nan}
    drawn = "".join(bounds([row]).parts)
    assert ">1</text>" in drawn
    assert "expected" not in drawn
    assert "expected" in "".join(bounds([row | {"expected": 0.6}]).parts)
    assert [beyond(value) for value in (0.8, 0.81, 0.1, 0.37)] == pytest.approx([0.8, 1.0, 0.1, 0.4])


def test_teams_are_read_from_lines() -> None:
    """Tabs, commas or blanks, with or without a header; a run in two teams and a line of one word are errors."""
    assert read_teams(["run\tteam", "a\tOne team", "", "b\tTwo"]) == {"a": "One team", "b": "Two"}
    assert read_teams(["a,one", "b two"]) == {"a": "one", "b": "two"}
    with pytest.raises(InputError, match=r"teams.tsv:2: .*two teams"):
        read_teams(["a one", "a two"], "teams.tsv")
    with pytest.raises(InputError, match=r"teams.tsv:1: expected a run and its team"):
        read_teams(["alone"], "teams.tsv")


def test_trec8() -> None:
    """72 of 129 runs, READWARE's short lists among them, brought in every judged document; ranks hardly move."""
    from rankgauge.papers.trec import trec8

    folder = shared("data/trec8_adhoc")
    pool, grades = trec8(folder)
    teams = read_teams((folder / "teams.tsv").read_text().splitlines())
    some = Reuse(pool=pool, grades=grades, new=np.zeros(129, dtype=bool), measures=("AP",), teams=teams)
    made = some.contributions
    assert (made.depth, int(made.contributed.sum()), int(made.unclaimed.sum())) == (100, 72, 0)
    assert "miti" in {made.teams[team] for team in made.team[made.contributed]}
    assert some.without_teams is not None
    row = some.without_teams.by_measure().row(0, named=True)
    assert (row["most_run"], row["most_fall"]) == ("READWARE2", 4)
    assert row["relative"] == pytest.approx(-0.0079, abs=1e-4)
    assert row["tau"] == pytest.approx(0.9906, abs=1e-4)


def test_documents_that_no_run_brought_in_are_told(collection: dict[str, Any]) -> None:
    """With some of the runs that made a pool, judged documents of the others are counted; with all there are none."""
    runs, judged = collection["runs"], collection["judgments"]
    some = {name: runs[name] for name in list(runs)[:5]}
    firsts = {(q, d) for each in some.values() for q, s in each.items() for d in sorted(s, key=lambda d: -s[d])[:DEPTH]}
    left = [grade for q, graded in judged.items() for d, grade in graded.items() if (q, d) not in firsts]
    words = f"{len(left):,} judged documents ({sum(grade > 0 for grade in left)} relevant) that no contributing run has"
    report = PoolReuseReport(reuse=reuse(judged, some, ("AP",), depth=DEPTH))
    stream = StringIO()
    report.show(stream)
    assert words in " ".join(stream.getvalue().split())
    assert report.data()["unclaimed"]["judged"] == len(left)
    whole = PoolReuseReport(reuse=reuse(judged, {name: runs[name] for name in list(runs)[:20]}, ("AP",), depth=DEPTH))
    assert whole.data()["unclaimed"] == {"judged": 0, "relevant": 0}


def test_the_page_has_what_is_printed() -> None:
    """Section 3 of the page on pools is what `reproduce pools` prints of the collections, up to the notes."""
    found = PAPERS["pools"].run(Setting(data=shared("data"), jobs=1))
    page = (ROOT / "docs" / "pools.md").read_text(encoding="utf-8")
    for report in found.reports.values():
        stream = StringIO()
        report.show(stream)
        printed = stream.getvalue().partition("\nchange  ")[0].strip()
        assert textwrap.indent(printed, "    ") in page


def test_the_headline_has_the_largest_fall_by_any_measure(found: Reuse) -> None:
    """Where another measure moves runs further than the one whose values change most, that is the fall to know of."""
    falls = found.without_teams.by_measure().select("measure", "most_fall") if found.without_teams else pl.DataFrame()
    measure, most = falls.sort("most_fall", descending=True, maintain_order=True).row(0)
    assert f"falls by {most} ranks at most (by {measure})" in PoolReuseReport(reuse=found).headline()
