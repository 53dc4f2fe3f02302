"""Whose address counts, and which site sent a request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request

from rankgauge.errors import ParameterError
from rankgauge.room.addresses import is_cross_site, networks, sender
from tests.web.house import House, csrf, open_house

TRIES = 5


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A room where few tries are allowed."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        yield limited(opened)


def limited(house: House) -> House:
    """The room, where few tries are allowed."""
    house.room.limit._tries = TRIES
    house.room.limit._left.clear()
    return house


def request(peer: str, *headers: tuple[str, str]) -> Request:
    """A request from that address."""
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return Request({"type": "http", "client": (peer, 1), "headers": raw})


@pytest.mark.parametrize(
    ("peer", "said", "found"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),  # not one of our proxies
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),  # the sender wrote 1.1.1.1
        ("10.0.0.1", ["1.1.1.1, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),  # two proxies
        ("10.0.0.1", ["1.1.1.1", "198.51.100.1"], "198.51.100.1"),  # two headers
        ("10.0.0.1", ["198.51.100.1, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", [], "10.0.0.1"),
    ],
)
def test_the_senders_address(peer: str, said: list[str], found: str) -> None:
    """A configured proxy is believed, and nobody else."""
    asked = request(peer, *(("x-forwarded-for", one) for one in said))
    assert sender(asked, networks("127.0.0.1, 10.0.0.0/8")) == found


def test_proxies_are_addresses() -> None:
    """Nonsense in the setting is named."""
    with pytest.raises(ParameterError, match="proxies"):
        networks("10.0.0.0/8, proxy.example")


@pytest.mark.parametrize(
    ("headers", "cross"),
    [
        ({}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "same-site"}, True),
        ({"origin": "https://judge.example"}, False),
        ({"origin": "http://inside:8000", "host": "inside:8000"}, False),
        ({"origin": "https://evil.example", "host": "inside:8000"}, True),
        ({"origin": "null"}, True),
    ],
)
def test_another_site(headers: dict[str, str], cross: bool) -> None:
    """Browsers say which site a form is from; programs say nothing."""
    assert is_cross_site(request("1.1.1.1", *headers.items()), "https://judge.example") is cross


def test_an_office_signs_in(house: House) -> None:
    """Any number of links that work are followed from one address within a minute, also after others did not work."""
    links = [house.room.people.invite(1, f"judge {n}")[1] for n in range(4 * TRIES)]
    for n, link in enumerate(links):
        client = house.guest()
        if n < 2 * TRIES:
            assert client.post("/enter/owner", data={"link": "guess"}).status_code == (404 if n < TRIES else 429)
        assert client.post("/enter/owner", data={"link": link}).status_code == 200
        assert client.post("/enter", data={"link": link}).status_code == 303


def test_a_limit_is_not_evaded_by_a_header(house: House) -> None:
    """Whoever writes another address into each request is still one address."""
    got = [
        house.guest().post("/enter/owner", data={"link": "guess"}, headers={"x-forwarded-for": f"198.51.100.{n}"})
        for n in range(TRIES + 2)
    ]
    assert [answer.status_code for answer in got] == [404] * TRIES + [429] * 2


def test_behind_a_proxy_each_address_counts(tmp_path: Path) -> None:
    """Behind a configured proxy one sender's tries do not use up another's."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}", proxies="127.0.0.1") as opened:
        client = limited(opened).guest()

        def tried(said: str) -> int:
            return client.post("/enter/owner", data={"link": "guess"}, headers={"x-forwarded-for": said}).status_code

        assert [tried(f"{n}.0.0.1, 198.51.100.1") for n in range(TRIES + 1)] == [404] * TRIES + [429]
        assert tried("198.51.100.2") == 404


def test_another_site_signs_nobody_in(house: House) -> None:
    """A form of another site with somebody's link opens no session, and the link still works afterwards."""
    link = house.room.people.admin_link()
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}, {"origin": "null"}):
        answer = house.guest().post("/enter", data={"link": link}, headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    assert house.guest().post("/enter", data={"link": link}, headers={"origin": house.base}).status_code == 303


@pytest.mark.parametrize("path", ["/tokens/", "/campaigns/1/", "/static", "//evil.example/", "/", "/healthz/"])
def test_no_redirect_repeats_the_host(house: House, path: str) -> None:
    """Whatever host a request names, no answer sends the browser there."""
    for client in (house.guest(), house.admin(), house.assessor(1, "ann")):
        answer = client.get(f"{house.base}{path}", headers={"host": "evil.example"})
        assert "evil.example" not in answer.headers.get("location", "")
    admin = house.admin()
    left = admin.post("/leave", data={"csrf": csrf(admin)}, headers={"host": "evil.example"})
    assert left.headers["location"] == "/"
