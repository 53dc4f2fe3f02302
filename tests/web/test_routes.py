"""Routes: a file in the folder is all that a page needs."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx
import pytest

from rankgauge.web import routes
from rankgauge.web.route import ROUTES
from tests.web.house import open_house

PAGE = '''
"""A page that somebody added."""

from fastapi import Response

from rankgauge.web.auth import Admin
from rankgauge.web.route import pages

router = pages("added_page", place=65, tab="Added")


@router.get("/campaigns/{campaign}/added_page")
def show(person: Admin, campaign: int) -> Response:
    """The page."""
    return Response(f"added to {campaign}")
'''


def test_a_new_file_is_a_new_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is dropped into the folder is served, guarded and in the navigation, at its place."""
    (tmp_path / "added_page.py").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(routes, "__path__", [*routes.__path__, str(tmp_path)])
    try:
        with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
            number = house.campaign()
            address = f"/campaigns/{number}/added_page"
            assert house.guest().get(address).status_code == 401
            admin = house.admin()
            assert admin.get(address).text == f"added to {number}"
            page = admin.get(f"/campaigns/{number}/people").text
            assert page.index(">People</a>") < page.index(">Added</a>") < page.index(">Disagreements</a>")
    finally:
        ROUTES._things.pop("added_page", None)
        sys.modules.pop("rankgauge.web.routes.added_page", None)


def test_routes_are_matched_in_their_order() -> None:
    """`/campaigns/new` is not taken for a campaign's number, and no two routers have one place."""
    places = [router.place for router in ROUTES.values()]
    assert places == sorted(set(places))
    assert list(ROUTES).index("new_campaign") < list(ROUTES).index("dashboard")


def test_every_page_and_call_is_explained() -> None:
    """Each route has a docstring, which the OpenAPI schema shows."""
    for router in ROUTES.values():
        for route in router.routes:
            assert (getattr(route, "endpoint", httpx).__doc__ or "").strip().endswith("."), route
