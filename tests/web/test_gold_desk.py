"""Gold questions on a desk: nobody tells them from documents by what the room replies, dodges them, or is stuck."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import httpx
import numpy as np
import pytest
import sqlalchemy as sa

from rankgauge.room.database import GOLD_ANSWERS
from rankgauge.room.gold import GoldQuestion, GoldRules
from tests.web.house import House, open_house, parquet, pool, truth
from tests.web.test_gold import asked, golden, judge, of_the_pool, truly, wrongly

ROOM = {"secret": "a key that decides when a gold question is asked"}
"""A room's own key is random, and the questions with it: a few tests would fail once in thirty runs."""

Sent = dict[str, Any]


def program(house: House, number: int, name: str = "ann") -> httpx.Client:
    """A program of a new assessor."""
    person, _ = house.room.people.invite(number, name)
    token = house.room.people.new_token(person.id, "script")
    return house.guest(headers={"Authorization": f"Bearer {token}"})


def tasks(client: httpx.Client, number: int, n: int) -> list[Sent]:
    """The documents that a program gets."""
    return list(client.post(f"/api/v1/campaigns/{number}/tasks", params={"n": n}).json())


def send(client: httpx.Client, number: int, *labels: Sent, replace: bool = False) -> httpx.Response:
    """The labels, sent."""
    return client.post(f"/api/v1/campaigns/{number}/labels", json={"labels": list(labels), "replace": replace})


def of(task: Sent, grade: object = 1, **more: object) -> Sent:
    """A label for a document."""
    return {"query": task["query"], "document": task["document"], "grade": grade, **more}


def with_gold(house: House, **rules: Any) -> int:
    """A campaign in which a gold question comes before every document."""
    number = house.campaign(budget=30, method="passive")
    house.room.gold.add(number, 1, golden(40))
    house.room.gold.set_rules(number, GoldRules(**{"every": 1, "threshold": 0, **rules}))
    return number


def at_once(work: Callable[[], object], often: int) -> list[object]:
    """What the same work gives where it is done so often at the same moment."""
    together, got = threading.Barrier(often), list[object]()

    def one() -> None:
        together.wait()
        got.append(work())

    threads = [threading.Thread(target=one) for _ in range(often)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


def test_a_page_opened_twice_at_once(house: House) -> None:
    """Everybody who looks at the same moment sees the same question, and it can be answered."""
    number = with_gold(house)
    for name in ("ann", "bob", "cleo"):
        client = house.assessor(number, name)
        seen = at_once(lambda client=client: asked(house.guest(cookies=client.cookies), number)["document"], 6)
        assert len(seen) == 6
        assert len(set(seen)) == 1
        assert judge(client, number, 2, truly)[0] == ("gold", seen[0])


def test_the_same_answer_twice_at_once(house: House) -> None:
    """An answer to a gold question that is sent several times at the same moment counts once, and is acknowledged."""
    number = with_gold(house)
    client = house.assessor(number, "ann")
    form = {**asked(client, number), "grade": "2"}
    page = f"/campaigns/{number}/judge"
    got = at_once(lambda: house.guest(cookies=client.cookies).post(page, data=form).status_code, 4)
    assert got == [303] * 4
    assert len(house.room.gold.answers(number, (0.0, 1.0, 2.0))) == 1


def test_a_question_that_was_handed_out_twice(house: House) -> None:
    """Where an earlier version asked the same question twice at once, it can be answered all the same."""
    number = with_gold(house)
    client = house.assessor(number, "ann")
    form = asked(client, number)
    with house.room.engine.begin() as connection:
        (row,) = connection.execute(sa.select(GOLD_ANSWERS)).mappings().all()
        connection.execute(sa.insert(GOLD_ANSWERS).values({name: row[name] for name in row if name != "id"}))
    assert client.post(f"/campaigns/{number}/judge", data={**form, "grade": "2"}).status_code == 303
    assert asked(client, number)["query"] != "gold"


def test_a_change_by_way_of_another_process(database: str) -> None:
    """An answer that was recorded elsewhere a moment ago can be changed here, though it is of a gold question too."""
    with open_house(database) as one, open_house(database) as other:
        number = one.campaign(budget=30, method="passive")
        known = [GoldQuestion(query=q, document=d, grade=1.0) for q, d in truth()]
        one.room.gold.add(number, 1, known)
        one.room.gold.set_rules(number, GoldRules(threshold=0))
        client = one.assessor(number, "ann")
        elsewhere = other.guest(cookies=client.cookies)
        page = f"/campaigns/{number}/judge"
        assert elsewhere.get(page).status_code == 200, "the campaign is open there, too"
        for n in range(5):
            form = asked(client, number)
            assert client.post(page, data={**form, "grade": "0"}).status_code == 303
            changed = {**form, "grade": "2", "key": f"k{n}", "again": "true"}
            assert elsewhere.post(page, data=changed).status_code == 303
        assert one.room.campaigns.get(number).campaign.labels()["grade"].to_list() == [2.0] * 5


ACTS: dict[str, tuple[tuple[Sent, bool], ...]] = {
    "a grade": (({"grade": 2}, False),),
    "a name": (({"grade": "good"}, False),),
    "cannot be judged": (({"grade": None, "reason": "wrong language"}, False),),
    "a grade and a reason": (({"grade": 1, "reason": "wrong language"}, False),),
    "a wrong grade": (({"grade": 7}, False), ({"grade": "great"}, False)),
    "a zero byte": (({"grade": 1, "comment": "a\0b"}, False), ({"grade": 1, "key": "a\0"}, False)),
    "twice": (({"grade": 2}, False), ({"grade": 2}, False)),
    "twice with a key": (({"grade": 2, "key": "k"}, False), ({"grade": 2, "key": "k"}, False)),
    "a key for two grades": (({"grade": 2, "key": "k"}, False), ({"grade": 1, "key": "k"}, True)),
    "a used key": (({"grade": 2, "key": "used"}, False), ({"grade": 1}, False)),
    "another grade": (({"grade": 2}, False), ({"grade": 1}, False), ({"grade": None}, False)),
    "changed": (({"grade": 2}, True), ({"grade": 1}, True), ({"grade": None}, True), ({"grade": 1}, True)),
    "another comment": (({"grade": 2}, False), ({"grade": 2, "comment": "x"}, False)),
    "a changed comment": (({"grade": 2}, False), ({"grade": 2, "comment": "x"}, True), ({"grade": 2}, True)),
    "a late key": (({"grade": 2}, False), ({"grade": 1, "key": "k"}, True), ({"grade": 1, "key": "k"}, False)),
}
"""What somebody may send of one document, one after another, and whether it may replace what was sent before."""


@pytest.mark.parametrize("act", ACTS)
def test_the_room_replies_alike(house: House, act: str) -> None:
    """Whatever is sent of a gold question, the status, the counts and the words are those of any other document."""
    number = with_gold(house)
    told = []
    for kind, name in (("gold", "Ms Gold"), ("ordinary", "Mr Plain")):
        client = program(house, number, name)
        first, task, *_ = tasks(client, number, 4)
        assert send(client, number, of(first, key="used")).json()["new"] == 1
        task = next(one for one in tasks(client, number, 4) if (one["query"] == "gold") == (kind == "gold"))
        replies = [send(client, number, {**of(task), **sent}, replace=replace) for sent, replace in ACTS[act]]
        hidden = {task["query"]: "QUERY", task["document"]: "DOCUMENT", name: "NAME"}
        person = next(row.id for row in house.room.people.of_campaign(number) if row.name == name)
        told.append([(one.status_code, cleaned(one.text, {**hidden, f"{person}:": "PERSON"})) for one in replies])
    assert told[0] == told[1]


def cleaned(text: str, hidden: dict[str, str]) -> str:
    """The text without the names that are bound to differ."""
    for name, word in sorted(hidden.items(), key=lambda item: -len(item[0])):
        text = text.replace(json.dumps(name)[1:-1], word)
    return text


def test_a_pool_without_titles(house: House) -> None:
    """There is as much to read of a gold question as of any other document of the pool, whatever comes with it."""
    frame = pool().select("query", "document", "score", "text")
    params = {"name": "bare", "measure": "ERR@5", "budget": 30, "filename": "pool.parquet", "method": "passive"}
    made = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame)).json()
    address = f"/api/v1/campaigns/{made['id']}/gold"
    gold = [{"query": q, "document": d, "grade": 1, "texts": {"title": "gold"}} for q, d in truth()]
    assert house.program().post(address, json=gold).json() == {"added": len(gold)}
    house.program().put(f"{address}/rules", json={"every": 2, "threshold": 0})
    found = tasks(program(house, made["id"]), made["id"], 12)
    assert {tuple(sorted(task["texts"])) for task in found} == {("text",)}


def test_a_question_is_not_dodged(house: House) -> None:
    """Who answers what comes after a gold question finds the question on the desk until it is answered."""
    number = with_gold(house)
    client = program(house, number)
    first, second, *others = tasks(client, number, 6)
    assert (first["query"], second["query"] == "gold") == ("gold", False)
    assert send(client, number, of(second)).json()["new"] == 1
    left = tasks(client, number, 6)
    named = [(task["query"], task["document"]) for task in left]
    assert named[:5] == [(task["query"], task["document"]) for task in (first, *others)]
    while ordinary := [task for task in left if task["query"] != "gold"]:
        assert send(client, number, *map(of, ordinary)).status_code == 200
        left = tasks(client, number, 6)
    assert left[0]["document"] == first["document"]
    assert len(left) == 6, "a desk that is full of questions gets nothing else"
    assert send(client, number, *map(of, left)).json()["new"] == 6
    assert first["document"] not in {task["document"] for task in tasks(client, number, 6)}


def test_a_program_is_asked_once(house: House) -> None:
    """Whatever draws need later, a program gets no document that it has answered, and every draw gets its label."""
    number = house.campaign(budget=30, method="passive")
    house.room.gold.add(number, 1, of_the_pool())
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0))
    client, seen = program(house, number), list[str]()
    while found := tasks(client, number, 5):
        seen += [task["document"] for task in found]
        assert send(client, number, *map(of, found)).json()["new"] == len(found)
    assert len(seen) == len(set(seen)) > 30
    progress = house.room.campaigns.get(number).campaign.progress()
    assert (progress.labels, progress.judged, progress.spent) == (30, 30, 30)


def test_a_question_that_takes_the_place_of_another(house: House) -> None:
    """Where the known grade was corrected, nobody who has answered is asked the document again."""
    number = house.campaign(budget=10, method="passive")
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0))
    client, seen = house.assessor(number, "ann"), list[tuple[str, str]]()
    for grade in (2.0, 1.0, 0.0):
        house.room.gold.add(number, 1, golden(1, grade))
        seen += judge(client, number, 3, truly)
    assert len(seen) == len(set(seen)) == 9
    assert seen.count(("gold", "g0")) == 1
    assert "9 answers" in client.get(f"/campaigns/{number}/judge/history").text


def test_a_question_that_went_to_others_as_a_document(house: House) -> None:
    """Who was asked a gold question and let the lease of the same document end can still answer the question."""
    number = with_gold(house, every=None)
    state = house.room.campaigns.get(number).campaign._state
    ann, bob = program(house, number, "ann"), program(house, number, "bob")
    (task,) = tasks(ann, number, 1)
    ids = {"query": task["query"], "document": task["document"]}
    house.room.gold.add(number, 1, [GoldQuestion(**ids, grade=1.0)])
    (question,) = [one.id for one in house.room.gold.questions(number) if one.document == task["document"]]
    (person,) = [row.id for row in house.room.people.of_campaign(number) if row.name == "ann"]
    handed = {"campaign": number, "question": question, "person": person, "place": 0, "handed": time.time()}
    with house.room.engine.begin() as connection:
        connection.execute(sa.insert(GOLD_ANSWERS).values(handed))
    state.clock = lambda: time.time() + 3600
    assert [one["document"] for one in tasks(bob, number, 1)] == [task["document"]]
    assert send(bob, number, of(task, 2)).json()["new"] == 1
    assert send(ann, number, of(task, 1)).json()["new"] == 1
    assert house.room.campaigns.get(number).campaign.labels().select("assessor", "grade").rows() == [("bob", 2.0)]
    mine = [one for one in house.room.gold.answers(number, (0.0, 1.0, 2.0)) if one.person == person]
    assert [one.grade for one in mine] == [1.0]


def test_a_question_that_is_left_at_the_end(house: House) -> None:
    """When every document is judged, a gold question that was not answered is still asked."""
    number = house.campaign(budget=5, method="passive")
    house.room.gold.add(number, 1, golden(1))
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0))
    person, link = house.room.people.invite(number, "ann")
    token = house.room.people.new_token(person.id, "script")
    client = house.guest(headers={"Authorization": f"Bearer {token}"})
    found = tasks(client, number, 6)
    assert [task["query"] == "gold" for task in found].count(True) == 1
    send(client, number, *(of(task) for task in found if task["query"] != "gold"))
    assert [task["query"] for task in tasks(client, number, 6)] == ["gold"]
    page = house.enter(link)
    assert judge(page, number, 9, truly) == [("gold", "g0")]
    assert "All done" in page.get(f"/campaigns/{number}/judge").text


def test_what_is_spent_is_not_shown(house: House) -> None:
    """Gold questions cost nothing: where some are asked, assessors do not see what is spent."""
    plain, mixed = house.campaign("plain", method="passive"), with_gold(house)
    assert "of the budget spent" in house.assessor(plain, "ann").get(f"/campaigns/{plain}/judge").text
    assert "of the budget spent" not in house.assessor(mixed, "ann").get(f"/campaigns/{mixed}/judge").text


def test_the_pace_gives_no_gold_away(house: House) -> None:
    """How many documents somebody judges an hour is computed from all their answers, whichever are gold."""
    number = with_gold(house, every=2)
    client, now, times, kinds = house.assessor(number, "ann"), time.time(), list[float](), set[bool]()
    house.room.campaigns.get(number).campaign._state.clock = lambda: now
    for step in range(5, 17):
        form = asked(client, number)
        kinds.add(form["query"] == "gold")
        now += step * step
        client.post(f"/campaigns/{number}/judge", data={**form, "grade": "1"})
        times.append(now)
        page = client.get(f"/campaigns/{number}/judge").text
        between = [float(one) for one in np.diff(times)]
        pace = f", {3600 / median(between):.0f} per hour" if len(between) > 1 else ""
        assert re.search(r">(\d+ judged by you.*?)</span>", page)[1] == f"{len(times)} judged by you{pace}"
    assert kinds == {True, False}


def test_answers_sent_together_have_one_time(house: House) -> None:
    """Which of them were gold cannot be told by going back from one answer to the one before."""
    number = with_gold(house)
    person, link = house.room.people.invite(number, "ann")
    client = house.guest(headers={"Authorization": f"Bearer {house.room.people.new_token(person.id, 'script')}"})
    assert send(client, number, *map(of, tasks(client, number, 8))).json()["new"] == 8
    page = house.enter(link).get(f"/campaigns/{number}/judge", params={"before": "inf"}).text
    assert 'id="undo"' not in page, "nothing was answered before these"


def test_a_desk_holds_so_many_documents(house: House) -> None:
    """However many documents somebody asks for, others get some too."""
    number = house.campaign(budget=60, method="passive")
    ann, most = program(house, number, "ann"), house.room.settings.desk_documents
    assert len(tasks(ann, number, 1000)) == most == 20
    assert len({task["document"] for _ in range(3) for task in tasks(ann, number, 1000)}) == most
    assert len(tasks(program(house, number, "bob"), number, 5)) == 5
    assert house.room.campaigns.get(number).campaign.progress().leased == most + 5


def test_who_is_blocked_answers_no_more(house: House) -> None:
    """Neither what was handed out before nor an earlier answer once more, on the page and by the API."""
    number = with_gold(house, threshold=0.6, least=3)
    person, link = house.room.people.invite(number, "ann")
    token = house.room.people.new_token(person.id, "script")
    client, page = house.guest(headers={"Authorization": f"Bearer {token}"}), house.enter(link)
    found = tasks(client, number, 12)
    gold, rest = ([task for task in found if (task["query"] == "gold") is yes] for yes in (True, False))
    assert send(client, number, of(rest[0], 0)).status_code == 200
    form = asked(page, number)
    assert send(client, number, *(of(task, 0) for task in gold[:3])).status_code == 200
    assert house.room.campaigns.get(number).campaign.progress().leased == 0, "what was on the desk goes to others"
    for refused in (
        send(client, number, of(rest[1])),
        send(client, number, of(gold[3])),
        send(client, number, of(rest[0], 1), replace=True),
        client.post(f"/api/v1/campaigns/{number}/tasks"),
        page.post(f"/campaigns/{number}/judge", data={**form, "grade": "1"}),
    ):
        assert refused.status_code == 403
        assert "agreed on beforehand" in refused.text
    assert house.room.campaigns.get(number).campaign.labels()["grade"].to_list() == [0.0]
    assert asked(page, number) == {}
    house.room.gold.lift(number, person.id, 1)
    assert len(judge(page, number, 2, wrongly)) == 2


def test_nothing_is_said_of_what_was_not_handed_out(house: House) -> None:
    """An assessor who guesses ids is told the same whether the pool has them; who may see the pool is helped."""
    number = house.campaign(method="passive")
    client = program(house, number)
    (query, document), *_ = truth()
    told = set()
    for guess in ((query, document), (query, "x"), ("q0", "x")):
        refused = send(client, number, {"query": guess[0], "document": guess[1], "grade": 1})
        told.add((refused.status_code, cleaned(refused.text, {guess[0]: "QUERY", guess[1]: "DOCUMENT"})))
    assert len(told) == 1
    assert told.pop()[0] == 409
    near = send(house.program(), number, {"query": query[:-1], "document": document, "grade": 1})
    assert near.status_code == 400
    assert "Did you mean q" in near.json()["detail"]


def test_an_answer_is_changed_so_often(house: House) -> None:
    """An assessor changes an answer a hundred times and no more, and sends a thousand labels at once at most."""
    number = house.campaign(method="passive")
    client = program(house, number)
    (task,) = tasks(client, number, 1)
    flips = [of(task, n % 2) for n in range(200)]
    refused = send(client, number, *flips, replace=True)
    assert refused.status_code == 400
    assert "changed 100 times" in refused.json()["detail"]
    assert send(client, number, *flips[:101], replace=True).json()["replaced"] == 100
    assert send(client, number, of(task, 1), replace=True).status_code == 400
    assert send(client, number, *[of(task)] * 1001).status_code == 413
    assert len(house.room.campaigns.get(number).campaign.labels(history=True)) == 101
    boss = house.program()
    assert send(boss, number, of(task, 1, assessor="ann"), replace=True).status_code == 200
