"""Managing a campaign: what may change and what may not, people and their roles, all labels, and the end."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from rankgauge.labelling.campaign import rules
from rankgauge.labelling.labels import Label
from rankgauge.room.app import create_app
from rankgauge.room.campaign_changes import changes, set_guide, set_stop
from rankgauge.room.campaigns import Campaigns
from rankgauge.room.client import RoomClient
from rankgauge.room.database import CHANGES, LINKS, PEOPLE
from rankgauge.room.people import Role
from rankgauge.room.settings import RoomSettings
from tests.web.boards import RUNS, board_files
from tests.web.house import House, csrf, open_house, truth


@pytest.fixture
def room(tmp_path: Path) -> House:
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        yield opened


def words(answer: httpx.Response) -> str:
    """The text of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def send(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """A form sent as the page sends it."""
    return client.post(path, data={"csrf": csrf(client), **fields})


def judged(room: House, number: int, names: tuple[str, ...] = ("ann", "bob"), each: int = 8) -> None:
    """Some labels of some people; bob comments."""
    opened = room.room.campaigns.get(number)
    for name in names:
        person, _ = room.room.people.invite(number, name)
        for task in opened.campaign.lease(each, person.assessor):
            label = {"query": task.query, "document": task.document, "grade": truth()[task.query, task.document]}
            label |= {"comment": "An odd tyre" if name == "bob" else None, "assessor": name, "person": person.id}
            opened.answers.record([Label(**label)], leased=True)


def test_words_are_changed(house: House) -> None:
    """Name, guidelines, names and meanings of grades; assessors see them, and who changed what is kept."""
    number = house.campaign()
    client = house.admin()
    assert send(client, f"/campaigns/{number}/settings/name", name="Winter").status_code == 303
    typed = {"guide": "Read it twice.", "level_2": "splendid", "meaning_2": "all of it", "level_0": "bad"}
    assert send(client, f"/campaigns/{number}/settings/guide", **typed).status_code == 303
    page = words(client.get(f"/campaigns/{number}/settings"))
    assert "Winter" in page
    assert "admin #2 name autumn Winter" in page
    assert "admin #2 grade 2 good: answers all of it splendid: all of it" in page
    judging = words(house.assessor(number, "ann").get(f"/campaigns/{number}/judge"))
    assert "splendid" in judging
    assert "Read it twice." in judging
    assert house.room.campaigns.get(number).campaign.settings.grades == (0.0, 1.0, 2.0)


def test_changes_at_the_same_time(house: House, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that one room sets while another saves guidelines, which knows the rules of a while ago, is kept, and so
    are the guidelines, whichever part of them somebody changes; the list of changes says what was there before."""
    monkeypatch.setattr(rules, "MOMENT", 1e9)
    number, other = house.campaign(), create_app(RoomSettings(database=database)).state.room
    assert other.campaigns.get(number).rules.stop_at is None
    program, boss = house.program(), other.people.enter(other.people.admin_link())[0]
    assert program.patch(f"/api/v1/campaigns/{number}/settings", json={"guide": "Read it."}).status_code == 200
    set_stop(house.room, number, boss, 0.2)
    set_guide(other, number, boss, lambda guide: replace(guide, names={**guide.names, "2": "splendid"}))
    set_stop(other, number, boss, 0.1)
    assert program.patch(f"/api/v1/campaigns/{number}/settings", json={"meanings": {"2": "all"}}).status_code == 200
    found = Campaigns(other.engine).get(number).rules
    assert (found.stop_at, found.guide.words) == (0.1, "Read it.")
    assert (found.guide.names["2"], found.guide.meanings["2"]) == ("splendid", "all")
    noted = [(row.what, row.before, row.after) for row in changes(other.engine, number)]
    assert ("stopping rule", "±0.2", "±0.1") in noted
    other.engine.dispose()


def test_what_cannot_be_changed_is_said(room: House) -> None:
    """The page gives a reason for each; a program that tries is refused with one."""
    number = room.campaign()
    page = words(room.admin().get(f"/campaigns/{number}/settings"))
    for name in ("Pool", "Measure", "Method", "Grades", "Assessors", "Seed"):
        assert name in page.partition("What cannot be changed")[2]
    program = room.program()
    address = f"/api/v1/campaigns/{number}/settings"
    assert program.patch(address, json={"measure": "P@5"}).status_code == 422
    answer = program.patch(address, json={"names": {"7": "seven"}})
    assert answer.status_code == 400
    assert "labels were given on this scale" in answer.json()["detail"]


def test_a_budget_is_raised_and_never_below_what_is_spent(room: House) -> None:
    """Once documents were handed out the page turns to a confidence sequence, and says why."""
    number = room.campaign(budget=30, method="passive")
    client = room.admin()
    judged(room, number, ("ann",), 30)
    assert "95 % interval" in words(client.get(f"/campaigns/{number}"))
    refused = send(client, f"/campaigns/{number}/settings/budget", budget="20")
    assert refused.status_code == 400
    assert "at least the 30 that are spent" in words(refused)
    assert "is not a number" in words(send(client, f"/campaigns/{number}/settings/budget", budget="lots"))
    assert send(client, f"/campaigns/{number}/settings/budget", budget="60").status_code == 303
    page = words(client.get(f"/campaigns/{number}"))
    assert "A budget that was changed needs a confidence sequence" in page
    assert "95 % interval" not in page
    assert "It began with 30 and was changed" in words(client.get(f"/campaigns/{number}/settings"))
    judged(room, number, ("bob",), 30)
    assert room.room.campaigns.get(number).campaign.progress().spent == 60
    assert send(client, f"/campaigns/{number}/settings/stage").status_code == 400, "nothing is left for a new stage"


def test_a_boards_budget_is_refused_with_the_reason(room: House) -> None:
    """Its looks were planned with it."""
    client = room.admin()
    draft = client.post("/drafts", data={"csrf": csrf(client)}, files=board_files().sent()).headers["location"]
    send(client, draft.replace("/pool", "/make"), name="board")
    answer = send(client, "/campaigns/1/settings/budget", budget="250")
    assert answer.status_code == 400
    assert "intervals hold for the budget that was fixed in advance" in words(answer)


def test_archive_restore_delete(house: House) -> None:
    """An archived campaign is paused and put away; to delete one its name is typed, and then nothing is left."""
    number, other = house.campaign("first"), house.campaign("second")
    judged(house, number)
    client, gone = house.admin(), house.assessor(number, "gone")
    assert send(client, f"/campaigns/{number}/settings/archive").status_code == 303
    assert "first" not in words(client.get("/"))
    assert "first" in words(client.get("/?archived=true"))
    assert house.room.campaigns.get(number).campaign.progress().paused
    assert send(client, f"/campaigns/{number}/settings/restore").status_code == 303
    assert "first" in words(client.get("/"))
    assert send(client, f"/campaigns/{number}/settings/delete", typed="firs").status_code == 400
    assert send(client, f"/campaigns/{number}/settings/delete", typed="first").status_code == 303
    assert client.get(f"/campaigns/{number}").status_code == 404
    assert client.get(f"/campaigns/{other}").status_code == 200
    told = words(gone.get("/"))
    assert ("or when the campaign is deleted" in told, "lost" in told) == (True, False)
    with house.room.engine.connect() as connection:
        assert not connection.execute(PEOPLE.select().where(PEOPLE.c.campaign == number)).all()
        assert not connection.execute(CHANGES.select()).all()
        assert len(connection.execute(LINKS.select()).all()) > 0, "the admins' stay"


def test_a_manager_may_not_delete(room: House) -> None:
    """Managers change and archive their campaign; to delete it takes an admin."""
    number = room.campaign()
    manager = room.enter(room.room.people.invite(number, "mia", Role.MANAGER)[1])
    assert "Delete the campaign" not in words(manager.get(f"/campaigns/{number}/settings"))
    assert send(manager, f"/campaigns/{number}/settings/delete", typed="autumn").status_code == 403
    assert send(manager, f"/campaigns/{number}/settings/name", name="mine").status_code == 303


def test_another_process_finds_a_deleted_campaign_gone(tmp_path: Path) -> None:
    """A page of a campaign that another process deleted is not there; it is no error of the server."""
    database = f"sqlite:///{tmp_path / 'room.db'}"
    with open_house(database) as one, open_house(database) as other:
        number = one.campaign()
        client = other.admin()
        assert client.get(f"/campaigns/{number}").status_code == 200
        one.room.campaigns.delete(number)
        assert client.get(f"/campaigns/{number}").status_code == 404


def test_many_are_invited_at_once(room: House) -> None:
    """A name on each line, a role for all; if one name will not do, nobody is invited."""
    number = room.campaign()
    client = room.admin()
    page = send(client, f"/campaigns/{number}/people", name="ann\n\n bob \r\ncleo", role="viewer")
    links = re.findall(r'<code class="link">(\S+)</code>', page.text)
    assert len(links) == 3
    rows = room.room.people.of_campaign(number)
    assert [(row.name, row.role) for row in rows] == [("ann", "viewer"), ("bob", "viewer"), ("cleo", "viewer")]
    assert room.guest().post("/enter/owner", data={"link": links[1]}).status_code == 200
    assert send(client, f"/campaigns/{number}/people", name=f"dora\n{'x' * 121}").status_code == 400
    assert send(client, f"/campaigns/{number}/people", name="eve", role="admin").status_code == 422
    assert len(room.room.people.of_campaign(number)) == 3


def test_roles_and_revoking(room: House) -> None:
    """A role is changed at once; revoking is asked about first, and keeps the labels."""
    number = room.campaign()
    judged(room, number, ("ann",))
    (row,) = room.room.people.of_campaign(number)
    client = room.admin()
    assert send(client, f"/campaigns/{number}/people/{row.id}/role", role="manager").status_code == 303
    assert room.room.people.of_campaign(number)[0].role == "manager"
    asked = words(client.get(f"/campaigns/{number}/people/{row.id}/revoke"))
    assert "Revoke ann?" in asked
    assert "Their 8 labels stay" in asked
    assert room.room.people.of_campaign(number)[0].revoked is None, "looking at the question revokes nobody"
    assert send(client, f"/campaigns/{number}/people/{row.id}/revoke").status_code == 303
    assert send(client, f"/campaigns/{number}/people/{row.id}/role", role="viewer").status_code == 404
    assert client.get(f"/campaigns/{number}/people/{row.id}/revoke").status_code == 404


def test_labels_are_filtered(room: House) -> None:
    """By assessor, query, grade, kind, origin, comment and words; what is filtered is what is downloaded."""
    number = room.campaign(budget=60)
    judged(room, number)
    client, base = room.admin(), f"/campaigns/{number}/labels"
    assert "16 labels" in words(client.get(base))
    labels = room.room.campaigns.get(number).campaign.labels()
    graded = {grade: len(labels.filter(labels["grade"] == grade)) for grade in (0.0, 1.0, 2.0)}
    for query, count in (
        ("assessor=ann", 8),
        ("commented=true", 8),
        ("search=ODD+TYRE", 8),
        ("kind=skip", 0),
        ("kind=&origin=&grade=", 16),
        ("origin=answered", 16),
        ("origin=imported", 0),
        ("grade=2", graded[2.0]),
        (f"query={labels['query'][0]}", len(labels.filter(labels["query"] == labels["query"][0]))),
        ("assessor=nobody", 0),
    ):
        assert re.search(rf"\b{count} labels?\b", words(client.get(f"{base}?{query}"))), query
        lines = client.get(f"{base}/labels.jsonl?{query}").text.splitlines()
        assert len(lines) == count, query
        assert len(room.program().get(f"/api/v1{base}?{query}").json()) == count, query
    table = client.get(f"{base}/labels.csv?assessor=bob").text
    assert table.count("An odd tyre") == 8
    titles = [json.loads(line)["document"] for line in client.get(f"{base}/labels.jsonl").text.splitlines()]
    assert len(titles) == 16
    assert client.get(f"{base}/passwd").status_code == 404
    assert client.get(f"{base}?kind=nonsense").status_code == 422


def test_labels_come_in_pages(room: House) -> None:
    """Fifty at a time, with the filter kept on the way."""
    number = room.campaign(budget=72, method="passive")
    judged(room, number, ("bob",), 72)
    client, base = room.admin(), f"/campaigns/{number}/labels?commented=true"
    first, second = client.get(base), client.get(f"{base}&page=2")
    assert "page 1 of 2" in words(first)
    assert "?commented=true&amp;page=2" in first.text
    assert second.text.count("An odd tyre") == 10, "ERR@5 needs five documents of each of twelve queries"
    assert client.get(f"{base}&page=9").status_code == 200


def test_a_program_makes_and_manages(room: House, tmp_path: Path) -> None:
    """The client makes a board of several runs with a judge's grades, and changes it; drafts show the outlook."""
    files = board_files()
    for name, content in (*files.lists, files.judge, files.documents):
        (tmp_path / name).write_bytes(content)
    program = room.program()
    token = program.headers["authorization"].removeprefix("Bearer ")
    begun = program.post("/api/v1/drafts", params={"filename": "a.run"}, content=files.lists[0][1]).json()
    assert (begun["queries"], begun["documents"], begun["runs"]) == (20, 300, ["a"])
    params = {"name": "x", "budget": 60, "measure": "ERR@5", "method": "document"}
    expected = program.get(f"/api/v1/drafts/{begun['id']}/outlook", params=params).json()
    assert expected["board"] is False
    assert expected["half_widths"]["passive"][0] > expected["half_widths"]["passive"][-1]
    assert program.delete(f"/api/v1/drafts/{begun['id']}").status_code == 204
    with RoomClient(room.base, token=token) as client:
        runs, further = [tmp_path / f"{run}.run" for run in RUNS], {"judges": [tmp_path / "gpt.csv"]}
        made = client.create_board("board", runs, **further, documents=tmp_path / "documents.csv", budget=100)
        assert client.change(made["id"], name="renamed", archived=True)["archived"]
        assert client.campaign(made["id"])["name"] == "renamed"
    assert program.delete(f"/api/v1/campaigns/{made['id']}").status_code == 400
    assert program.delete(f"/api/v1/campaigns/{made['id']}", params={"name": "renamed"}).status_code == 204
    assert program.get(f"/api/v1/campaigns/{made['id']}").status_code == 404


def test_tokens_of_others(house: House) -> None:
    """Whoever runs a campaign sees on People, and by the API, which tokens act in it, and ends them."""
    number = house.campaign()
    person, _ = house.room.people.invite(number, "mallory", Role.MANAGER)
    tokens = [house.room.people.new_token(person.id, name) for name in ("one", "two")]
    boss, program = house.admin(), house.program()
    page = boss.get(f"/campaigns/{number}/people").text
    numbers = re.findall(r"/people/tokens/(\d+)/revoke", page)
    assert len(numbers) == 2
    assert not any(token in page for token in tokens)
    sent = {"csrf": csrf(boss)}
    assert boss.post(f"/campaigns/{number}/people/tokens/{numbers[0]}/revoke", data=sent).status_code == 303
    assert boss.post(f"/campaigns/{number}/people/tokens/{numbers[0]}/revoke", data=sent).status_code == 404
    (left,) = program.get(f"/api/v1/campaigns/{number}/tokens").json()
    assert (left["name"], left["owner"]) == ("two", "mallory")
    assert program.delete(f"/api/v1/campaigns/{number}/tokens/{left['id']}").status_code == 204
    assert house.room.people.by_token(tokens[1]) is None
