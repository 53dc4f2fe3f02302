"""Campaigns for a board of runs: one stream of documents, goals, stages, and the guarantees of every campaign."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.labelling.board import Board, BoardPool, plan
from rankgauge.labelling.campaign import BoardCampaign, Campaign, LabelCampaign
from rankgauge.labelling.campaign.parquet import pack_board, unpack_board
from rankgauge.labelling.campaign.review import Review
from rankgauge.labelling.labels import Label
from rankgauge.labelling.reports.board import BoardReport
from rankgauge.labelling.reports.board_words import board_paragraph
from rankgauge.labelling.reports.plan import BoardPlanReport
from rankgauge.numeric import FloatArray
from rankgauge.render.format import Medium
from rankgauge.render.passages import Heading, Notes
from tests.active.board.collection import pooled, tables
from tests.active.campaigns import Truth, spend

SCALE = (0, 1, 2, 3)


@cache
def pool() -> BoardPool:
    """The pool of the collection's runs, without judgments."""
    judgments, runs, _ = tables()
    return BoardPool.from_runs(runs, texts=judgments.select("query", "document", title="document"))


@cache
def truth() -> Truth:
    """The grade of each document."""
    rows = tables()[0].select("query", "document", "grade").iter_rows()
    return {(query, document): grade for query, document, grade in rows}


def create(location: str | Path, budget: float = 80, **settings: object) -> BoardCampaign:
    """A campaign for nDCG@5 and AP."""
    return BoardCampaign.create(location, pool(), ["nDCG@5", "AP"], grades=SCALE, budget=budget, **settings)


def test_whole_way(database: str) -> None:
    """A campaign spends its budget on single documents, and its board is what the stream's sample says."""
    with create(database, seed=4) as campaign:
        spend(campaign, truth())
        progress, estimates = campaign.progress(), campaign.estimates()
        known = {(row[0], row[1]): row[2] for row in campaign.judgments().iter_rows()}
        board = Board.of(pool(), ["nDCG@5", "AP"], grades=SCALE)
    assert (progress.spent, progress.complete, progress.out) == (80, 80, 0)
    grades = np.array([known.get((pool().query_of(n), name), np.nan) for n, name in enumerate(pool().documents)])
    stream = board.stream(4)
    direct = board.estimate(board.read(stream, stream.exactly(80), grades, budget=80), seed=4)
    for one, other in zip(estimates, direct, strict=True):
        assert one.values == pytest.approx(other.values, abs=1e-12)
        assert one.half_widths() == pytest.approx(other.half_widths(), abs=1e-12)


def test_resumed(tmp_path: Path) -> None:
    """A campaign that is closed after every call hands out the same documents and says the same."""
    with create(tmp_path / "whole.rg", seed=3) as campaign:
        wanted, found = spend(campaign, truth()), campaign.estimates()
    create(tmp_path / "torn.rg", seed=3).close()
    handed: list[tuple[str, str]] = []
    while True:
        with LabelCampaign.open(tmp_path / "torn.rg") as campaign:
            rounds = spend(campaign, truth(), rounds=1)
        if not rounds:
            break
        handed += rounds
    assert handed == wanted
    with BoardCampaign.open(tmp_path / "torn.rg") as campaign:
        for one, other in zip(campaign.estimates(), found, strict=True):
            assert one.values.tolist() == other.values.tolist()


def test_looks_between_labels_change_nothing(tmp_path: Path) -> None:
    """A board that is looked at after every label says what a process says that reads all labels at once."""
    with create(tmp_path / "c.rg", seed=3) as campaign:
        spend(campaign, truth(), n=60, rounds=1)
        campaign.estimates()
        for _ in range(3):
            spend(campaign, truth(), n=1, rounds=1)
            found = campaign.estimates()
    with BoardCampaign.open(tmp_path / "c.rg") as campaign:
        for one, other in zip(campaign.estimates(), found, strict=True):
            assert one.values == pytest.approx(other.values, abs=1e-7)
            assert one.covariance.error == pytest.approx(other.covariance.error, rel=1e-5)


def test_the_pool_is_kept() -> None:
    """A pool is the same after it was packed: hits, lists, grades that were known and costs."""
    clicks = tables()[0].select("query", "document", clicks=pl.col("grade") * 2, title="document")
    made = BoardPool.from_runs(tables()[1], depth=7, also=tables()[0][:40], texts=clicks)
    made = made.with_costs(np.linspace(1, 2, len(made.documents)), np.full(len(made.queries), 0.5))
    again = unpack_board(pack_board(made))
    assert again.runs == made.runs
    for name in ("sizes", "run", "document", "rank", "lengths", "costs", "overhead"):
        assert (getattr(again, name) == getattr(made, name)).all()
    assert np.array_equal(again.known, made.known, equal_nan=True)
    assert again.documents.to_list() == made.documents.to_list()
    assert again.facts is not None
    assert made.facts is not None
    assert again.facts.equals(made.facts)
    assert again.facts.columns == ["clicks"]


def test_known_judgments_are_not_asked_for(tmp_path: Path) -> None:
    """Documents that were judged before are in the estimate and are never handed out."""
    judgments, runs, _ = tables()
    before = judgments[::3]
    known = BoardPool.from_runs(runs, also=before)
    with BoardCampaign.create(tmp_path / "c.rg", known, ["P@5"], grades=SCALE, budget=60) as campaign:
        asked = spend(campaign, truth())
        assert not set(asked) & set(before.select("query", "document").iter_rows())
        assert campaign.estimates()[0].labels == 60 + len(before)


def test_opening_a_query_costs(tmp_path: Path) -> None:
    """The first document of a query also pays for opening it, and the budget is never exceeded."""
    made = pool()
    costly = made.with_costs(made.costs, np.full(len(made.queries), 4.0))
    with BoardCampaign.create(tmp_path / "c.rg", costly, ["P@5"], grades=SCALE, budget=60) as campaign:
        asked = spend(campaign, truth())
        assert campaign.progress().spent == len(asked) + 4 * len({query for query, _ in asked})
        assert campaign.progress().spent <= 60


def test_a_goal_is_looked_at(tmp_path: Path) -> None:
    """A goal that labels may stop at has planned looks, the last with the whole budget."""
    with create(tmp_path / "c.rg", budget=240, goal="best") as campaign:
        looks = campaign.settings.looks
        assert looks[-1] == 240
        assert len(looks) == 6
        spend(campaign, truth())
        assert campaign.progress().stages == 1
        assert campaign.progress().paused == campaign.settled
        wanted = campaign.settled, campaign.progress().complete
    with BoardCampaign.open(tmp_path / "c.rg") as campaign:
        assert (campaign.settled, campaign.progress().complete) == wanted


def test_labels_are_aimed_among_many_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among many runs the first labels are a stage of their own, and the next is aimed at the runs in the race."""
    monkeypatch.setattr(plan, "MANY", 5)
    with create(tmp_path / "c.rg", budget=240, goal="best") as campaign:
        first = campaign.plan.length
        assert first == round(0.02 * len(campaign.pool.documents)) < campaign.settings.looks[0]
        handed = spend(campaign, truth(), n=first, rounds=1)
        assert campaign.progress().stages == 1
        handed += spend(campaign, truth())
        assert campaign.progress().stages == 2
        assert len(set(handed)) == len(handed) == campaign.progress().complete
    with BoardCampaign.open(tmp_path / "c.rg") as campaign:
        assert campaign.progress().stages == 2


def test_settled_pauses(tmp_path: Path) -> None:
    """Once a look settles the goal the campaign is paused, and hands out nothing."""
    three = BoardPool.from_runs({name: run for name, run in tables()[1].items() if name in ("run 0", "run 3", "run 4")})
    known = dict.fromkeys(truth(), 0.0) | dict.fromkeys(_top_of_first(three), 3.0)
    settings = {"grades": SCALE, "budget": 240, "goal": "best"}
    with BoardCampaign.create(tmp_path / "c.rg", three, ["P@5"], **settings) as campaign:
        asked = spend(campaign, known)
        assert campaign.settled
        assert campaign.progress().paused
        assert len(asked) < 240


def _top_of_first(made: BoardPool) -> list[tuple[str, str]]:
    """The first five documents of each of the first run's lists."""
    places = made.document[(made.run == 0) & (made.rank <= 5)].tolist()
    return [(made.query_of(place), str(made.documents[place])) for place in places]


def test_one_or_two_runs_have_another_method(tmp_path: Path) -> None:
    """A board of two runs gives no interval of a measure that other methods estimate well, but of nDCG it does."""
    two = BoardPool.from_runs(dict(list(tables()[1].items())[:2]))
    made = {"grades": SCALE, "budget": 100, "method": "leaderboard"}
    with BoardCampaign.create(tmp_path / "c.rg", two, ["P@5", "nDCG@5"], **made) as campaign:
        spend(campaign, truth())
        plain, ratio = campaign.estimates()
        assert plain.half_widths() is None
        assert "--method document" in str(plain.reason)
        assert ratio.half_widths() is not None


def test_refit(tmp_path: Path) -> None:
    """A new stage knows the labels so far, draws others, and has no interval before it has draws of its own."""
    with create(tmp_path / "c.rg", budget=150) as campaign:
        with pytest.raises(InputError, match="no document is judged"):
            campaign.refit()
        first = spend(campaign, truth(), n=60, rounds=1)
        tasks = campaign.lease(1)
        with pytest.raises(InputError, match="not judged yet"):
            campaign.refit()
        campaign.release(tasks)
        campaign.refit(leave_open=True)
        assert campaign.estimates() == ()
        second = spend(campaign, truth(), n=30, rounds=1)
        assert not set(first) & set(second)
        assert campaign.estimates()[0].labels == 90


def test_corrections_count_after_a_refit(tmp_path: Path) -> None:
    """A label of an earlier stage that is corrected counts as it is now."""
    with create(tmp_path / "c.rg", budget=150) as campaign:
        first = spend(campaign, truth(), n=60, rounds=1)
        campaign.refit()
        spend(campaign, truth(), n=60, rounds=1)
        before = campaign.estimates()[0].values
        campaign.record([(query, document, 3.0) for query, document in first], replace=True)
        assert (campaign.estimates()[0].values != before).all()


def test_all_that_is_judged_before_is_the_board(tmp_path: Path) -> None:
    """With every document judged before, the board is exact at once, and no stage can follow."""
    judgments, runs, _ = tables()
    whole = BoardPool.from_runs(runs, also=judgments)
    with BoardCampaign.create(tmp_path / "c.rg", whole, ["nDCG@5"], grades=SCALE, budget=10) as campaign:
        assert campaign.lease(5) == []
        (estimate,) = campaign.estimates()
        assert estimate.half_widths() == pytest.approx(np.zeros(5), abs=1e-9)
        with pytest.raises(InputError, match="every document is judged"):
            campaign.refit()


def test_what_a_room_shows(tmp_path: Path) -> None:
    """Tasks have texts, and queries are listed with what was asked and judged of them."""
    with create(tmp_path / "c.rg") as campaign:
        (task,) = campaign.lease(1)
        assert task.texts == {"title": task.document}
        campaign.release([task])
        spend(campaign, truth(), n=20, rounds=1)
        rows = Review(campaign).queries()
        assert rows["judged"].sum() == 20
        assert rows["value"].null_count() == len(rows)


def test_several_assessors_of_a_board_are_counted(tmp_path: Path) -> None:
    """Judging all of the pool costs a label of each assessor, forecasts are by documents, and the rule is named."""
    with create(tmp_path / "c.rg", assessors=2, combine="majority") as campaign:
        document = BoardPlanReport(campaign=campaign).document(Medium.TERMINAL)
        report = BoardReport.of(campaign, level=0.95)
    facts, heading = document.passages[:2]
    assert isinstance(facts, Notes)
    assert isinstance(heading, Heading)
    assert "Expected interval (±) by documents judged" in heading.title
    assert dict(facts.rows)["budget"].startswith(f"80 of {2 * len(pool().documents)} for all")
    assert dict(report.notes())["assessors"] == "2 per document, combined by majority"


def test_a_second_opinion_that_was_not_planned_is_combined_by_the_rule_of_boards(tmp_path: Path) -> None:
    """Where one assessor was planned and two differ, the majority counts, of two the lower; the notes and the paragraph
    name the rule."""
    with create(tmp_path / "c.rg", method="posterior") as campaign:
        task = campaign.lease(1)[0]
        campaign.record([Label(query=task.query, document=task.document, grade=0, assessor="anna")])
        assert "assessors" not in dict(BoardReport.of(campaign, level=0.95).notes())
        campaign.record([Label(query=task.query, document=task.document, grade=2, assessor="ben")])
        report = BoardReport.of(campaign, level=0.95)
        assert report.progress.judged == 1
        assert campaign.estimates()[0].values == pytest.approx(_alone(tmp_path, 0), abs=1e-12)
    said = dict(report.notes())["assessors"]
    assert said == "several for some documents, combined by majority; 1 per document was planned"
    assert "some by several of them (grades combined by majority)" in board_paragraph(report)


def _alone(tmp_path: Path, grade: int) -> FloatArray:
    """The values of the same campaign if one assessor says that of its first document."""
    with create(tmp_path / "alone.rg", method="posterior") as campaign:
        task = campaign.lease(1)[0]
        campaign.record([Label(query=task.query, document=task.document, grade=grade, assessor="anna")])
        return campaign.estimates()[0].values


def test_the_paragraph_says_that_documents_were_chosen_only_if_some_were(tmp_path: Path) -> None:
    """Documents that all go out before a label comes back are drawn at random, which the paragraph says."""
    with create(tmp_path / "c.rg", budget=5, method="posterior") as campaign:
        spend(campaign, truth())
        told = board_paragraph(BoardReport.of(campaign, level=0.95))
    assert "The documents were drawn at random, those at first ranks likelier. Values are" in told
    assert "chosen by" not in told


def test_settling_with_several_assessors_is_by_documents(tmp_path: Path) -> None:
    """A document of two assessors costs two labels, so that what settles the best run is told in documents."""
    for assessors, unit in [(1, "labels"), (2, "documents judged")]:
        with create(tmp_path / f"{assessors}.rg", assessors=assessors, method="posterior") as campaign:
            document = BoardPlanReport(campaign=campaign, place="c.rg").document(Medium.TERMINAL)
        end = document.passages[-1]
        assert isinstance(end, Notes)
        told = dict(end.rows)
        assert f" {unit} " in told["best run"]
        assert ("--assessor NAME" in told["next"]) == (assessors > 1)


@pytest.mark.parametrize("method", ["leaderboard", "posterior"])
def test_people_who_disagree(tmp_path: Path, method: str) -> None:
    """A mean of two people's grades may lie between two grades: on a board it counts as the nearest, the lower of
    two."""
    with create(tmp_path / "c.rg", method=method) as campaign:
        tasks = campaign.lease(60)
        for name, shift in (("anna", 0), ("ben", 1)):
            said = [(task.query, task.document, min(truth()[task.query, task.document], 2) + shift) for task in tasks]
            campaign.record([(*label, name) for label in said])
        wanted = {(task.query, task.document): min(truth()[task.query, task.document], 2) for task in tasks}
        assert {(row[0], row[1]): row[2] for row in campaign.judgments().iter_rows()} == wanted
        assert len(campaign.estimates()) == 2
        campaign.refit()
        assert campaign.progress().stages == 2


@pytest.mark.parametrize("method", ["leaderboard", "posterior"])
def test_a_measure_that_is_judged_whole_is_exact(tmp_path: Path, method: str) -> None:
    """Once every document among the first five is judged P@5 is known, whatever is open further down."""
    made = BoardPool.from_runs(tables()[1], depth=12)
    names = {"measures": ["P@5"], "grades": SCALE, "budget": 220, "method": method, "seed": 1}
    with BoardCampaign.create(tmp_path / "c.rg", made, **names) as campaign:
        spend(campaign, truth(), n=20)
        (estimate,) = campaign.estimates()
        assert not campaign.judged.all()
        assert campaign.judged[made.best_rank <= 5].all()
    top = made.rank <= 5
    relevant = np.array([truth()[made.query_of(n), name] > 0 for n, name in enumerate(made.documents)])
    counts = np.bincount(made.run[top], relevant[made.document[top]])
    assert estimate.values == pytest.approx(counts / 5 / len(made.queries), abs=1e-12)
    assert (estimate.half_widths() == 0).all()


def test_the_cost_of_all_leaves_out_what_is_judged(tmp_path: Path) -> None:
    """What judging everything would cost is what is open, with the opening of its queries."""
    known = BoardPool.from_runs(tables()[1], also=tables()[0][::3])
    known = known.with_costs(np.full(len(known.documents), 2.0), np.full(len(known.queries), 1.0))
    with BoardCampaign.create(tmp_path / "c.rg", known, ["P@5"], grades=SCALE, budget=60) as campaign:
        (facts, *_) = BoardPlanReport(campaign=campaign).document(Medium.TERMINAL).passages
    assert isinstance(facts, Notes)
    open_ = np.isnan(known.known)
    cost = 2 * open_.sum() + len(np.unique(known.query[open_]))
    assert dict(facts.rows)["budget"].startswith(f"60 of {cost} for all")


def test_mistakes(tmp_path: Path) -> None:
    """The wrong kind of campaign, rules whose grades leave the scale, and goals that are none are refused."""
    create(tmp_path / "c.rg").close()
    with pytest.raises(InputError, match=r"a board of runs[\s\S]*BoardCampaign.open"):
        Campaign.open(tmp_path / "c.rg")
    with pytest.raises(ParameterError, match="majority"):
        create(tmp_path / "d.rg", assessors=2, combine="mean")
    with pytest.raises(ParameterError, match="majority"):
        create(tmp_path / "d.rg", assessors=2, combine="median")
    with pytest.raises(ParameterError, match="one document"):
        create(tmp_path / "d.rg", budget=0.5, goal="best")
    with pytest.raises(InputError, match="the same measure"):
        BoardCampaign.create(tmp_path / "d.rg", pool(), ["P@5", "P@5"], grades=SCALE, budget=50)
    off = BoardPool.from_runs(tables()[1], also=tables()[0].with_columns(grade=pl.lit(7.0)))
    with pytest.raises(InputError, match="7 is not on the scale"):
        BoardCampaign.create(tmp_path / "d.rg", off, ["P@5"], grades=SCALE, budget=50)
    with pytest.raises(UnknownNameError, match="run 9"):
        create(tmp_path / "d.rg", goal="beats run 9")
    with pytest.raises(ParameterError, match="goal"):
        create(tmp_path / "d.rg", goal="best 0")
    assert not (tmp_path / "d.rg").exists()
    assert len(pooled()[0].documents) == 400
