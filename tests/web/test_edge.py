"""What comes in is checked at the door: what no database can hold gets no farther, and no error names the room's."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from rankgauge.web.room import Room
from tests.web.house import House, csrf, fields, truth
from tests.web.test_security import CALLS, PUBLIC, filled

SPELLINGS = (
    "+99999999999999999999",
    "9_999_999_999_999_999_999",
    "99999999999999999999.0",
    "1.0",
    "1e3",
    "-1",
    "٣",
    "+1",
)
"""Numbers as nobody writes them, which Python reads all the same."""


def secrets(room: Room) -> tuple[str, ...]:
    """What nobody should read of the database."""
    return room.engine.url.drivername, str(room.engine.url.database), room.engine.url.host or "sqlite://"


def test_a_zero_byte_is_refused_at_the_door(house: House) -> None:
    """In an address, a form or JSON: a clear refusal, which says nothing of the database."""
    number = house.campaign(method="passive")
    boss, ann, program = house.admin(), house.assessor(number, "ann"), house.program()
    page, token = f"/campaigns/{number}", csrf(boss)
    form = fields(ann.get(f"{page}/judge").text)
    (query, document), *_ = truth()
    answers: list[httpx.Response] = [
        ann.post(f"{page}/judge", data={**form, "grade": "1", "comment": "a\0b"}),
        ann.get(f"{page}/judge?query=a%00&document=b"),
        boss.get(f"{page}/labels?search=%00"),
    ]
    forms: dict[str, dict[str, str]] = {
        "gold": {"query": "q\0", "document": "d", "grade": "1"},
        "settings/guide": {"guide": "a\0b"},
        "settings/name": {"name": "a\0b"},
        "people": {"name": "a\0b"},
        "disagreements": {"query": query, "document": document, "grade": "1", "comment": "\0"},
    }
    answers += [boss.post(f"{page}/{path}", data={"csrf": token, **sent}) for path, sent in forms.items()]
    answers += [boss.post("/tokens", data={"csrf": token, "name": "a\0"})]
    bodies: dict[str, Any] = {
        "labels": {"labels": [{"query": "q\0", "document": "d", "grade": 1}]},
        "gold": [{"query": query, "document": document, "grade": 1, "texts": {"title": "a\0b"}}],
        "assessors": {"name": "a\0b"},
    }
    answers += [program.post(f"/api/v1{page}/{path}", json=body) for path, body in bodies.items()]
    answers += [program.patch(f"/api/v1{page}/settings", json={"names": {"1": "a\0b"}})]
    for answer in answers:
        assert answer.status_code == 400, (answer.url, answer.text)
        assert "zero byte" in answer.text
        assert not any(secret in answer.text for secret in secrets(house.room))
    assert house.guest().get("/enter/a%00b").status_code == 404
    written = {"labels": [{"query": "q\\u0000", "document": "d", "grade": 1}]}
    assert "no query" in program.post(f"/api/v1{page}/labels", json=written).json()["detail"], "six letters, no byte"


def test_no_error_names_the_database(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the database refuses is told without its address, on a page and by the API."""
    number = house.campaign(method="passive")
    monkeypatch.setattr("rankgauge.web.auth.ZERO", re.compile(b"never"))
    gold = [{"query": "x\0", "document": "y", "grade": 1, "texts": {"title": "a", "text": "c"}}]
    long = {"labels": [{"query": "q", "document": "d", "grade": 1, "assessor": "a\0"}]}
    for answer in (
        house.program().post(f"/api/v1/campaigns/{number}/gold", json=gold),
        house.program().post(f"/api/v1/campaigns/{number}/labels", json=long),
        house.program().patch(f"/api/v1/campaigns/{number}/settings", json={"guide": "a\0b"}),
        house.program().post(f"/api/v1/campaigns/{number}/assessors", json={"name": "a\0b"}),
    ):
        assert answer.status_code < 500
        assert not any(secret in answer.text for secret in secrets(house.room))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_numbers_are_spelt_in_one_way(house: House, spelling: str) -> None:
    """A number in another spelling leads nowhere, on every route that has one in its address."""
    house.campaign()
    admin = house.admin()
    token = csrf(admin)
    for method, path in sorted(set(CALLS) - PUBLIC):
        for part in re.findall(r"\{(\w+)\}", path):
            if part != "name":
                address = filled(path.replace(f"{{{part}}}", "NUMBER")).replace("NUMBER", spelling)
                answer = admin.request(method, address, headers={"x-csrf-token": token})
                assert answer.status_code in (404, 422), (method, address, answer.text)


@pytest.mark.parametrize(
    "wrong", [{"every": "9" * 20}, {"within": "9" * 20}, {"least": "9" * 20}, {"every": "1000001"}, {"within": "101"}]
)
def test_rules_of_gold_questions_are_numbers_that_make_sense(house: House, wrong: dict[str, str]) -> None:
    """A number beyond reason is refused in words."""
    number = house.campaign()
    admin = house.admin()
    sent = {"csrf": csrf(admin), "every": "5", "within": "0", "threshold": "70", "least": "5", **wrong}
    answer = admin.post(f"/campaigns/{number}/gold/rules", data=sent)
    assert answer.status_code == 400
    assert house.room.gold.rules(number) is None


def test_the_description_of_the_api_needs_a_session(house: House) -> None:
    """Who is not signed in learns nothing of the calls; everybody of the room, who may have a token, reads them all."""
    assert house.guest().get("/api/openapi.json").status_code == 401
    number = house.campaign()
    for client in (house.assessor(number, "ann"), house.program(), house.admin()):
        assert len(client.get("/api/openapi.json").json()["paths"]) > 20
