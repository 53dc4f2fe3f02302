"""The room's settings. Each can be set by an environment variable."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self
from urllib.parse import urlsplit

from rankgauge.errors import ParameterError, UnknownNameError

PREFIX = "RANKGAUGE_"
"""The prefix of the environment variables: `lease_minutes` is RANKGAUGE_LEASE_MINUTES."""

ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?")
"""A scheme, a host and perhaps a port: what may stand in a security policy."""

ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
"""Where a browser finds something: a scheme, a host, perhaps a port and a path."""

ROOT = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
"""A path without a slash at its end."""

MOST = {"workers": 100}
"""The largest values that make sense, where it is not a million."""

CLOSE = 0.93
"""From which likeness on a variable is taken for a setting that is misspelt; other programs' variables are not ours."""

BOOLEANS: Mapping[str, bool] = {
    **{"1": True, "true": True, "yes": True},
    **{"0": False, "false": False, "no": False, "": False},
}


def _setting(default: Any, words: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"words": words})


@dataclass(frozen=True, kw_only=True)
class RoomSettings:
    """Where the judging room keeps its data, and what it allows."""

    database: str = _setting("sqlite:///rankgauge.db", "the URL of the database", secret=True)
    host: str = _setting("127.0.0.1", "the address to listen on; 0.0.0.0 or :: opens the room to other machines")
    port: int = _setting(8000, "the port to listen on")
    workers: int = _setting(1, "how many processes serve the room; 50 assessors need no more than one")
    url: str = _setting("", "the address that browsers use, for links; if empty, it is made of host and port")
    root_path: str = _setting("", "the path under which a proxy serves the room, such as /judging")
    metrics_token: str = _setting("", "the token that may read /metrics; without it only this machine may", secret=True)
    secret: str = _setting("", "the key that signs sessions; if empty, the room makes one and keeps it", secret=True)
    secure: bool = _setting(False, "whether cookies are sent over HTTPS only; set it behind an HTTPS proxy")
    session_hours: float = _setting(12.0, "how long people stay signed in")
    admin: str = _setting("admin", "the name of the administrator whose link is printed")
    invite_days: float = _setting(30.0, "how long an invited person's link works")
    token_days: float = _setting(90.0, "how long an API token works")
    lease_minutes: float = _setting(15.0, "how long a document on an assessor's screen is kept from the others")
    desk_documents: int = _setting(20, "how many documents one person, or a program of theirs, may have at a time")
    upload_megabytes: float = _setting(64.0, "the largest file that may be uploaded")
    draft_days: float = _setting(14.0, "how long an unfinished new campaign is kept after it was last touched")
    images: str = _setting("", "addresses that documents may show images from, such as https://img.example.org")
    oidc_issuer: str = _setting("", "the address of an OpenID provider; with it people can sign in by single sign-on")
    oidc_client: str = _setting("", "the room's client id at the provider")
    oidc_secret: str = _setting("", "the room's client secret at the provider", secret=True)
    oidc_name: str = _setting("single sign-on", "what the button on the page Sign in calls the provider")
    oidc_roles: str = _setting("rankgauge", "the claim with people's roles: admin, or autumn:assessor for one campaign")
    tries_a_minute: int = _setting(20, "how many links and tokens that do not work one address may try per minute")
    address_connections: int = _setting(
        400, "how many connections one address may have open; proxies may have any number"
    )
    proxies: str = _setting("", "the addresses of proxies in front of the room, such as 127.0.0.1, 10.0.0.0/8")

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            most = MOST.get(setting.name, 1_000_000)
            if type(setting.default) in (int, float) and setting.name != "port" and not 0 < value <= most:
                raise ParameterError("serve", setting.name, f"above 0, at most {most:,}", value)
        if not 0 <= self.port < 1 << 16:
            raise ParameterError("serve", "port", "a number from 0 to 65535", self.port)
        if self.root_path and not ROOT.fullmatch(self.root_path):
            raise ParameterError("serve", "root_path", "a path such as /judging", self.root_path)
        for name in ("url", "oidc_issuer"):
            if (address := getattr(self, name)) and not ADDRESS.fullmatch(address):
                raise ParameterError("serve", name, "an address such as https://judge.example.org", address)
        if self.url and urlsplit(self.url).path.rstrip("/") != self.root_path:
            wanted = f"the path {self.root_path}" if self.root_path else "no path, or root_path with the same"
            raise ParameterError("serve", "url", f"an address with {wanted}", self.url)
        if self.oidc_issuer and not self.oidc_client:
            raise ParameterError("serve", "oidc_client", "what the provider calls the room", self.oidc_client)
        if any(not ORIGIN.fullmatch(origin) for origin in self.origins):
            raise ParameterError("serve", "images", "addresses such as https://img.example.org", self.images)

    @property
    def origins(self) -> tuple[str, ...]:
        """The addresses that documents may show images from."""
        return tuple(self.images.split())

    @classmethod
    def of(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Self:
        """Return the settings of the environment; those given here (if not None) override them."""
        variables = os.environ if environment is None else environment
        known = [PREFIX + setting.name.upper() for setting in fields(cls)]
        for name in variables:
            near = difflib.get_close_matches(name, known, 1, CLOSE) if name.startswith(PREFIX) else []
            if near and name not in known:
                raise UnknownNameError("setting", name, known, near=near)
        values: dict[str, Any] = {}
        for setting in fields(cls):
            default: Any = setting.default
            if (text := variables.get(PREFIX + setting.name.upper())) is None:
                continue
            is_choice = isinstance(default, bool)
            try:
                values[setting.name] = BOOLEANS[text.lower()] if is_choice else type(default)(text)
            except (KeyError, ValueError):
                wanted = "true or false" if is_choice else f"a number such as {default}"
                raise ParameterError("serve", setting.name, wanted, text) from None
        return cls(**{**values, **{name: value for name, value in given.items() if value is not None}})

    @property
    def base(self) -> str:
        """The address of the room, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.url.rstrip("/") or f"http://{host}:{self.port}{self.root_path}"

    def link(self, secret: str) -> str:
        """Return the link that signs the owner of the secret in. What is behind the # is sent to no server or proxy."""
        return f"{self.base}/enter#{secret}"
