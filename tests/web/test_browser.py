"""The judging room in a real browser: Debian's Chromium, headless."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Browser, expect

from rankgauge.demo.collection import generate_pool
from rankgauge.labelling.labels import Label
from rankgauge.room import app
from tests.program import rankgauge
from tests.web.house import LEVELS, House, open_house, parquet, pool, truth, write_pool
from tests.web.visitors import Opener, admin, assessor, needs_chromium, press, shown

pytestmark = needs_chromium


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(f"sqlite:///{tmp_path / 'room.db'}", lease_minutes=5) as opened:
        yield opened


def test_a_campaign_from_the_first_click_to_the_export(house: House, opener: Opener, tmp_path: Path) -> None:
    """Make a campaign, invite two, judge 30 documents each by keyboard at the same time, watch the estimate move,
    end a disagreement, export; the command line finds the same numbers."""
    boss = admin(house, opener)
    boss.get_by_role("link", name="New campaign").click()
    boss.locator("[name=lists]").set_input_files(write_pool(tmp_path))
    boss.get_by_role("button", name="Upload").click()
    boss.get_by_role("link", name="Go on to the plan").click()
    boss.locator("[name=measure]").fill("ERR@5")
    boss.locator("[name=budget]").fill("100")
    boss.get_by_label("Assessors per document").fill("2")
    boss.get_by_role("button", name="Go on to judging").click()
    boss.locator("[name=name]").fill("Autumn")
    for line in LEVELS.splitlines():
        level, _, meaning = line.partition(": ")
        boss.get_by_label(f"Name of grade {level[0]}").fill(level[2:])
        boss.get_by_label(f"Meaning of grade {level[0]}").fill(meaning)
    boss.get_by_role("button", name="Go on", exact=True).click()
    boss.get_by_role("button", name="Make the campaign").click()
    expect(boss.get_by_role("heading", name="Autumn")).to_be_visible()
    expect(boss.locator("#estimate")).to_have_text("–")

    links = {}
    boss.get_by_role("link", name="People").click()
    for name in ("ann", "bob"):
        boss.get_by_label("Names").fill(name)
        boss.get_by_role("button", name="Make links").click()
        links[name] = boss.locator("#link").inner_text().replace("http://127.0.0.1:0", house.base)
    boss.get_by_role("link", name="Dashboard").click()

    pages = {name: opener(link) for name, link in links.items()}
    seen, estimates = {name: set[tuple[str, str]]() for name in pages}, set[str]()
    for step in range(30):
        for name, page in pages.items():
            document = shown(page)
            assert document not in seen[name]
            seen[name].add(document)
            wrong = name == "bob" and step % 10 == 3
            press(page, str((truth()[document] + wrong) % 3))
        if step % 10 == 9:
            expect(boss.locator("#progress")).to_contain_text(f"{2 * (step + 1)} labels", timeout=15_000)
            estimates.add(boss.locator("#estimate").inner_text())
    assert len(estimates) > 1, "the estimate did not move"
    assert pages["ann"].locator(".foot").inner_text().startswith("30 judged by you")

    boss.get_by_role("link", name="Disagreements", exact=True).click()
    expect(boss.locator(".disagreement")).to_have_count(3)
    boss.locator(".disagreement").first.get_by_label("Why").press("Enter")
    boss.reload()
    expect(boss.get_by_text("Settled:")).to_have_count(0)
    boss.locator(".disagreement").first.get_by_role("button", name="good").click()
    expect(boss.get_by_text("Settled: good, by admin")).to_be_visible()

    boss.get_by_role("link", name="Dashboard").click()
    value = boss.locator("#estimate").inner_text().split()[0]
    ends = re.search(r"interval ([\d.]+) to ([\d.]+)", boss.locator("#estimate + p").inner_text())
    assert ends is not None
    boss.get_by_role("link", name="Files").click()
    with boss.expect_download() as download:
        boss.get_by_role("link", name="campaign.rg").click()
    download.value.save_as(tmp_path / "export.rg")
    found = _estimate(str(tmp_path / "export.rg"))
    assert f"{found['value']:.3f}" == value
    assert (f"{found['low']:.3f}", f"{found['high']:.3f}") == ends.groups()
    assert found == _estimate(str(house.room.engine.url.render_as_string(hide_password=False)) + "#Autumn")


def _estimate(location: str) -> dict[str, float]:
    """What `rankgauge active estimate` says."""
    said = rankgauge(["active", "estimate", location, "-o", "json"], Path.cwd())
    assert said.code == 0, said.err
    estimate = json.loads(said.out)["estimate"]
    return {name: estimate[name] for name in ("value", "low", "high", "draws", "labels")}


def test_every_key(house: House, opener: Opener) -> None:
    """A digit grades, s skips, u takes back, c comments, arrows move the focus and Enter answers."""
    number = house.campaign(method="passive", budget=30)
    page = assessor(house, opener, number, "ann")
    labels = house.room.campaigns.get(number).campaign.labels
    first = shown(page)
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Wrong language")).to_be_visible()
    press(page, "w")
    row = labels().row(0, named=True)
    assert (row["kind"], row["comment"]) == ("skip", "wrong language")
    page.keyboard.press("u")
    expect(page.get_by_text("You said: it cannot be judged (wrong language)")).to_be_visible()
    assert shown(page) == first
    page.keyboard.press("c")
    page.keyboard.type("2 much to say")
    page.keyboard.press("Escape")
    press(page, "2")
    (row,) = labels().rows(named=True)
    assert (row["kind"], row["grade"], row["comment"]) == ("grade", 2.0, "2 much to say")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    press(page, "Enter")
    assert labels()["grade"].to_list() == [2.0, 1.0]


def test_judging_without_a_script(house: House, opener: Opener) -> None:
    """The form works where scripts do not run, and taking back does too; Enter in the comment answers nothing."""
    number = house.campaign(method="passive", budget=30)
    page = opener(f"{house.base}/enter", java_script_enabled=False, link=house.room.people.invite(number, "ann")[1])
    first = shown(page)
    page.get_by_label("Comment").press("Enter")
    page.reload()
    assert shown(page) == first
    page.get_by_role("button", name="fair").click()
    assert shown(page) != first
    page.get_by_role("link", name="Undo").click()
    assert shown(page) == first
    page.get_by_role("button", name="bad").click()
    assert house.room.campaigns.get(number).campaign.labels()["grade"].to_list() == [0.0]


def test_scripts_in_texts_are_inert(house: House, opener: Opener) -> None:
    """Stored script in query, title, text, address and comment is shown as text, to assessors and to admins."""
    evil = "<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">"
    frame = (
        pool()
        .drop("grade")
        .with_columns(
            pl.lit(f"find {evil}").alias("query_text"),
            pl.lit(f"title {evil}").alias("title"),
            pl.lit(f"text {evil} find").alias("text"),
            pl.lit("javascript:document.title='hit'").alias("url"),
        )
    )
    params = {"name": f"c {evil}"[:100], "measure": "ERR@5", "budget": 100, "filename": "p.parquet"}
    params |= {"levels": LEVELS, "assessors": 2, "guide": evil}
    answer = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame))
    number = answer.json()["id"]
    pages = [assessor(house, opener, number, name) for name in ("ann", "bob")]
    for page, key in zip(pages, "02", strict=True):
        assert "<script>" in page.locator(".document").inner_text()
        assert page.locator(".document a").count() == 0, "an address that is no page of the web is no link"
        page.keyboard.press("c")
        page.keyboard.type(evil)
        page.keyboard.press("Escape")
        press(page, key)
    boss = admin(house, opener)
    for path in ("", "/people", "/disagreements", "/queries", "/files", "/judge"):
        boss.goto(f"{house.base}/campaigns/{number}{path}")
        assert boss.title() != "hit"
    assert all(page.title() != "hit" for page in pages)


@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_the_screen(house: House, opener: Opener, width: int) -> None:
    """No page is wider than a telephone or a desk, everything that takes input is labelled, and one heading leads."""
    number = house.campaign(assessors=2)
    page = admin(house, opener, viewport={"width": width, "height": 800})
    paths = [
        "/",
        "/campaigns/new",
        "/tokens",
        *(f"/campaigns/{number}{p}" for p in ("", "/people", "/files", "/judge")),
    ]
    for path in paths:
        page.goto(house.base + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator("h1").count() == 1, path
        unlabelled = "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]"
        assert page.evaluate(f"{unlabelled}.filter(one => !one.labels.length).length") == 0, path


def test_a_campaign_stops_by_its_rule(house: House, opener: Opener) -> None:
    """Once the interval is as narrow as the rule says the campaign pauses by itself, and the assessor is told."""
    frame = generate_pool(rng=np.random.default_rng(1), queries=130, documents=2)
    params = {"name": "long", "measure": "P@2", "budget": 260, "method": "passive", "filename": "p.parquet"}
    answer = house.program().post(
        "/api/v1/campaigns", params=params | {"levels": LEVELS, "stop_at": 0.001}, content=parquet(frame.drop("grade"))
    )
    number = answer.json()["id"]
    opened = house.room.campaigns.get(number)
    grades = {(query, document): grade for query, document, grade in frame.select("query", "document", "grade").rows()}
    tasks = opened.campaign.lease(240, "ann")
    opened.answers.record(
        [Label(query=t.query, document=t.document, grade=grades[t.query, t.document], assessor="ann") for t in tasks],
        leased=True,
    )
    assert not opened.campaign.progress().paused, "±0.001 is not reached"
    page = assessor(house, opener, number, "bob")
    house.room.campaigns.stop_at(number, 0.2)
    press(page, str(grades[shown(page)]))
    expect(page.get_by_role("heading", name="All done: the target precision has been reached.")).to_be_visible()
    page.get_by_role("link", name="Your answers").click()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    assert page.url.endswith("/judge/history")
    found = opened.estimate()
    assert found is not None
    assert found.draws >= 100
    assert (found.high - found.low) / 2 <= 0.2


def test_a_database_that_does_not_answer(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page tries again by itself, then says what is wrong in the room's words; the answer stays, to be sent."""
    monkeypatch.setattr(app, "PATIENCE", 0.05)
    path = tmp_path / "locked.db"
    with open_house(f"sqlite:///{path}") as house, browser.new_context() as context:
        number = house.campaign(method="passive")
        page = context.new_page()
        page.goto(f"{house.base}/enter#{house.room.people.invite(number, 'ann')[1]}")
        page.get_by_role("button", name="Sign in").click()
        before = shown(page)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("begin immediate")
            page.keyboard.press("2")
            expect(page.locator("#status")).to_have_text("No answer yet; trying again …", timeout=20_000)
            told = "Not recorded: the database is locked by another program; nothing is lost, try again."
            expect(page.locator("#status")).to_contain_text(told, timeout=20_000)
            other.execute("rollback")
        assert shown(page) == before
        press(page, "2")
        labels = house.room.campaigns.get(number).campaign.labels()
        assert labels.select("query", "document", "grade").rows() == [(*before, 2.0)]
