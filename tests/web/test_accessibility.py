"""What axe-core finds on the pages of the room: nothing, in light and in dark, on a telephone and on a desk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import product

import pytest
from fastapi.routing import APIRoute
from playwright.sync_api import Browser, Page

from rankgauge.labelling.labels import Label
from rankgauge.room.gold import GoldQuestion
from rankgauge.room.pairs import PairDesk
from rankgauge.room.route import API, ROUTES
from tests.web.boards import board_files
from tests.web.house import House, csrf, open_house
from tests.web.visitors import Opener, admin, assessor, needs_chromium

pytestmark = needs_chromium

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

REVOKING = "/campaigns/{campaign}/people/{guest}/revoke"
NO_PAGES = {
    *("/healthz", "/readyz", "/livez", "/metrics", "/oidc", "/oidc/back"),
    *("/api/openapi.json", "/enter", "/campaigns/{campaign}/progress", REVOKING),
    *("/campaigns/{campaign}/files/{name}", "/campaigns/{campaign}/labels/{name}"),
    "/campaigns/{campaign}/pairs/{name}",
}
"""What is no page of its own, is seen before anybody has signed in, or needs a person."""

SEE = """async (rules) => {
    const found = await axe.run(document, {runOnly: rules, resultTypes: ['violations']});
    return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)}`));
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The program that looks at a page."""
    pytest.importorskip("axe_playwright_python", reason="axe-core is not installed: pip install axe-playwright-python")
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A room with a campaign in which two assessors have judged, disagreed and commented, a board, and a draft."""
    with open_house(f"sqlite:///{tmp_path_factory.mktemp('axe') / 'room.db'}") as opened:
        number = opened.campaign(assessors=2, guide="Judge what the query asks for.")
        campaign = opened.room.campaigns.get(number).campaign
        for name, grades in (("ann", (0, 1, 2)), ("bob", (0, 2, None))):
            tasks = campaign.lease(3, name)
            campaign.record(
                [
                    Label(query=t.query, document=t.document, grade=g, assessor=name, comment=f"{name} says")
                    for t, g in zip(tasks, grades, strict=True)
                ]
            )
        pairs = PairDesk(opened=opened.room.campaigns.get(number))
        pairs.ask_for(3)
        for person, pair in product(range(10, 40), pairs.list_wanted()):
            pairs.record(person, pair if person % 2 else pair.swapped, person % 3 - 1)
        opened.room.gold.add(number, 1, [GoldQuestion(query="g", document="g", grade=2.0, texts={"title": "Gold"})])
        boss = opened.admin()
        token = {"csrf": csrf(boss)}
        drafts = [boss.post("/drafts", data=token, files=board_files().sent()).headers["location"] for _ in range(2)]
        assert drafts[0].startswith("/drafts/1/")
        assert boss.post(drafts[1].rpartition("/")[0] + "/make", data=token).headers["location"] == "/campaigns/2"
        yield opened


def addresses() -> list[str]:
    """The address of every page, with the number of the first campaign."""
    found = [
        route.path
        for router in ROUTES.values()
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in route.methods and not route.path.startswith(API)
    ]
    return [re.sub(r"\{\w+\}", "1", path) for path in found if path not in NO_PAGES]


TELEPHONE, DESK = 390, 1280

Views = list[tuple[int, str]]
SOME: Views = [(TELEPHONE, "dark"), (DESK, "light")]
ALL: Views = [*SOME, (TELEPHONE, "light"), (DESK, "dark")]


def violations(page: Page, axe: str, views: Views) -> list[str]:
    """What is wrong with the page, on a telephone and on a desk, in the light and in the dark, where colours differ."""
    page.evaluate(axe)
    found = set[str]()
    for width, scheme in views:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        rules = list(RULES) if scheme == "light" else ["color-contrast"]
        found |= {f"{page.url}, {scheme}, {width}: {one}" for one in page.evaluate(SEE, rules)}
    return sorted(found)


@pytest.mark.parametrize("views", [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=pytest.mark.study)])
def test_axe_finds_nothing(house: House, opener: Opener, browser: Browser, axe: str, views: Views) -> None:
    """On every page that an admin sees, on an assessor's, and on those of people who are not signed in."""
    boss, found = admin(house, opener), list[str]()
    dora, _ = house.room.people.invite(1, "dora")
    for path in (*addresses(), "/campaigns/2", REVOKING.format(campaign=1, guest=dora.id)):
        boss.goto(house.base + path)
        found += violations(boss, axe, views)
    ann = assessor(house, opener, 1, "cleo")
    found += violations(ann, axe, views)
    with browser.new_context() as context:
        stranger = context.new_page()
        for path in ("/", "/enter#no-such-link", f"/enter#{house.room.people.admin_link()}"):
            stranger.goto("about:blank")  # another secret behind the # alone would make the page load itself again
            stranger.goto(house.base + path)
            found += violations(stranger, axe, views)
    assert found == [], "\n".join(found)
