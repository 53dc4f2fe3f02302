"""Pairs: assessors say which of two documents is better, and the answers have the statistics of a model's."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path

import httpx
import polars as pl
import pytest
from playwright.sync_api import expect

from rankgauge.errors import InputError
from rankgauge.judgments.pairwise import Choices, FittedPreferences
from rankgauge.room.pairs import Pair, PairDesk
from tests.web.house import House, csrf, fields, open_house, truth
from tests.web.visitors import Opener, admin, needs_chromium


@pytest.fixture
def judged(house: House) -> int:
    """A campaign whose documents are graded by the perfect assessor, but no better than fair."""
    return graded(house)


def graded(house: House) -> int:
    """A campaign in which everything that is handed out was graded."""
    number, program = house.campaign("pairs", method="passive", budget=72), house.program()
    while tasks := program.post(f"/api/v1/campaigns/{number}/tasks?n=20").json():
        labels = [
            {name: one[name] for name in ("query", "document")}
            | {"grade": min(truth()[one["query"], one["document"]], 1)}
            for one in tasks
        ]
        assert program.post(f"/api/v1/campaigns/{number}/labels", json={"labels": labels}).status_code == 200
    return number


def ask(house: House, number: int, documents: str) -> httpx.Response:
    """Sends the form of whoever runs the campaign."""
    client = house.admin()
    sent = {"documents": documents, "csrf": csrf(client)}
    return client.post(f"/campaigns/{number}/pairs", data=sent, follow_redirects=True)


def answer(client: httpx.Client, number: int, better: str | None = None) -> Pair | None:
    """Answers the pair on the page, by the true grades unless it is said; None if there is none."""
    page = client.get(f"/campaigns/{number}/pairs/compare").text
    if 'name="first"' not in page:
        return None
    sent = fields(page)
    one, other = (truth()[sent["query"], sent[name]] for name in ("first", "second"))
    said = better or ("first" if one > other else "second" if one < other else "equal")
    done = client.post(f"/campaigns/{number}/pairs/compare", data={**sent, "grade": said})
    assert done.status_code == 303, done.text
    return Pair(**{name: sent[name] for name in ("query", "first", "second")})


def test_two_people_compare_every_pair_in_both_orders(house: House, judged: int) -> None:
    """Each pair comes once to each of two people, in either order; the fitted order is the true one."""
    assert "Documents of each query" in ask(house, judged, "4").text
    shown: Counter[Pair] = Counter()
    for name in ("ann", "bob"):
        client, seen = house.assessor(judged, name), set()
        while (pair := answer(client, judged)) is not None:
            shown[pair] += 1
            assert pair.key not in seen
            seen.add(pair.key)
        assert "There is nothing to compare at the moment." in client.get(f"/campaigns/{judged}/pairs/compare").text
    wanted = PairDesk(opened=house.room.campaigns.get(judged)).list_wanted()
    assert {pair.key for pair in wanted} == {pair.key for pair in shown}
    assert all(shown[pair] == shown[pair.swapped] == 1 for pair in wanted)
    page = house.admin().get(f"/campaigns/{judged}/pairs").text
    assert f"{2 * len(wanted)} comparisons" in page
    assert re.search(r"the answers are the same for 100 %", page)
    table = pl.read_csv(house.admin().get(f"/campaigns/{judged}/pairs/choices.csv").content)
    fitted = FittedPreferences.fit(Choices.from_table(table)).frame
    worths = pl.read_csv(io.BytesIO(house.admin().get(f"/campaigns/{judged}/pairs/worths.csv").content))
    assert worths.equals(fitted)
    grades = {(q, d): grade for q, d, grade in fitted.select("query", "document", "grade").rows()}
    for pair in wanted:
        one, other = ((truth()[pair.query, name], grades[pair.query, name]) for name in (pair.first, pair.second))
        assert (one[0] > other[0]) <= (one[1] > other[1])


def test_an_answer_can_be_changed(house: House, judged: int) -> None:
    """The last pair is shown again; the later answer replaces the earlier one, and what nobody can say is no choice."""
    ask(house, judged, "3")
    client, desk = house.assessor(judged, "eve"), PairDesk(opened=house.room.campaigns.get(judged))
    before = len(desk.choices().query)
    pair = answer(client, judged, "first")
    assert len(desk.choices().query) == before + 1
    page = client.get(f"/campaigns/{judged}/pairs/compare?again=true").text
    sent = fields(page)
    assert pair == Pair(**{name: sent[name] for name in ("query", "first", "second")})
    client.post(f"/campaigns/{judged}/pairs/compare", data={**sent, "grade": "nobody can say"})
    assert len(desk.choices().query) == before


def test_what_is_refused(house: House, judged: int) -> None:
    """Numbers out of range, documents that the pool lacks, other answers; nobody is asked unless it is wanted."""
    assert "2 to 50 documents" in ask(house, judged, "1").text
    assert "is not a number" in ask(house, judged, "many").text
    ask(house, judged, "3")
    client = house.assessor(judged, "zoe")
    sent = fields(client.get(f"/campaigns/{judged}/pairs/compare").text)
    for wrong in ({"second": sent["first"]}, {"second": "nothing"}, {"query": "nothing"}):
        assert (
            client.post(f"/campaigns/{judged}/pairs/compare", data={**sent, **wrong, "grade": "first"}).status_code
            == 409
        )
    assert client.post(f"/campaigns/{judged}/pairs/compare", data={**sent, "grade": "best"}).status_code == 422
    assert client.get(f"/campaigns/{judged}/pairs").status_code == 403
    assert "Compare" in client.get(f"/campaigns/{judged}/judge").text
    ask(house, judged, "")
    assert "nothing to compare" in client.get(f"/campaigns/{judged}/pairs/compare").text
    assert "Compare" not in client.get(f"/campaigns/{judged}/judge").text


def test_ids_that_an_order_cannot_hold() -> None:
    """An id with a blank or a sign would be read as another order."""
    with pytest.raises(InputError, match="'a b' has a blank"):
        Choices(query=["q"], shown=[("a b", "c")], places=[(1, 2)]).to_table()


@needs_chromium
def test_two_documents_side_by_side(tmp_path: Path, opener: Opener) -> None:
    """Both are on the screen with the keys that answer; u goes back."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        number = graded(house)
        ask(house, number, "3")
        page = admin(house, opener)
        page.goto(f"{house.base}/campaigns/{number}/pairs/compare")
        left, right = (page.locator(".document").nth(n).bounding_box() for n in (0, 1))
        assert left is not None
        assert right is not None
        assert left["y"] == right["y"]
        assert right["x"] > left["x"] + left["width"]
        first = page.locator("[name=first]").input_value()
        page.keyboard.press("1")
        expect(page.get_by_text("1 pair compared by you")).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator("#ask")).to_contain_text("Your new answer")
        assert page.locator("[name=first]").input_value() == first
        page.keyboard.press("0")
        expect(page.locator("#ask")).to_contain_text("Which of the two")
        assert PairDesk(opened=house.room.campaigns.get(number)).choices().places == [(1, 1)]
        page.screenshot(path="/tmp/judge/compare.png")
        page.goto(f"{house.base}/campaigns/{number}/pairs")
        page.screenshot(path="/tmp/judge/pairs.png", full_page=True)
