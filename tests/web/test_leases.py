"""Assessors answer what was handed to them, and nothing else; whatever way they send it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from rankgauge.labelling.labels import LabelOrigin
from rankgauge.room.people import Role
from tests.web.crowd import FRAGMENT
from tests.web.house import House, fields, open_house, pool

LEASE = 0.3
"""Seconds of a lease that is over soon."""


@pytest.fixture
def hasty(database: str) -> Iterator[House]:
    """A room whose leases are over soon."""
    with open_house(database, lease_minutes=LEASE / 60) as opened:
        yield opened


def program(house: House, number: int, name: str, role: Role = Role.ASSESSOR) -> httpx.Client:
    """A program with the token of a new person."""
    person, _ = house.room.people.invite(number, name, role)
    return house.guest(headers={"Authorization": f"Bearer {house.room.people.new_token(person.id, 'own')}"})


def label(task: dict[str, str], grade: int = 2) -> dict[str, object]:
    """A label for the task."""
    return {"query": task["query"], "document": task["document"], "grade": grade}


def send(client: httpx.Client, number: int, *labels: dict[str, object], replace: bool = False) -> httpx.Response:
    """The labels, sent."""
    return client.post(f"/api/v1/campaigns/{number}/labels", json={"labels": labels, "replace": replace})


def test_the_whole_pool_by_the_api(house: House) -> None:
    """An assessor who sends a label for every document of the pool is refused, and nothing of it is recorded."""
    number = house.campaign(method="passive")
    ann = program(house, number, "ann")
    tasks = ann.post(f"/api/v1/campaigns/{number}/tasks?n=5").json()
    everything = [label({"query": q, "document": d}) for q, d in pool()["query", "document"].iter_rows()]
    refused = send(ann, number, *everything)
    assert refused.status_code == 409
    assert "was not handed to ann" in refused.json()["detail"]
    opened = house.room.campaigns.get(number)
    assert opened.campaign.progress().labels == 0
    done = send(ann, number, *map(label, tasks)).json()
    assert (done["new"], done["imported"]) == (5, 0)
    assert set(opened.campaign.labels()["origin"]) == {LabelOrigin.ANSWERED}


def test_another_document_by_the_form(house: House) -> None:
    """A form whose document was exchanged is refused, with the script and without."""
    number = house.campaign(method="passive")
    client = house.assessor(number, "ann")
    shown = fields(client.get(f"/campaigns/{number}/judge").text)
    other = next(
        d for q, d in pool()["query", "document"].iter_rows() if q == shown["query"] and d != shown["document"]
    )
    for headers in ({}, FRAGMENT):
        sent = {**shown, "document": other, "grade": "2"}
        assert client.post(f"/campaigns/{number}/judge", data=sent, headers=headers).status_code == 409
        sent["again"] = "true"
        assert client.post(f"/campaigns/{number}/judge", data=sent, headers=headers).status_code == 409
    assert len(house.room.campaigns.get(number).campaign.labels(history=True)) == 0


def test_another_assessors_document(house: House) -> None:
    """A lease of somebody else's is none."""
    number = house.campaign(method="passive", assessors=2)
    ann, bob = program(house, number, "ann"), program(house, number, "bob")
    (task,) = ann.post(f"/api/v1/campaigns/{number}/tasks").json()
    assert send(bob, number, label(task)).status_code == 409
    assert send(ann, number, label(task)).json()["new"] == 1


def test_an_answer_that_comes_late(hasty: House) -> None:
    """It counts while nobody else was given the document; and an answer may be changed at any time."""
    number = hasty.campaign(method="passive")
    ann = program(hasty, number, "ann")
    (task,) = ann.post(f"/api/v1/campaigns/{number}/tasks").json()
    time.sleep(LEASE + 0.05)
    done = send(ann, number, label(task)).json()
    assert (done["new"], done["imported"]) == (1, 0)
    assert send(ann, number, label(task, 0)).status_code == 400, "another answer must say that it replaces the first"
    assert send(ann, number, label(task, 0), replace=True).json()["replaced"] == 1
    labels = hasty.room.campaigns.get(number).campaign.labels(history=True)
    assert labels["origin"].to_list() == [LabelOrigin.ANSWERED] * 2


def test_an_answer_that_comes_too_late(hasty: House) -> None:
    """Once another assessor has the document, or has judged it, it is refused: it would be one label too many."""
    number = hasty.campaign(method="passive", budget=5)
    ann, bob = program(hasty, number, "ann"), program(hasty, number, "bob")
    (task,) = ann.post(f"/api/v1/campaigns/{number}/tasks").json()
    time.sleep(LEASE + 0.05)
    (same,) = bob.post(f"/api/v1/campaigns/{number}/tasks").json()
    assert same["document"] == task["document"]
    refused = send(ann, number, label(task))
    assert refused.status_code == 409
    assert "went to another assessor" in refused.json()["detail"]
    assert send(bob, number, label(same)).json()["new"] == 1
    assert send(ann, number, label(task)).status_code == 409


def test_a_manager_imports(house: House) -> None:
    """What a manager sends unasked is accepted and marked; what was handed to the manager is answered."""
    number = house.campaign(method="passive")
    boss = program(house, number, "boss", Role.MANAGER)
    (task,) = boss.post(f"/api/v1/campaigns/{number}/tasks").json()
    pairs = [(q, d) for q, d in pool()["query", "document"].iter_rows() if q != task["query"]][:3]
    unasked = [label({"query": q, "document": d}) for q, d in pairs]
    done = send(boss, number, label(task), *unasked).json()
    assert (done["new"], done["imported"]) == (4, 3)
    rows = boss.get(f"/api/v1/campaigns/{number}/labels").json()
    assert [row["origin"] for row in rows] == ["answered", "imported", "imported", "imported"]
    assert boss.get(f"/api/v1/campaigns/{number}").json()["progress"]["imported"] == 3
    assert send(program(house, number, "eve", Role.VIEWER), number, label(task)).status_code == 403


def test_asking_again_does_not_hold_a_document(hasty: House) -> None:
    """However often somebody asks, the lease ends when it did; then the document goes to the others."""
    number = hasty.campaign(method="passive", budget=60)
    ann, bob = program(hasty, number, "ann"), program(hasty, number, "bob")
    (first,) = ann.post(f"/api/v1/campaigns/{number}/tasks").json()
    (again,) = ann.post(f"/api/v1/campaigns/{number}/tasks").json()
    assert (again["document"], again["until"]) == (first["document"], first["until"])
    time.sleep(max(first["until"] - time.time(), 0) + 0.02)
    (other,) = ann.post(f"/api/v1/campaigns/{number}/tasks").json()
    (theirs,) = bob.post(f"/api/v1/campaigns/{number}/tasks").json()
    assert (other["query"], other["document"]) != (first["query"], first["document"])
    assert (theirs["query"], theirs["document"]) == (first["query"], first["document"])


def test_leases_that_labels_ended_are_not_read_again(house: House) -> None:
    """However many were judged within the minute, a transaction reads the leases of documents that are being judged."""
    number = house.campaign(method="passive", budget=120)
    ann = program(house, number, "ann")
    for _ in range(4):
        tasks = ann.post(f"/api/v1/campaigns/{number}/tasks?n=20").json()
        assert send(ann, number, *map(label, tasks)).status_code == 200
    ann.post(f"/api/v1/campaigns/{number}/tasks?n=1")
    state = house.room.campaigns.get(number).campaign._state
    with state.looking() as connection:
        assert len(state.store.leases(connection, 0.0)) < len(state.ledger.given)


def test_nobody_holds_all_that_is_left(house: House) -> None:
    """Of the documents that are left to judge, one person may hold half, and always five."""
    number = house.campaign(method="passive", budget=20)
    ann, bob = program(house, number, "ann"), program(house, number, "bob")
    held = [ann.post(f"/api/v1/campaigns/{number}/tasks?n=20").json() for _ in range(3)]
    assert [len(tasks) for tasks in held] == [10, 10, 10]
    assert len(bob.post(f"/api/v1/campaigns/{number}/tasks?n=20").json()) == 10
    assert send(ann, number, *map(label, held[0])).status_code == 200
    assert ann.post(f"/api/v1/campaigns/{number}/tasks?n=20").json() == []
