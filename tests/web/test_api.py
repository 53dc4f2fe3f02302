"""The room for programs: what each route gives, that nothing sent there is a server's error, and one set of numbers."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from rankgauge.errors import InputError
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.room.client import RoomClient
from tests.active.board.collection import noisy_judge, tables
from tests.program import invoke
from tests.web.crowd import FRAGMENT
from tests.web.house import LEVELS, PATIENCE, House, fields, open_house, pool, truth, write_pool

NUMBERS = ("value", "low", "high", "error", "draws", "labels", "cost")
EXAMPLES = [3, pytest.param(30, marks=pytest.mark.study)]
"""So many requests of each route and kind."""

HEAD = 60_000
"""Bytes of an address; a longer one is answered with 400 before all of it was read, so that the answer may be lost."""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    """A room with a campaign that is being judged, and an admin's token."""
    with open_house(f"sqlite:///{tmp_path_factory.mktemp('api') / 'room.db'}", upload_megabytes=1) as house:
        number = house.campaign("described", assessors=2, method="passive")
        judge(house, number, {"ann": 0, "bob": 1})
        yield house, token(house)


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("examples", EXAMPLES)
def test_no_request_is_a_servers_error(described: tuple[House, str], mode: GenerationMode, examples: int) -> None:
    """Whatever is sent to a route of the API, as it is described or otherwise, is never answered with 5xx."""
    house, secret = described
    schema = schemathesis.openapi.from_url(
        f"{house.base}/api/openapi.json", headers={"Authorization": f"Bearer {secret}"}
    )
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        try:
            strategy = operation.as_strategy(generation_mode=mode)
            meet(strategy, house, secret, examples)
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE, (
                operation.label
            )  # a route that takes nothing can be sent nothing wrong
            continue
        tried += 1
    assert tried > 15


def meet(strategy: SearchStrategy[Any], house: House, secret: str, examples: int) -> None:
    """So many requests of the strategy, each of which is answered."""

    @given(strategy)
    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    def answered(case: Any) -> None:
        number = (case.path_parameters or {}).get("campaign")
        if isinstance(number, int) and number % 4:
            case.path_parameters["campaign"] = 1  # else hardly any request would meet a campaign
        if isinstance((case.path_parameters or {}).get("token"), int):
            case.path_parameters["token"] += 1_000_000  # else all that follows would be refused
        try:
            answer = case.call(base_url=house.base, headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE)
        except requests.RequestException:
            assert len(urlencode(case.query or {}, doseq=True)) > HEAD, "only an endless address is not answered"
            return
        case.validate_response(answer, checks=[not_a_server_error])

    answered()


def token(house: House) -> str:
    """An admin's token."""
    entered = house.room.people.enter(house.room.people.admin_link("program"))
    assert entered is not None
    return house.room.people.new_token(entered[0].id, "program")


def judge(house: House, number: int, off: dict[str, int]) -> None:
    """Everybody judges all there is by a token of their own, so many grades off the truth on the first document."""
    for name, wrong in off.items():
        person, _ = house.room.people.invite(number, name)
        with RoomClient(house.base, token=house.room.people.new_token(person.id, "own")) as room:
            while tasks := room.tasks(number, 20):
                told = [{"query": t["query"], "document": t["document"], "grade": grade(t, wrong)} for t in tasks]
                assert room.record(number, told)["new"] == len(told)


def grade(task: dict[str, Any], wrong: int) -> int:
    """The true grade; the first document of each query is seen otherwise by who is wrong."""
    true = truth()[task["query"], task["document"]]
    return (true + wrong) % 3 if task["document"].endswith("d01") else true


def test_a_campaign_from_a_notebook(house: House, tmp_path: Path) -> None:
    """A campaign can be made, judged, watched, settled, paused and taken out by programs alone."""
    with RoomClient(house.base, token=token(house)) as room:
        made = room.create(
            "autumn", write_pool(tmp_path), measure="ERR@5", budget=50, levels=LEVELS, assessors=2, method="passive"
        )
        number = made["id"]
        assert (made["name"], made["measure"], made["estimate"]) == ("autumn", "ERR@5", None)
        assert [one["id"] for one in room.campaigns()] == [number]
        judge(house, number, {"ann": 0, "bob": 1})
        now = room.campaign(number)
        assert now["progress"]["spent"] == now["progress"]["labels"] == 50  # 5 queries × 5 documents × 2 assessors
        assert now["estimate"]["low"] <= now["estimate"]["value"] <= now["estimate"]["high"]
        labels = room.labels(number)
        assert labels.group_by("assessor").len().sort("assessor").rows() == [("ann", 25), ("bob", 25)]
        assert len(room.judgments(number)) == 25
        assert b"ann" in room.file(number, "assessors.txt")
        (tmp_path / "campaign.rg").write_bytes(room.file(number, "campaign.rg"))
        again = room.create("again", tmp_path / "campaign.rg")
        assert again["estimate"] == now["estimate"]
        frame = room.create("frame", pool().drop("grade"), budget=40, levels=LEVELS)
        assert frame["progress"]["labels"] == 0


@pytest.mark.parametrize(("sent", "near"), [("measures", "Did you mean measure"), ("foo", "Known: ")])
def test_settings_that_do_not_exist(house: House, sent: str, near: str) -> None:
    """A setting that there is not is refused, with the nearest that there is, wherever settings are sent."""
    refusal = f"422: .*There is no setting called '{sent}'. {near}"
    with RoomClient(house.base, token=token(house)) as room:
        for budget in (1, 40):
            with pytest.raises(InputError, match=refusal):
                room.create("autumn", pool().drop("grade"), budget=budget, **{sent: "AP"})
        assert room.campaigns() == []
        number = room.create("autumn", pool().drop("grade"), budget=40, levels=LEVELS)["id"]
        with pytest.raises(InputError, match=refusal.partition(". ")[0]):
            room.change(number, **{sent: "AP"})


def test_a_stopping_rule_goes_along(house: House, tmp_path: Path) -> None:
    """A campaign's file has its stopping rule: its estimate is the room's, at the command line and in another room."""
    number = house.campaign("autumn", stop_at=0.001, method="passive")
    judge(house, number, {"ann": 0})
    with RoomClient(house.base, token=token(house)) as room:
        (tmp_path / "campaign.rg").write_bytes(room.file(number, "campaign.rg"))
        there, again = room.campaign(number), room.create("again", tmp_path / "campaign.rg")
    assert (again["stop_at"], again["estimate"]) == (0.001, there["estimate"])
    with Campaign.open(tmp_path / "campaign.rg") as campaign:
        assert campaign.rules.stop_at == 0.001
        assert (campaign.estimate().low, campaign.estimate().interval) == (there["estimate"]["low"], "sequence")


def test_a_board_in_the_room(house: House, tmp_path: Path) -> None:
    """A campaign for many runs is judged in the room like any other, and its dashboard shows every run."""
    judgments, runs, _ = tables()
    known = {(query, document): grade for query, document, grade in judgments.iter_rows()}
    board = BoardPool.from_runs(runs, judges={"model": noisy_judge()})
    BoardCampaign.create(tmp_path / "board.rg", board, ["P@5"], grades=(0, 1, 2, 3), budget=120).close()
    with RoomClient(house.base, token=token(house)) as room:
        made = room.create("board", tmp_path / "board.rg")
        number = made["id"]
        assert (made["measure"], made["method"], made["estimate"]) == ("P@5", "posterior", None)
    person, _ = house.room.people.invite(number, "ann")
    with RoomClient(house.base, token=house.room.people.new_token(person.id, "own")) as ann:
        while tasks := ann.tasks(number, 20):
            pairs = [(task["query"], task["document"]) for task in tasks]
            told = [
                {"query": query, "document": document, "grade": known[query, document]} for query, document in pairs
            ]
            assert ann.record(number, told)["new"] == len(told)
    with RoomClient(house.base, token=token(house)) as room:
        told = room.campaign(number)
        assert told["progress"]["spent"] == 120
        assert [sorted(row["run"] for row in campaign["board"]) for campaign in (told, made)] == [sorted(runs), []]
        page = house.admin().get(f"/campaigns/{number}").text  # as many decimals as the interval allows
        assert all(any(f"{row['value']:.{places}f}" in page for places in (2, 3, 4)) for row in told["board"])
    admin = house.admin()
    page = admin.get(f"/campaigns/{number}").text
    assert all(run in page for run in runs)
    assert "to the first" in page
    assert "the grades are first guesses" in page
    assert "grades alone P@5 would be" in page
    assert "board" in admin.get("/").text


def test_the_scale_of_the_pool(house: House) -> None:
    """Without a word on the scale it is that of the pool's beliefs, and 0 to 4 where it has none."""
    with RoomClient(house.base, token=token(house)) as room:
        own = room.create("own", pool().drop("grade"), budget=40)["id"]
        none = room.create("none", pool().drop("grade").select("query", "document", "score"), budget=40)["id"]
    grades = [house.room.campaigns.get(number).campaign.settings.grades for number in (own, none)]
    assert grades == [(0.0, 1.0, 2.0), (0.0, 1.0, 2.0, 3.0)]


def test_every_other_route(house: House) -> None:
    """Curve, queries, agreement, disagreements, the stop rule, pause and people are there for programs too."""
    number = house.campaign(assessors=2, budget=40, method="passive")
    judge(house, number, {"ann": 0, "bob": 1})
    call = Calls(house.program(), f"/api/v1/campaigns/{number}")
    curve = call.get("/curve")
    assert [row["draws"] for row in curve] == [2, 3, 4]
    assert len(call.get("/queries")) == 4
    assert "Not yet: about 10 more labels." in house.admin().get(f"/campaigns/{number}/progress").text
    assert {row["coefficient"] for row in call.get("/agreement")["coefficients"]}
    apart = call.get("/disagreements")
    assert apart
    assert all(one["document"].endswith("d01") for one in apart)
    first = {"query": apart[0]["query"], "document": apart[0]["document"], "grade": "good"}
    assert call.send("POST", "/disagreements", first)["new"] == 1
    assert sum(one["settled"] == 2 for one in call.get("/disagreements")) == 1
    assert len(call.get("/labels?history=true")) == 41
    assert call.send("POST", "/pause")["progress"]["paused"]
    assert call.send("POST", "/tasks") == []
    assert not call.send("POST", "/resume")["progress"]["paused"]
    assert call.send("PUT", "/stop", {"half_width": 0.5})["stop_at"] == 0.5
    assert call.send("PUT", "/stop", {"half_width": None})["stop_at"] is None
    guest = call.send("POST", "/assessors", {"name": "cleo"})
    assert [row["name"] for row in call.get("/assessors")] == ["ann", "bob", "cleo"]
    call.send("DELETE", f"/assessors/{guest['id']}")
    assert house.guest().post("/enter", data={"link": guest["link"]}).status_code == 404


def test_paused_in_between(house: House) -> None:
    """What was handed out before a pause may be answered during it, by programs and on the page; nothing is lost."""
    number = house.campaign(method="passive")
    call = Calls(house.program(), f"/api/v1/campaigns/{number}")
    browser = house.assessor(number, "ann")
    shown = fields(browser.get(f"/campaigns/{number}/judge").text)
    tasks = call.send("POST", "/tasks?n=2")
    call.send("POST", "/pause")
    told = {"labels": [{"query": task["query"], "document": task["document"], "grade": 1} for task in tasks]}
    assert call.send("POST", "/labels", told)["new"] == 2
    page = browser.post(f"/campaigns/{number}/judge", data={**shown, "grade": "2"}, headers=FRAGMENT)
    assert (page.status_code, "The campaign is paused." in page.text) == (200, True)
    assert call.send("POST", "/tasks") == []
    assert sorted(row["grade"] for row in call.get("/labels")) == [1, 1, 2]
    call.send("POST", "/resume")
    judged = {task["document"] for task in tasks}
    assert judged.isdisjoint(task["document"] for task in call.send("POST", "/tasks?n=5"))


def test_pauses_while_tasks_are_asked_for(house: House) -> None:
    """A program that asks at the very moment of a pause gets documents or none, never an error."""
    number = house.campaign(method="passive")
    call, asking = Calls(house.program(), f"/api/v1/campaigns/{number}"), threading.Event()
    got: list[int] = []

    def ask() -> None:
        with httpx.Client(base_url=house.base, headers=house.program().headers, timeout=30) as client:
            while not asking.is_set():
                got.append(client.post(f"/api/v1/campaigns/{number}/tasks").status_code)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        call.send("POST", "/pause")
        call.send("POST", "/resume")
    asking.set()
    for thread in threads:
        thread.join()
    assert set(got) == {200}


class Calls:
    """The routes of a campaign."""

    def __init__(self, client: httpx.Client, base: str) -> None:
        self._client, self._base = client, base

    def get(self, path: str) -> Any:
        """What the route gives."""
        return self.send("GET", path)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """What the route answers."""
        answer = self._client.request(method, self._base + path, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None


def test_mistakes_are_told(house: House) -> None:
    """The client says what was wrong in the room's own words, and where nobody answers."""
    number = house.campaign()
    with RoomClient(house.base, token=token(house)) as room:
        with pytest.raises(InputError, match=r"400: .*no query 'q99'"):
            room.record(number, [{"query": "q99", "document": "x", "grade": 1}])
        with pytest.raises(InputError, match="404: no such campaign"):
            room.campaign(number + 1)
    with RoomClient("http://127.0.0.1:1", token="x") as nobody, pytest.raises(InputError, match="does not answer"):
        nobody.campaigns()


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_what_is_no_text_is_refused(house: House, text: str) -> None:
    """A zero byte or half of a pair, which not every database can keep, is the sender's mistake wherever it stands."""
    number = house.campaign()
    program = house.program()
    (task,) = program.post(f"/api/v1/campaigns/{number}/tasks").json()
    label = {"query": task["query"], "document": task["document"], "grade": 1}
    bodies = [{"labels": [{**label, name: text}]} for name in ("comment", "key", "assessor", "query", "grade")]
    for body in bodies:
        sent = json.dumps(body).encode()
        assert program.post(f"/api/v1/campaigns/{number}/labels", content=sent).status_code in (400, 422)
    sent = json.dumps({"name": text}).encode()
    assert program.post(f"/api/v1/campaigns/{number}/assessors", content=sent).status_code in (400, 422)
    assert len(house.room.campaigns.get(number).campaign.labels(history=True)) == 0


def test_a_key_counts_once(house: House) -> None:
    """Labels that are sent again under their keys change nothing."""
    number = house.campaign()
    with RoomClient(house.base, token=token(house)) as room:
        (task,) = room.tasks(number)
        label = {"query": task["query"], "document": task["document"], "grade": 1, "key": "k1"}
        assert room.record(number, [label])["new"] == 1
        assert room.record(number, [label]) | {"same": 1, "new": 0} == room.record(number, [label])
        assert len(room.labels(number)) == 1


def test_all_labels_or_none(house: House) -> None:
    """A wrong label keeps those that were sent with it from being recorded; their keys are still free."""
    number = house.campaign()
    with RoomClient(house.base, token=token(house)) as room:
        one, two = room.tasks(number, 2)
        good = {"query": one["query"], "document": one["document"], "grade": 1, "key": "k1"}
        wrong = {"query": two["query"], "document": two["document"], "grade": 17, "key": "k2"}
        with pytest.raises(InputError, match="no level of the scale"):
            room.record(number, [good, wrong])
        assert len(room.labels(number)) == 0
        assert room.record(number, [good, wrong | {"grade": 2}])["new"] == 2


def test_the_same_numbers_everywhere(house: House, database: str) -> None:
    """The API, `Campaign.open` and `rankgauge active estimate` on the server's database say the same."""
    number = house.campaign("same")
    house.campaign("another")
    judge(house, number, {"ann": 0})
    with RoomClient(house.base, token=token(house)) as room:
        told = room.campaign(number)
    with Campaign.open(f"{database}#same") as campaign:
        found = campaign.estimate()
        assert found is not None
        assert campaign.progress().to_json() == told["progress"]
    finite = {name: None if value == math.inf else value for name, value in found.to_json().items()}
    assert finite == told["estimate"]  # JSON has no word for infinite degrees of freedom
    shown = invoke(["active", "estimate", f"{database}#same", "-o", "json"])
    assert shown.exit_code == 0, shown.output
    said = json.loads(shown.output)["estimate"]
    assert [said[name] for name in NUMBERS] == [told["estimate"][name] for name in NUMBERS]
