"""A team of three plays a whole campaign in a browser: gold questions, a disagreement, undo, a pause, a restart."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.web.house import House, open_house, truth, write_pool
from tests.web.visitors import needs_chromium, press, shown

pytestmark = needs_chromium

GOLD = "query,document,grade,query_text,title,text\n" + "".join(
    f"gold,g{n},2,find gold,Nugget {n},It glitters and it is gold.\n" for n in range(30)
)


def enter(browser: Browser, house: House, link: str) -> Page:
    """A page of somebody who has come in by a link."""
    page = browser.new_context().new_page()
    page.set_default_timeout(30_000)
    page.goto(link.replace("http://127.0.0.1:0", house.base))
    page.get_by_role("button", name="Sign in").click()
    return page


def make(boss: Page, folder: Path) -> str:
    """The address of a new campaign, made step by step."""
    boss.get_by_role("link", name="New campaign").click()
    boss.locator("[name=lists]").set_input_files(write_pool(folder))
    boss.get_by_role("button", name="Upload").click()
    boss.get_by_role("link", name="Go on to the plan").click()
    boss.locator("[name=measure]").fill("ERR@5")
    boss.locator("[name=budget]").fill("40")
    boss.get_by_label("Assessors per document").fill("2")
    boss.get_by_role("button", name="Go on to judging").click()
    boss.locator("[name=name]").fill("Team")
    boss.get_by_role("button", name="Go on", exact=True).click()
    boss.get_by_role("button", name="Make the campaign").click()
    expect(boss.get_by_role("heading", name="Team")).to_be_visible()
    return re.sub(r"^http://[^/]+", "", boss.url)


def prepare_gold(boss: Page) -> None:
    """Thirty gold questions, one for every two documents; three wrong answers of three block."""
    file = {"name": "gold.csv", "mimeType": "text/csv", "buffer": GOLD.encode()}
    boss.locator("[name=file]").set_input_files(file)
    boss.locator("form", has=boss.locator("[name=file]")).get_by_role("button", name="Add").click()
    expect(boss.get_by_text("30 gold questions added.")).to_be_visible()
    boss.locator("[name=every]").fill("2")
    boss.locator("[name=least]").fill("3")
    boss.get_by_role("button", name="Save").click()
    expect(boss.locator("[name=every]")).to_have_value("2")


def answer(page: Page, *, wrong: bool = False) -> bool:
    """Answers what is on the page; False if there is nothing to judge."""
    page.wait_for_load_state("load")
    if page.locator(".waiting").count():
        return False
    query, document = shown(page)
    right = 2 if query == "gold" else truth()[query, document]
    press(page, str((right + wrong) % 3))
    return True


def finish(team: dict[str, Page], address: str) -> None:
    """Everybody judges until nobody has anything to judge."""
    for _ in range(80):
        for page in team.values():
            if page.locator(".waiting").count():
                page.goto(address)
        answered = [answer(page, wrong=name == "cleo") for name, page in team.items()]
        if not any(answered):
            return
    raise AssertionError("they never end")


def test_a_team_plays_a_campaign(browser: Browser, tmp_path: Path) -> None:
    """From the pool to the export, each on their own pages; the export has what was answered, and no gold."""
    database = f"sqlite:///{tmp_path / 'room.db'}"
    with open_house(database) as house:
        boss = enter(browser, house, f"{house.base}/enter#{house.room.people.admin_link()}")
        campaign = make(boss, tmp_path)
        boss.goto(f"{house.base}{campaign}/gold")
        prepare_gold(boss)
        people, number = house.room.people, int(campaign.rpartition("/")[2])
        links = {name: house.room.settings.link(people.invite(number, name)[1]) for name in ("ann", "bob", "cleo")}
        team = {name: enter(browser, house, link) for name, link in links.items()}
        ann = team["ann"]
        ann.wait_for_load_state("load")
        first = shown(ann)
        press(ann, "0")
        ann.keyboard.press("u")
        expect(ann.locator("#keep")).to_be_visible()
        assert shown(ann) == first
        assert answer(ann)
        for name, page in team.items():
            assert answer(page, wrong=name == "cleo")
        boss.goto(f"{house.base}{campaign}")
        boss.get_by_role("button", name="Pause").click()
        expect(boss.get_by_role("button", name="Resume")).to_be_visible()
        assert answer(team["bob"]), "what is on a screen may still be answered"
        expect(team["bob"].get_by_role("heading", name="The campaign is paused.")).to_be_visible()

    with open_house(database) as house:  # another process would do the same: a cookie knows no port
        boss.goto(f"{house.base}{campaign}")
        boss.get_by_role("button", name="Resume").click()
        expect(boss.get_by_role("button", name="Pause")).to_be_visible()
        for page in team.values():
            page.goto(f"{house.base}{campaign}/judge")
        finish(team, f"{house.base}{campaign}/judge")
        expect(team["cleo"].get_by_role("heading", name="Thank you for your work so far.")).to_be_visible()
        expect(team["ann"].get_by_role("heading", name="All done:")).to_be_visible()

        boss.goto(f"{house.base}{campaign}/disagreements")
        one = boss.locator(".disagreement").first
        one.get_by_label("Why").fill("the title says it all")
        one.get_by_role("button").first.click()
        expect(boss.get_by_text("the title says it all")).to_be_visible()
        boss.goto(f"{house.base}{campaign}/quality")
        expect(boss.locator("#assessors tr", has_text="cleo")).to_contain_text("blocked")
        boss.goto(f"{house.base}{campaign}/files")
        with boss.expect_download() as download:
            boss.get_by_role("link", name="assessors.txt").click()
        rows = [line.split() for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()]
        assert "gold" not in {query for query, *_ in rows}
        for query, who, document, grade in rows:
            assert int(grade) == (truth()[query, document] + (who == "cleo")) % 3, (query, document)
        progress = house.room.campaigns.get(number).campaign.progress()
        assert (len(rows), progress.out, progress.unasked) == (progress.labels - 1, 0, 0)
        assert progress.spent <= 40
    for page in (boss, *team.values()):
        page.context.close()
