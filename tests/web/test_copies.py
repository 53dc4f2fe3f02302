"""The room's own files of labels come back: what a campaign has is not counted again."""

from __future__ import annotations

import html
import io
from pathlib import Path

import httpx
import pytest

from rankgauge.room.people import Role
from tests.program import invoke
from tests.web.house import House, csrf, fields


def judge(client: httpx.Client, number: int, **said: str) -> None:
    """Answers the document on the page."""
    shown = fields(client.get(f"/campaigns/{number}/judge").text)
    assert client.post(f"/campaigns/{number}/judge", data={**shown, **said}).status_code == 303


def upload(boss: httpx.Client, number: int, content: str) -> str:
    """What the page Files says of a file."""
    sent = {"labels": ("labels", io.BytesIO(content.encode()))}
    answer = boss.post(f"/campaigns/{number}/labels", data={"csrf": csrf(boss)}, files=sent)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)


def judged(house: House, **settings: object) -> tuple[int, int]:
    """A campaign in which two people called ann disagree, an admin settles it, one cannot judge a document, and a label
    was imported in the name of ann; and how many labels count besides the one that settles."""
    number = house.campaign(assessors=2, method="passive", **settings)
    one, two = house.assessor(number, "ann"), house.assessor(number, "ann")
    for client, said in ((one, {"grade": "2"}), (two, {"grade": "0"}), (one, {"reason": "does not load"})):
        judge(client, number, **said)
    opened, program = house.room.campaigns.get(number), house.program()
    (first, *_), place = opened.review.disagreements(), f"/api/v1/campaigns/{number}"
    pair = {"query": first.query, "document": first.document}
    assert program.post(f"{place}/labels", json={"labels": [{**pair, "grade": 1, "assessor": "ann"}]}).json()["new"]
    assert program.post(f"{place}/disagreements", json={**pair, "grade": 1}).json()["new"] == 1
    return number, 4


def test_a_campaigns_own_labels(house: House, database: str, tmp_path: Path) -> None:
    """They are known already, on the page, by the API, at the command line and in Python, whichever file has them."""
    number, labels = judged(house)
    boss, program, campaign = house.admin(), house.program(), house.room.campaigns.get(number).campaign
    before, place = campaign.labels(history=True), f"/api/v1/campaigns/{number}/labels"
    known = f"0 new labels, marked as imported; {labels} known already"
    for name in ("files/labels.csv", "files/labels.jsonl", "labels/labels.csv", "labels/labels.jsonl"):
        content = boss.get(f"/campaigns/{number}/{name}").text
        said = upload(boss, number, content)
        assert known in said, name
        assert "1 that settle disagreements left out" in said
        (tmp_path / "labels").write_text(content)
        told = invoke(["active", "record", f"{database}#autumn", str(tmp_path / "labels")])
        assert f"{labels} known already, 1 that settle disagreements left out\n" in told.output, told.exception
    rows = program.get(place).json()
    kept = ("query", "document", "grade", "assessor", "person", "kind")
    count = program.post(place, json={"labels": [{name: row[name] for name in kept} for row in rows]}).json()
    assert (count["new"], count["same"], count["settled"]) == (0, labels, 1)
    again = campaign.record(campaign.labels())
    assert (again.new, again.same, again.settled) == (0, labels, 1)
    assert campaign.labels(history=True).equals(before)


def test_an_answer_that_was_changed_since(house: House) -> None:
    """An older file says what its assessor said then: it is no news, and the answer stays as it was changed."""
    number = house.campaign(method="passive")
    ann, boss = house.assessor(number, "ann"), house.admin()
    shown = fields(ann.get(f"/campaigns/{number}/judge").text)
    for grade in ("2", "1"):
        file = boss.get(f"/campaigns/{number}/files/labels.csv").text
        sent = {**shown, "grade": grade, "key": grade, "again": "true"}
        assert ann.post(f"/campaigns/{number}/judge", data=sent).is_redirect
    assert "0 new labels, marked as imported; 1 known already" in upload(boss, number, file)
    assert house.room.campaigns.get(number).campaign.labels()["grade"].to_list() == [1.0]


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_labels_that_move_to_another_campaign(house: House, name: str) -> None:
    """They come in as imported, under a name for each of their assessors, and settle nothing there."""
    (number, labels), other = judged(house), house.campaign("spring", assessors=2, method="passive")
    house.room.people.invite(other, "ann", Role.ASSESSOR)
    boss = house.admin()
    file = boss.get(f"/campaigns/{number}/files/{name}").text
    assert f"{labels} new labels, marked as imported; 0 known already" in upload(boss, other, file)
    moved = house.room.campaigns.get(other).campaign.labels()
    assert moved["assessor"].n_unique() == 3
    assert moved["person"].null_count() == labels
    assert set(moved["origin"]) == {"imported"}
    assert sorted(moved["kind"]) == ["grade", "grade", "grade", "skip"]
    assert f"0 new labels, marked as imported; {labels} known already" in upload(boss, other, file)
