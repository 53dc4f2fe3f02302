"""Settling a disagreement: it needs one, and everybody can see that it was settled."""

from __future__ import annotations

import re

import httpx
import pytest

from rankgauge.errors import UndisputedError
from rankgauge.labelling.labels import Label
from tests.web.house import House, csrf
from tests.web.test_gold import asked, judge


def settle(boss: httpx.Client, number: int, document: tuple[str, str], grade: str = "2") -> httpx.Response:
    """A grade in place of the assessors', sent by the form of the page."""
    query, name = document
    sent = {"csrf": csrf(boss), "query": query, "document": name, "grade": grade}
    return boss.post(f"/campaigns/{number}/disagreements", data=sent)


def test_only_disagreements_are_settled(house: House) -> None:
    """Where one assessor judged, where all agree and where nobody judged it is refused, and the estimate stays."""
    alone, both = house.campaign("alone", method="passive"), house.campaign("both", method="passive", assessors=2)
    boss, program = house.admin(), house.program()
    seen = {alone: judge(house.assessor(alone, "ann"), alone, 70, lambda *_: "0")}
    for name in ("ann", "bob"):
        seen[both] = judge(house.assessor(both, name), both, 3, lambda *_: "0")
    estimate = house.room.campaigns.get(alone).estimate()
    for number in (alone, both):
        labels = house.room.campaigns.get(number).campaign.labels()
        for query, document in (*seen[number][:3], ("q12", "q12-d06")):
            refused = settle(boss, number, (query, document))
            assert refused.status_code == 409
            assert "there is nothing to settle" in refused.text
            sent = {"query": query, "document": document, "grade": 2}
            assert program.post(f"/api/v1/campaigns/{number}/disagreements", json=sent).status_code == 409
        assert house.room.campaigns.get(number).campaign.labels().equals(labels)
        assert "adjudicated" not in boss.get(f"/campaigns/{number}").text
    assert house.room.campaigns.get(alone).estimate() == estimate


def test_what_was_settled_stays_in_sight(house: House) -> None:
    """The dashboard counts it, and the page shows it and lets it be changed, also once the assessors agree."""
    number = house.campaign(method="passive", assessors=2)
    boss, ann, bob = house.admin(), house.assessor(number, "ann"), house.assessor(number, "bob")
    form = asked(ann, number)
    document = form["query"], form["document"]
    judge(ann, number, 1, lambda *_: "0")
    judge(bob, number, 1, lambda *_: "2")
    page = boss.get(f"/campaigns/{number}/disagreements").text
    assert "Krippendorff&#39;s alpha, ordinal" in page
    assert "ann, bob</td><td>bad, good</td>" in re.sub(r"\s*\n\s*", "", page)
    assert settle(boss, number, document, "1").status_code == 303
    changed = {**form, "grade": "2", "again": "true", "key": "changed"}
    assert ann.post(f"/campaigns/{number}/judge", data=changed).status_code == 303
    assert "3 labels, 1 adjudicated" in boss.get(f"/campaigns/{number}").text
    assert house.program().get(f"/api/v1/campaigns/{number}").json()["progress"]["adjudicated"] == 1
    assert "Settled: fair, by admin" in boss.get(f"/campaigns/{number}/disagreements").text
    assert settle(boss, number, document, "0").status_code == 303
    assert house.room.campaigns.get(number).campaign.judgments()["grade"].to_list() == [0.0]


def test_many_disagreements_have_pages(house: House) -> None:
    """A page shows twenty, those that are open first; who settles one comes back to the page that it was on."""
    number = house.campaign(method="passive", assessors=2, budget=120)
    for name, grade in (("ann", "0"), ("bob", "2")):
        opened, (person, _) = house.room.campaigns.get(number), house.room.people.invite(number, name)
        tasks = opened.campaign.lease(25, person.assessor)
        facts = {"grade": grade, "assessor": name, "person": person.id}
        opened.answers.record([Label(query=t.query, document=t.document, **facts) for t in tasks], leased=True)
    boss, page = house.admin(), f"/campaigns/{number}/disagreements"
    first, second = (boss.get(page, params={"page": n}).text for n in (1, 2))
    assert [text.count('class="card disagreement"') for text in (first, second)] == [20, 5]
    assert "page 1 of 2" in first
    assert ("How well assessors agree" in first, "How well assessors agree" in second) == (True, False)
    one = opened.review.disagreements()[0]
    sent = {"csrf": csrf(boss), "query": one.query, "document": one.document, "grade": "1"}
    assert boss.post(f"{page}?page=2", data=sent).headers["location"] == f"{page}?page=2"
    assert opened.review.disagreements()[-1].document == one.document
    assert "Settled: fair" in boss.get(page, params={"page": 2}).text
    assert len(house.program().get(f"/api/v1{page}").json()) == 25


def test_labels_that_come_with_the_grade_that_settles_them(house: House) -> None:
    """Recorded together, the labels have to differ by what each assessor says last."""
    campaign = house.room.campaigns.get(house.campaign(method="passive", assessors=2)).campaign
    (task,) = campaign.lease(1, "ann")
    ids = {"query": task.query, "document": task.document}
    final = Label(**ids, grade=1, assessor="chief", settles=True)
    campaign.record([Label(**ids, grade=0, assessor="ann")])
    with pytest.raises(UndisputedError):
        campaign.record([Label(**ids, grade=2, assessor="ann"), final], replace=True)
    assert campaign.record([Label(**ids, grade=2, assessor="bob"), final]).new == 2
    assert campaign.judgments()["grade"].to_list() == [1.0]
