"""The judging page in a real browser: earlier answers, guidelines, previews, and sessions that end."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from playwright.sync_api import Browser, Request, expect
from sqlalchemy import delete

from rankgauge.labelling.campaign.database import writing
from rankgauge.room.database import SESSIONS
from tests.web.house import LEVELS, House, open_house, parquet, pool
from tests.web.visitors import Opener, assessor, needs_chromium, press, shown

pytestmark = needs_chromium

DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

EVIL = """<script>top.document.title='hit'</script><p onclick="top.document.title='hit'">Words</p>
<img src="https://evil.example/a.png" onerror="top.document.title='hit'"><img src="/leave" alt="own">
<style>body{background:url(https://evil.example/b.png)}</style><iframe src="https://evil.example/c"></iframe>
<link rel="stylesheet" href="https://evil.example/d.css">
<meta http-equiv="refresh" content="0;url=https://evil.example/e">
<form action="https://evil.example/f"><button>Go</button></form><object data="https://evil.example/g"></object>"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(f"sqlite:///{tmp_path_factory.mktemp('judging') / 'room.db'}") as opened:
        yield opened


def test_earlier_answers(house: House, opener: Opener) -> None:
    """u goes back step by step, Esc keeps, the history leads to any answer; guidelines stand beside the document."""
    number = house.campaign("back", method="passive", budget=30, guide="Judge what is asked for.")
    page = assessor(house, opener, number, "ann")
    seen = []
    for _ in range(3):
        seen.append(shown(page))
        press(page, "1")
    current = shown(page)
    for step in (2, 1, 0):
        page.keyboard.press("u")
        page.wait_for_function("d => document.querySelector('[name=document]').value === d", arg=seen[step][1])
    expect(page.locator("#undo")).to_have_count(0)
    page.keyboard.press("Escape")
    page.wait_for_function("d => document.querySelector('[name=document]').value === d", arg=current[1])
    page.get_by_role("link", name="Your answers").click()
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_role("row").nth(3).get_by_role("link").click()
    assert shown(page) == seen[0]
    expect(page.get_by_text("You said: fair. Your new answer:")).to_be_visible()
    press(page, "2")
    labels = house.room.campaigns.get(number).campaign.labels()
    assert labels.select("document", "grade").rows() == [(seen[1][1], 1.0), (seen[2][1], 1.0), (seen[0][1], 2.0)]
    document, guide = page.locator(".document").bounding_box(), page.locator(".guide").bounding_box()
    assert document is not None
    assert guide is not None
    assert guide["x"] > document["x"] + document["width"]
    page.set_viewport_size({"width": 390, "height": 800})
    ask, first = page.locator("#ask").bounding_box(), page.locator(".grades button").first.bounding_box()
    assert ask is not None
    assert first is not None
    assert ask["y"] + ask["height"] <= first["y"], "the question lies over the grades"


def test_a_phone_shows_the_document(house: House, opener: Opener) -> None:
    """With five grades that have meanings, and with the list of reasons open, most of the screen is the document; what
    the grades mean is a touch away, and so is every answer that was given."""
    levels = "\n".join(f"{grade} grade{grade}: as good as a document of this grade can be" for grade in range(5))
    params = {"name": "phone", "measure": "ERR@5", "budget": 30, "method": "passive", "filename": "p.parquet"}
    params |= {"levels": levels, "guide": "Judge what is asked for."}
    frame = pool().drop("grade", "p_0", "p_1", "p_2")
    number = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame)).json()["id"]
    page = assessor(house, opener, number, "ann", viewport={"width": 390, "height": 667}, has_touch=True)

    def height(selector: str) -> float:
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 667, f"{selector} is off the screen"
        return float(box["height"])

    shown(page)
    assert height(".answer") < 667 / 4
    page.locator(".cannot summary").click()
    expect(page.get_by_role("button", name="Another reason")).to_be_visible()
    assert height(".answer") < 667 * 0.4
    assert page.locator(".document h2").is_visible()
    page.get_by_role("link", name="How to judge").click()
    expect(page.get_by_text("as good as a document of this grade can be").last).to_be_in_viewport()
    press(page, "1")
    page.get_by_role("link", name="Your answers").click()
    change = page.get_by_role("link", name="Change the answer").bounding_box()
    assert change is not None
    assert change["x"] + change["width"] <= 390
    assert page.evaluate("document.querySelector('table').parentElement.scrollWidth") <= 390


def test_a_session_that_ends_loses_nothing(house: House, opener: Opener, browser: Browser) -> None:
    """The page says that the session has ended; after signing in again the answer and its comment are sent, once."""
    number = house.campaign("ends", method="passive", budget=30)
    link = f"{house.base}/enter#{house.room.people.invite(number, 'ann')[1]}"
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(link)
        page.get_by_role("button", name="Sign in").click()
        document = shown(page)
        page.wait_for_load_state("load")  # the script listens to keys from then on
        with writing(house.room.engine) as connection:
            connection.execute(delete(SESSIONS))
        page.keyboard.press("c")
        page.keyboard.type("typed before it ended")
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        expect(page.locator("#status")).to_contain_text("Your session has ended. What you typed is kept")
        assert house.room.campaigns.get(number).campaign.labels().is_empty()
        page.reload()
        expect(page.get_by_role("heading", name="Your session has ended")).to_be_visible()
        page.goto(link)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#status")).to_have_text("Your last answer had not been sent; it is recorded now.")
        assert shown(page) != document
        page.reload()
        row = house.room.campaigns.get(number).campaign.labels().row(0, named=True)
        assert (row["document"], row["grade"], row["comment"]) == (document[1], 2.0, "typed before it ended")
        assert len(house.room.campaigns.get(number).campaign.labels(history=True)) == 1


def test_a_framed_document_runs_and_loads_nothing(house: House, browser: Browser) -> None:
    """HTML from the pool: no script runs, nothing is asked of any other address, and the words of the query are marked.

    The rebuilt page is replaced by the raw one too, so that sandbox and policy are tried by themselves.
    """
    frame = (
        pool()
        .drop("grade")
        .with_columns(
            html=pl.concat_str(pl.lit("<h1>A page about "), "query_text", pl.lit(f"</h1>{EVIL}")), image=pl.lit(DOT)
        )
    )
    params = {"name": "framed", "measure": "ERR@5", "budget": 30, "levels": LEVELS, "filename": "p.parquet"}
    made = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame))
    number, asked = made.json()["id"], list[Request]()
    with browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request))
        page.goto(f"{house.base}/enter#{house.room.people.invite(number, 'ann')[1]}")
        page.get_by_role("button", name="Sign in").click()
        inside = page.frame_locator("iframe.framed")
        expect(inside.locator("h1")).to_contain_text("A page about")
        assert inside.locator("mark").count() > 0
        assert inside.locator("script, form, iframe, object, link, [onclick], [onerror]").count() == 0
        assert page.locator(".document > img").evaluate("image => image.naturalWidth") == 1
        inside.locator("p").first.click()
        first = shown(page)
        press(page, "1")
        assert shown(page) != first, "after a click into the frame the keys still judge"
        assert all(request.url.startswith((house.base, "data:", "about:")) for request in asked)
        page.locator("iframe.framed").evaluate("(frame, raw) => { frame.srcdoc = raw; }", EVIL)
        page.wait_for_timeout(400)
        assert page.title() != "hit"
        foreign = [request for request in asked if not request.url.startswith((house.base, "data:", "about:"))]
        assert {request.failure for request in foreign} == {"csp"}, "refused by the policy, before any is sent"
