"""Who may do what: every route, without a session, with another role's, with another campaign's."""

from __future__ import annotations

import re
import time
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute

from rankgauge.labelling.campaign.database import Location
from rankgauge.room.app import HEADERS
from rankgauge.room.route import ROUTES
from rankgauge.room.upkeep import copy
from tests.web.house import House, csrf, fields, open_house

PUBLIC = {
    *(("GET", path) for path in ("/healthz", "/readyz", "/livez", "/metrics", "/enter", "/oidc", "/oidc/back")),
    *(("POST", path) for path in ("/enter", "/enter/owner")),
}
ASSESSORS = {
    ("GET", "/"),
    ("POST", "/leave"),
    ("GET", "/campaigns/{campaign}/judge"),
    ("POST", "/campaigns/{campaign}/judge"),
    ("GET", "/campaigns/{campaign}/judge/history"),
    ("GET", "/campaigns/{campaign}/pairs/compare"),
    ("POST", "/campaigns/{campaign}/pairs/compare"),
    ("POST", "/api/v1/campaigns/{campaign}/tasks"),
    ("POST", "/api/v1/campaigns/{campaign}/labels"),
    ("GET", "/tokens"),
    ("POST", "/tokens"),
    ("POST", "/tokens/{token}/revoke"),
    ("GET", "/api/v1/tokens"),
    ("DELETE", "/api/v1/tokens/{token}"),
    ("GET", "/api/openapi.json"),
}
"""What an assessor may do, in the own campaign, and with their own tokens."""

CALLS = sorted(
    {
        (method, route.path)
        for router in ROUTES.values()
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    with open_house(f"sqlite:///{tmp_path_factory.mktemp('room') / 'room.db'}") as opened:
        opened.campaign("first")
        opened.campaign("second")
        yield opened


def filled(path: str, campaign: int = 1) -> str:
    """The path with something for each of its parts."""
    return re.sub(r"\{(\w+)\}", lambda part: str(campaign) if part[1] == "campaign" else "1", path)


def call(client: httpx.Client, method: str, path: str, token: str | None = None) -> httpx.Response:
    """The route called with a body that would do."""
    if method == "GET":
        return client.get(path)
    sent = {"query": "q01", "document": "q01-d01", "key": "k", "grade": "1", "name": "eve"}
    headers = {} if token is None else {"x-csrf-token": token}
    if path.startswith("/api/"):
        body = {"labels": [], "name": "eve", "half_width": 0.1, "query": "q", "document": "d", "grade": 1}
        return client.request(method, path, json=body, headers=headers)
    return client.request(method, path, data=sent, headers=headers)


def test_every_route_is_known_here() -> None:
    """No route is without a test of who may use it."""
    assert len(CALLS) > 30
    assert set(CALLS) >= PUBLIC | ASSESSORS


@pytest.mark.parametrize(("method", "path"), sorted(set(CALLS) - PUBLIC))
def test_nobody_comes_in_without_a_session(house: House, method: str, path: str) -> None:
    """Without a session every route but the public ones answers 401, and says nothing else."""
    answer = call(house.guest(), method, filled(path))
    assert answer.status_code == 401
    assert "q01" not in answer.text


@pytest.mark.parametrize(("method", "path"), sorted(set(CALLS) - PUBLIC - ASSESSORS))
def test_an_assessor_is_no_admin(house: House, method: str, path: str) -> None:
    """With an assessor's session the routes of admins answer 403."""
    client = house.assessor(1, f"ann {method} {path}"[:100])
    answer = call(client, method, filled(path), csrf(client))
    assert answer.status_code == 403


@pytest.mark.parametrize(("method", "path"), sorted(pair for pair in ASSESSORS if "campaign" in pair[1]))
def test_another_campaign_does_not_exist(house: House, method: str, path: str) -> None:
    """To an assessor of one campaign the other is not there."""
    client = house.assessor(2, f"bob {method} {path}"[:100])
    assert call(client, method, filled(path, 1), csrf(client)).status_code == 404


@pytest.mark.parametrize(("method", "path"), sorted((m, p) for m, p in set(CALLS) - PUBLIC if m != "GET"))
def test_a_form_from_elsewhere_is_refused(house: House, method: str, path: str) -> None:
    """With an admin's cookie alone, as a foreign page could send it, nothing changes; nor with another's token."""
    client = house.admin()
    assert call(client, method, filled(path)).status_code == 403
    assert call(client, method, filled(path), csrf(house.admin())).status_code == 403
    assert call(client, method, filled(path), "").status_code == 403


def test_an_assessor_has_tokens(house: House) -> None:
    """A program with one judges as they do; nobody else sees or ends it, no token makes another, nor are there many."""
    number = house.campaign("judged by a program")
    ann, bob = house.assessor(number, "ann"), house.assessor(number, "bob")
    address = f"/api/v1/campaigns/{number}"
    page = ann.post("/tokens", data={"csrf": csrf(ann), "name": "script"}).text
    assert "it judges what is handed out, and sees nothing else" in page
    secret = re.search(r"rgt_[\w-]+", page)[0]
    program = house.guest(headers={"Authorization": f"Bearer {secret}"})
    (task,) = program.post(f"{address}/tasks").json()
    sent = {"labels": [{"query": task["query"], "document": task["document"], "grade": 1}]}
    assert program.post(f"{address}/labels", json=sent).json()["new"] == 1
    assert program.get(address).status_code == 403
    assert program.get("/api/openapi.json").status_code == 200
    (row,) = program.get("/api/v1/tokens").json()
    assert bob.get("/api/v1/tokens").json() == []
    assert bob.post(f"/tokens/{row['id']}/revoke", data={"csrf": csrf(bob)}).status_code == 404
    assert program.post("/tokens", data={"name": "another"}).status_code == 403
    assert ann.post(f"/tokens/{row['id']}/revoke", data={"csrf": csrf(ann)}).status_code == 303
    assert program.post(f"{address}/tasks").status_code == 401
    made = [ann.post("/tokens", data={"csrf": csrf(ann), "name": "script"}) for _ in range(21)]
    assert [answer.status_code for answer in made] == [200] * 20 + [409]
    assert "you have 20 tokens that work" in made[-1].text


def test_another_campaigns_token_opens_nothing(house: House) -> None:
    """An assessor's own token works for the campaign that it belongs to, and for nothing of admins'."""
    person, _ = house.room.people.invite(2, "carl")
    token = house.room.people.new_token(person.id, "script")
    client = house.guest(headers={"Authorization": f"Bearer {token}"})
    assert client.post("/api/v1/campaigns/2/tasks").status_code == 200
    assert client.post("/api/v1/campaigns/1/tasks").status_code == 404
    assert client.get("/api/v1/campaigns").status_code == 403
    assert client.get("/api/v1/campaigns/2/labels").status_code == 403


def test_an_assessor_judges_in_no_other_name(house: House) -> None:
    """The name of somebody else in an assessor's label does not count."""
    person, _ = house.room.people.invite(2, "dora")
    token = house.room.people.new_token(person.id, "script")
    client = house.guest(headers={"Authorization": f"Bearer {token}"})
    (task,) = client.post("/api/v1/campaigns/2/tasks").json()
    label = {"query": task["query"], "document": task["document"], "grade": 1, "assessor": "carl"}
    assert client.post("/api/v1/campaigns/2/labels", json={"labels": [label]}).json()["new"] == 1
    labels = house.room.campaigns.get(2).campaign.labels()
    assert labels.filter(labels["document"] == task["document"])["assessor"].to_list() == ["dora"]


def test_a_forged_cookie_is_none(house: House) -> None:
    """A session that we did not sign, and a signature of something else, are nobody's."""
    for cookie in ("", "x", "rgs_x.0", "ü", "a" * 5000):
        answer = house.guest(headers={"cookie": f"rankgauge={cookie}".encode()}).get("/")
        assert answer.status_code == 401


def test_cookies_are_kept_from_scripts(house: House) -> None:
    """The session's cookie is HttpOnly and SameSite; behind HTTPS it is Secure."""
    answer = house.guest().post("/enter", data={"link": house.room.people.admin_link()})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie


def test_secure_cookies(tmp_path: Path) -> None:
    """With the setting `secure` cookies travel over HTTPS alone."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}", secure=True) as opened:
        answer = opened.guest().post("/enter", data={"link": opened.room.people.admin_link()})
        assert "secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("path", ["/healthz", "/", "/campaigns/1", "/static/room.css", "/nowhere", "/api/v1/campaigns"])
def test_every_answer_has_the_headers(house: House, path: str) -> None:
    """Pages, errors, files and JSON all tell the browser to load nothing from elsewhere."""
    answer = house.admin().get(path)
    assert {name: answer.headers[name] for name in HEADERS} == dict(HEADERS)
    assert "unsafe" not in answer.headers["content-security-policy"]


def test_nothing_outside_the_static_folder(house: House) -> None:
    """Paths that climb out of the folder are not found."""
    client = house.admin()
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert client.get(path).status_code == 404
    for path in ("..%2f..%2froom.db", "%2fetc%2fpasswd", "campaign.rg%00", "..\\labels.csv"):
        assert client.get(f"/campaigns/1/files/{path}").status_code == 404


def test_an_uploads_name_is_not_trusted(house: House) -> None:
    """Of a file's name only the ending is used, and an ending that is not known is refused."""
    client = house.admin()
    token = csrf(client)
    for name in ("../../evil.sh", "pool.exe", "pool", ".parquet.py"):
        answer = client.post("/drafts", data={"csrf": token}, files={"lists": (name, b"x")})
        assert answer.status_code == 400
        assert "not recognised" in answer.text
        assert "evil" not in answer.text or "../" not in answer.text
        params = {"name": "x", "budget": 5, "filename": name}
        assert "cannot be read" in house.program().post("/api/v1/campaigns", params=params, content=b"x").text


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    """An upload past the limit ends with 413, with a length and without one; a small form has a small limit."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}", upload_megabytes=0.25) as opened:
        program = opened.program()
        params = {"name": "x", "budget": 1, "filename": "pool.csv"}
        large = b"x" * (1 << 19)
        assert program.post("/api/v1/campaigns", params=params, content=large).status_code == 413
        chunks = iter([large[: 1 << 16]] * 8)
        assert program.post("/api/v1/campaigns", params=params, content=chunks).status_code == 413
        admin = opened.admin()
        assert admin.post("/leave", data={"csrf": csrf(admin), "x": "x" * (1 << 17)}).status_code == 413


def test_a_broken_campaigns_file_is_refused(house: House, tmp_path: Path) -> None:
    """A file that is no database, one without a campaign, and one with a trigger in it are one clear error each."""
    import sqlite3

    empty, armed = tmp_path / "empty.rg", tmp_path / "armed.rg"
    for path, script in ((empty, "create table a (b)"), (armed, "create table a (b); create view v as select 1")):
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
    program = house.program()
    for content in (b"no database at all" * 50, empty.read_bytes(), armed.read_bytes(), b""):
        params = {"name": "broken", "filename": "c.rg"}
        answer = program.post("/api/v1/campaigns", params=params, content=content)
        assert answer.status_code == 400, answer.text
    assert "broken" not in house.admin().get("/").text


def test_tries_are_limited(tmp_path: Path) -> None:
    """An address that tries one link or token after another is told to wait."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        opened.room.limit._tries = 5
        opened.room.limit._left.clear()
        client = opened.guest()
        tried = [client.post("/enter/owner", data={"link": f"guess{n}"}).status_code for n in range(7)]
        assert tried == [404] * 5 + [429] * 2
        guess = opened.guest(headers={"Authorization": "Bearer guess"})
        assert guess.get("/api/v1/campaigns").status_code == 429
        assert opened.guest().get("/healthz").status_code == 200


def test_what_people_write_is_shown_as_text(house: House) -> None:
    """Script in a name, a comment or a text is escaped wherever it is shown."""
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">'
    admin = house.admin()
    page = admin.post("/campaigns/1/people", data={"csrf": csrf(admin), "name": evil}).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_revoked_people_are_out(house: House) -> None:
    """Who is revoked while judging gets no further: neither page nor answer."""
    client = house.assessor(1, "zoe")
    page = client.get("/campaigns/1/judge").text
    person = next(row for row in house.room.people.of_campaign(1) if row.name == "zoe")
    admin = house.admin()
    assert admin.post(f"/campaigns/1/people/{person.id}/revoke", data={"csrf": csrf(admin)}).status_code == 303
    sent = {**fields(page), "grade": "1"}
    assert client.post("/campaigns/1/judge", data=sent).status_code == 401


def test_tokens_are_listed_and_revoked(house: House) -> None:
    """A program sees its owner's tokens without their secrets, revokes one, and is out if it was its own."""
    program = house.program("lister")
    rows = program.get("/api/v1/tokens").json()
    assert {"name", "created", "expires", "revoked"} < rows[-1].keys()
    assert "hash" not in rows[-1]
    assert program.delete(f"/api/v1/tokens/{2**31 - 1}").status_code == 404
    assert program.delete(f"/api/v1/tokens/{rows[-1]['id']}").status_code == 204
    assert program.get("/api/v1/tokens").status_code == 401
    assert "Works until" in house.enter(house.room.people.admin_link("lister")).get("/tokens").text


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    """The database, what SQLite keeps beside it, and a backup can be read by nobody else."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as opened:
        opened.campaign()
        copy(Location(tmp_path / "room.db"), Location(tmp_path / "copy.db"))
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes.keys() >= {"room.db", "room.db-wal", "copy.db"}
    assert set(modes.values()) == {0o600}


def test_a_token_has_no_session_to_leave(house: House) -> None:
    """Leaving with a token is the caller's mistake."""
    assert house.program().post("/leave").status_code == 400


def test_logs_hold_no_secrets(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A link's secret, a session and a token are in no line of the log, and who asked for what is."""
    import logging

    with caplog.at_level(logging.INFO, logger="rankgauge.room"):
        link = house.room.people.admin_link()
        client = house.enter(link)
        client.get("/")
        # The line of a request is written once its answer is sent.
        end = time.monotonic() + 10
        while time.monotonic() < end and not any(getattr(r, "facts", {}).get("route") == "/" for r in caplog.records):
            time.sleep(0.01)
    lines = [(record.getMessage(), record.facts) for record in caplog.records if hasattr(record, "facts")]
    assert {facts["route"] for _, facts in lines if "route" in facts} >= {"/enter", "/"}
    assert all({"request", "address"} <= facts.keys() for _, facts in lines if "route" in facts)
    (signed,) = [facts for event, facts in lines if event == "signed in"]
    assert (signed["address"], signed["role"]) == ("127.0.0.1", "admin")
    assert link not in str(lines)
    assert all(cookie not in str(lines) for cookie in client.cookies.values())
