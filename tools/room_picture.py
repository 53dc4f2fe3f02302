"""Takes the README's picture of the judging room, in Chromium: `python -m tools.room_picture`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
from playwright.sync_api import sync_playwright

from tests.web.house import open_house, parquet

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "room.png"

LEVELS = "2 exact: what was looked for\n1 related: an accessory, another kind\n0 wrong: something else"
GUIDELINES = "Would somebody who typed this be glad to see the product? The price does not matter."
POOL = {
    "query": ["headphones"] * 4,
    "query_text": ["noise cancelling headphones"] * 4,
    "document": ["4071", "1187", "5520", "2093"],
    "title": ["Aria 300 over-ear headphones", "Pilot earplugs", "Cable for headphones", "Quiet 2 in-ear headphones"],
    "text": [
        "Wireless over-ear headphones with active noise cancelling in three levels. Up to 40 hours with one charge. "
        "Folds flat; case and cable are in the box.",
        "Foam earplugs for the plane.",
        "A cable of 1.2 m for headphones with a jack of 3.5 mm.",
        "In-ear headphones with passive noise cancelling.",
    ],
    "score": [4.0, 3.0, 2.0, 1.0],
}


def main() -> None:
    """Open a room with a small campaign, come in as an assessor, and take the picture."""
    with tempfile.TemporaryDirectory() as folder, open_house(f"sqlite:///{folder}/room.db") as house:
        settings = {"measure": "DCG@4", "budget": 4, "levels": LEVELS, "guide": GUIDELINES, "name": "Autumn shop"}
        made = house.program().post(
            "/api/v1/campaigns", params={**settings, "filename": "pool.parquet"}, content=parquet(pl.DataFrame(POOL))
        )
        assert made.status_code == 201, made.text
        campaign = made.json()["id"]
        visitor = house.assessor(campaign, "Ann")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            context = browser.new_context(viewport={"width": 1000, "height": 560}, color_scheme="light")
            context.add_cookies(
                [{"name": one.name, "value": one.value or "", "url": house.base} for one in visitor.cookies.jar]
            )
            page = context.new_page()
            page.goto(f"{house.base}/campaigns/{campaign}/judge")
            page.screenshot(path=PICTURE)
            browser.close()


if __name__ == "__main__":
    main()
