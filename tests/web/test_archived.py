"""An archived campaign is as it was when it was put away, until somebody restores it; and who changed what is kept."""

from __future__ import annotations

import pytest

from rankgauge.errors import ArchivedError
from rankgauge.labelling.labels import Label
from rankgauge.room.gold import GoldRules
from rankgauge.room.people import Role
from tests.web.house import House, csrf
from tests.web.test_gold import asked, golden, judge, truly


def test_an_archived_campaign_does_not_change(house: House) -> None:
    """Answers, changes of answers, imports, settlements, rules and a resume are refused, on the page and by the API."""
    number = house.campaign(method="passive", assessors=2)
    boss, ann, bob = house.admin(), house.assessor(number, "ann"), house.assessor(number, "bob")
    form = asked(ann, number)
    document = {"query": form["query"], "document": form["document"]}
    judge(ann, number, 3, lambda *_: "0")
    judge(bob, number, 3, lambda *_: "2")
    house.room.gold.add(number, 1, golden(1))
    (question,) = (one.id for one in house.room.gold.questions(number))
    waiting = asked(ann, number)
    opened, page, address = house.room.campaigns.get(number), f"/campaigns/{number}", f"/api/v1/campaigns/{number}"
    assert boss.post(f"{page}/settings/archive", data={"csrf": csrf(boss)}).status_code == 303
    labels, rules, estimate = opened.campaign.labels(history=True), opened.rules, opened.estimate()
    token, program = {"csrf": csrf(boss)}, house.program()
    file = {"labels": ("a.csv", f"query,document,grade\n{document['query']},{document['document']},1\n")}
    refused = [
        ann.post(f"{page}/judge", data={**form, "grade": "2", "again": "true", "key": "again"}),
        ann.post(f"{page}/judge", data={**waiting, "grade": "2"}),
        boss.post(f"{page}/labels", data=token, files=file),
        boss.post(f"{page}/disagreements", data={**token, **document, "grade": "1"}),
        *(boss.post(f"{page}/{act}", data=token) for act in ("resume", "pause", "stop", "gold/settled")),
        boss.post(f"{page}/settings/budget", data={**token, "budget": "70"}),
        boss.post(f"{page}/settings/stage", data=token),
        program.post(f"{address}/resume"),
        program.put(f"{address}/stop", json={"half_width": 0.1}),
        program.post(f"{address}/labels", json={"labels": [{**document, "grade": 1, "assessor": "eve"}]}),
        program.post(f"{address}/disagreements", json={**document, "grade": 1}),
        program.patch(f"{address}/settings", json={"name": "other"}),
        program.put(f"{address}/gold/rules", json={"every": 3}),
        program.delete(f"{address}/gold/{question}"),
    ]
    assert [one.status_code for one in refused] == [409] * len(refused)
    assert all("archived" in one.text for one in refused)
    assert program.post(f"{address}/tasks").json() == []
    assert "All done: the campaign is over and put away." in ann.get(f"{page}/judge").text
    assert opened.campaign.labels(history=True).equals(labels)
    assert (opened.rules, opened.estimate(), opened.campaign.progress().paused) == (rules, estimate, True)
    assert program.patch(f"{address}/settings", json={"archived": False, "name": "again"}).json()["name"] == "again"
    assert program.post(f"{address}/resume").status_code == 200
    assert len(judge(ann, number, 2, truly)) == 2


def test_an_answer_that_comes_while_it_is_archived(house: House) -> None:
    """It is refused by the transaction that would record it, whatever was seen before."""
    number = house.campaign(method="passive")
    opened, (person, _) = house.room.campaigns.get(number), house.room.people.invite(number, "ann")
    (task,) = opened.campaign.lease(1, person.assessor)
    house.room.campaigns.set_archived(number, True)
    label = {"query": task.query, "document": task.document, "grade": 1, "assessor": "ann", "person": person.id}
    with pytest.raises(ArchivedError):
        opened.answers.record([Label(**label)], leased=True)
    with pytest.raises(ArchivedError):
        house.room.campaigns.set_paused(number, False)
    with pytest.raises(ArchivedError, match="archived in its judging room"):  # as the command line records
        opened.campaign.record([{"query": task.query, "document": task.document, "grade": 1}])
    assert opened.campaign.labels().is_empty()


def test_who_changed_what_is_kept(house: House) -> None:
    """Stopping rule, pause, gold rules, roles and the archive, by the page and by the API; what stays is no change."""
    number = house.campaign(method="passive")
    guest, _ = house.room.people.invite(number, "ann")
    boss, program = house.admin(), house.program("robot")
    page, address, token = f"/campaigns/{number}", f"/api/v1/campaigns/{number}", {"csrf": csrf(boss)}
    for act, more in {
        "stop": {"half_width": "0.02"},
        "pause": {},
        "resume": {},
        "gold/rules": {"every": "5", "threshold": "0"},
        f"people/{guest.id}/role": {"role": Role.VIEWER.value},
    }.items():
        assert boss.post(f"{page}/{act}", data={**token, **more}).status_code == 303
    program.put(f"{address}/stop", json={"half_width": None})
    program.put(f"{address}/gold/rules", json={"every": None})
    for _ in range(2):
        program.post(f"{address}/pause")
        program.patch(f"{address}/settings", json={"archived": True})
    found = program.get(f"{address}/settings").json()["changes"]
    assert [(row["person"], row["what"], row["before"], row["after"]) for row in reversed(found)] == [
        ("admin", "stopping rule", "none", "±0.02"),
        ("admin", "paused", "no", "yes"),
        ("admin", "paused", "yes", "no"),
        ("admin", "gold rules", "none", "one for 5 documents, right if the same, blocks nobody"),
        ("admin", "role", "ann: assessor", "ann: viewer"),
        ("robot", "stopping rule", "±0.02", "none"),
        ("robot", "gold rules", GoldRules(every=5, threshold=0).words, GoldRules().words),
        ("robot", "paused", "no", "yes"),
        ("robot", "archived", "no", "yes"),
    ]
    assert {row["person"]: row["number"] for row in found} == {"admin": 3, "robot": 4}
    assert GoldRules(within=1).words == "none asked, right within 1 level, blocks below 70 % after 10"
