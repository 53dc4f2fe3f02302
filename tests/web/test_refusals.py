"""Answers that the judging room refuses: the page says why, and leads on; nothing that was typed is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import update

from rankgauge.labelling.campaign.database import writing
from rankgauge.labelling.campaign.tables import leases
from rankgauge.room.gold import GoldRules
from rankgauge.room.people import Role
from tests.web.crowd import FRAGMENT
from tests.web.house import House, fields, open_house
from tests.web.test_gold import golden, judge, wrongly
from tests.web.visitors import needs_chromium, shown

ROOM = {"secret": "a key that decides when a gold question is asked"}
"""A room's own key is random, and the questions with it: a few tests would fail once in thirty runs."""


def refused(client: httpx.Client, page: str, sent: dict[str, str], status: int) -> str:
    """What the page says of an answer that is refused, which is the same with the script and without."""
    whole, part = (client.post(page, data=sent, headers=headers) for headers in ({}, FRAGMENT))
    assert (whole.status_code, part.status_code) == (status, status)
    assert part.headers["x-fragment"] == "1"
    assert "<html" in whole.text
    assert "<html" not in part.text
    return part.text


def end_leases(house: House) -> None:
    """Every lease is over."""
    with writing(house.room.engine) as connection:
        connection.execute(update(leases).values(until=0.0))


def test_who_is_blocked_is_offered_no_way_back(house: House) -> None:
    """Neither by the page nor by the list of answers: there is nothing that they could change."""
    number = house.campaign(budget=20, method="passive")
    house.room.gold.add(number, 1, golden(40))
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0.6, least=3))
    client, page = house.assessor(number, "bob"), f"/campaigns/{number}/judge"
    form = fields(client.get(page).text)
    judge(client, number, 12, wrongly)
    told = refused(client, page, {**form, "grade": "1", "again": "true"}, 403)
    assert "Thank you for your work so far." in told
    assert "Your last answer was not recorded." in told
    for text in (told, client.get(page).text, client.get(page, params={"before": "inf"}).text):
        assert 'id="undo"' not in text
        assert 'class="task"' not in text
        assert "Your new answer" not in text
    answers = client.get(f"{page}/history").text
    assert "Your answers" in answers
    assert "Change the answer" not in answers


def test_a_document_that_went_to_somebody_else(house: House) -> None:
    """The page says so, keeps the comment to be read, and leads to the next document."""
    number = house.campaign(method="passive")
    ann, bob, page = house.assessor(number, "ann"), house.assessor(number, "bob"), f"/campaigns/{number}/judge"
    form = fields(ann.get(page).text)
    end_leases(house)
    assert fields(bob.get(page).text)["document"] == form["document"]
    told = refused(ann, page, {**form, "grade": "1", "comment": "well <said>"}, 409)
    assert "This answer was not recorded" in told
    assert "somebody else has it now. Go on with the next." in told
    assert "well &lt;said&gt;" in told
    assert f'href="{page}"' in told
    assert fields(ann.get(page).text)["document"] != form["document"]


def test_an_answer_in_another_window(house: House) -> None:
    """A document that was answered otherwise meanwhile is shown again with that answer, which can be changed."""
    number = house.campaign(method="passive")
    ann, page = house.assessor(number, "ann"), f"/campaigns/{number}/judge"
    form, labels = fields(ann.get(page).text), house.room.campaigns.get(number).campaign.labels
    assert ann.post(page, data={**form, "grade": "1"}).status_code == 303
    told = refused(ann, page, {**form, "key": "other", "grade": "2", "comment": "on second thoughts"}, 409)
    assert "you have judged this document already" in told
    assert "You said: fair. Your new answer:" in told
    assert 'value="on second thoughts"' in told
    assert labels()["grade"].to_list() == [1.0]
    again = fields(told)
    assert (again["document"], again["again"]) == (form["document"], "true")
    assert ann.post(page, data={**again, "grade": "2"}).status_code == 303
    assert labels()["grade"].to_list() == [2.0]


def test_a_form_of_another_session_is_told_apart(house: House) -> None:
    """From a role that may not judge: only the former is mended by a new page."""
    number = house.campaign()
    person, link = house.room.people.invite(number, "ann")
    client, page = house.enter(link), f"/campaigns/{number}/judge"
    sent = {**fields(client.get(page).text), "grade": "1"}
    stale = client.post(page, data={**sent, "csrf": "0"})
    assert (stale.status_code, stale.headers["x-refused"]) == (403, "session")
    house.room.people.set_role(number, person.id, Role.VIEWER)
    forbidden = client.post(page, data=sent)
    assert (forbidden.status_code, "x-refused" in forbidden.headers) == (403, False)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[House]:
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        yield opened


def enter(context: BrowserContext, link: str) -> Page:
    """A page on which somebody has signed in."""
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state("load")
    return page


@needs_chromium
def test_the_page_leads_on(room: House, browser: Browser) -> None:
    """By keyboard from an answer that is refused to the next document; a page of an earlier session sends it anew."""
    number = room.campaign(method="passive")
    link = f"{room.base}/enter#{room.room.people.invite(number, 'ann')[1]}"
    labels = room.room.campaigns.get(number).campaign.labels
    with browser.new_context() as context:
        page = enter(context, link)
        first = shown(page)
        end_leases(room)
        assert fields(room.assessor(number, "bob").get(f"/campaigns/{number}/judge").text)["document"] == first[1]
        page.keyboard.press("2")
        expect(page.get_by_role("heading", name="This answer was not recorded")).to_be_visible()
        page.keyboard.press("Enter")
        page.wait_for_selector("form.task")
        second = shown(page)
        assert second != first
        enter(context, link).close()
        page.keyboard.press("1")
        expect(page.locator("#status")).to_contain_text("You have signed in again in this browser.")
        page.get_by_role("button", name="Reload").click()
        expect(page.locator("#status")).to_have_text("Your last answer had not been sent; it is recorded now.")
        assert labels().select("document", "grade").rows() == [(second[1], 1.0)]


@needs_chromium
def test_a_page_that_waits_does_not_give_up(room: House, browser: Browser) -> None:
    """While the room is away it says so in its own words, and once the campaign goes on it shows a document."""
    number = room.campaign(method="passive")
    campaign = room.room.campaigns.get(number).campaign
    campaign.pause()
    with browser.new_context() as context:
        context.clock.install()
        page = enter(context, f"{room.base}/enter#{room.room.people.invite(number, 'ann')[1]}")
        expect(page.get_by_role("heading", name="The campaign is paused.")).to_be_visible()
        context.set_offline(True)
        page.clock.run_for(5_500)
        told = "That did not work: the room does not answer; try again. This page asks again by itself."
        expect(page.locator("#status")).to_have_text(told)
        context.set_offline(False)
        campaign.resume()
        page.clock.run_for(5_500)
        expect(page.locator("form.task")).to_be_visible()
        expect(page.locator("#status")).to_have_text("")
