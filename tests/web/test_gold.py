"""Gold questions: who gets them, what they say of assessors, and that no estimate knows of them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import httpx
import pytest

from rankgauge.room.gold import GoldQuestion, GoldRules
from rankgauge.room.people import Role
from tests.web.house import House, csrf, fields, pool, truth

ROOM = {"secret": "a key that decides when a gold question is asked"}
"""A room's own key is random, and the questions with it: a few tests would fail once in thirty runs."""

Answer = Callable[[str, str], str]

TEXTS = {"query_text": "find gold", "title": "A nugget", "text": "It glitters."}


def golden(n: int, grade: float | None = 2.0) -> list[GoldQuestion]:
    """Gold questions that are not in the pool."""
    return [GoldQuestion(query="gold", document=f"g{i}", grade=grade, texts=TEXTS) for i in range(n)]


def asked(client: httpx.Client, campaign: int) -> dict[str, str]:
    """The fields of the form on the judging page; none if there is nothing to judge."""
    page = client.get(f"/campaigns/{campaign}/judge").text
    found = {name: html.unescape(value) for name, value in fields(page).items()}
    return found if "key" in found else {}


def judge(client: httpx.Client, campaign: int, most: int, say: Answer) -> list[tuple[str, str]]:
    """Judges that many documents or as many as there are; gives them in their order."""
    seen = []
    while len(seen) < most and (form := asked(client, campaign)):
        seen.append((form["query"], form["document"]))
        answer = client.post(f"/campaigns/{campaign}/judge", data={**form, "grade": say(*seen[-1])})
        assert answer.status_code == 303, answer.text
    return seen


def truly(query: str, document: str) -> str:
    """What a perfect assessor says."""
    return str(truth().get((query, document), 2))


def wrongly(query: str, document: str) -> str:
    """Somebody who knows the pool and not the gold."""
    return str(truth().get((query, document), 0))


def test_no_estimate_knows_of_gold_questions(house: House) -> None:
    """Two campaigns with one seed, one with gold questions: labels, cost, draws and estimate are the same."""
    plain, mixed = house.campaign("plain", budget=30), house.campaign("mixed", budget=30)
    house.room.gold.add(mixed, 1, golden(20))
    house.room.gold.set_rules(mixed, GoldRules(every=2))
    seen = {number: judge(house.assessor(number, "ann"), number, 200, truly) for number in (plain, mixed)}
    assert [one for one in seen[mixed] if one[0] != "gold"] == seen[plain]
    assert len(seen[mixed]) > len(seen[plain]) + 5
    a, b = (house.room.campaigns.get(number) for number in (plain, mixed))
    columns = ["query", "document", "grade"]
    assert a.campaign.labels().select(columns).rows() == b.campaign.labels().select(columns).rows()
    assert a.campaign.progress().to_json() == b.campaign.progress().to_json()
    assert a.estimate() == b.estimate()


def test_gold_questions_look_like_all_others(house: House) -> None:
    """The page of one has the same fields, stays when it is opened again, and comes about as often as it is to."""
    number = house.campaign(budget=20, method="passive")
    house.room.gold.add(number, 1, golden(40))
    house.room.gold.set_rules(number, GoldRules(every=3, threshold=0))
    client, forms = house.assessor(number, "ann"), list[dict[str, str]]()
    while form := asked(client, number):
        again = asked(client, number)
        assert (form["query"], form["document"]) == (again["query"], again["document"])
        forms.append(form)
        client.post(f"/campaigns/{number}/judge", data={**form, "grade": "1"})
    assert len({tuple(form) for form in forms}) == 1
    gold = sum(form["query"] == "gold" for form in forms)
    assert len(forms) - gold == 20
    assert 20 / 3 / 3 < gold < 20 / 3 * 3
    assert f"You have judged {len(forms)} documents" in client.get(f"/campaigns/{number}/judge").text


def test_who_is_wrong_too_often_gets_no_more_documents(house: House) -> None:
    """After the least number of gold questions; in kind words, until a manager lifts it, and then they start anew."""
    number = house.campaign(budget=20, method="passive")
    house.room.gold.add(number, 1, golden(40))
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0.6, least=4))
    boss, ann, bob = house.admin(), house.assessor(number, "ann"), house.assessor(number, "bob")
    assert len(judge(ann, number, 12, truly)) == 12
    seen = judge(bob, number, 12, wrongly)
    assert sum(query == "gold" for query, _ in seen) == 4
    page = bob.get(f"/campaigns/{number}/judge").text
    assert "Thank you for your work so far." in page
    assert "budget" not in page
    quality = boss.get(f"/campaigns/{number}/quality").text
    assert "0 of 4 gold questions right" in quality
    rows = {
        row["assessor"]: row for row in house.program().get(f"/api/v1/campaigns/{number}/quality").json()["assessors"]
    }
    assert (rows["bob"]["gold_right"], rows["bob"]["gold_asked"]) == (0, 4)
    assert rows["bob"]["gold_high"] == pytest.approx(1 - 0.025 ** (1 / 4))
    assert (rows["bob"]["blocked"] is None, rows["ann"]["blocked"] is None) == (False, True)
    unblock = f"/campaigns/{number}/quality/{rows['bob']['person']}/unblock"
    assert boss.post(unblock, data={"csrf": csrf(boss)}).status_code == 303
    assert sum(query == "gold" for query, _ in judge(bob, number, 12, wrongly)) == 4
    assert boss.post(unblock, data={"csrf": csrf(boss)}).status_code == 303
    assert boss.post(unblock, data={"csrf": csrf(boss)}).status_code == 404


def test_programs_get_gold_questions_too(house: House) -> None:
    """Tasks of the API hold them, labels of the API answer them, and a blocked assessor's program is refused."""
    number = house.campaign(budget=20, method="passive")
    house.room.gold.add(number, 1, golden(40))
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0.6, least=3))
    person, _ = house.room.people.invite(number, "ann")
    token = house.room.people.new_token(person.id, "script")
    client, address = house.guest(headers={"Authorization": f"Bearer {token}"}), f"/api/v1/campaigns/{number}"
    tasks = client.post(f"{address}/tasks", params={"n": 6}).json()
    assert [task["query"] == "gold" for task in tasks] == [True, False] * 3
    labels = [{"query": t["query"], "document": t["document"], "grade": 0} for t in tasks]
    assert client.post(f"{address}/labels", json={"labels": labels}).json()["new"] == 6
    assert len(house.room.campaigns.get(number).campaign.labels()) == 3
    refused = client.post(f"{address}/tasks")
    assert refused.status_code == 403
    assert "agreed on beforehand" in refused.json()["detail"]


def test_an_answer_to_a_gold_question_can_be_changed(house: House) -> None:
    """It is in the history like all others, the last answer counts, and one that is sent twice counts once."""
    number = house.campaign(method="passive")
    house.room.gold.add(number, 1, golden(1))
    house.room.gold.set_rules(number, GoldRules(every=1))
    client = house.assessor(number, "ann")
    form = asked(client, number)
    assert form["query"] == "gold"
    for _ in range(2):
        client.post(f"/campaigns/{number}/judge", data={**form, "grade": "0", "comment": "dull"})
    answers = lambda: house.room.gold.answers(number, (0.0, 1.0, 2.0))  # noqa: E731
    assert [(one.grade, one.right, one.comment) for one in answers()] == [(0.0, False, "dull")]
    judge(client, number, 2, truly)
    history = client.get(f"/campaigns/{number}/judge/history").text
    assert "A nugget" in history
    assert "3 answers" in history
    page = client.get(f"/campaigns/{number}/judge", params={"query": "gold", "document": "g0"}).text
    assert "You said: bad" in page
    again = {name: html.unescape(value) for name, value in fields(page).items()}
    client.post(f"/campaigns/{number}/judge", data={**again, "grade": "2"})
    assert [(one.grade, one.right) for one in answers()] == [(2.0, True)]


def test_a_gold_question_that_is_drawn_anyway(house: House) -> None:
    """Its answer is an ordinary label, and is compared; nobody is asked what they have judged already."""
    number = house.campaign(budget=20, method="passive")
    known = [GoldQuestion(query=q, document=d, grade=2.0, texts=TEXTS) for q, d in list(truth())]
    house.room.gold.add(number, 1, known)
    house.room.gold.set_rules(number, GoldRules(every=10**6, threshold=0))
    seen = judge(house.assessor(number, "ann"), number, 100, truly)
    assert len(seen) == len(set(seen)) == 20
    answers = house.room.gold.answers(number, (0.0, 1.0, 2.0))
    assert len(answers) == 20
    assert sum(one.right for one in answers) == sum(
        truth()[one.query, one.document] == 2 for one in known if (one.query, one.document) in seen
    )
    assert len(house.room.campaigns.get(number).campaign.labels()) == 20


def of_the_pool() -> list[GoldQuestion]:
    """Every document of the pool as a gold question."""
    read = ("query_text", "title", "text")
    return [
        GoldQuestion(query=row["query"], document=row["document"], grade=2.0, texts={name: row[name] for name in read})
        for row in pool().iter_rows(named=True)
    ]


@pytest.mark.parametrize("method", ["passive", "auto"])
def test_nobody_is_asked_twice(house: House, method: str) -> None:
    """If a draw needs what somebody answered as a gold question, that answer is their label: labels, cost, draws and
    estimate are those without gold questions, and nobody sees a document again."""
    plain, mixed = (house.campaign(name, budget=30, method=method) for name in ("plain", "mixed"))
    house.room.gold.add(mixed, 1, of_the_pool())
    house.room.gold.set_rules(mixed, GoldRules(every=1, threshold=0))
    people = {number: house.assessor(number, "ann") for number in (plain, mixed)}
    seen = {number: judge(client, number, 200, truly) for number, client in people.items()}
    assert len(seen[mixed]) == len(set(seen[mixed])) > len(seen[plain])
    a, b = (house.room.campaigns.get(number).campaign for number in (plain, mixed))
    columns = ["query", "document", "grade", "kind", "origin", "assessor"]
    assert sorted(a.labels().select(columns).rows()) == sorted(b.labels().select(columns).rows())
    assert a.progress() == b.progress()
    assert a.estimate() == b.estimate()
    told = f"You have judged {len(seen[mixed])} documents"
    assert told in people[mixed].get(f"/campaigns/{mixed}/judge").text
    assert f"{len(seen[mixed])} answers" in people[mixed].get(f"/campaigns/{mixed}/judge/history").text


def test_a_gold_answer_that_becomes_a_label(house: House) -> None:
    """It keeps its time, so that no old answer moves to the top; a later change of it is a change of the label."""
    number = house.campaign(budget=20, method="passive")
    house.room.gold.add(number, 1, of_the_pool())
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0))
    client = house.assessor(number, "ann")
    seen = judge(client, number, 200, lambda *_: "1")
    gold = {one.question.document: one.made for one in house.room.gold.answers(number, (0.0, 1.0, 2.0))}
    campaign = house.room.campaigns.get(number).campaign
    state = campaign._state
    with state.looking() as connection:
        leased = {row.place for row in state.store.first_leases(connection)}
    known = state.pool.positions
    became = [
        row for row in campaign.labels().iter_rows(named=True) if known[row["query"]][row["document"]] not in leased
    ]
    assert became, "some draw needed a document that was gold before"
    assert all(row["made"] == gold[row["document"]] for row in became)
    history = client.get(f"/campaigns/{number}/judge/history").text
    titles = dict(zip(pool()["document"], pool()["title"], strict=True))
    shown = [html.unescape(one) for one in re.findall(r'aria-label="Change the answer to ([^"]*)"', history)]
    assert shown == [titles[document] for _, document in reversed(seen)]
    ids = {"query": became[0]["query"], "document": became[0]["document"]}
    page = client.get(f"/campaigns/{number}/judge", params=ids).text
    form = {name: html.unescape(value) for name, value in fields(page).items()}
    assert client.post(f"/campaigns/{number}/judge", data={**form, "grade": "0"}).status_code == 303
    (now,) = [row for row in campaign.labels().iter_rows(named=True) if ids.items() <= row.items()]
    assert (now["grade"], now["origin"]) == (0.0, "answered")


def test_managers_make_gold_questions(house: House) -> None:
    """From a table, from qrels, from the pool and from settled disagreements; mistakes are told, and nothing added."""
    number = house.campaign(assessors=2, method="passive")
    boss = house.admin()
    token = {"csrf": csrf(boss)}
    query, document = next(iter(truth()))

    def upload(name: str, content: str) -> httpx.Response:
        return boss.post(f"/campaigns/{number}/gold/labels", data=token, files={"file": (name, content.encode())})

    assert (
        "2 gold questions added"
        in upload(
            "g.csv", f"query,document,grade\n{query},{document},good\nx,y,2\n".replace("x,y,2", "q02,q02-d01,0")
        ).text
    )
    assert "1 gold question added" in upload("g.txt", f"{query} 0 {document} 1\n").text
    assert "1 gold question added" in upload("g.csv", "query,document,grade,title,text\nx,y,2,T,words\n").text
    assert [(one.document, one.grade) for one in house.room.gold.questions(number)] == [
        ("q02-d01", 0.0),
        (document, 1.0),
        ("y", 2.0),
    ]
    for content, words in (
        ("query,document,grade\nx,z,2\n", "there is nothing to read of document z"),
        (f"query,document,grade\n{query},{document},7\n", "7"),
        ("query,grade\n1,2\n", "document"),
    ):
        refused = upload("g.csv", content)
        assert refused.status_code == 400
        assert words in html.unescape(refused.text)
    house.room.gold.set_rules(number, GoldRules())  # what the two judge first is a document of the pool
    for name, grade in (("ann", "0"), ("bob", "2")):
        judge(house.assessor(number, name), number, 1, lambda *_, grade=grade: grade)
    (one,) = house.room.campaigns.get(number).review.disagreements()
    said = {**token, "query": one.query, "document": one.document, "grade": "1", "comment": "half of it"}
    boss.post(f"/campaigns/{number}/disagreements", data=said)
    page = boss.get(f"/campaigns/{number}/disagreements").text
    assert "Settled: fair, by admin" in page
    assert "half of it" in page
    assert "1 gold question added" in boss.post(f"/campaigns/{number}/gold/settled", data=token).text
    added = house.room.gold.questions(number)[-1]
    assert (added.document, added.grade) == (one.document, 1.0)
    assert boss.post(f"/campaigns/{number}/gold/{added.id}/retire", data=token).status_code == 303
    assert added.id not in {left.id for left in house.room.gold.questions(number)}
    wrong = boss.post(f"/campaigns/{number}/gold/rules", data={**token, "every": "often"})
    assert wrong.status_code == 400
    assert "is not a whole number" in html.unescape(wrong.text)


def test_the_quality_of_labels(house: House) -> None:
    """Reasons, comments, times and agreement are on the page and in the API."""
    number = house.campaign(assessors=2, method="passive")
    clients = {name: house.assessor(number, name) for name in ("ann", "bob")}
    for name, client in clients.items():
        form = asked(client, number)
        client.post(f"/campaigns/{number}/judge", data={**form, "reason": "wrong language", "comment": f"{name} asks"})
        judge(client, number, 4, truly)
    page = house.admin().get(f"/campaigns/{number}/quality").text
    assert "wrong language: ann asks" in page
    assert pool()["query_text"][0] in page or "Query" in page
    found = house.program().get(f"/api/v1/campaigns/{number}/quality").json()
    ann = next(row for row in found["assessors"] if row["assessor"] == "ann")
    assert (ann["documents"], ann["skipped"], ann["agree"], ann["timed"]) == (5, 1, 1.0, 5)
    assert 0 <= ann["median"] < 60
    assert sum(row["labels"] for row in found["levels"]) == 8
    assert found["drift"][0]["labels"] == 10


def test_what_is_said_of_gold_questions_reaches_managers(house: House) -> None:
    """Comments and reasons are on the pages Gold and Quality and in the API, once each, and among no labels."""
    number = house.campaign(budget=20, method="passive")
    house.room.gold.add(number, 1, golden(1))
    house.room.gold.set_rules(number, GoldRules(every=1, threshold=0))
    team = {name: house.assessor(number, name) for name in ("ann", "bob")}
    wrong = {"grade": "0", "comment": "this known answer is wrong"}
    for client, said in zip(team.values(), (wrong, {"reason": "wrong language", "comment": "in Finnish"}), strict=True):
        form = asked(client, number)
        assert form["query"] == "gold"
        client.post(f"/campaigns/{number}/judge", data={**form, **said})
    house.room.gold.add(number, 1, of_the_pool())  # labels are compared from now on, too
    house.room.gold.set_rules(number, GoldRules(threshold=0))
    for name, client in team.items():
        form = {**asked(client, number), "grade": "1", "comment": f"{name} labels it"}
        client.post(f"/campaigns/{number}/judge", data=form)
    boss, program, address = house.admin(), house.program(), f"/api/v1/campaigns/{number}"
    gold = boss.get(f"/campaigns/{number}/gold").text
    row = next(one for one in gold.split("<tr>") if "A nugget" in one)
    assert '0 <span class="soft">of 2</span>' in row
    assert "this known answer is wrong" in row
    assert "wrong language: in Finnish" in row
    quality = boss.get(f"/campaigns/{number}/quality").text
    for words in ("this known answer is wrong", "wrong language: in Finnish", "ann labels it", "bob labels it"):
        assert quality.count(words) == 1
    assert quality.count('<span class="tag">gold</span>') == 2
    watching = house.enter(house.room.people.invite(number, "vera", Role.VIEWER)[1])
    for seen in (watching.get(f"/campaigns/{number}/quality").text, watching.get(f"{address}/quality").text):
        assert "ann labels it" in seen
        assert "this known answer is wrong" not in seen
        assert ">gold<" not in seen
    found = program.get(f"{address}/quality").json()
    assert found["reasons"] == {"wrong language": 1}
    assert [one["comment"] for one in found["comments"] if one["gold"]] == [
        "wrong language: in Finnish",
        "this known answer is wrong",
    ]
    (known,) = (one for one in program.get(f"{address}/gold").json() if one["query"] == "gold")
    assert (known["asked"], known["right"]) == (2, 0)
    assert [one["assessor"] for one in known["comments"]] == ["ann", "bob"]
    assert len(house.room.campaigns.get(number).campaign.labels()) == 2


def test_a_reason_is_for_what_cannot_be_judged(house: House) -> None:
    """A grade with a reason is refused, and so is neither; a reason becomes the beginning of the comment."""
    number = house.campaign(method="passive")
    client = house.assessor(number, "ann")
    form = asked(client, number)
    both = {**form, "grade": "1", "reason": "wrong language"}
    assert client.post(f"/campaigns/{number}/judge", data=both).status_code == 422
    neither = client.post(f"/campaigns/{number}/judge", data={**form, "comment": "hm"})
    assert neither.status_code == 422
    assert ">choose a grade, or a reason why the document cannot be judged<" in neither.text
    client.post(f"/campaigns/{number}/judge", data={**form, "reason": "another reason", "comment": " it is a map "})
    (row,) = house.room.campaigns.get(number).campaign.labels().rows(named=True)
    assert (row["kind"], row["comment"]) == ("skip", "another reason: it is a map")
    page = client.get(f"/campaigns/{number}/judge", params={"before": "inf"}).text
    assert "it cannot be judged (another reason)" in page
    assert 'value="it is a map"' in page


def test_a_comment_alone_can_be_changed(house: House) -> None:
    """Whoever goes back to say more keeps the grade, and the new comment counts."""
    number = house.campaign(method="passive")
    client = house.assessor(number, "ann")
    judge(client, number, 1, truly)
    page = client.get(f"/campaigns/{number}/judge", params={"before": "inf"}).text
    form = {name: html.unescape(value) for name, value in fields(page).items()}
    grade = truly(form["query"], form["document"])
    client.post(f"/campaigns/{number}/judge", data={**form, "grade": grade, "comment": "now I see"})
    (row,) = house.room.campaigns.get(number).campaign.labels().rows(named=True)
    assert (f"{row['grade']:g}", row["comment"]) == (grade, "now I see")
