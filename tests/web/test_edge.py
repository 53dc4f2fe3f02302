"""What comes in is checked at the door: what no database can hold gets no farther, and no error names the room's."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from rankgauge.room.gold import GoldRules
from rankgauge.room.room import Room
from tests.web.house import House, csrf, fields, parquet, pool, truth
from tests.web.test_gold import golden, judge, truly
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

JSON = {"content-type": "application/json"}


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
    assert house.guest().post("/enter/owner", data={"link": "a\0b"}).status_code == 404
    written = {"labels": [{"query": "q\\u0000", "document": "d", "grade": 1}]}
    assert "no query" in program.post(f"/api/v1{page}/labels", json=written).json()["detail"], "six letters, no byte"


def test_no_error_names_the_database(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the database refuses is told without its address, on a page and by the API."""
    number = house.campaign(method="passive")
    monkeypatch.setattr("rankgauge.room.auth.ZERO", b"never")
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


def test_every_page_of_a_campaign_without_labels(house: House) -> None:
    """Before the first answer, and after one to a gold question, no page and no call is a server's error."""
    number = house.campaign(method="passive")
    house.room.gold.add(number, 1, golden(2))
    house.room.gold.set_rules(number, GoldRules(every=1))
    boss, ann = house.admin(), house.assessor(number, "ann")
    paths = [path for method, path in CALLS if method == "GET" and "{campaign}" in path]
    assert len(paths) > 20
    for answers in range(2):
        for path in paths:
            answer = boss.get(filled(path.replace("{name}", "labels.csv"), number))
            assert answer.status_code < 500, (answers, path)
        judge(ann, number, 1 - answers, truly)
    assert len(house.room.gold.answers(number, (0.0, 1.0, 2.0))) == 1
    assert house.room.campaigns.get(number).campaign.labels().is_empty()
    assert boss.get(f"/api/v1/campaigns/{number}/quality").json()["drift"] == []


def test_half_of_a_pair(house: House) -> None:
    """A letter that no database can store is the sender's mistake, and the page that says so can be read."""
    number = house.campaign()
    boss, program, page = house.admin(), house.program(), f"/campaigns/{number}"
    for field in ("names", "meanings"):
        sent = json.dumps({field: {"1": "a\ud800"}}).encode()
        answer = program.patch(f"/api/v1{page}/settings", content=sent, headers=JSON)
        assert (answer.status_code, "surrogate pair" in answer.text) == (400, True)
    gold = json.dumps([{"query": "x", "document": "y", "grade": 1, "texts": {"\ud800": "a"}}]).encode()
    assert program.post(f"/api/v1{page}/gold", content=gold, headers=JSON).status_code == 422
    file = {"file": ("g.jsonl", json.dumps({"query": "\ud800", "document": "d", "grade": 1}).encode())}
    answer = boss.post(f"{page}/gold/labels", data={"csrf": csrf(boss)}, files=file)
    assert (answer.status_code, "of query ?" in answer.text) == (400, True)


def test_a_name_is_one_line(house: House) -> None:
    """Of a campaign, a person or an assessor: no line breaks and nothing that cannot be seen; joined letters are."""
    number = house.campaign()
    boss, program, page = house.admin(), house.program(), f"/campaigns/{number}"
    made = {"budget": 40, "filename": "pool.parquet"}
    (query, document), *_ = truth()
    label = {"query": query, "document": document, "grade": 1}
    for name in ("\n", "a\nb", "a\tb\x1b", "a\u2028b", "a\u202eb"):
        file = {"labels": ("l.jsonl", json.dumps({**label, "assessor": name}).encode())}
        for answer in (
            program.post("/api/v1/campaigns", params={**made, "name": name}, content=parquet(pool())),
            program.post(f"/api/v1{page}/assessors", json={"name": name}),
            program.post(f"/api/v1{page}/labels", json={"labels": [{**label, "assessor": name}]}),
            program.patch(f"/api/v1{page}/settings", json={"name": name}),
            boss.post(f"{page}/settings/name", data={"csrf": csrf(boss), "name": name}),
            boss.post(f"{page}/labels", data={"csrf": csrf(boss)}, files=file),
            boss.post("/tokens", data={"csrf": csrf(boss), "name": name}),
        ):
            assert answer.status_code in (400, 422), (name, answer.url, answer.text)
            assert "printable" in answer.text or not name.strip()
    assert len(program.get("/api/v1/campaigns").json()) == 1
    assert not house.room.people.of_campaign(number)
    for name in ("علی\u200cرضا", "山田\u3000花子", "José 👩\u200d🔬"):
        assert program.post(f"/api/v1{page}/assessors", json={"name": name}).status_code == 201
        assert program.patch(f"/api/v1{page}/settings", json={"name": name}).status_code == 200


def test_what_may_be_long_is_taken(house: House) -> None:
    """Guidelines, gold questions and people in any script, up to their own limits; other requests stay small."""
    number = house.campaign()
    boss, program, page = house.admin(), house.program(), f"/campaigns/{number}"
    token, guide = {"csrf": csrf(boss)}, "語" * 9_000
    assert boss.post(f"{page}/settings/guide", data={**token, "guide": guide}).status_code == 303
    assert program.get(f"/api/v1{page}/settings").json()["guide"] == guide
    assert boss.post(f"{page}/people", data={**token, "name": "\n".join(["語" * 100] * 100)}).status_code == 200
    gold = [{"query": "x", "document": f"d{n}", "grade": 1, "texts": {"text": "w" * 1_000}} for n in range(100)]
    assert program.post(f"/api/v1{page}/gold", json=gold).json() == {"added": 100}
    assert boss.post(f"{page}/stop", data={**token, "half_width": "1" * 70_000}).status_code == 413


def test_a_campaign_needs_a_measure(house: House) -> None:
    """Without one nothing is made, and it is said what is missing."""
    sent, program = {"name": "none", "budget": 40, "filename": "pool.parquet"}, house.program()
    for measure in ("", " ", ",", " , "):
        params = {**sent, "measure": measure}
        answer = program.post("/api/v1/campaigns", params=params, content=parquet(pool().drop("grade")))
        assert (answer.status_code, "name at least one measure" in answer.text) == (422, True)
    assert program.get("/api/v1/campaigns").json() == []
