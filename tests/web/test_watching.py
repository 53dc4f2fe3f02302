"""Watching a campaign: a leaderboard of several runs, queries by their text, and no interval from next to nothing."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankgauge.errors import NothingToJudgeError
from rankgauge.room.campaigns import OpenCampaign, Overview
from tests.program import invoke
from tests.web.boards import RUNS, board_files
from tests.web.house import House, csrf, open_house, parquet, truth


@pytest.fixture
def room(tmp_path: Path) -> House:
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        yield opened


def words(text: str) -> str:
    """The text of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def judged(opened: OpenCampaign, grades: dict[tuple[str, str], int], most: int = 1000) -> None:
    """Judges up to so many documents without a mistake."""
    tasks = opened.campaign.lease(most, "ann")
    opened.campaign.record([(t.query, t.document, grades[t.query, t.document], "ann") for t in tasks])


def board(room: House, **settings: str) -> int:
    """A board of the test's runs."""
    client = room.admin()
    token = {"csrf": csrf(client)}
    draft = client.post("/drafts", data=token, files=board_files().sent()).headers["location"].rpartition("/")[0]
    assert client.post(f"{draft}/plan", data={**token, **settings}).status_code == 303
    return int(client.post(f"{draft}/make", data=token).headers["location"].rpartition("/")[2])


def test_a_leaderboard_is_watched(room: House) -> None:
    """Before the first label nothing is claimed; then ranks, settled pairs and the documents that matter, by title."""
    number = board(room, measure="nDCG@5, AP", budget="150")
    client, opened = room.admin(), room.room.campaigns.get(number)
    assert "no document is judged yet" in words(client.get(f"/campaigns/{number}").text)
    judged(opened, board_files().truth)
    page = words(client.get(f"/campaigns/{number}").text)
    assert "Leaderboard: nDCG@5" in page
    assert "on new queries" in page
    assert "150 more labels before AP has an interval; nothing is claimed until then." in page
    settled = page.partition("Which pairs are settled: nDCG@5")[2]
    assert re.search(r"dense .*random.* – ", settled), "the best run beats chance"
    hinge = page.partition("Documents that still matter most")[2].partition("Who judges")[0]
    assert "how to mend a q" in hinge
    assert "About q" in hinge
    assert all(run in page for run in RUNS)
    queries = words(client.get(f"/campaigns/{number}/queries").text)
    assert "how to mend a q00 tyre" in queries


def test_texts_of_queries(room: House) -> None:
    """A file of what people typed reaches the assessor, also where the documents have no texts."""
    client, token = room.admin(), {}
    token["csrf"] = csrf(client)
    typed = "".join(f"q{n:02}\twhy is q{n:02} slow?\n" for n in range(40)).encode()
    files = [*(("lists", run) for run in board_files().lists), ("queries", ("queries.tsv", typed))]
    draft = client.post("/drafts", data=token, files=files).headers["location"].rpartition("/")[0]
    client.post(f"{draft}/plan", data={**token, "measure": "nDCG@5", "budget": "50"})
    number = int(client.post(f"{draft}/make", data=token).headers["location"].rpartition("/")[2])
    (task,) = room.room.campaigns.get(number).campaign.lease(1, "ann")
    assert task.texts["query_text"] == f"why is {task.query} slow?"


def test_a_board_stops_at_its_goal(room: House) -> None:
    """Who is clearly best is settled at a planned look; then the campaign pauses by itself, and the page says so."""
    number = board(room, measure="nDCG@5", budget="290", goal="beats random")
    opened = room.room.campaigns.get(number)
    while not opened.campaign.progress().paused:
        judged(opened, board_files().truth, 20)
    assert opened.campaign.progress().spent < 290
    page = words(room.admin().get(f"/campaigns/{number}").text)
    assert "beats random by nDCG@5: settled" in page
    assert "paused" in page


def test_a_rule_that_is_met_when_it_is_set(database: str, tmp_path: Path) -> None:
    """The campaign stops at once; the dashboard and the command line say by which rule."""
    with open_house(database) as house:
        number = house.campaign("autumn", budget=100, method="passive")
        opened = house.room.campaigns.get(number)
        judged(opened, truth())  # all that the value depends on: the interval has no width
        summary = house.program().put(f"/api/v1/campaigns/{number}/stop", json={"half_width": 0.4}).json()
        assert summary["progress"]["paused"]
        page = words(house.admin().get(f"/campaigns/{number}").text)
        assert "paused the stopping rule is met: ±0.4 reached" in page
        out = invoke(["active", "next", f"{database}#autumn", "-o", str(tmp_path / "tasks.csv")])
        assert isinstance(out.exception, NothingToJudgeError)
        assert "nothing is handed out: the stopping rule is met: ±0.4 reached" in str(out.exception)
        house.program().post(f"/api/v1/campaigns/{number}/resume")
        house.program().post(f"/api/v1/campaigns/{number}/pause")
        house.program().put(f"/api/v1/campaigns/{number}/stop", json={"half_width": None})
        page = words(house.admin().get(f"/campaigns/{number}").text)
        assert "0 leased now · paused Assessors" in page, "paused by somebody, and by no rule"


def test_no_half_width_of_an_uneven_interval(room: House) -> None:
    """Where one side of the interval is longer, pages show its ends, and no ± beside them."""
    number = room.campaign(budget=72, method="passive")
    opened = room.room.campaigns.get(number)
    judged(opened, dict.fromkeys(truth(), 0), 36)
    found = opened.estimate()
    assert found is not None
    assert found.shown
    assert found.high - found.value > 1.1 * (found.value - found.low)
    page = words(room.admin().get(f"/campaigns/{number}/progress").text)
    assert f"{found.low:.3f} to {found.high:.3f}" in page
    assert "±" not in page
    assert f"{found.low:.3f} to {found.high:.3f}" in words(room.admin().get("/").text)


def test_dashboards_share_the_work(room: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long is computed once for all who watch, and again once there are labels."""
    number, done = room.campaign(method="passive"), list[OpenCampaign]()
    overview = Overview.of.__func__
    monkeypatch.setattr(Overview, "of", classmethod(lambda cls, one: done.append(one) or overview(cls, one)))
    opened, client = room.room.campaigns.get(number), room.admin()
    for most in (5, 7):
        judged(opened, truth(), most)
        for page in ("", "/progress", "/progress"):
            assert "labels" in client.get(f"/campaigns/{number}{page}").text
    assert done == [opened] * 2
    assert "12 labels" in words(client.get(f"/campaigns/{number}").text)


def test_no_interval_from_two_draws(room: House) -> None:
    """With fewer than five draws of a larger pool the page says what is lacking, whatever the version that began it."""
    number = room.campaign(method="passive", budget=60)
    opened = room.room.campaigns.get(number)
    opened.campaign._state.cautious = False
    for plan in opened.campaign.plans:
        plan.cautious = False
    judged(opened, dict(truth()), 15)
    found = opened.campaign.estimate()
    assert found is not None
    assert found.draws < 5
    client = room.admin()
    page = words(client.get(f"/campaigns/{number}").text)
    assert "Not yet: about" in page
    assert "95 % interval" not in page
    assert "±" not in words(client.get("/").text).partition("State")[2]
    judged(opened, dict(truth()), 30)
    assert "95 % interval" in words(client.get(f"/campaigns/{number}").text)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"budget": 12, "method": "passive"}, "what is left of the budget may not pay for all of the next documents"),
        ({"budget": 30, "method": "auto"}, "the budget is spent"),
        ({"budget": 100, "method": "passive"}, "every document that the estimate needs is judged"),
    ],
)
def test_a_campaign_that_is_over_says_so(room: House, settings: dict[str, Any], why: str) -> None:
    """Once nobody gets documents any more, dashboard, start page and API say why; before, none of them does."""
    number = room.campaign(**settings)
    opened, client, program = room.room.campaigns.get(number), room.admin(), room.program()
    judged(opened, truth(), 5)
    assert program.get(f"/api/v1/campaigns/{number}").json()["over"] is None
    assert "over" not in words(client.get("/").text).partition("State")[2].split()
    while not opened.campaign.why_over():
        judged(opened, truth(), 5)
    assert opened.campaign.lease(5, "bob") == []
    assert program.get(f"/api/v1/campaigns/{number}").json()["over"] == why
    page = words(client.get(f"/campaigns/{number}").text)
    assert f"0 leased now · over {why}" in page
    assert "valid once" not in page
    assert "over" in words(client.get("/").text).partition("State")[2].split()


def test_a_viewer_sees_no_buttons_that_do_not_work(room: House) -> None:
    """Pausing and rules are not offered to people who may only look."""
    from rankgauge.room.people import Role

    number = room.campaign()
    viewer = room.enter(room.room.people.invite(number, "vera", Role.VIEWER)[1])
    page = viewer.get(f"/campaigns/{number}").text
    assert "Pause" not in page
    assert "Stop when" not in page


def test_queries_without_a_text_are_called_by_their_ids(room: House) -> None:
    """Where the pool has no texts, ids are all there is."""
    frame = pl.DataFrame({"query": ["x1", "x1"], "document": ["a", "b"], "score": [1.0, 0.5]})
    params = {"name": "bare", "measure": "P@2", "budget": 2, "filename": "pool.parquet"}
    made = room.program().post("/api/v1/campaigns", params=params, content=parquet(frame)).json()
    opened = room.room.campaigns.get(made["id"])
    assert dict(opened.campaign.texts.queries) == {"x1": "x1"}
    assert opened.campaign.texts.titles([("x1", "b")]) == {("x1", "b"): "b"}
