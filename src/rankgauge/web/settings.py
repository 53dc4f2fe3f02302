"""How the judging room is set up: one table of settings, each with the variable of the environment that sets it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from rankgauge.errors import ParameterError

__all__ = ["PREFIX", "Settings"]

PREFIX = "RANKGAUGE_"
"""How the variables of the environment begin: `lease_minutes` is RANKGAUGE_LEASE_MINUTES."""

MIB = 1 << 20


def _setting(default: Any, words: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"words": words})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where the judging room keeps its data, and what it allows."""

    database: str = _setting("sqlite:///rankgauge.db", "the URL of the database", secret=True)
    host: str = _setting("127.0.0.1", "the address to listen on; other machines see the room only by 0.0.0.0 or ::")
    port: int = _setting(8000, "the port to listen on")
    url: str = _setting("", "how browsers reach the room, for links; made of host and port where it is empty")
    secret: str = _setting("", "what signs sessions; kept in the database where it is empty", secret=True)
    secure: bool = _setting(False, "whether cookies travel over HTTPS alone; set it behind a proxy that has HTTPS")
    session_hours: float = _setting(12.0, "how long somebody stays signed in")
    invite_days: float = _setting(30.0, "how long a link for an assessor works")
    lease_minutes: float = _setting(15.0, "how long a document waits for the assessor who has it on the screen")
    upload_megabytes: float = _setting(64.0, "the largest file that may be uploaded")
    tries_a_minute: int = _setting(20, "how many links and tokens an address may try in a minute")

    def __post_init__(self) -> None:
        for name in ("session_hours", "invite_days", "lease_minutes", "upload_megabytes", "tries_a_minute"):
            if not getattr(self, name) > 0:
                raise ParameterError("serve", name, "above 0", getattr(self, name))
        if not 0 <= self.port < 1 << 16:
            raise ParameterError("serve", "port", "a number from 0 to 65535", self.port)

    @classmethod
    def of(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Self:
        """The settings of the environment, and what is given besides, which counts more."""
        told = os.environ if environment is None else environment
        found = {
            f.name: _parsed(f.name, f.default, told[_variable(f.name)])
            for f in fields(cls)
            if _variable(f.name) in told
        }
        return cls(**{**found, **{name: value for name, value in given.items() if value is not None}})

    @property
    def base(self) -> str:
        """How links to the room begin."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.url.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def upload_bytes(self) -> int:
        """The largest upload."""
        return int(self.upload_megabytes * MIB)


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _parsed(name: str, default: Any, text: str) -> Any:
    """The text of a variable as the kind of value that the setting has."""
    if isinstance(default, bool):
        if text.lower() not in _WORDS:
            raise ParameterError("serve", name, "true or false", text)
        return _WORDS[text.lower()]
    try:
        return type(default)(text)
    except ValueError:
        raise ParameterError("serve", name, f"a number such as {default}", text) from None


_WORDS: Mapping[str, bool] = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}


def new_secret() -> str:
    """A secret to sign sessions with."""
    return secrets.token_hex(32)
