"""Sessions that end: the page says what happened and how to go on, and what was typed into a form comes back."""

from __future__ import annotations

import html
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import update

from rankgauge.labelling.campaign.database import Location, writing
from rankgauge.room.database import SESSIONS, open_engine
from rankgauge.room.people import People, Role
from rankgauge.room.settings import RoomSettings
from tests.program import rankgauge
from tests.web.house import House, csrf, open_house
from tests.web.visitors import needs_chromium


@pytest.fixture
def room(tmp_path: Path) -> Iterator[House]:
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        yield opened


def run_out(house: House) -> None:
    """Every session is over."""
    with writing(house.room.engine) as connection:
        connection.execute(update(SESSIONS).values(expires=SESSIONS.c.expires - 13 * 3600))


def refusal(client: httpx.Client, path: str = "/") -> str:
    """What is said to somebody who is not let in."""
    answer = client.get(path)
    assert answer.status_code == 401
    return html.unescape(answer.text)


def test_a_session_that_ran_out_says_so(house: House) -> None:
    """To everybody in their own words; to a stranger nothing is said of sessions. Others that end are not confused."""
    number = house.campaign()
    ann, boss, gone = house.assessor(number, "ann"), house.admin(), house.assessor(number, "gone")
    gone.post("/leave", data={"csrf": csrf(gone, f"/campaigns/{number}/judge")})
    run_out(house)
    assert boss.get("/tokens").status_code == 401
    house.admin()  # signing in forgets no session that ran out lately
    told = refusal(ann)
    assert "Your session has ended" in told
    assert "Sessions last 12 hours" in told
    assert "Open your personal link again" in told
    assert "administrator" not in told
    told = refusal(boss)
    assert "an administrator’s link works once" in told
    assert "rankgauge admin-link" in told
    assert "personal link" not in told
    for client in (house.guest(), gone):
        told = refusal(client)
        assert "You are not signed in" in told
        assert "session" not in told


def test_the_cookie_outlives_the_session(house: House) -> None:
    """Without a cookie the room could not tell whose session has ended from a stranger."""
    client = house.guest()
    answer = client.post("/enter", data={"link": house.room.people.admin_link()})
    (age,) = [part for part in answer.headers["set-cookie"].split("; ") if part.startswith("Max-Age=")]
    assert int(age.partition("=")[2]) == (12 + 30 * 24) * 3600


def test_an_administrators_link_without_a_restart(room: House, tmp_path: Path) -> None:
    """`rankgauge admin-link` prints one for a room that is open; where there is no room it says so."""
    database = room.room.engine.url.render_as_string(hide_password=False)
    command = ["admin-link", "--url", room.base, "--database"]
    said = rankgauge([*command, database], tmp_path).out
    client = room.guest()
    assert client.post("/enter", data={"link": said}).status_code == 303
    assert client.get("/tokens").status_code == 200
    missing = rankgauge([*command, "sqlite:///none.db"], tmp_path)
    assert missing.code == 2
    assert "there is no judging room" in missing.err
    assert not (tmp_path / "none.db").exists()


def entered(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state("load")


@needs_chromium
def test_what_was_typed_comes_back(room: House, browser: Browser) -> None:
    """Guidelines that are saved after the session has ended are kept, come back after signing in, and are saved."""
    number = room.campaign()
    address = f"{room.base}/campaigns/{number}/settings"
    link = f"{room.base}/enter#{room.room.people.invite(number, 'mia', Role.MANAGER)[1]}"
    with browser.new_context() as context:
        page = context.new_page()
        entered(page, link)
        page.goto(address)
        page.locator("[name=guide]").fill("An hour's work")
        page.locator("[name=meaning_2]").fill("says it all")
        run_out(room)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="Your session has ended")).to_be_visible()
        expect(page.get_by_text("What you typed is kept in this browser.")).to_be_visible()
        entered(page, link)
        page.get_by_role("link", name="Go back to it").click()
        expect(page.get_by_text("What you typed is back. It was not saved yet.")).to_be_visible()
        expect(page.locator("[name=guide]")).to_have_value("An hour's work")
        expect(page.locator("[name=name]")).to_have_value("autumn")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("What was changed")).to_be_visible()
        expect(page.locator(".note")).to_have_count(0)
        guide = room.room.campaigns.get(number).rules.guide
        assert (guide.words, guide.meanings["2"]) == ("An hour's work", "says it all")
        page.locator("[name=budget]").fill("lots")
        page.get_by_role("button", name="Change the budget").click()
        expect(page.get_by_role("alert")).to_contain_text("'lots' is not a number")
        expect(page.locator("[name=budget]")).to_have_value("lots")
        page.get_by_role("button", name="Forget it").click()
        page.goto(address)
        expect(page.locator("[name=budget]")).to_have_value("60")


def test_an_expired_link_stays_so(database: str) -> None:
    """A clock that goes back, even over a restart, brings no link, session or token back."""
    now = time.time()
    times = {"now": now}
    with open_engine(Location(database), existing=False) as engine:
        people = People(engine, RoomSettings(invite_days=1), clock=lambda: times["now"])
        person, link = people.invite(1, "ann")
        token = people.new_token(person.id, "program")
        entered = people.enter(link)
        assert entered is not None
        times["now"] = now + 100 * 86400
        assert people.by_link(link) is None
        times["now"] = now
        again = People(engine, RoomSettings(), clock=lambda: now)
        for restarted in (people, again):
            assert restarted.by_link(link) is None
            assert restarted.enter(link) is None
            assert restarted.by_token(token) is None
            assert restarted.by_session(entered[1]) is None
