"""The registry of routes. That one file is enough for a page is tested with docs/extending.md."""

from __future__ import annotations

from fastapi.routing import APIRoute

from rankgauge.room.route import ROUTES


def test_routes_are_matched_in_their_order() -> None:
    """`/campaigns/new` is not taken for a campaign's number, and no two routers have one place."""
    places = [router.place for router in ROUTES.values()]
    assert places == sorted(set(places))
    assert list(ROUTES).index("new_campaign") < list(ROUTES).index("dashboard")


def test_every_page_and_call_is_explained() -> None:
    """Each route has a docstring, which the OpenAPI schema shows."""
    for router in ROUTES.values():
        for route in router.routes:
            assert isinstance(route, APIRoute)
            assert (route.endpoint.__doc__ or "").strip().endswith("."), route.path
