"""Single sign-on by OpenID Connect: a provider says who somebody is, and one of its claims which role they have."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import httpx
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from fastapi import HTTPException, Request, Response
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from sqlalchemy import select
from starlette.responses import RedirectResponse

from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.tables import campaigns
from rankgauge.room.auth import TheRoom, count_try
from rankgauge.room.credentials import verify
from rankgauge.room.pages.sign_in import keep_cookie, signed_in
from rankgauge.room.people import MINUTE, Role
from rankgauge.room.room import Room
from rankgauge.room.route import pages

router = pages("single_sign_on", place=25)

COOKIE = "rankgauge_oidc"
"""The cookie that ties the answer of the provider to the browser that asked; it holds nothing that is known before."""

WITHIN = 10 * MINUTE
"""How long somebody may take at the provider."""

ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "PS256", "EdDSA"]
"""Signatures that are taken; none with the client's secret, and not `none`."""

_ASKING = threading.Semaphore(8)
"""How many may ask the provider at a time."""


@router.get("/oidc")
def leave_for_provider(request: Request, room: TheRoom) -> Response:
    """Send somebody to the provider, to say there who they are."""
    known = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "verifier")}
    url = prepare_grant_uri(
        _metadata(room)["authorization_endpoint"],
        room.settings.oidc_client,
        "code",
        redirect_uri=_back(room),
        scope="openid profile",
        state=known["state"],
        nonce=known["nonce"],
        code_challenge=create_s256_code_challenge(known["verifier"]),
        code_challenge_method="S256",
    )
    response = RedirectResponse(url, status_code=303)
    kept = base64.urlsafe_b64encode(json.dumps({**known, "until": time.time() + WITHIN}).encode()).decode()
    keep_cookie(room, response, COOKIE, kept, WITHIN)
    return response


@router.get("/oidc/back")
def come_back(request: Request, room: TheRoom, state: str = "", code: str = "", error: str = "") -> Response:
    """Sign somebody in whom the provider has named, with the role that it gives them."""
    kept = verify(request.cookies.get(COOKIE, ""), room.key)
    known = json.loads(base64.urlsafe_b64decode(kept)) if kept else {}
    if error or not known or known["until"] < time.time() or known["state"] != state:
        count_try(request, room)
        raise HTTPException(403, f"the provider did not sign you in{': ' + error[:100] if error else ''}; try again")
    try:
        claims = _claims(room, code, known)
    except (JoseError, httpx.HTTPError, KeyError, TypeError, ValueError):
        count_try(request, room)
        raise HTTPException(403, "the provider's answer is not valid; try again") from None
    role, campaign = _role(room, claims)
    subject = f"{room.settings.oidc_issuer} {claims['sub']}"
    if role is None:
        room.people.revoke_subject(subject)
        raise HTTPException(403, f"your account has no role here: the claim {room.settings.oidc_roles} names none")
    name = str(claims.get("name") or claims.get("preferred_username") or claims["sub"])[:120]
    response = signed_in(room, room.people.enter_as(subject, name, role, campaign))
    response.delete_cookie(COOKIE, path=room.settings.root_path or "/")
    return response


def _back(room: Room) -> str:
    """Return the address to which the provider sends people back."""
    return f"{room.settings.base}/oidc/back"


@contextmanager
def _provider() -> Iterator[httpx.Client]:
    """A connection to the provider. If that is slow, those who wait for it must not keep all threads of the room."""
    if not _ASKING.acquire(blocking=False):
        words = "too many people are signing in at the moment; try again"
        raise HTTPException(503, words, headers={"Retry-After": "2"})
    try:
        with httpx.Client(timeout=10) as client:
            yield client
    finally:
        _ASKING.release()


@lru_cache(maxsize=4)
def _described(issuer: str, minute: int) -> Any:
    """Return what the provider says of itself, asked once in a minute."""
    with _provider() as client:
        return client.get(f"{issuer}/.well-known/openid-configuration").raise_for_status().json()


def _metadata(room: Room) -> dict[str, Any]:
    """Return where the provider says its parts are."""
    issuer = room.settings.oidc_issuer.rstrip("/")
    if not issuer:
        raise HTTPException(404, "this room has no single sign-on")
    try:
        metadata = _described(issuer, int(time.time() // MINUTE))
    except (httpx.HTTPError, ValueError):
        raise HTTPException(503, "the provider of single sign-on does not answer; try again") from None
    if not isinstance(metadata, dict) or str(metadata.get("issuer")).rstrip("/") != issuer:
        raise HTTPException(503, "the provider of single sign-on gives another name than RANKGAUGE_OIDC_ISSUER")
    if not all(
        isinstance(metadata.get(name), str) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")
    ):
        raise HTTPException(503, "the provider of single sign-on does not say where its parts are")
    return dict(metadata)


def _claims(room: Room, code: str, known: dict[str, Any]) -> dict[str, Any]:
    """Exchange the code for what the provider says of somebody, and check who signed it, for whom, until when."""
    metadata, settings = _metadata(room), room.settings
    asked = {"grant_type": "authorization_code", "code": code, "redirect_uri": _back(room)}
    asked |= {"code_verifier": known["verifier"], "client_id": settings.oidc_client}
    proof = httpx.BasicAuth(settings.oidc_client, settings.oidc_secret) if settings.oidc_secret else httpx.Auth()
    with _provider() as client:
        token = client.post(metadata["token_endpoint"], data=asked, auth=proof).raise_for_status().json()
        keys = KeySet.import_key_set(client.get(metadata["jwks_uri"]).raise_for_status().json())
    claims = jwt.decode(token["id_token"], keys, algorithms=ALGORITHMS).claims
    jwt.JWTClaimsRegistry(
        leeway=60,
        iss={"essential": True, "value": metadata["issuer"]},
        aud={"essential": True, "value": room.settings.oidc_client},
        sub={"essential": True},
        exp={"essential": True},
        nonce={"essential": True, "value": known["nonce"]},
    ).validate(claims)
    return dict(claims)


def _role(room: Room, claims: dict[str, Any]) -> tuple[Role | None, int | None]:
    """Return the first role of the claim that is one: `admin`, or a campaign's name or number, a colon, and a role."""
    said = claims.get(room.settings.oidc_roles, [])
    for text in [said] if isinstance(said, str) else said if isinstance(said, list) else []:
        if text == Role.ADMIN:
            return Role.ADMIN, None
        name, _, role = str(text).rpartition(":")
        chosen = campaigns.c.name == name
        if name.isascii() and name.isdecimal() and len(name) < 10:
            chosen |= campaigns.c.id == int(name)
        with reading(room.engine) as connection:
            campaign = connection.scalar(select(campaigns.c.id).where(chosen).order_by(campaigns.c.id))
        if campaign is not None and role in (Role.ASSESSOR, Role.MANAGER, Role.VIEWER):
            return Role(role), campaign
    return None, None
