"""Single sign-on, against a provider that stands in: codes, signatures, claims, and the roles that they give."""

from __future__ import annotations

import base64
import hashlib
import json
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from rankgauge.room.credentials import verify
from rankgauge.room.people import Role
from tests.web.house import House, open_house

KEY, OTHER = (RSAKey.generate_key(2048, {"kid": kid, "use": "sig"}) for kid in ("one", "one"))


@dataclass
class Provider:
    """An OpenID provider that signs everybody in at once, with the claims that a test chooses."""

    claims: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: KEY)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    base: str = ""

    def answer(self, path: str, sent: dict[str, str]) -> Any:
        """What the provider says at a path."""
        if path == "/.well-known/openid-configuration":
            places = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
            return {"issuer": self.base, **{name: self.base + place for name, place in places.items()}}
        if path == "/keys":
            return {"keys": [KEY.as_dict(private=False)]}
        if path == "/token":
            asked = self.codes.pop(sent["code"])
            challenge = base64.urlsafe_b64encode(hashlib.sha256(sent["code_verifier"].encode()).digest())
            assert challenge.rstrip(b"=").decode() == asked["code_challenge"]
            said = {"iss": self.base, "aud": "room", "sub": "s1", "exp": int(time.time()) + 60, "name": "Ann"}
            said |= {"nonce": asked["nonce"], **self.claims}
            return {
                "access_token": "a",
                "token_type": "Bearer",
                "id_token": jwt.encode({"alg": "RS256"}, said, self.key),
            }
        raise AssertionError(path)


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A running provider."""
    made = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(body).items()})

        def _answer(self, sent: dict[str, str]) -> None:
            body = json.dumps(made.answer(urlsplit(self.path).path, sent)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def room(provider: Provider, tmp_path: Path) -> Iterator[House]:
    """A room with a campaign, and with single sign-on."""
    settings = {"oidc_issuer": provider.base, "oidc_client": "room", "oidc_secret": "s3cret", "oidc_name": "Example"}
    with open_house(f"sqlite:///{tmp_path / 'room.db'}", **settings) as house:
        house.campaign("autumn")
        yield house


def sign_in(room: House, provider: Provider, **claims: Any) -> tuple[httpx.Client, httpx.Response]:
    """A browser that has gone to the provider and come back."""
    provider.claims = claims
    client = room.guest()
    asked = client.get("/oidc")
    url = urlsplit(asked.headers["location"])
    assert f"{url.scheme}://{url.netloc}{url.path}" == f"{provider.base}/authorize"
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert query["redirect_uri"].endswith("/oidc/back")
    provider.codes["c1"] = query
    return client, client.get("/oidc/back", params={"state": query["state"], "code": "c1"})


@pytest.mark.parametrize(
    ("roles", "role"),
    [
        (["admin"], Role.ADMIN),
        ("autumn:manager", Role.MANAGER),
        (["winter:manager", "1:viewer", "autumn:manager"], Role.VIEWER),
        (["autumn:assessor"], Role.ASSESSOR),
    ],
)
def test_claims_give_roles(room: House, provider: Provider, roles: Any, role: Role) -> None:
    """The first role of the claim that the room knows is somebody's role, in that campaign."""
    client, answer = sign_in(room, provider, rankgauge=roles)
    assert answer.status_code == 303
    assert client.get("/tokens").status_code == 200
    person = room.room.people.by_session(verify(client.cookies["rankgauge"], room.room.key) or "")
    assert person is not None
    assert (person.name, person.role) == ("Ann", role)
    for page in ("/enter", "/", "/campaigns/1"):
        assert 'href="/oidc">Sign in with Example' in room.guest().get(page).text


@pytest.mark.parametrize("roles", [[], ["autumn:admin"], ["nowhere:assessor"], "manager", 7, None, ["autumn"]])
def test_who_has_no_role_is_refused(room: House, provider: Provider, roles: Any) -> None:
    """Whom the provider knows, and the room does not, gets in nowhere."""
    client, answer = sign_in(room, provider, rankgauge=roles)
    assert answer.status_code == 403
    assert client.get("/tokens").status_code == 401


def test_roles_are_taken_back(room: House, provider: Provider) -> None:
    """Somebody is the same person at each sign-in, with the role of the last one; without a role, nobody."""
    first, _ = sign_in(room, provider, rankgauge=["autumn:assessor"])
    second, _ = sign_in(room, provider, rankgauge=["autumn:manager"])
    assert [first.get("/campaigns/1/people").status_code, second.get("/campaigns/1/people").status_code] == [200, 200]
    assert [row.name for row in room.room.people.of_campaign(1)] == ["Ann"]
    sign_in(room, provider, rankgauge=[])
    assert [client.get("/campaigns/1").status_code for client in (first, second)] == [401, 401]


@pytest.mark.parametrize(
    "claims", [{"aud": "another"}, {"iss": "https://evil.example"}, {"exp": 1_000}, {"nonce": "another"}]
)
def test_forged_answers(room: House, provider: Provider, claims: dict[str, Any]) -> None:
    """What was said for others, by others, long ago or to another question signs nobody in."""
    assert sign_in(room, provider, rankgauge=["admin"], **claims)[1].status_code == 403


def test_other_signatures_and_states(room: House, provider: Provider) -> None:
    """Another key's signature counts for nothing; nor does an answer that this browser did not ask for."""
    provider.key = OTHER
    assert sign_in(room, provider, rankgauge=["admin"])[1].status_code == 403
    assert room.guest().get("/oidc/back", params={"state": "x", "code": "c1"}).status_code == 403
    client = room.guest()
    client.get("/oidc")
    assert client.get("/oidc/back", params={"state": "x", "code": "c1"}).status_code == 403
    assert client.get("/oidc/back", params={"state": "é", "code": "c1"}).status_code == 403
    assert client.get("/oidc/back", params={"error": "access_denied"}).status_code == 403


@pytest.mark.parametrize("said", [[], {}, {"issuer": 7}, {"issuer": None}, {"issuer": True}])
def test_providers_that_say_nothing_useful(room: House, provider: Provider, said: Any) -> None:
    """What a provider says of itself may be anything: it is out of order then, and the room is not."""
    if said == {}:
        said = {"issuer": provider.base}
    provider.answer = lambda path, sent: said  # type: ignore[method-assign]
    assert room.guest().get("/oidc").status_code == 503


def test_a_slow_provider_keeps_nobody_else_waiting(
    room: House, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While many wait for the provider, one more is asked to try again, and whoever judges notices nothing."""
    answer, gone_on = provider.answer, threading.Event()

    def slow(path: str, sent: dict[str, str]) -> Any:
        gone_on.wait(30)
        return answer(path, sent)

    monkeypatch.setattr(provider, "answer", slow)
    told = queue.Queue[httpx.Response]()
    guests = [room.guest() for _ in range(9)]
    asking = [threading.Thread(target=lambda guest: told.put(guest.get("/oidc")), args=[guest]) for guest in guests]
    for one in asking:
        one.start()
    try:
        first = told.get(timeout=30)
        assert (first.status_code, "too many people are signing in" in first.text) == (503, True)
        assert room.admin().get("/campaigns/1").status_code == 200
    finally:
        gone_on.set()
        for one in asking:
            one.join()
    assert room.guest().get("/oidc").status_code == 303


def test_the_provider_is_asked_once_a_minute(room: House, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers who go to the provider and never come back do not make the room ask it again and again."""
    asked, answer = list[str](), provider.answer
    monkeypatch.setattr(provider, "answer", lambda path, sent: asked.append(path) or answer(path, sent))
    assert {room.guest().get("/oidc").status_code for _ in range(20)} == {303}
    assert len(asked) <= 2
